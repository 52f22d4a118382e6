import numpy as np
import pandas as pd
import pytest

from wtm import FuzzyWTMClassifier, FuzzyWTMRegressor

SMALL = {
    "n_clauses": 10, "T": 1.5, "s": 20, "gamma": 0.01, "n_epochs": 5, "literal_failures": 3, "max_literals": 6,
    "gamma_start": 1, "random_state": 0,
}  # fmt: skip


def small(**changes):
    """A classifier that trains in some milliseconds."""
    return FuzzyWTMClassifier(**SMALL | changes)


def small_regressor(**changes):
    """A regressor that trains in some milliseconds."""
    return FuzzyWTMRegressor(**SMALL | {"average_last": 2} | changes)


@pytest.fixture(scope="package")
def majority():
    """Rows of bits, and whether most of the first five are 1."""
    X = np.random.default_rng(0).integers(0, 2, (700, 12))
    return X, np.where(X[:, :5].sum(axis=1) >= 3, "yes", "no")


@pytest.fixture(scope="package")
def people():
    """A table of numbers, categories and missing values, and labels of three classes."""
    rng = np.random.default_rng(1)
    age = rng.integers(18, 80, 600).astype(float)
    town = rng.choice(["Oslo", "Rome", "Bonn"], 600)
    y = np.where(age > 50, "old", np.where(town == "Rome", "south", "north"))
    age[::17] = np.nan
    return pd.DataFrame({"age": age, "town": town, "height": rng.normal(170, 10, 600)}), y


@pytest.fixture(scope="package")
def fitted(people):
    """A classifier that was trained on `people`; not to be changed."""
    return small(n_epochs=15).fit(*people)
