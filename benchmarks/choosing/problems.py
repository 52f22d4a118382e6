"""The data sets that parameters are chosen on, each with a training part and a test part."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.table_commands import read, with_categories
from wtm import Booleanizer
from wtm.datasets import load

__all__ = ["FOLDS", "NAMES", "ROWS", "Fold", "Problem", "folds", "load_problem", "take"]

ROWS = 4_000
"""Rows of a training part that cross-validation uses at most."""
FOLDS = 3

_BITS = {
    "Connect-4": "connect-4",
    "MNIST": "mnist",
    "Fashion-MNIST": "fashion-mnist",
    "IMDb": "imdb",
    "Noisy XOR": "noisy-xor",
}
_LOADERS = {"Breast cancer": load_breast_cancer, "Digits": load_digits}
NAMES = (*_BITS, "Adult", "Mushroom", *_LOADERS)


@dataclass(frozen=True, eq=False)
class Problem:
    """A data set as it is read: bits, numbers or a frame; text columns of a frame are categories."""

    name: str
    X_train: Any
    y_train: np.ndarray
    X_test: Any
    y_test: np.ndarray

    @property
    def is_bits(self) -> bool:
        """Whether all values are 0 or 1."""
        return self.name in _BITS


@dataclass(frozen=True, eq=False)
class Fold:
    """True/false features and labels to train on and to validate on."""

    X_train: Any
    y_train: np.ndarray
    X_valid: Any
    y_valid: np.ndarray


def load_problem(name: str, data_dir: Path) -> Problem:
    """Load a data set. One that has a single part is divided: 30 % of each class form the test part."""
    if name in _BITS:
        data = load(_BITS[name], data_dir)
        return Problem(name, data.X_train, data.y_train, data.X_test, data.y_test)
    if name == "Adult":
        train = read(data_dir / "adult/adult.data.gz")
        test = read(data_dir / "adult/adult.test.gz", skip=1)  # the first line is a comment
        y_train, y_test = (frame.pop("x14").str.removesuffix(".").to_numpy(str) for frame in (train, test))
        train, test = with_categories(train, test)
        return Problem(name, train, y_train, test, y_test)
    if name == "Mushroom":
        X = read(data_dir / "mushroom/agaricus-lepiota.data.gz")
        y = X.pop("x0").to_numpy(str)
    else:
        X, y = _LOADERS[name](return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    if isinstance(X, pd.DataFrame):
        X_train, X_test = with_categories(X_train, X_test)
    return Problem(name, X_train, y_train, X_test, y_test)


def folds(problem: Problem) -> list[Fold]:
    """Divide `ROWS` of the training part for cross-validation; each fold chooses conditions from its training rows."""
    X, y = problem.X_train, problem.y_train
    if len(y) > ROWS:
        rows, _ = train_test_split(np.arange(len(y)), train_size=ROWS, random_state=0, stratify=y)
        X, y = take(X, rows), y[rows]
    divisions = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y)
    return [_fold(problem, X, y, train, valid) for train, valid in divisions]


def _fold(problem: Problem, X: Any, y: np.ndarray, train: np.ndarray, valid: np.ndarray) -> Fold:
    X_train, X_valid = take(X, train), take(X, valid)
    if not problem.is_bits:
        booleanizer = Booleanizer().fit(X_train)
        X_train, X_valid = booleanizer.transform(X_train), booleanizer.transform(X_valid)
    return Fold(X_train, y[train], X_valid, y[valid])


def take(X: Any, rows: np.ndarray) -> Any:
    """Return some rows of a frame, an array or a sparse matrix."""
    if isinstance(X, pd.DataFrame):
        return X.iloc[rows]
    return X[rows] if not sp.issparse(X) else X.tocsr()[rows]
