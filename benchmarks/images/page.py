"""The page on images, from the kept results."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choosing.trials import read_lines
from benchmarks.images.machines import MACHINES, SEEDS, Trained, read_machines
from wtm.paper.report import describe_environment
from wtm.paper.text_table import Table, say

__all__ = ["write_page"]


def write_page(results: Path, page: Path) -> None:
    """Write the page."""
    found = read_machines(results)
    blocks = [
        "# Images",
        "This page is written by `python -m benchmarks.images report` from `benchmarks/results/images.jsonl`. "
        "[user-guide.md](user-guide.md) has an example of the classifiers for images.",
        f"Test accuracies in per cent after the last epoch, the mean of {len(SEEDS)} seeds ± their standard deviation, "
        "and the smallest and largest of them; a pixel is 1 if its grey value is at least 77. Seconds are of processor "
        "time on one thread: the median of the epochs after the first, the first epoch, and the prediction of all test "
        "images. The settings had been compared on the test parts before, so the figures may be a little too good.",
        _machines(found).markdown(),
        "## Settings",
        "\n".join(
            f"- {name}: `{' '.join(repr(machine.clf).split())}`"
            for name, machine in MACHINES.items()
            if all((name, seed) in found for seed in SEEDS)
        ),
        "## Where it was computed",
        "\n".join(
            sorted(
                {
                    describe_environment(line["versions"], line["machine"])
                    for line in read_lines(results)
                    if "versions" in line
                }
            )
        ),
    ]
    page.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    say(f"Written: {page}")


def _machines(found: dict[tuple[str, int], dict[str, Any]]) -> Table:
    header = ["", "epochs", "accuracy", "range", "s/epoch", "first epoch", "s to predict", "literals per clause"]
    rows = []
    for name, machine in MACHINES.items():
        runs = [found[name, seed] for seed in SEEDS if (name, seed) in found]
        if len(runs) == len(SEEDS):
            rows.append([name, f"{machine.n_epochs:,}", *_figures(machine, runs)])
    return Table(header, rows)


def _figures(machine: Trained, runs: list[dict[str, Any]]) -> list[str]:
    last = [run["accuracies"][-1] for run in runs]
    later = [np.median(run["seconds"][1:] or run["seconds"]) for run in runs]
    first = [run["seconds"][0] for run in runs]
    predicting = np.median([run["seconds_to_predict"] for run in runs])
    return [
        f"{np.mean(last):.2f} ± {np.std(last, ddof=1):.2f}",
        f"{min(last):.2f} to {max(last):.2f}",
        f"{np.median(later):.3g}",
        f"{np.median(first):.3g}" if len(runs[0]["seconds"]) > 1 else "–",
        f"{predicting:.3g} ({runs[0]['n_test']:,})",
        f"{np.mean([run['literals'] for run in runs]):.1f}",
    ]
