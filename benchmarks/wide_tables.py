"""What `wtm train` and `wtm predict` take for CSV files of very many columns: docs/performance.md has the figures.

    python -m benchmarks.wide_tables [--columns N,N,...] [--out FILE]

The files are made up: 60 rows of two classes, with measured numbers as of genes, or 0 and 1 as of words. Each command
is a process of its own, with its defaults and one thread. It runs once before the clock runs. Seconds are those of the
processor, which other work on the machine changes little, and of the clock. The page is written from FILE by
`python -m benchmarks.compare --report-only`.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from wtm import __version__
from wtm.paper.environment import environment
from wtm.paper.text_table import Table

RESULTS = Path(__file__).parent / "results" / "wide_tables.json"
N_ROWS, N_TELLING = 60, 10
KINDS = {"measured numbers": "%.4f", "0 and 1": "%d"}


def write_table(path: Path, kind: str, n_columns: int) -> None:
    """Write a file of two classes, which differ in the first columns."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, N_ROWS)
    if kind == "0 and 1":
        X = (rng.random((N_ROWS, n_columns)) < 0.1).astype(int)
        X[:, :N_TELLING] |= labels[:, np.newaxis] & (rng.random((N_ROWS, N_TELLING)) < 0.7)
    else:
        X = rng.normal(5, 2, (N_ROWS, n_columns))
        X[:, :N_TELLING] += 3 * labels[:, np.newaxis]
    with path.open("w") as file:
        file.write(",".join(["label", *(f"column {j}" for j in range(n_columns))]) + "\n")
        for label, row in zip(labels, X, strict=True):
            file.write(f"class {label}," + ",".join(KINDS[kind] % value for value in row) + "\n")


def run(*arguments: object) -> tuple[float, float]:
    """Run a command; return seconds of the processor and of the clock."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "wtm", *map(str, arguments), "--n-jobs", "1", "--quiet", "--overwrite"]
    subprocess.run(command, check=True, capture_output=True)
    after, stop = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, stop - start


def measure(kind: str, n_columns: int, folder: Path) -> dict[str, Any]:
    """Measure both commands on one file."""
    data, model, predicted = (folder / name for name in ("data.csv", "model", "predicted.csv"))
    write_table(data, kind, n_columns)
    found: dict[str, Any] = {"kind": kind, "columns": n_columns, "megabytes": data.stat().st_size / 1e6}
    found["train"] = run("train", data, "--target", "label", "--out", model)
    found["predict"] = run("predict", model, data, "--out", predicted)
    return found


def section(results: dict[str, Any]) -> str:
    """Return the section of docs/performance.md."""
    heads = ["cells", "columns", "MB", "`wtm train`, s", "`wtm predict`, s"]
    rows = [
        [
            found["kind"],
            f"{found['columns']:,}",
            f"{found['megabytes']:.1f}",
            *("{:.1f} ({:.1f})".format(*found[command]) for command in ("train", "predict")),
        ]
        for found in results["measured"]
    ]
    return (
        "## CSV files of many columns\n\n"
        f"Whole processes with their defaults and one thread, on {N_ROWS} rows: seconds of the processor, and of the "
        "clock in\nbrackets. `python -m benchmarks.wide_tables` measures them.\n"
        f"{results['session'][:16].replace('T', ' ')} UTC; {results['processor']}; wtm {results['version']}.\n\n"
        f"{Table(heads, rows).markdown()}\n"
    )


def main(arguments: list[str] | None = None) -> None:
    """Run the command; see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", default="1000,10000,40000,100000")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    results = {
        "session": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "processor": environment()["machine"]["processor"],
    }
    with tempfile.TemporaryDirectory() as folder:
        measure("0 and 1", 10, Path(folder))
        sizes = [int(size) for size in options.columns.split(",")]
        results["measured"] = [measure(kind, size, Path(folder)) for kind in KINDS for size in sizes]
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(section(results))


if __name__ == "__main__":
    main()
