"""Settings of `wtm.FuzzyWTMClassifier`, cross-validated on training parts; each trial is a line of a file."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.choosing.problems import NAMES, folds, load_problem
from benchmarks.choosing.trials import append, read_lines
from wtm import FuzzyWTMClassifier
from wtm.paper.environment import environment

__all__ = ["DEFAULT", "Setting", "best", "read_trials", "run_trials"]

N_CLAUSES, N_EPOCHS = 100, 30
SLOWEST, N_ON_SLOWEST = "IMDb", 20
"""A data set of thousands of columns, on which this many settings are tried."""


@dataclass(frozen=True)
class Setting:
    """The parameters to choose."""

    T: float
    s: float
    literal_failures: int
    max_literals: int
    gamma: float = 0.0
    gamma_start: int = 0

    def classifier(self, n_clauses: int, seed: int, n_jobs: int = 1) -> FuzzyWTMClassifier:
        """Return a classifier with this setting."""
        return FuzzyWTMClassifier(n_clauses, **asdict(self), n_epochs=N_EPOCHS, random_state=seed, n_jobs=n_jobs)


DEFAULT = Setting(8, 50, 8, 16)

GRID = tuple(
    Setting(T, s, failures, ratio * failures)
    for T, s, failures, ratio in product((0.5, 1, 2, 4, 8), (50, 200, 1_000), (4, 8, 16, 32), (2, 4))
)
"""Without weights; the settings with weights are tried at the best of them."""

Trials = dict[Setting, dict[str, float]]


def with_weights(setting: Setting) -> list[Setting]:
    """Return the same setting with weights that are learnt, from the start or later."""
    return [replace(setting, gamma=g, gamma_start=start) for g, start in product((0.001, 0.003, 0.01), (0, 10))]


def read_trials(path: Path) -> Trials:
    """Read the mean accuracy of each setting on each data set, in percent."""
    found: Trials = {}
    for content in read_lines(path):
        if "setting" in content:
            found.setdefault(Setting(**content["setting"]), {})[content["problem"]] = content["accuracy"]
    return found


def best(trials: Trials, names: Sequence[str] = NAMES) -> list[Setting]:
    """Return the settings that were tried on all of these data sets, those with the largest mean accuracy first."""
    complete = [setting for setting, of_problems in trials.items() if of_problems.keys() >= set(names)]
    return sorted(complete, key=lambda setting: -np.mean([trials[setting][name] for name in names]))


def run_trials(data_dir: Path, path: Path) -> None:
    """Try all settings on all data sets, except what the file already has; on the slowest, the best of the others."""
    quick = [name for name in NAMES if name != SLOWEST]
    for name in quick:
        _run(name, GRID, data_dir, path)
    unweighted = {s: t for s, t in read_trials(path).items() if not s.gamma}
    _run(SLOWEST, best(unweighted, quick)[:N_ON_SLOWEST], data_dir, path)
    for name in NAMES:
        _run(name, with_weights(best({s: t for s, t in read_trials(path).items() if not s.gamma})[0]), data_dir, path)


def _run(name: str, settings: Iterable[Setting], data_dir: Path, path: Path) -> None:
    done = read_trials(path)
    left = [setting for setting in settings if name not in done.get(setting, {})]
    if not left:
        return
    divided = folds(load_problem(name, data_dir))
    append(path, {"problem": name, "rows": [len(fold.y_train) for fold in divided], **environment()})
    for setting in left:
        accuracies = [
            100 * setting.classifier(N_CLAUSES, seed).fit(fold.X_train, fold.y_train).score(fold.X_valid, fold.y_valid)
            for seed, fold in enumerate(divided)
        ]
        append(path, {"problem": name, "setting": asdict(setting), "accuracy": round(float(np.mean(accuracies)), 3)})
    print(f"{name}: {json.dumps(asdict(left[-1]))}", flush=True)
