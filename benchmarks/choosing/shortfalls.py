"""How far each setting of the trials falls short of the best of its data set."""

from collections.abc import Iterable, Mapping

import numpy as np

from benchmarks.choosing.candidates import EPOCHS, Setting
from benchmarks.choosing.problems import NAMES
from benchmarks.choosing.trials import Trial

__all__ = ["Shortfalls", "Trials", "best_settings", "shortfalls"]

Trials = Mapping[tuple[str, Setting, int], Trial]
Shortfalls = dict[Setting, dict[str, float]]


def best_settings(trials: Trials) -> dict[str, Trial]:
    """Return the best trial of each data set at the default number of epochs; on a tie, the one with fewer clauses."""
    best = {}
    for name in NAMES:
        chosen = [trial for (problem, _, n_epochs), trial in trials.items() if (problem, n_epochs) == (name, EPOCHS)]
        if chosen:
            best[name] = max(chosen, key=lambda trial: (trial.accuracy, -trial.setting.n_clauses))
    return best


def shortfalls(trials: Trials, settings: Iterable[Setting]) -> Shortfalls:
    """Return for each setting tried on all data sets its points below the best of each; the best mean comes first."""
    best = best_settings(trials)
    found = {
        setting: {name: top.accuracy - trials[name, setting, EPOCHS].accuracy for name, top in best.items()}
        for setting in dict.fromkeys(settings)
        if all((name, setting, EPOCHS) in trials for name in best)
    }
    return dict(sorted(found.items(), key=lambda item: float(np.mean(list(item[1].values())))))
