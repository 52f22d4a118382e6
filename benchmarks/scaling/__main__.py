"""Measure what training and prediction cost at several sizes, and write docs/scaling.md with the cost model.

    python -m benchmarks.scaling run [--data-dir DATA] [--parts cases predictions draws threads cluster]
    python -m benchmarks.scaling report

The rows are made up or those of Connect-4, which is part of the package; MNIST is measured too where it is found in
DATA or in WTM_DATA. Takes some minutes of one core. Parts that are not named keep what was measured before.
"""

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.scaling.measure import cases, measure_case, measure_draws, measure_prediction, measure_threads
from wtm.paper.environment import environment

RESULTS = Path(__file__).parents[1] / "results" / "scaling.json"
PARTS = ("cases", "predictions", "draws", "threads", "cluster")
PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"


def run(parts: list[str], data_dir: str | None) -> None:
    """Measure and store."""
    all_cases = cases(with_mnist=data_dir is not None)
    measures: dict[str, Callable[[], Any]] = {
        "cases": lambda: [measure_case(case, data_dir) for case in all_cases],
        "predictions": lambda: [measure_prediction(case, data_dir) for case in all_cases if case.axes != ("rows",)],
        "draws": lambda: list(measure_draws()),
        "threads": measure_threads,
        "cluster": _measure_cluster,
    }
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for part in parts or PARTS:
        measured = measures[part]()
        results[part] = {**environment(), "measured": measured}
        RESULTS.write_text(json.dumps(results) + "\n", encoding="utf-8")


def _measure_cluster() -> Any:
    from benchmarks.scaling.cluster import measure_clusters  # needs the extra `dask`

    return measure_clusters()


def main() -> None:
    """Run a command; see the package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "report"])
    parser.add_argument("--data-dir", default=os.environ.get("WTM_DATA"))
    parser.add_argument("--parts", nargs="+", default=[], choices=PARTS)
    options = parser.parse_args()
    if options.command == "run":
        run(options.parts, options.data_dir)
    else:
        from benchmarks.scaling.page import write_page

        write_page(json.loads(RESULTS.read_text("utf-8")), PAGE)


if __name__ == "__main__":
    main()
