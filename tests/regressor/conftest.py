import numpy as np
import pytest

from wtm import WTMRegressor


def small(**changes):
    """A regressor that trains in some milliseconds."""
    return WTMRegressor(
        **{"n_clauses": 20, "T": 10, "s": 4, "n_epochs": 6, "average_last": 3, "random_state": 0} | changes
    )


@pytest.fixture(scope="package")
def bits():
    """Rows of bits, and numbers that depend on three of them, with noise."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 8))
    return X, 10.0 * X[:, 0] - 4 * (X[:, 1] & X[:, 2]) + rng.normal(0, 0.3, 600)


@pytest.fixture(scope="package")
def fitted(bits):
    """A regressor that was trained on `bits`; not to be changed."""
    return small(n_epochs=15).fit(*bits)
