"""Measure machines for images, and write docs/images.md.

    python -m benchmarks.images run --data-dir DIR [--only NAME]
    python -m benchmarks.images peer --data-dir DIR --venvs DIR
    python -m benchmarks.images report

`run` trains each machine with three seeds on one thread, prints its test accuracy and processor time after every epoch
that is measured, appends the results to benchmarks/results/images.jsonl and skips those already there. `peer` times
tmu's convolution and that of wtm on the same images, with the environment that `benchmarks/peers/setup.sh` makes.
`report` writes the page.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.images.machines import run_machines
from benchmarks.images.page import write_page
from benchmarks.images.peer import run_peer

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run the command; see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "peer", "report"))
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--only", help="name of a machine")
    parser.add_argument("--venvs", type=Path, help="folder of the environment of tmu")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results/images.jsonl")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/images.md")
    options = parser.parse_args()
    if options.what == "run":
        run_machines(options.data_dir, options.results, options.only)
    elif options.what == "peer":
        if options.venvs is None:
            parser.error("--venvs is needed to run tmu")
        interpreters = {"tmu": str(options.venvs / "tmu/bin/python"), "wtm": sys.executable}
        run_peer(options.data_dir, options.results, interpreters)
    else:
        write_page(options.results, options.page)


if __name__ == "__main__":
    main()
