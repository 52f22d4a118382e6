"""Settings tried at several numbers of training rows, to see whether one setting suits all of them.

The rows come from the training parts of the data sets, and from those rows of the tables that no test part has.
"""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit

from benchmarks.choosing.candidates import DEFAULT, EPOCHS, Setting
from benchmarks.choosing.problems import NAMES, Fold, load_problem, take
from benchmarks.choosing.trials import append, read_lines
from benchmarks.fuzzy.machines import fashion_with_three_thresholds
from benchmarks.tables.problems import development_part
from wtm import Booleanizer, WTMClassifier
from wtm.paper.environment import environment

__all__ = [
    "PROBLEMS",
    "SETTINGS",
    "SIZES",
    "S",
    "Size",
    "SizeTrial",
    "T",
    "read_size_trials",
    "read_sizes",
    "run_size_trials",
]

SIZES = {1_000: 3, 4_000: 2, 16_000: 1}
"""Numbers of training rows, and of random divisions at each; each division also draws rows to validate on."""
SLOWEST, MOST_ON_SLOWEST = "IMDb", 4_000
"""A data set of thousands of columns, on which the largest number of rows is left out."""
VALIDATION_ROWS = 8_000

S, T = (3, 5, 8, 12, 20), (25, 60)
SETTINGS = tuple(Setting(DEFAULT.n_clauses, t, s, DEFAULT.gamma) for t, s in product(T, S))

_THREE = "Fashion-MNIST at 3 levels"
_TABLES = (
    "California", "Diamonds' cut", "Health insurance", "Police stops", "Light chains", "Churn", "Jobs' time", "Grants",
)  # fmt: skip
PROBLEMS = (*NAMES, _THREE, *_TABLES)


@dataclass(frozen=True)
class SizeTrial:
    """One setting on one data set with some number of training rows.

    Attributes
    ----------
    problem : str
    n_rows : int
        Number of training rows.
    setting : Setting
    accuracies : list of float
        On the rows to validate on, in percent, one per division.
    log_losses : list of float
    n_literals : float
        Mean number of literals of a clause.
    seconds : float
        Seconds of processor time of a fit.
    """

    problem: str
    n_rows: int
    setting: Setting
    accuracies: list[float]
    log_losses: list[float]
    n_literals: float
    seconds: float


@dataclass(frozen=True)
class Size:
    """What a rule for the parameters may know of some rows: their number, classes, and true/false features."""

    n_rows: int
    n_classes: int
    n_features: int


def read_sizes(path: Path) -> dict[tuple[str, int], Size]:
    """Read the sizes of the training rows of a file, by data set and number of rows."""
    return {
        (line["problem"], line["size"]["n_rows"]): Size(**line["size"]) for line in read_lines(path) if "size" in line
    }


def read_size_trials(path: Path) -> dict[tuple[str, int, Setting], SizeTrial]:
    """Read the trials of a file, by data set, number of rows and setting."""
    found = {}
    for content in read_lines(path):
        if "n_rows" in content:
            trial = SizeTrial(**{**content, "setting": Setting(**content["setting"])})
            found[trial.problem, trial.n_rows, trial.setting] = trial
    return found


def run_size_trials(name: str, data_dir: Path, path: Path) -> None:
    """Try each setting at each number of rows of a data set, except what the file already has."""
    X, y, bits = _rows(name, data_dir)
    for n_rows, n_divisions in _sizes(name, len(y)):
        done, described = read_size_trials(path), (name, n_rows) in read_sizes(path)
        left = [setting for setting in SETTINGS if (name, n_rows, setting) not in done]
        print(f"{name}, {n_rows} rows: {len(left)} of {len(SETTINGS)} settings", flush=True)
        if not left and described:
            continue
        folds = list(_divisions(X, y, n_rows, n_divisions, bits=bits))
        if not described:
            n_features = round(float(np.mean([fold.X_train.shape[1] for fold in folds])))
            append(path, {"problem": name, "size": asdict(Size(n_rows, len(np.unique(y)), n_features))})
        if left:
            append(path, {"problem": name, "rows": [len(fold.y_train) for fold in folds], **environment()})
        for setting in left:
            found = [_measure(fold, setting, seed) for seed, fold in enumerate(folds)]
            accuracies, losses, literals, seconds = zip(*found, strict=True)
            trial = SizeTrial(
                name, n_rows, setting, list(accuracies), list(losses), round(float(np.mean(literals)), 2),
                round(float(np.mean(seconds)), 2),
            )  # fmt: skip
            append(path, asdict(trial))


def _rows(name: str, data_dir: Path) -> tuple[Any, np.ndarray, bool]:
    """Return columns, labels, and whether all columns are bits."""
    if name in _TABLES:
        return *development_part(name, data_dir), False
    problem = fashion_with_three_thresholds(data_dir) if name == _THREE else load_problem(name, data_dir)
    return problem.X_train, problem.y_train, problem.is_bits


def _sizes(name: str, n_there: int) -> list[tuple[int, int]]:
    """Return the numbers of rows that leave a quarter to validate on; a small table has one size, two thirds of it."""
    most = MOST_ON_SLOWEST if name == SLOWEST else max(SIZES)
    sizes = [(n, divisions) for n, divisions in SIZES.items() if n <= min(0.75 * n_there, most)]
    return sizes or [(2 * n_there // 3, SIZES[min(SIZES)])]


def _divisions(X: Any, y: np.ndarray, n_rows: int, n_divisions: int, *, bits: bool) -> Iterator[Fold]:
    n_valid = min(VALIDATION_ROWS, len(y) - n_rows)
    splits = StratifiedShuffleSplit(n_divisions, train_size=n_rows, test_size=n_valid, random_state=0)
    for train, valid in splits.split(y, y):
        X_train, X_valid = take(X, train), take(X, valid)
        if not bits:
            booleanizer = Booleanizer().fit(X_train)
            X_train, X_valid = booleanizer.transform(X_train), booleanizer.transform(X_valid)
        yield Fold(X_train, y[train], X_valid, y[valid])


def _measure(fold: Fold, setting: Setting, seed: int) -> tuple[float, float, float, float]:
    clf = WTMClassifier(**asdict(setting), n_epochs=EPOCHS, random_state=seed)
    start = time.process_time()
    clf.fit(fold.X_train, fold.y_train)
    seconds = time.process_time() - start
    probabilities = clf.predict_proba(fold.X_valid)
    accuracy = 100 * float(np.mean(clf.classes_[probabilities.argmax(axis=1)] == fold.y_valid))
    loss = float(log_loss(fold.y_valid, probabilities, labels=clf.classes_))
    return round(accuracy, 3), round(loss, 5), clf.history_[-1]["literals_per_clause"], seconds
