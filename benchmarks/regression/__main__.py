"""Run the comparison, which takes some 20 minutes on one core, and write docs/regression.md.

    python -m benchmarks.regression --data-dir DIR [--tmu PYTHON] [--page-only | --california-only]

DIR holds california-housing/cal_housing.csv.gz and wine-quality/winequality-red.csv.gz. PYTHON is the interpreter of an
environment with tmu, as `benchmarks/peers/setup.sh` makes it; without it tmu is left out.
"""

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

from benchmarks.regression.california import choose_and_measure
from benchmarks.regression.methods import METHODS, N_EPOCHS, measure, measure_tmu
from benchmarks.regression.page import page
from benchmarks.regression.problems import NAMES, divide, load_table
from benchmarks.regression.settings import FUZZY_GRID, GRID, choose_for_tmu, relative_error
from wtm.paper.environment import environment

SEEDS = (0, 1, 2)
_RESULTS = Path(__file__).parents[1] / "results" / "regression.json"
_PAGE = Path(__file__).parents[2] / "docs" / "regression.md"


def _compare(table: Any, tmu: str | None) -> dict[str, Any]:
    """Measure each method with each seed, which also divides the rows."""
    found: dict[str, Any] = {name: {"errors": [], "seconds": []} for name in METHODS}
    chosen = None if tmu is None else choose_for_tmu(tmu, divide(table, SEEDS[0])[0])
    if chosen is not None:
        found["tmu"] = {"errors": [], "seconds": [], "T": chosen[0], "s": chosen[1]}
    for seed in SEEDS:
        train, test = divide(table, seed)
        for name, of_method in found.items():
            if name == "tmu":
                measured = measure_tmu(str(tmu), *chosen, N_EPOCHS, train, test, seed)
            else:
                measured = measure(METHODS[name](seed), train, test)
            of_method["errors"].append(round(measured.error, 4))
            of_method["seconds"].append(round(measured.seconds, 3))
    return found


def main() -> None:
    """Measure, keep the results, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, default=Path("shared/data"))
    parser.add_argument("--tmu", help="Python with tmu")
    parser.add_argument("--page-only", action="store_true", help="write the page of the kept results")
    parser.add_argument("--california-only", action="store_true", help="choose settings for California housing again")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of settings that learn little
    results: dict[str, Any]
    if options.california_only:
        results = json.loads(_RESULTS.read_text(encoding="utf-8"))
    elif not options.page_only:
        results = {"choice": [], "compared": {}, "seeds": SEEDS, "environment": environment()}
        for name in NAMES:
            table = load_table(name, options.data_dir)
            measure(METHODS["wtm, last epoch"](0), *divide(table, 0))  # compiles
            train, _ = divide(table, SEEDS[0])
            for setting in (*GRID, *FUZZY_GRID):
                error = round(relative_error(setting, train), 4)
                results["choice"].append({"table": name, **vars(setting), "error": error})
            results["compared"][name] = _compare(table, options.tmu if name == NAMES[0] else None)
            print(name, json.dumps(results["compared"][name]), flush=True)
        results["environment"]["finished"] = environment()["finished"]
    if not options.page_only:
        found = choose_and_measure(load_table(NAMES[0], options.data_dir), SEEDS)
        results["california"] = found | {"environment": environment()}
        _RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    _PAGE.write_text(page(json.loads(_RESULTS.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
