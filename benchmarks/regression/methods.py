"""The methods compared: each is trained on some rows, and measured on rows held out."""

import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.metrics import root_mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.regression.problems import Rows
from wtm import Booleanizer, FuzzyWTMRegressor, WTMRegressor

__all__ = [
    "DEFAULT",
    "FUZZY_DEFAULT",
    "METHODS",
    "N_CLAUSES",
    "N_EPOCHS",
    "FuzzySetting",
    "Measured",
    "Setting",
    "measure",
    "measure_tmu",
]

N_CLAUSES, N_FUZZY, N_EPOCHS = 1_000, 100, 30
_SCRIPT = Path(__file__).parents[1] / "peers" / "run_tmu_regression.py"


@dataclass(frozen=True)
class Setting:
    """Parameters of `WTMRegressor` that are chosen together."""

    T: float
    s: float
    n_thresholds: int

    def regressor(self, average_last: int, seed: int) -> WTMRegressor:
        """Return a regressor; what is not set here has its default."""
        bits = Booleanizer(self.n_thresholds)
        return WTMRegressor(
            N_CLAUSES, self.T, self.s, n_epochs=N_EPOCHS, average_last=average_last, booleanizer=bits,
            random_state=seed,
        )  # fmt: skip


@dataclass(frozen=True)
class FuzzySetting:
    """Parameters of `FuzzyWTMRegressor` that are chosen together."""

    T: float
    s: float
    literal_failures: int
    max_literals: int

    def regressor(self, average_last: int, seed: int) -> FuzzyWTMRegressor:
        """Return a regressor; what is not set here has its default."""
        return FuzzyWTMRegressor(
            N_FUZZY, **asdict(self), n_epochs=N_EPOCHS, average_last=average_last, random_state=seed
        )  # fmt: skip


DEFAULT = Setting(100, 10, 30)
FUZZY_DEFAULT = FuzzySetting(20, 50, 8, 16)


@dataclass(frozen=True)
class Measured:
    """Root of the mean squared error on the rows held out, and seconds of processor time of the fit."""

    error: float
    seconds: float


def _ridge(first: Any) -> Any:
    return make_pipeline(first, RidgeCV(np.logspace(-3, 4, 15)))


METHODS: dict[str, Callable[[int], Any]] = {
    "wtm, last epoch": lambda seed: DEFAULT.regressor(1, seed),
    "wtm, average of 10 epochs": lambda seed: DEFAULT.regressor(10, seed),
    "wtm, 100 fuzzy clauses": lambda seed: FUZZY_DEFAULT.regressor(10, seed),
    "ridge on the same features": lambda _: _ridge(Booleanizer(DEFAULT.n_thresholds)),
    "ridge on the columns": lambda _: _ridge(StandardScaler()),
    "random forest": lambda seed: RandomForestRegressor(random_state=seed, n_jobs=1),
    "histogram gradient boosting": lambda seed: HistGradientBoostingRegressor(random_state=seed),
}
"""wtm and methods of scikit-learn with their defaults; ridge chooses its penalty by leave-one-out on training rows."""


def measure(regressor: Any, train: Rows, test: Rows) -> Measured:
    """Fit, and measure the error on the rows held out."""
    start = time.process_time()
    regressor.fit(*train)
    seconds = time.process_time() - start
    return Measured(float(root_mean_squared_error(test[1], regressor.predict(test[0]))), seconds)


def measure_tmu(python: str, T: int, s: float, n_epochs: int, train: Rows, test: Rows, seed: int) -> Measured:
    """Measure tmu's regressor in a process of its own, on the features that `DEFAULT` has."""
    booleanizer = Booleanizer(DEFAULT.n_thresholds).fit(train[0])
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        parts = {"X_train": booleanizer.transform(train[0]), "X_test": booleanizer.transform(test[0])}
        np.savez(data, y_train=train[1], **parts)
        options = {"data": data, "clauses": N_CLAUSES, "T": T, "s": s, "epochs": n_epochs, "seed": seed}
        command = [python, str(_SCRIPT), *(f"--{name}={value}" for name, value in options.items())]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return Measured(float(root_mean_squared_error(test[1], found["predictions"])), sum(found["seconds"]))
