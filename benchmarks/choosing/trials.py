"""Cross-validated trials of settings; each is a line of a file, written as soon as the trial is done."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choosing.candidates import CURVES, DEFAULT, EPOCHS, GRID, LONG_EPOCHS, Setting
from benchmarks.choosing.problems import Fold, Problem, folds
from wtm import WTMClassifier
from wtm.paper.environment import environment

__all__ = ["Trial", "append", "read_lines", "read_trials", "run_trials"]


@dataclass(frozen=True)
class Trial:
    """One setting on one data set.

    Attributes
    ----------
    problem : str
    setting : Setting
    n_epochs : int
    curve : list of float
        Accuracy on validation rows after each epoch, mean over the folds, in percent.
    last : list of float
        Accuracy of each fold after the last epoch, in percent.
    seconds : float
        Seconds of all folds, with one thread.
    """

    problem: str
    setting: Setting
    n_epochs: int
    curve: list[float]
    last: list[float]
    seconds: float

    @property
    def accuracy(self) -> float:
        """Accuracy after the last epoch, mean over the folds, in percent."""
        return float(np.mean(self.last))


def read_trials(path: Path) -> dict[tuple[str, Setting, int], Trial]:
    """Read the trials of a file, by data set, setting and number of epochs; none if there is no file."""
    found = {}
    for content in read_lines(path):
        if "curve" in content:
            trial = Trial(**{**content, "setting": Setting(**content["setting"])})
            found[trial.problem, trial.setting, trial.n_epochs] = trial
    return found


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file: a trial, a result, or the environment of the next ones; none if there is no file."""
    if path.exists():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def append(path: Path, content: dict[str, Any]) -> None:
    """Add a line to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(content) + "\n")


def run_trials(problem: Problem, path: Path) -> None:
    """Try each setting on a data set, except those that the file already has."""
    done = read_trials(path)
    wanted = dict.fromkeys((setting, EPOCHS) for setting in (*GRID, *(s for curve in CURVES.values() for s in curve)))
    wanted[DEFAULT, LONG_EPOCHS] = None
    left = [(setting, n_epochs) for setting, n_epochs in wanted if (problem.name, setting, n_epochs) not in done]
    print(f"{problem.name}: {len(left)} of {len(wanted)} settings", flush=True)
    if not left:
        return
    divided = folds(problem)
    append(path, {"problem": problem.name, "rows": [len(fold.y_train) for fold in divided], **environment()})
    for setting, n_epochs in left:
        start = time.perf_counter()
        curves = np.array([_curve(fold, setting, n_epochs, seed) for seed, fold in enumerate(divided)])
        seconds = time.perf_counter() - start
        trial = Trial(
            problem.name, setting, n_epochs, curves.mean(axis=0).round(2).tolist(), curves[:, -1].round(3).tolist(),
            round(seconds, 2),
        )  # fmt: skip
        append(path, asdict(trial))


def _curve(fold: Fold, setting: Setting, n_epochs: int, seed: int) -> list[float]:
    clf = WTMClassifier(**asdict(setting), n_epochs=n_epochs, random_state=seed)
    clf.fit(fold.X_train, fold.y_train, X_val=fold.X_valid, y_val=fold.y_valid)
    return [100 * entry["valid_accuracy"] for entry in clf.history_]
