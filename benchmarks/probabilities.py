"""Compare ways to turn sums into probabilities, by log-loss and Brier score on test rows.

    python -m benchmarks.probabilities [--data-dir DIR]

"predict" is certainty in the predicted class, with probabilities cut at 1e-6. "theory" is the probability at which the
feedback to a machine is in balance: p/q = (T + c)/(T - c), with c the clamped sum, p the probability of its class and q
the probability of being drawn as the other class. "softmax k" is softmax(k * sums / T) for a fixed k. The others fit
one factor as `wtm.machine.calibration` does: "training" to the training rows, "held out" to half of the test rows, as
if these had been held out. All are measured on the other half. For both scores, smaller is better. MNIST is left out if
it is not found.
"""

import argparse

import numpy as np
from scipy.special import softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from wtm import WTMClassifier, __version__
from wtm.datasets import load_connect_4, load_mnist
from wtm.machine.calibration import fit_logit_scale

SEED = 1
FIXED = (1, 2, 4)


def connect_4(_):
    data = load_connect_4()
    return data.X_train[:20_000], data.y_train[:20_000], data.X_test, data.y_test


def mnist(data_dir):
    data = load_mnist(data_dir)
    return data.X_train[:6_000], data.y_train[:6_000], data.X_test, data.y_test


def noisy_xor(_):
    rng = np.random.default_rng(SEED)
    X = rng.integers(0, 2, (6_000, 10))
    y = X[:, 0] ^ X[:, 1] ^ (rng.random(6_000) < 0.2)
    return X[:2_000], y[:2_000], X[2_000:], y[2_000:]


def above_quantiles(load):
    def read(_):
        data = load()
        rows = np.arange(len(data.target))
        train, test = train_test_split(rows, test_size=0.5, random_state=SEED, stratify=data.target)
        thresholds = np.quantile(data.data[train], [0.2, 0.4, 0.6, 0.8], axis=0)
        X = np.concatenate([data.data > t for t in thresholds], axis=1)
        return X[train], data.target[train], X[test], data.target[test]

    return read


PROBLEMS = {
    "Connect-4, 20,000 rows, as the authors": (
        connect_4, {"n_clauses": 200, "T": 12, "s": 27, "gamma": 1e-4, "n_epochs": 20},
    ),
    "Connect-4, 20,000 rows": (connect_4, {"n_epochs": 20}),
    "MNIST, 6,000 rows": (mnist, {"n_clauses": 200, "T": 25, "s": 12, "gamma": 0.0025, "n_epochs": 15}),
    "XOR with 20 % noise": (noisy_xor, {"n_clauses": 20, "T": 10, "s": 4}),
    "breast cancer": (above_quantiles(load_breast_cancer), {}),
    "wine": (above_quantiles(load_wine), {}),
    "digits": (above_quantiles(load_digits), {}),
}  # fmt: skip


def balanced_odds(sums):
    """Return the probabilities of the classes, from sums in units of T."""
    c, n_others = np.clip(sums, -1, 1), sums.shape[1] - 1
    p = np.clip((1 + c) / (1 + c + n_others * (1 - c)), 1e-3, 1)
    return p / p.sum(axis=1, keepdims=True)


def brier(found, labels):
    return float(np.mean(((found - np.eye(found.shape[1])[labels]) ** 2).sum(axis=1)))


def ways(clf, sums, X, y):
    """Yield the name and the probabilities of each way, for the second half of the rows."""
    half = len(y) // 2
    rest, T = sums[half:], clf.T
    yield "predict", np.clip(np.eye(sums.shape[1])[rest.argmax(axis=1)], 1e-6, 1)
    yield "theory", balanced_odds(rest / T)
    for factor in FIXED:
        yield f"softmax {factor}", softmax(rest * factor / T, axis=1)
    yield "training", clf.predict_proba(X[half:])
    yield "held out", softmax(rest * fit_logit_scale(sums[:half], y[:half], None, T), axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", help="folder with mnist/; default: WTM_DATA")
    options = parser.parse_args()
    print(f"wtm {__version__}, seed {SEED}")
    for name, (load, settings) in PROBLEMS.items():
        try:
            X, y, X_test, y_test = load(options.data_dir)
        except (FileNotFoundError, OSError) as error:
            print(f"{name}: left out, {error}")
            continue
        clf = WTMClassifier(random_state=SEED, **settings).fit(X, y)
        accuracies = f"accuracy {clf.score(X, y):.3f} on training rows, {clf.score(X_test, y_test):.3f} on test rows"
        print(f"\n{name}: {len(y):,} rows, {accuracies}\n  {'':12} log-loss   Brier")
        labels = np.searchsorted(clf.classes_, y_test)
        measured = labels[len(labels) // 2 :]
        for way, found in ways(clf, clf.class_sums(X_test), X_test, labels):
            loss = log_loss(measured, found, labels=range(found.shape[1]))
            print(f"  {way:12} {loss:8.3f} {brier(found, measured):7.3f}")


if __name__ == "__main__":
    main()
