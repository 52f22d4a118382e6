"""Write docs/choosing.md from the results of the trials and of the methods."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.choosing.candidates import CURVES, DEFAULT, EPOCHS, GRID, LONG_EPOCHS, Setting
from benchmarks.choosing.curves import Panel, draw_curves
from benchmarks.choosing.page_text import ADVICE, INTRODUCTION, SPACES
from benchmarks.choosing.problems import FOLDS, NAMES, ROWS
from benchmarks.choosing.rivals import FUZZY, METHODS, N_JOBS, SEEDS, Result
from benchmarks.choosing.shortfalls import Trials, best_settings, shortfalls
from benchmarks.choosing.trials import Trial
from wtm.paper.text_table import NOTHING, Table

__all__ = ["write_page"]

FIGURE = "choosing.svg"
_BEST = 10

Results = Mapping[tuple[str, str, Setting | None], Result]


def write_page(trials: Trials, results: Results, path: Path, at_sizes: str = "") -> str:
    """Write the page and its figure; return the tables. `at_sizes` is the section on numbers of rows."""
    draw_curves(path.parent / FIGURE, _panels(trials))
    tables = "\n\n".join(
        [
            "## Defaults, tuned settings and other methods",
            f"Accuracy on the test parts in percent, after training on the whole training parts: wtm with its defaults "
            f"({_words(DEFAULT)}, {EPOCHS} epochs) and with the best setting of cross-validation, fuzzy wtm with its "
            f"defaults, and scikit-learn's methods with theirs. Figures with a range in brackets are means of "
            f"{len(SEEDS)} seeds; the others have one seed.",
            accuracy_table(results, best_settings(trials)).markdown(),
            f"Seconds to fit, with {N_JOBS} threads; for {FUZZY.removesuffix(', defaults')}, seconds of the processor "
            f"divided by {N_JOBS}, since other programs ran at the same time. They are of a later version than the "
            "other columns of wtm, whose kernels were slower:",
            seconds_table(results, best_settings(trials)).markdown(),
            "## What cross-validation found",
            f"{FOLDS} folds of at most {ROWS:,} rows of each training part, {EPOCHS} epochs. The best setting of each "
            "data set, of all settings tried:",
            best_table(trials).markdown(),
            f"Of a grid of settings with {DEFAULT.n_clauses} clauses, the {_BEST} best in the mean over the data sets, "
            "with the defaults in bold. Figures are percentage points below the best setting of the data set:",
            grid_table(trials).markdown(),
            *([at_sizes] if at_sizes else []),
            "## One parameter at a time",
            "All other parameters have their defaults.",
            f"![Accuracy over each parameter]({FIGURE})",
        ]
    )
    page = "\n\n".join([INTRODUCTION, ADVICE, tables, SPACES])
    path.write_text(page.rstrip("\n") + "\n", encoding="utf-8")
    return tables


def accuracy_table(results: Results, best: Mapping[str, Trial]) -> Table:
    """Return the accuracy of each method, with one row per data set."""

    def cell(result: Result) -> str:
        accuracies = result.accuracies
        spread = f" ({min(accuracies):.2f}–{max(accuracies):.2f})" if len(accuracies) > 1 else ""
        return f"{np.mean(accuracies):.2f}{spread}"

    return _methods_table(results, best, cell)


def seconds_table(results: Results, best: Mapping[str, Trial]) -> Table:
    """Return the seconds to fit, with one row per data set."""

    def cell(result: Result) -> str:
        shared = result.processor_seconds is not None
        return f"{result.processor_seconds / N_JOBS if shared else result.seconds:.1f}"

    return _methods_table(results, best, cell)


def _methods_table(results: Results, best: Mapping[str, Trial], cell: Callable[[Result], str]) -> Table:
    rows, others = [], (FUZZY, *METHODS)
    for name, trial in best.items():
        wanted = [("wtm", DEFAULT), ("wtm, tuned", trial.setting), *((method, None) for method in others)]
        found = [results.get((name, *key)) for key in wanted]
        rows.append([name, *(cell(result) if result else NOTHING for result in found)])
    return Table(["", "wtm, defaults", "wtm, tuned", *others], rows)


def best_table(trials: Trials) -> Table:
    """Return the best setting, its accuracy and that of the defaults, with one row per data set."""
    rows = []
    for name, trial in best_settings(trials).items():
        s, default = trial.setting, trials.get((name, DEFAULT, EPOCHS))
        rows.append(
            [name, f"{s.n_clauses}", f"{s.T:g}", f"{s.s:g}", f"{s.gamma:g}", f"{trial.accuracy:.2f}",
             f"{default.accuracy:.2f}" if default else NOTHING]
        )  # fmt: skip
    return Table(["", "n_clauses", "T", "s", "gamma", "accuracy (%)", "defaults (%)"], rows)


def grid_table(trials: Trials) -> Table:
    """Return a row per setting, the best mean first; the defaults are always there, in bold."""
    found = shortfalls(trials, (*GRID, DEFAULT))
    shown = list(found.items())[:_BEST]
    if DEFAULT in found and DEFAULT not in dict(shown):
        shown.append((DEFAULT, found[DEFAULT]))
    names = [name for name in NAMES if name in best_settings(trials)]
    rows = []
    for setting, below in shown:
        points = list(below.values())
        mark = "**" if setting == DEFAULT else ""
        rows.append(
            [f"{mark}T {setting.T:g}, s {setting.s:g}, gamma {setting.gamma:g}{mark}", f"{np.mean(points):.2f}",
             f"{max(points):.2f}", *(f"{below[name]:.1f}" for name in names)]
        )  # fmt: skip
    return Table(["", "mean", "worst", *names], rows)


def _panels(trials: Trials) -> list[Panel]:
    best = best_settings(trials)
    panels: list[Panel] = []
    for name, settings in CURVES.items():
        found = shortfalls(trials, settings)
        there = [setting for setting in settings if setting in found]
        below = {problem: [found[setting][problem] for setting in there] for problem in best}
        if there:
            panels.append((name, [getattr(setting, name) for setting in there], below))
    long = {name: trials[name, DEFAULT, LONG_EPOCHS] for name in best if (name, DEFAULT, LONG_EPOCHS) in trials}
    marks = [epoch for epoch in (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100) if epoch <= LONG_EPOCHS]
    below = {name: [best[name].accuracy - trial.curve[epoch - 1] for epoch in marks] for name, trial in long.items()}
    panels.append(("n_epochs", marks, below))
    return panels


def _words(setting: Setting) -> str:
    return f"{setting.n_clauses} clauses, T {setting.T:g}, s {setting.s:g}, gamma {setting.gamma:g}"
