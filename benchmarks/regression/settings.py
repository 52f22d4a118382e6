"""Choose settings by cross-validation on training rows alone."""

from itertools import product

import numpy as np
from sklearn.model_selection import KFold, train_test_split

from benchmarks.regression.methods import FuzzySetting, Setting, measure, measure_tmu
from benchmarks.regression.problems import Rows

__all__ = ["FOLDS", "FUZZY_GRID", "GRID", "ROWS", "choose_for_tmu", "relative_error"]

ROWS, FOLDS = 4_000, 3
GRID = tuple(Setting(*chosen) for chosen in product((25, 50, 100, 200), (5, 10, 20, 40), (10, 30, 60)))
FUZZY_GRID = tuple(
    FuzzySetting(T, s, failures, ratio * failures)
    for T, s, failures, ratio in product((5, 10, 20), (20, 50, 100, 200), (4, 8, 16), (2, 3))
)
_GRID_OF_TMU = tuple(product((500, 1_000, 2_000, 5_000), (2.75, 5, 10, 20)))
_EPOCHS_OF_TMU = 5


def relative_error(setting: Setting | FuzzySetting, train: Rows) -> float:
    """Return the error, in standard deviations of the target: the mean over the folds of at most `ROWS` rows."""
    X, y = train
    rows = np.random.default_rng(0).permutation(len(y))[:ROWS]
    errors = []
    for fitted, held_out in KFold(FOLDS).split(rows):
        a, b = rows[fitted], rows[held_out]
        errors.append(measure(setting.regressor(10, 0), (X[a], y[a]), (X[b], y[b])).error / y[b].std())
    return float(np.mean(errors))


def choose_for_tmu(python: str, train: Rows) -> tuple[int, float]:
    """Return the T and s with the smallest error on a part of the training rows, after a few epochs."""
    X, X_valid, y, y_valid = train_test_split(*train, train_size=0.3, random_state=0)
    errors = {
        (T, s): measure_tmu(python, T, s, _EPOCHS_OF_TMU, (X, y), (X_valid, y_valid), 0).error for T, s in _GRID_OF_TMU
    }
    return min(errors, key=lambda setting: errors[setting])
