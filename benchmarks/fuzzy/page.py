"""The page on fuzzy clauses, from the kept results."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choosing.problems import FOLDS, NAMES, ROWS
from benchmarks.choosing.trials import read_lines
from benchmarks.fuzzy.engines import EPOCH, Times, read_engines
from benchmarks.fuzzy.engines import N_CLAUSES as N_CLAUSES_OF_ENGINES
from benchmarks.fuzzy.engines import NAME as NAME_OF_ENGINES
from benchmarks.fuzzy.machines import LAST, MACHINES, SEEDS, read_machines
from benchmarks.fuzzy.settings import DEFAULT, N_CLAUSES, N_EPOCHS, N_ON_SLOWEST, SLOWEST, Setting, best, read_trials
from benchmarks.fuzzy.sizes import MIN_T, SIZES, read_sizes
from benchmarks.fuzzy.sizes import N_EPOCHS as EPOCHS_OF_SIZES
from benchmarks.fuzzy.sizes import NAMES as NAMES_OF_SIZES
from wtm.paper.report import describe_environment
from wtm.paper.text_table import Table, say

__all__ = ["write_page"]


def write_page(results: Path, page: Path) -> None:
    """Write the page."""
    trials = read_trials(results)
    blocks = [
        "# Fuzzy clauses",
        "This page is written by `python -m benchmarks.fuzzy report` from `benchmarks/results/fuzzy.jsonl`. A fuzzy "
        "clause votes where most of its literals are true; [design.md](design.md) has the rule, and "
        "[user-guide.md](user-guide.md) an example. Accuracies are in per cent.",
        "## Few clauses",
        f"Accuracy on the test parts with the defaults of `FuzzyWTMClassifier` and of `WTMClassifier`, but for the "
        f"number of clauses per class, {EPOCHS_OF_SIZES} epochs, and T, which is smaller in proportion where there are "
        f"fewer clauses than usual, but at least {MIN_T}. One seed, one thread; in brackets the seconds of processor "
        "time to fit, features included.",
        _sizes(read_sizes(results)).markdown(),
        "## Small machines on large data sets",
        f"Mean of the test accuracies after each of the last {LAST} epochs, of {len(SEEDS)} seeds ± their standard "
        "deviation, and seconds of training. The settings had been compared on the test parts before, so the figures "
        "may be a little too good.",
        _machines(read_machines(results)).markdown(),
        "## Engines",
        f"Seconds of processor time that epoch {EPOCH} takes with {N_CLAUSES_OF_ENGINES} clauses on {NAME_OF_ENGINES}, "
        "with the default setting and one thread: medians, with the smallest and the largest in brackets. Both engines "
        "train copies of the same machines, in turn; the ratio is of the times in the same round.",
        _engines(read_engines(results)).markdown(),
        "## How the defaults were chosen",
        f"By cross-validation on the training parts of nine data sets: {FOLDS} folds of at most {ROWS:,} rows, "
        f"{N_CLAUSES} clauses, {N_EPOCHS} epochs. {len([s for s in trials if not s.gamma])} settings without weights "
        f"were tried on all data sets but {SLOWEST}, the best {N_ON_SLOWEST} of them there as well, and the best of "
        "all with weights that are learnt from the start or from an epoch on. The default has shorter rules "
        "than the best settings, and nearly their accuracy. These are the best settings, and the default:",
        _choice(trials).markdown(),
        "The best setting for each data set:",
        _best_of_each(trials).markdown(),
        "## Where it was computed",
        "\n".join(sorted(_environments(results))),
    ]
    page.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    say(f"Written: {page}")


def _sizes(found: dict[tuple[str, str, int], dict[str, float]]) -> Table:
    header = ["clauses", *(f"{name}, {kind}" for name in NAMES_OF_SIZES for kind in ("fuzzy", "strict"))]
    rows = []
    for n in SIZES:
        cells = []
        for name in NAMES_OF_SIZES:
            for kind in ("fuzzy", "strict"):
                one = found.get((name, kind, n))
                cells.append("–" if one is None else f"{one['accuracy']:.1f} ({one['seconds']:.1f})")
        rows.append([str(n), *cells])
    return Table(header, rows)


def _machines(found: dict[str, dict[str, Any]]) -> Table:
    rows = []
    for name, (_, _, n_epochs, setting) in MACHINES.items():
        if name in found:
            accuracies = found[name]["accuracies"]
            accuracy = f"{np.mean(accuracies):.2f} ± {np.std(accuracies, ddof=1):.2f}"
            rows.append([name, _text(setting), str(n_epochs), accuracy, f"{found[name]['seconds']:.1f}"])
    return Table(["", "setting", "epochs", "accuracy", "seconds"], rows)


def _engines(times: Times) -> Table:
    if not times:
        return Table(["lazy", "direct", "direct / lazy"], [])
    ratios = [direct / lazy for lazy, direct in zip(times["lazy"], times["direct"], strict=True)]
    cells = [f"{np.median(x):.2f} ({min(x):.2f}–{max(x):.2f})" for x in (times["lazy"], times["direct"], ratios)]
    return Table(["lazy", "direct", "direct / lazy"], [cells])


def _choice(trials: dict[Setting, dict[str, float]]) -> Table:
    shown = best(trials)[:10]
    shown += [] if DEFAULT in shown else [DEFAULT]
    rows = [
        [
            _text(setting) + " (default)" * (setting == DEFAULT),
            *(f"{trials[setting][name]:.1f}" if name in trials[setting] else "–" for name in NAMES),
            f"{np.mean(list(trials[setting].values())):.2f}",
        ]
        for setting in shown
    ]
    return Table(["", *NAMES, "mean"], rows)


def _best_of_each(trials: dict[Setting, dict[str, float]]) -> Table:
    rows = []
    for name in NAMES:
        tried = {setting: of_problems[name] for setting, of_problems in trials.items() if name in of_problems}
        setting = max(tried, key=lambda one: tried[one])
        rows.append([name, _text(setting), f"{tried[setting]:.1f}", f"{tried[DEFAULT]:.1f}"])
    return Table(["", "setting", "accuracy", "default"], rows)


def _text(setting: Setting) -> str:
    text = f"T {setting.T:g}, s {setting.s:g}, LF {setting.literal_failures}, L {setting.max_literals}"
    if setting.gamma:
        text += f", gamma {setting.gamma:g}" + f" from epoch {setting.gamma_start + 1}" * bool(setting.gamma_start)
    return text


def _environments(results: Path) -> set[str]:
    lines = [line for line in read_lines(results) if "machine" in line and "versions" in line]
    return {describe_environment(line["versions"], line["machine"]) for line in lines}
