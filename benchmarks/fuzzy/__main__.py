"""Measure fuzzy clauses, and write docs/fuzzy.md.

    python -m benchmarks.fuzzy trials --data-dir DIR
    python -m benchmarks.fuzzy machines --data-dir DIR
    python -m benchmarks.fuzzy sizes --data-dir DIR
    python -m benchmarks.fuzzy engines --data-dir DIR
    python -m benchmarks.fuzzy report

`trials` cross-validates settings on the training parts of nine data sets; `machines` measures small machines on the
test parts of the large ones; `sizes` compares fuzzy and strict clauses by their number; `engines` times the lazy and
the direct engine. All append their results to benchmarks/results/fuzzy.jsonl and skip those already there. `report`
writes the page.
"""

import argparse
import warnings
from pathlib import Path

from benchmarks.fuzzy.engines import run_engines
from benchmarks.fuzzy.machines import run_machines
from benchmarks.fuzzy.page import write_page
from benchmarks.fuzzy.settings import DEFAULT, run_trials
from benchmarks.fuzzy.sizes import run_sizes

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run the command; see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("trials", "machines", "sizes", "engines", "report"))
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results/fuzzy.jsonl")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/fuzzy.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of settings that learn little
    if options.what == "trials":
        run_trials(options.data_dir, options.results)
    elif options.what == "machines":
        run_machines(options.data_dir, options.results)
    elif options.what == "sizes":
        run_sizes(DEFAULT, options.data_dir, options.results)
    elif options.what == "engines":
        run_engines(DEFAULT, options.data_dir, options.results)
    else:
        write_page(options.results, options.page)


if __name__ == "__main__":
    main()
