"""The page on images, from the kept results."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choosing.trials import read_lines
from benchmarks.images.machines import MACHINES, SEEDS, Trained, read_machines
from benchmarks.images.peer import PROGRAMS
from wtm.paper.report import describe_environment
from wtm.paper.text_table import Table, say

__all__ = ["write_page"]

FASHION, XOR = "Fashion-MNIST, 200 fuzzy clauses", "2D noisy XOR, 40 clauses"


def write_page(results: Path, page: Path) -> None:
    """Write the page."""
    found, lines = read_machines(results), list(read_lines(results))
    blocks = [
        "# Images",
        "This page is written by `python -m benchmarks.images report` from `benchmarks/results/images.jsonl`. "
        "[user-guide.md](user-guide.md) has an example of the classifiers for images.",
        f"Test accuracies in per cent after the last epoch, the mean of {len(SEEDS)} seeds ± their standard deviation, "
        "and the smallest and largest of them; a pixel of MNIST is 1 if its grey value is at least 77. Seconds are of "
        "processor time on one thread: the mean of the epochs after the first, the first epoch, and the prediction of "
        "all test images.",
        _machines(found).markdown(),
        "The settings for MNIST and 2D noisy XOR had been compared on the test parts before, so these figures may be a "
        "little too good."
        + (" Those for Fashion-MNIST were compared on training images alone." if _runs(found, FASHION) else ""),
        *_noisy_xor(found),
        *_peer([line for line in lines if "peer_clauses" in line]),
        "## Settings",
        "\n".join(
            f"- {name}: `{' '.join(repr(machine.clf).split())}`"
            + (f" after `{' '.join(repr(machine.booleanizer).split())}`" if machine.booleanizer else "")
            for name, machine in MACHINES.items()
            if _runs(found, name)
        ),
        "## Where it was computed",
        _environments(lines),
        "Other programs ran next to the trainings on the Intel processor, so the times of these are too long.",
    ]
    page.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    say(f"Written: {page}")


def _environments(lines: list[dict[str, Any]]) -> str:
    """List the computers, each with what was last measured there."""
    measured = {
        line["of"]: f"- {describe_environment(line['versions'], line['machine']).removeprefix('- ')}"
        for line in lines
        if "versions" in line
    }
    of_place = {place: [of for of, where in measured.items() if where == place] for place in measured.values()}
    return "\n".join(f"{place}: {'; '.join(of)}" for place, of in sorted(of_place.items()))


def _runs(found: dict[tuple[str, int], dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the runs of all seeds; none while some are missing."""
    runs = [found[name, seed] for seed in SEEDS if (name, seed) in found]
    return runs if len(runs) == len(SEEDS) else []


def _machines(found: dict[tuple[str, int], dict[str, Any]]) -> Table:
    header = ["", "epochs", "accuracy", "range", "s/epoch", "first epoch", "s to predict", "literals per clause"]
    rows = []
    for name, machine in MACHINES.items():
        if runs := _runs(found, name):
            rows += [[name, f"{epoch:,}", *_accuracy(epoch, runs), "", "", "", ""] for epoch in machine.shown]
            rows.append([name, f"{machine.measured[-1]:,}", *_figures(machine, runs)])
    return Table(header, rows)


def _accuracy(epoch: int, runs: list[dict[str, Any]]) -> list[str]:
    found = [run["accuracies"][run["epochs"].index(epoch)] for run in runs]
    return [f"{np.mean(found):.2f} ± {np.std(found, ddof=1):.2f}", f"{min(found):.2f} to {max(found):.2f}"]


def _figures(machine: Trained, runs: list[dict[str, Any]]) -> list[str]:
    later = [np.mean(run["seconds"][1:] or run["seconds"]) for run in runs]
    first = [run["seconds"][0] for run in runs]
    predicting = np.median([run["seconds_to_predict"] for run in runs])
    return [
        *_accuracy(machine.measured[-1], runs),
        f"{np.median(later):.3g}",
        f"{np.median(first):.3g}" if len(runs[0]["seconds"]) > 1 else "–",
        f"{predicting:.3g} ({runs[0]['n_test']:,})",
        f"{np.mean([run['literals'] for run in runs]):.1f}",
    ]


def _noisy_xor(found: dict[tuple[str, int], dict[str, Any]]) -> list[str]:
    runs = _runs(found, XOR)
    if not runs:
        return []
    start, step = MACHINES[XOR].shown[0], MACHINES[XOR].measured[0]
    later = np.concatenate([np.array(run["accuracies"])[np.array(run["epochs"]) >= start] for run in runs])
    return [
        "## Noisy labels",
        f"40 % of the training labels of 2D noisy XOR are wrong. From epoch {start} on, measured every {step} epochs, "
        f"the accuracy of all seeds lies between {later.min():.2f} and {later.max():.2f} %, with a mean of "
        f"{later.mean():.2f} %. Images with wrong labels get feedback more often, since their sums have the wrong "
        "sign: at sums of 10, they have 48 % of the feedback with `T=60`, but only 42 % with `T=200`. So `T` must be "
        "far above the sums. With `gamma` above 0 the sums grow towards `T` from epoch to epoch, and accuracy falls "
        "again.",
    ]


def _peer(lines: list[dict[str, Any]]) -> list[str]:
    if not lines:
        return []
    rows = []
    newest = {line["peer_clauses"]: line for line in lines}
    for n_clauses, line in newest.items():
        for kind, name in (
            ("epochs", f"an epoch of {line['n_images']:,} images"),
            ("predictions", f"predicting {line['n_test']:,}"),
        ):
            tmu, ours = (np.array(line[program][kind]) for program in PROGRAMS)
            low, middle, high = np.percentile(tmu / ours, [25, 50, 75])
            seconds = [f"{np.median(tmu):.3g}", f"{np.median(ours):.3g}", f"{middle:.0f} ({low:.0f} to {high:.0f})"]
            rows.append([f"{n_clauses:,}", name, *seconds])
    versions = " and ".join(f"{program} {line[program]['version']}" for program in PROGRAMS)
    header = ["clauses per class", "processor seconds of", *PROGRAMS, "ratio (quartiles)"]
    return [
        "## Next to tmu",
        f"{versions} in one run of `python -m benchmarks.images peer`, on the same images of MNIST with the same "
        "settings (patches of 10 by 10, s = 5, T = 50 with 500 clauses and 100 with 2,000), one thread each, epoch by "
        f"epoch in turn: medians of epochs 2 to {len(line['tmu']['epochs']) + 1} and of the predictions after them. "
        "tmu has integer weights.",
        Table(header, rows).markdown(),
    ]
