"""Settings for California housing alone, chosen by cross-validation on the training part."""

from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from benchmarks.regression.methods import DEFAULT, Setting, measure
from benchmarks.regression.problems import Rows, divide

__all__ = ["FOLDS", "GRID", "choose_and_measure"]

FOLDS = 3
GRID = tuple(Setting(T, s, DEFAULT.n_thresholds) for T, s in product((75, 100, 150), (10, 15, 20)))
_AVERAGED = 10


def choose_and_measure(table: Rows, seeds: tuple[int, ...]) -> dict[str, Any]:
    """Choose on the training part of the first seed, and measure the choice on the rows that each seed holds out."""
    X, y = divide(table, seeds[0])[0]
    tried = []
    for setting in GRID:
        errors = []
        for fitted, held_out in KFold(FOLDS, shuffle=True, random_state=0).split(X):
            rows = (X[fitted], y[fitted]), (X[held_out], y[held_out])
            errors.append(measure(setting.regressor(_AVERAGED, 0), *rows).error)
        tried.append({**vars(setting), "error": round(float(np.mean(errors)), 4)})
    best = Setting(**{name: min(tried, key=lambda trial: trial["error"])[name] for name in vars(DEFAULT)})
    measured = [measure(best.regressor(_AVERAGED, seed), *divide(table, seed)).error for seed in seeds]
    return {"tried": tried, "chosen": vars(best), "errors": [round(error, 4) for error in measured]}
