"""Probabilities on small tables: log-loss of `predict_proba` beside ways that spare rows for it.

    python -m benchmarks.calibration [--data-dir DIR]

All classifiers have their default parameters. "base rate" says the classes' shares for every row. "wtm" is
`predict_proba` after an ordinary fit, whose one factor is fitted to training rows. "early stopping" fits the factor to
the rows that ``early_stopping=True`` holds out. "calibrated" is ``CalibratedClassifierCV(WTMClassifier())`` with its
five folds. Figures are means over five folds of the rows; less is better. "right" are the shares of rows that are
predicted right, and "sure" is what an ordinary fit expects of itself: the mean of the largest probability of each row.
Adult, from DIR/adult/adult.data.gz as it comes from UCI, is left out where no folder is given.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from benchmarks.tables import read
from wtm import WTMClassifier, __version__

SEED = 0
ROWS = 500
WAYS = {
    "base rate": DummyClassifier(strategy="prior"),
    "wtm": WTMClassifier(random_state=SEED),
    "early stopping": WTMClassifier(random_state=SEED, early_stopping=True),
    "calibrated": CalibratedClassifierCV(WTMClassifier(random_state=SEED)),
}


def problems(data_dir):
    """Names, columns and labels of all tables; the two large ones cut to `ROWS` rows."""
    yield "breast cancer", *load_breast_cancer(return_X_y=True)
    yield "wine", *load_wine(return_X_y=True)
    some = np.random.default_rng(SEED).permutation
    X, y = load_digits(return_X_y=True)
    rows = some(len(y))[:ROWS]
    yield f"digits, {ROWS} rows", X[rows], y[rows]
    if data_dir is not None:
        frame = read(data_dir / "adult/adult.data.gz")
        y = frame.pop("x14").to_numpy(str)
        rows = some(len(y))[:ROWS]
        yield f"Adult, {ROWS} rows", frame.iloc[rows].reset_index(drop=True), y[rows]


def rows_of(X, rows):
    return X[rows] if isinstance(X, np.ndarray) else X.iloc[rows]


def measure(X, y):
    """Mean log-loss of each way; then of an ordinary fit the share that is right, and how sure it is."""
    losses = {way: [] for way in WAYS}
    right, sure = [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=SEED).split(np.zeros(len(y)), y):
        for way, estimator in WAYS.items():
            fitted = clone(estimator).fit(rows_of(X, train), y[train])
            found = fitted.predict_proba(rows_of(X, test))
            losses[way].append(log_loss(y[test], found, labels=fitted.classes_))
            if way == "wtm":
                right.append(fitted.score(rows_of(X, test), y[test]))
                sure.append(found.max(axis=1).mean())
    return [np.mean(losses[way]) for way in WAYS], np.mean(right), np.mean(sure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, help="folder that holds adult/")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # a fold lacks a rare category
    print(f"wtm {__version__}, seed {SEED}")
    print(f"{'':18}" + "".join(f"{way:>15}" for way in (*WAYS, "right", "sure")))
    for name, X, y in problems(options.data_dir):
        losses, right, sure = measure(X, y)
        print(f"{name:18}" + "".join(f"{value:15.3f}" for value in (*losses, right, sure)), flush=True)


if __name__ == "__main__":
    main()
