"""The part of docs/choosing.md on settings at several numbers of rows."""

from collections.abc import Iterable, Mapping

import numpy as np

from benchmarks.choosing.candidates import DEFAULT, EPOCHS, Setting
from benchmarks.choosing.size_rules import (
    AUTO,
    FIXED,
    RULES,
    Shortfall,
    chosen_elsewhere,
    complete,
    difference,
    mean_over_problems,
    shortfall,
)
from benchmarks.choosing.sizes import SIZES, S, Size, SizeTrial, T
from wtm.paper.text_table import Table

_COMPARED = 2
"""Fixed settings that the automatic one is compared with, besides the defaults."""
_MANY_ROWS = 4_000
_SHOWN = 12

__all__ = ["by_size_table", "rules_table", "size_section"]

SizeTrials = Mapping[tuple[str, int, Setting], SizeTrial]
Sizes = Mapping[tuple[str, int], Size]


def size_section(trials: SizeTrials, sizes: Sizes) -> str:
    """Return the section; nothing if no data set is complete."""
    if not complete(trials, sizes):
        return ""
    found = [shortfall(trials, sizes, rule) for rule in RULES]
    fixed, by_size, without = (
        chosen_elsewhere([each for each in found if chosen(each.rule)])
        for chosen in (
            lambda rule: rule in FIXED,
            lambda rule: rule not in FIXED,
            lambda rule: rule not in (*FIXED, AUTO),
        )
    )
    n_problems = len({name for name, _ in complete(trials, sizes)})
    return "\n\n".join(
        [
            "## At several numbers of rows",
            f"`python -m benchmarks.choose sizes` tries T of {_listed(T)} with s of {_listed(S)}, "
            f"{DEFAULT.n_clauses} clauses, gamma {DEFAULT.gamma:g} and {EPOCHS} epochs on {n_problems} data sets, at "
            f"{_listed(SIZES)} training rows where there are so many. The rows to train and validate on are random "
            f"ones of the training parts ({_listed(SIZES.values())} divisions), or of those rows of the tables of "
            "[tables.md](tables.md) that are in no test part. The table has the mean and the largest shortfall from "
            f"the best of these settings, for the {_SHOWN} best rules and the defaults (in bold): first in points of "
            "accuracy and then in log-loss. Values of s between two that were tried are interpolated. Means are over "
            "data sets, each with the mean of its numbers of rows.",
            rules_table(found).markdown(),
            *_automatic(found),
            f"Whether a rule does well on data it was not chosen on: if each data set gets the setting that is best on "
            f"all others, the mean shortfall is {fixed:.2f} points with settings that are the same everywhere, and "
            f"{by_size:.2f} with rules. The limit on the number of features was set with all of these data sets in "
            f"view, which makes the last figure too good; among the rules without it, it is {without:.2f}.",
            "Accuracy (log-loss) at each number of rows, with T 25:",
            by_size_table(trials, sizes).markdown(),
        ]
    )


def _automatic(found: list[Shortfall]) -> list[str]:
    """Compare the rule of ``s="auto"`` with settings that are the same everywhere."""
    by_name = {each.rule.name: each for each in found}
    auto, fixed = by_name[AUTO.name], [each for each in found if each.rule in FIXED]
    closest = sorted(fixed, key=lambda each: mean_over_problems(each.accuracy))[:_COMPARED]
    default = next(each for each in fixed if each.rule.name == f"T {DEFAULT.T:g}, s {DEFAULT.s:g}")
    rows = []
    for other in dict.fromkeys([default.rule.name, *(each.rule.name for each in closest)]):
        for fewest in (0, _MANY_ROWS):
            accuracy = difference(by_name[other].accuracy, auto.accuracy, fewest)
            loss = difference(auto.log_loss, by_name[other].log_loss, fewest)
            rows.append(
                [
                    other, f"from {fewest:,}" if fewest else "all", str(accuracy[2]),
                    f"{accuracy[0]:+.2f} ± {accuracy[1]:.2f}", f"{loss[0]:+.4f} ± {loss[1]:.4f}",
                ]
            )  # fmt: skip
    return [
        f'`s="auto"` is the rule "{AUTO.name.split(", ", 1)[1]}". What it changes against settings that are the same '
        "everywhere, with the standard error over the data sets; more accuracy and less log-loss are better:",
        Table(["against", "rows", "data sets", "accuracy", "log-loss"], rows).markdown(),
    ]


def rules_table(found: list[Shortfall]) -> Table:
    """Return a row per rule, with the smallest mean shortfall in accuracy first: the best, and the defaults."""
    rows, default = [], f"T {DEFAULT.T:g}, s {DEFAULT.s:g}"
    ranked = sorted(found, key=lambda one: mean_over_problems(one.accuracy))
    for each in [one for i, one in enumerate(ranked) if i < _SHOWN or one.rule.name == default]:
        cells = [_bold(each.rule.name, each.rule.name == default)]
        for values, digits in ((each.accuracy, 2), (each.log_loss, 3)):
            worst = max(values, key=lambda where: values[where])
            cells += [f"{mean_over_problems(values):.{digits + (digits == 3)}f}", f"{values[worst]:.{digits}f}"]
            cells[-1] += f" ({worst[0]}, {worst[1]:,})"
        rows.append(cells)
    return Table(["", "accuracy, mean", "worst", "log-loss, mean", "worst"], rows)


def by_size_table(trials: SizeTrials, sizes: Sizes) -> Table:
    """Return accuracy and log-loss with each s, with a row per data set and number of rows."""
    rows = []
    for where in complete(trials, sizes):
        found = [trials[*where, Setting(DEFAULT.n_clauses, min(T), s, DEFAULT.gamma)] for s in S]
        accuracies = [float(np.mean(trial.accuracies)) for trial in found]
        losses = [float(np.mean(trial.log_losses)) for trial in found]
        cells = [
            f"{_bold(f'{accuracy:.2f}', accuracy == max(accuracies))} ({_bold(f'{loss:.3f}', loss == min(losses))})"
            for accuracy, loss in zip(accuracies, losses, strict=True)
        ]
        rows.append([where[0], f"{where[1]:,}", *cells])
    return Table(["", "rows", *(f"s {s:g}" for s in S)], rows)


def _bold(text: str, is_best: bool) -> str:
    return f"**{text}**" if is_best else text


def _listed(values: Iterable[int]) -> str:
    *first, last = (f"{value:,}" for value in values)
    return f"{', '.join(first)} and {last}"
