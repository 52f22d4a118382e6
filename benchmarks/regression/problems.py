"""Tables with a number to predict, divided into rows to train on and rows held out."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.model_selection import train_test_split

__all__ = ["NAMES", "Rows", "divide", "load_table"]

Rows = tuple[np.ndarray, np.ndarray]


def _california(data_dir: Path) -> Rows:
    """Read the 8 columns that scikit-learn's `fetch_california_housing` makes; the values are in 100,000 dollars."""
    raw = pd.read_csv(data_dir / "california-housing" / "cal_housing.csv.gz")
    X = raw[["median_income", "housing_median_age", "total_rooms", "total_bedrooms", "population", "population",
             "latitude", "longitude"]].to_numpy(float)  # fmt: skip
    X[:, [2, 3, 5]] /= raw[["households"]].to_numpy(float)
    return X, raw["median_house_value"].to_numpy(float) / 1e5


def _wine(data_dir: Path) -> Rows:
    frame = pd.read_csv(data_dir / "wine-quality" / "winequality-red.csv.gz", sep=";")
    y = frame.pop("quality").to_numpy(float)
    return frame.to_numpy(float), y


_LOADERS: dict[str, Callable[[Path], Rows]] = {
    "California housing": _california,
    "Wine quality": _wine,
    "Diabetes": lambda _: load_diabetes(return_X_y=True),
    "Friedman 1": lambda _: make_friedman1(5_000, noise=1.0, random_state=0),
}
NAMES = tuple(_LOADERS)


def load_table(name: str, data_dir: Path) -> Rows:
    """Read a table: numbers of shape (n_rows, n_columns), and the numbers to predict."""
    return _LOADERS[name](data_dir)


def divide(table: Rows, seed: int) -> tuple[Rows, Rows]:
    """Hold out 25 % of the rows."""
    X, X_test, y, y_test = train_test_split(*table, test_size=0.25, random_state=seed)
    return (X, y), (X_test, y_test)
