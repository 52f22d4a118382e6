"""Rules that choose s and T from the size of the training data, compared with settings that are the same everywhere."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.choosing.candidates import DEFAULT, Setting
from benchmarks.choosing.sizes import PROBLEMS, S, Size, SizeTrial, T
from wtm.machine.automatic_s import MOST_FEATURES, automatic_s

__all__ = [
    "AUTO", "FIXED", "RULES", "Rule", "Shortfall", "chosen_elsewhere", "complete", "difference", "mean_over_problems",
    "shortfall", "values_at",
]  # fmt: skip

Where = tuple[str, int]
SizeTrials = Mapping[tuple[str, int, Setting], SizeTrial]


@dataclass(frozen=True)
class Rule:
    """A way to choose `s` and `T`."""

    name: str
    s: Callable[[Size], float]
    T: Callable[[Size], float]


def _fixed(s: float, t: float) -> Rule:
    return Rule(f"T {t:g}, s {s:g}", lambda _: s, lambda _: t)


def _power_of_rows(power: float, t: float) -> Rule:
    return Rule(f"T {t:g}, s = n_rows^{power:g}", lambda size: size.n_rows**power, lambda _: t)


def _power_of_rows_per_class(power: float, t: float) -> Rule:
    name = f"T {t:g}, s = (n_rows / n_classes)^{power:g}"
    return Rule(name, lambda size: (size.n_rows / size.n_classes) ** power, lambda _: t)


AUTO = Rule(
    f"T {DEFAULT.T:g}, s = (n_rows / n_classes)^0.25, 3 above {MOST_FEATURES:,} features",
    lambda size: automatic_s(size.n_rows, size.n_classes, size.n_features),
    lambda _: DEFAULT.T,
)
"""The rule of ``WTMClassifier(s="auto")``."""

FIXED = tuple(_fixed(s, t) for t in T for s in S)
RULES = (
    *FIXED,
    AUTO,
    *(_power_of_rows(power, t) for t in T for power in (0.2, 0.25, 0.3)),
    *(_power_of_rows_per_class(power, t) for t in T for power in (0.2, 0.25, 0.3)),
)


@dataclass(frozen=True)
class Shortfall:
    """How far a rule falls short of the best tried setting, by data set and number of rows."""

    rule: Rule
    accuracy: dict[Where, float]
    log_loss: dict[Where, float]


def complete(trials: SizeTrials, sizes: Mapping[Where, Size]) -> list[Where]:
    """Return the data sets and numbers of rows at which all combinations of T and s were tried, in a fixed order."""
    order = {name: i for i, name in enumerate(PROBLEMS)}
    there = [where for where in sizes if all((*where, _setting(t, s)) in trials for t in T for s in S)]
    return sorted(there, key=lambda where: (order[where[0]], where[1]))


def values_at(trials: SizeTrials, where: Where, size: Size, rule: Rule) -> tuple[float, float]:
    """Return accuracy and log-loss with a rule: between two values of s that were tried, interpolated over log s."""
    t = rule.T(size)
    tried = [trials[*where, _setting(t, s)] for s in S]
    place, at = np.log(rule.s(size)), np.log(S)
    accuracy = np.interp(place, at, [np.mean(trial.accuracies) for trial in tried])
    return float(accuracy), float(np.interp(place, at, [np.mean(trial.log_losses) for trial in tried]))


def shortfall(trials: SizeTrials, sizes: Mapping[Where, Size], rule: Rule) -> Shortfall:
    """Compare a rule with the setting that has the best accuracy, and with the one that has the smallest log-loss."""
    accuracy, loss = {}, {}
    for where in complete(trials, sizes):
        tried = [trials[*where, _setting(t, s)] for t in T for s in S]
        found = values_at(trials, where, sizes[where], rule)
        accuracy[where] = max(float(np.mean(trial.accuracies)) for trial in tried) - found[0]
        loss[where] = found[1] - min(float(np.mean(trial.log_losses)) for trial in tried)
    return Shortfall(rule, accuracy, loss)


def mean_over_problems(values: Mapping[Where, float]) -> float:
    """Return the mean over the data sets of the mean over their numbers of rows."""
    of_problem: dict[str, list[float]] = {}
    for (name, _), value in values.items():
        of_problem.setdefault(name, []).append(value)
    return float(np.mean([np.mean(found) for found in of_problem.values()]))


def difference(one: Mapping[Where, float], other: Mapping[Where, float], fewest: int) -> tuple[float, float, int]:
    """Return the mean over data sets of `one` minus `other`, its standard error, and how many data sets there are.

    Only numbers of rows from `fewest` on count.
    """
    of_problem: dict[str, list[float]] = {}
    for (name, n_rows), value in one.items():
        if n_rows >= fewest:
            of_problem.setdefault(name, []).append(value - other[name, n_rows])
    means = [float(np.mean(values)) for values in of_problem.values()]
    error = np.std(means, ddof=1) / np.sqrt(len(means)) if len(means) > 1 else np.nan
    return float(np.mean(means)), float(error), len(means)


def chosen_elsewhere(shortfalls: Sequence[Shortfall]) -> float:
    """Return the mean shortfall in accuracy if the rule for each data set is the best one on all others."""
    names = {name for name, _ in shortfalls[0].accuracy}
    found = []
    for name in names:
        others = [{w: v for w, v in each.accuracy.items() if w[0] != name} for each in shortfalls]
        best = shortfalls[int(np.argmin([mean_over_problems(values) for values in others]))]
        found.append(np.mean([v for w, v in best.accuracy.items() if w[0] == name]))
    return float(np.mean(found))


def _setting(t: float, s: float) -> Setting:
    return Setting(DEFAULT.n_clauses, t, s, DEFAULT.gamma)
