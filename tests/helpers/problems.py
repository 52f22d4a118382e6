"""Small classification problems, and small classifiers for them."""

import hashlib

import numpy as np

from wtm import WTMClassifier


def table(n_rows, n_features):
    """Fair coins that are the same with any version of NumPy on any platform: uint8 (n_rows, n_features)."""
    digests = (hashlib.sha512(str(row).encode()).digest() for row in range(n_rows))
    return np.unpackbits(np.array([list(digest) for digest in digests], np.uint8), axis=1)[:, :n_features]


def three_classes(n_rows=120, n_features=7):
    """How many of two features are 1, the others being noise: X, and y in 0, 1, 2."""
    X = table(n_rows, n_features)
    return X, X[:, 0].astype(int) + X[:, 1]


def xor(n_rows=120, n_features=7):
    """Whether two features differ: X, and y in 0, 1."""
    X = table(n_rows, n_features)
    return X, (X[:, 0] ^ X[:, 1]).astype(int)


def small(**changes):
    """An unfitted classifier that trains in no time."""
    defaults = {"n_clauses": 10, "T": 8, "s": 3.0, "gamma": 0.05, "n_epochs": 3, "random_state": 1}
    return WTMClassifier(**defaults | changes)


def assert_same_model(a, b):
    """Equal machines to the last bit, random streams included, and equal progress."""
    assert len(a.machines_) == len(b.machines_)
    for one, other in zip(a.machines_, b.machines_, strict=True):
        assert (one.states == other.states).all()
        assert (one.exponents == other.exponents).all()
        assert (one.random == other.random).all()
    assert a.n_epochs_ == b.n_epochs_


def is_same_model(a, b):
    """Whether automata and exponents are equal."""
    return all(
        (one.states == other.states).all() and (one.exponents == other.exponents).all()
        for one, other in zip(a.machines_, b.machines_, strict=True)
    )
