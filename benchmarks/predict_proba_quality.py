"""Compare the log-loss of `predict_proba` with that of probabilities fitted to held-out rows, on small tables.

    python -m benchmarks.predict_proba_quality [--data-dir DIR]

All classifiers have their default parameters. "base rate" predicts the frequency of each class. "wtm" is
`predict_proba` after an ordinary fit, whose factor is fitted to the training rows. "early stopping" fits the factor to
the rows that ``early_stopping=True`` holds out. "calibrated" is ``CalibratedClassifierCV(WTMClassifier())`` with five
folds. Figures are means over five folds of the rows; smaller is better. For the ordinary fit, "accuracy" is the share
of rows predicted correctly, and "confidence" the mean of the largest probability of each row. Adult is read from
DIR/adult/adult.data.gz, as UCI provides it, and left out without a folder.
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

from benchmarks.table_commands import read
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
    """Yield name, columns and labels of each table; the two large ones are cut to `ROWS` rows."""
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
    """Return the mean log-loss of each way, and the accuracy and the confidence of the ordinary fit."""
    losses = {way: [] for way in WAYS}
    accuracies, confidences = [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=SEED).split(np.zeros(len(y)), y):
        for way, estimator in WAYS.items():
            fitted = clone(estimator).fit(rows_of(X, train), y[train])
            found = fitted.predict_proba(rows_of(X, test))
            losses[way].append(log_loss(y[test], found, labels=fitted.classes_))
            if way == "wtm":
                accuracies.append(fitted.score(rows_of(X, test), y[test]))
                confidences.append(found.max(axis=1).mean())
    return [np.mean(losses[way]) for way in WAYS], np.mean(accuracies), np.mean(confidences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, help="folder with adult/")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # a fold lacks a rare category
    print(f"wtm {__version__}, seed {SEED}")
    print(f"{'':18}" + "".join(f"{way:>15}" for way in (*WAYS, "accuracy", "confidence")))
    for name, X, y in problems(options.data_dir):
        losses, accuracy, confidence = measure(X, y)
        print(f"{name:18}" + "".join(f"{value:15.3f}" for value in (*losses, accuracy, confidence)), flush=True)


if __name__ == "__main__":
    main()
