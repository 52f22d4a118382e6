"""Train on files that are larger than memory, and compare with training in memory: docs/performance.md has the figures.

    python -m benchmarks.large_data accuracy            # the same rows in memory and from files, 3 seeds
    python -m benchmarks.large_data memory [--gigabytes 20]

The rows are made up: numbers in 250 columns, of which six decide the label, which is wrong in 5 % of the rows. The
Parquet files hold them sorted by label, which is the hardest order for training chunk by chunk. Each training is a
process of its own with one thread; its peak of memory is that of the whole process. The page is written from the stored
runs by `python -m benchmarks.compare --report-only`.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from wtm import Booleanizer, WTMClassifier, __version__, stream
from wtm.paper.environment import environment
from wtm.paper.text_table import Table

RESULTS = Path(__file__).parent / "results" / "large_data.json"
N_COLUMNS, GROUP = 250, 10_000
NOISE = 0.05
N_TEST = 50_000
MODEL = {"n_clauses": 100, "T": 30.0, "s": 5.0, "n_jobs": 1}
BATCH = 100_000


def make_rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Make rows, float32 of shape (n, 250), and labels."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, N_COLUMNS), np.float32)
    y = ((X[:, 0] > 0) & (X[:, 1] > -0.5)) | ((X[:, 2] < 0.3) & (X[:, 3] > 0.2) & (X[:, 4] * X[:, 5] > 0))
    return X, (y ^ (rng.random(n) < NOISE)).astype(np.int8)


def write_files(folder: Path, n_rows: int, seed: int) -> None:
    """Write a Parquet file for each label."""
    names = [f"x{j}" for j in range(N_COLUMNS)]
    schema = pa.schema([*((name, pa.float32()) for name in names), ("label", pa.int8())])
    options: dict[str, Any] = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    writers = [pq.ParquetWriter(folder / f"label{label}.parquet", schema, **options) for label in (0, 1)]
    for start in range(0, n_rows, 4 * GROUP):
        X, y = make_rows(min(4 * GROUP, n_rows - start), seed + start)
        for label, writer in enumerate(writers):
            rows = X[y == label]
            columns = [*rows.T.copy(), np.full(len(rows), label, np.int8)]
            writer.write_table(pa.table(dict(zip(schema.names, columns, strict=True))), row_group_size=GROUP)
    for writer in writers:
        writer.close()


def train(where: str, folder: Path, n_epochs: int, seed: int) -> dict[str, Any]:
    """Train in this process; return seconds, the peak of memory and the accuracy on other rows."""
    model = WTMClassifier(**MODEL, booleanizer=Booleanizer(n_thresholds=8), n_epochs=n_epochs, random_state=seed)
    start = time.perf_counter()
    if where == "files":
        rows = stream.ParquetRows(folder / "label*.parquet", target="label")
        model = stream.fit(model, rows, batch_size=BATCH)
    else:
        table = pa.concat_tables(pq.read_table(folder / f"label{label}.parquet") for label in (0, 1))
        model.fit(table.drop_columns("label"), table["label"].to_numpy())
    seconds, peak = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    X, y = make_rows(N_TEST, 2**40)
    names = [f"x{j}" for j in range(N_COLUMNS)]
    accuracy = model.score(pa.table(dict(zip(names, X.T.copy(), strict=True))), y)
    return {"where": where, "seed": seed, "n_epochs": n_epochs, "seconds": seconds, "peak": peak, "accuracy": accuracy}


def in_process(where: str, folder: Path, n_epochs: int, seed: int) -> dict[str, Any]:
    """Train in a process of its own."""
    arguments = ["train", "--where", where, "--folder", folder, "--epochs", n_epochs, "--seed", seed]
    command = [sys.executable, "-m", "benchmarks.large_data", *map(str, arguments)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(found, file=sys.stderr, flush=True)
    return found


def measure(kind: str, gigabytes: float, folder: Path | None) -> dict[str, Any]:
    """Write files, train, and return the measurements."""
    n_rows = round(gigabytes * 1e9 / (4 * N_COLUMNS + 1))
    with tempfile.TemporaryDirectory(dir=folder) as name:
        data = Path(name)
        write_files(data, n_rows, seed=0)
        size = sum(path.stat().st_size for path in data.iterdir()) / 1e9
        if kind == "memory":
            runs = [in_process("files", data, 1, 0)]
        else:
            runs = [in_process(where, data, 5, seed) for seed in range(3) for where in ("files", "memory")]
    date = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    return {"gigabytes": size, "rows": n_rows, "date": date, "wtm": __version__, **environment(), "runs": runs}


def section(results: dict[str, Any]) -> str:
    """Return the section of docs/performance.md."""
    header = ["", "GB", "rows", "epochs", "seeds", "accuracy, %", "peak of memory, GiB", "seconds"]
    rows = [row for kind in ("accuracy", "memory") if kind in results for row in _rows(results[kind])]
    made = {f"{found['machine']['processor']}, wtm {found['wtm']}, {found['date']}" for found in results.values()}
    return (
        "## Files larger than memory\n\n"
        "Made-up rows of 250 numbers, in Parquet files that are sorted by label, with one thread; 100 clauses per\n"
        f"class and 2,000 features. `wtm.stream.fit` holds about {BATCH:,} rows at a time. Accuracies are of other\n"
        f"rows, {NOISE:.0%} of whose labels are wrong; brackets hold the smallest and the largest of all seeds. Peaks\n"
        "are those of whole processes. `python -m benchmarks.large_data` measures them.\n"
        f"{'; '.join(sorted(made))}.\n\n{Table(header, rows).markdown()}\n"
    )


def _rows(found: dict[str, Any]) -> Iterator[list[str]]:
    for where, name in (("memory", "`fit`, in memory"), ("files", "`wtm.stream.fit`")):
        runs = [run for run in found["runs"] if run["where"] == where]
        if runs:
            scores = [100 * run["accuracy"] for run in runs]
            spread = f" ({min(scores):.2f}–{max(scores):.2f})" if len(runs) > 1 else ""
            yield [
                name,
                f"{found['gigabytes']:.1f}",
                f"{found['rows']:,}",
                f"{runs[0]['n_epochs']}",
                f"{len(runs)}",
                f"{np.mean(scores):.2f}{spread}",
                f"{max(run['peak'] for run in runs):.2f}",
                f"{np.median([run['seconds'] for run in runs]):,.0f}",
            ]


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["accuracy", "memory", "train"])
    parser.add_argument("--gigabytes", type=float, help="size of the files; default: 1 for accuracy, 20 for memory")
    parser.add_argument("--folder", type=Path, help="where the files are written, for as long as it takes")
    parser.add_argument("--where", choices=["files", "memory"], help=argparse.SUPPRESS)
    parser.add_argument("--epochs", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.command == "train":
        print(json.dumps(train(options.where, options.folder, options.epochs, options.seed)))
        return
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    size = options.gigabytes or {"accuracy": 1, "memory": 20}[options.command]
    results[options.command] = measure(options.command, size, options.folder)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
