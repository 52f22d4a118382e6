"""The caller's table, column by column: numbers as float64 with NaN for missing, or values with a code for each row."""

import datetime
import math
import numbers
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

__all__ = [
    "MISSING",
    "UNKNOWN",
    "CategoryColumn",
    "Column",
    "NumberColumn",
    "SparseTable",
    "Table",
    "Tally",
    "Value",
    "first_duplicate",
    "read_table",
    "read_validated",
]

Value = str | int | float | bool
Reader = Callable[[slice], np.ndarray]
"""Reads some rows of a column."""

UNKNOWN, MISSING = -1, -2
"""Places of a value that is none of the asked ones, and of a missing one."""


@dataclass(frozen=True)
class Tally:
    """Distinct numbers of a column, ascending, float64; in how many rows each occurs; whether some row has none."""

    distinct: np.ndarray
    counts: np.ndarray
    has_missing: bool


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers or booleans.

    Attributes
    ----------
    label : str
        What messages call it: ``column 'age'``.
    values : ndarray of shape (n_rows,), any real or boolean dtype
        Compared as float64 everywhere, so that a number means the same in every dtype. NaN is missing.
    is_boolean : bool
        Whether these are False and True, and no numbers.
    """

    label: str
    values: np.ndarray
    is_boolean: bool = False

    def tally(self) -> Tally:
        """Count the distinct values."""
        values = self.values
        if values.dtype in (np.bool_, np.uint8):  # counting is many times faster than sorting, and images are large
            counts = np.bincount(values, minlength=256)
            occurring = np.flatnonzero(counts)
            return Tally(occurring.astype(np.float64), counts[occurring], False)
        if values.dtype.itemsize >= 8:  # integers and long floats that are one float64 are one value
            values = values.astype(np.float64, copy=False)
        distinct, counts = np.unique(values, return_counts=True)
        distinct = self._finite(distinct.astype(np.float64))
        known = ~np.isnan(distinct)
        return Tally(distinct[known], counts[known], not known.all())

    def has_missing(self) -> bool:
        """Whether some value is missing."""
        return self.values.dtype.kind == "f" and bool(np.isnan(self.values).any())

    def numbers(self) -> Reader:
        """Reader of float64 of shape (n_rows,), NaN where missing."""
        return lambda rows: self._finite(self.values[rows].astype(np.float64, copy=False))

    def places(self, index: Mapping[Value, int]) -> Reader:
        """Reader of the place that `index` gives each row's value, or UNKNOWN, or MISSING."""
        read_numbers = self.numbers()

        def read(rows: slice) -> np.ndarray:
            distinct, codes = np.unique(read_numbers(rows), return_inverse=True)
            found = [MISSING if value != value else index.get(value, UNKNOWN) for value in distinct.tolist()]
            return np.array(found, np.int64)[codes]

        return read

    def is_binary(self) -> bool:
        """Whether every row holds 0 or 1."""
        return self.values.dtype == np.bool_ or bool(((self.values == 0) | (self.values == 1)).all())

    def _finite(self, values: np.ndarray) -> np.ndarray:
        # The largest and the smallest tell in one pass each; fmax and fmin leave NaN aside.
        if values.size and (np.fmax.reduce(values) == np.inf or np.fmin.reduce(values) == -np.inf):
            raise _infinity_error(self.label)
        return values


@dataclass(frozen=True)
class CategoryColumn:
    """A column of values of other kinds, or of a categorical dtype.

    Attributes
    ----------
    label : str
    distinct : list of str, int, float or bool
        The values, each once; equal numbers (1, 1.0 and True) are one value.
    codes : ndarray of shape (n_rows,), int64
        Position in `distinct`, or -1 where the value is missing.
    """

    label: str
    distinct: list[Value]
    codes: np.ndarray

    def numbers(self) -> Reader:
        """As `NumberColumn.numbers`; a ValueError where a value is a string."""
        for value in self.distinct:
            if isinstance(value, str):
                raise ValueError(f"{self.label} held numbers in fit, but now holds the string {value!r}.")
        table = np.array([*self.distinct, np.nan], np.float64)
        return lambda rows: table[self.codes[rows]]

    def places(self, index: Mapping[Value, int]) -> Reader:
        """As `NumberColumn.places`."""
        table = np.array([*(index.get(value, UNKNOWN) for value in self.distinct), MISSING], np.int64)
        return lambda rows: table[self.codes[rows]]

    def is_binary(self) -> bool:
        """A column of this kind has to be turned into features first."""
        return False


Column = NumberColumn | CategoryColumn


@dataclass(frozen=True)
class Table:
    """A dense table: its number of rows, and its columns."""

    n_rows: int
    columns: list[Column]

    def number_columns(self) -> list[int]:
        """Positions of the columns that hold numbers."""
        return [j for j, c in enumerate(self.columns) if isinstance(c, NumberColumn) and not c.is_boolean]

    def is_binary(self) -> bool:
        """Whether the table holds nothing but 0 and 1."""
        return all(column.is_binary() for column in self.columns)


@dataclass(frozen=True)
class SparseTable:
    """A sparse table of numbers: a CSR matrix without duplicate entries, and what messages call its columns."""

    csr: sp.csr_array

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.csr.shape[0]

    def number_columns(self) -> range:
        """Positions of the columns that hold numbers: all."""
        return range(self.csr.shape[1])

    def tallies(self) -> Iterable[Tally]:
        """Tally of each column, the entries that are not stored included."""
        csc = self.csr.tocsc()
        for j in range(csc.shape[1]):
            stored = csc.data[csc.indptr[j] : csc.indptr[j + 1]]
            tally = NumberColumn(f"column {j}", stored).tally()
            yield _with_zeros(tally, self.n_rows - len(stored))

    def is_binary(self) -> bool:
        """Whether the table holds nothing but 0 and 1."""
        return NumberColumn("X", self.csr.data).is_binary()


def _with_zeros(tally: Tally, n_zeros: int) -> Tally:
    if not n_zeros:
        return tally
    before, after = tally.distinct < 0, tally.distinct > 0
    n_zeros += int(tally.counts.sum() - tally.counts[before].sum() - tally.counts[after].sum())
    distinct = np.concatenate([tally.distinct[before], [0.0], tally.distinct[after]])
    counts = np.concatenate([tally.counts[before], [n_zeros], tally.counts[after]])
    return Tally(distinct, counts, tally.has_missing)


def read_validated(estimator: Any, X: Any, *, reset: bool, min_rows: int = 1) -> Table | SparseTable:
    """Read a table, and set or check `n_features_in_` and `feature_names_in_` of an estimator.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame
        As in `read_table`.
    reset : bool
        Whether to set the attributes, or to check the table against them.
    min_rows : int, default=1
        Fewest rows allowed.

    Returns
    -------
    Table or SparseTable
    """
    if not nw.dependencies.is_into_dataframe(X):
        table = read_table(X, estimator, min_rows=min_rows)  # first, since it has the clearer words for a wrong shape
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return table
    duplicate = first_duplicate(X.column_names if hasattr(X, "column_names") else X.columns)
    if duplicate is not None:
        raise ValueError(f"Column names must be unique, but {duplicate!r} occurs more than once. Rename the columns.")
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return read_table(X, estimator, min_rows=min_rows)


def first_duplicate(names: Iterable[Any]) -> Any:
    """Return the first name that occurs more than once, or None."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def read_table(X: Any, estimator: Any = None, *, min_rows: int = 1) -> Table | SparseTable:
    """Read a table of any kind that is supported.

    Parameters
    ----------
    X : array-like, sparse matrix, or data frame (pandas, polars, or another one that narwhals knows)
        Of shape (n_rows, n_columns).
    estimator : estimator, optional
        Named in messages.
    min_rows : int, default=1
        Fewest rows allowed.

    Returns
    -------
    Table or SparseTable

    Raises
    ------
    TypeError
        A column holds what is neither a number, a boolean nor a string.
    ValueError
        The table has no two dimensions, or too few rows or columns.
    """
    if nw.dependencies.is_into_dataframe(X):
        return _read_frame(X, min_rows)
    if not hasattr(X, "dtype") and not sp.issparse(X):
        as_array = np.asarray(X)
        # NumPy makes strings of the numbers that stand beside strings.
        X = np.asarray(X, dtype=object) if as_array.dtype.kind in "US" else as_array
    X = check_array(
        X, accept_sparse="csr", dtype=None, ensure_all_finite=False, ensure_min_samples=min_rows, estimator=estimator,
        input_name="X",
    )  # fmt: skip
    if sp.issparse(X):
        return SparseTable(_canonical(X))
    return Table(len(X), [_read_array(X[:, j], f"column {j}") for j in range(X.shape[1])])


def _canonical(X: Any) -> sp.csr_array:
    csr = sp.csr_array(X)
    if csr.dtype.kind not in "biuf":
        csr = csr.astype(np.float64)
    if not csr.has_canonical_format:
        csr = csr.copy()  # the caller's matrix stays as it is
        csr.sum_duplicates()
    return csr


def _read_array(values: np.ndarray, label: str) -> Column:
    kind = values.dtype.kind
    if kind in "biuf":
        return NumberColumn(label, values, kind == "b")
    if kind in "mM":
        raise _date_error(label, str(values.dtype))
    if kind in "OUT":
        return _read_objects(values.tolist(), label)
    raise TypeError(f"{label} has the dtype {values.dtype}; a column must hold numbers, booleans or strings.")


def _read_frame(X: Any, min_rows: int) -> Table:
    frame = nw.from_native(X, eager_only=True)
    n_rows, n_columns = frame.shape
    for found, needed, what in ((n_columns, 1, "feature"), (n_rows, min_rows, "sample")):
        if found < needed:
            raise ValueError(
                f"Found array with {found} {what}(s) (shape={frame.shape}) while a minimum of {needed} is required."
            )
    return Table(n_rows, [_read_series(frame[:, j], f"column {frame.columns[j]!r}") for j in range(n_columns)])


def _read_series(series: nw.Series, label: str) -> Column:
    dtype = series.dtype
    if dtype.is_temporal():
        raise _date_error(label, str(dtype))
    if dtype.is_nested() or dtype == nw.Binary:
        raise TypeError(f"{label} has the dtype {dtype}; a column must hold numbers, booleans or strings.")
    if dtype == nw.Decimal:
        return _read_series(series.cast(nw.Float64), label)
    if dtype.is_numeric():
        return NumberColumn(label, np.asarray(series.to_numpy()))  # NaN where a value is missing
    if dtype == nw.Boolean:
        missing = series.is_null().to_numpy()
        values = np.asarray(series.fill_null(False).to_numpy(), np.bool_)
        return NumberColumn(label, np.where(missing, np.nan, values) if missing.any() else values, is_boolean=True)
    return _read_objects(series.to_list(), label, is_categorical=dtype in (nw.Categorical, nw.Enum))


def _read_objects(values: list[Any], label: str, *, is_categorical: bool = False) -> Column:
    """Give each distinct value a code, and take the column as numbers where all of them are."""
    code_of: dict[Any, int] = {}
    try:
        codes = np.fromiter((code_of.setdefault(value, len(code_of)) for value in values), np.int64, len(values))
    except TypeError as error:  # something that has no hash, such as a list
        raise _kind_error(label, next(v for v in values if v.__hash__ is None)) from error
    pandas_na = getattr(sys.modules.get("pandas"), "NA", None)
    # Strings apart, several keys may be one plain value: NumPy's scalars, and every NaN.
    merged: dict[Value, int] = {}
    table = np.empty(len(code_of), np.int64)
    for value, code in code_of.items():
        is_missing = value is None or value is pandas_na or (not isinstance(value, str) and value != value)
        table[code] = -1 if is_missing else merged.setdefault(_plain(value, label), len(merged))
    codes = table[codes]
    distinct = list(merged)
    column = CategoryColumn(label, distinct, codes)
    is_boolean = bool(distinct) and all(isinstance(value, bool) for value in distinct)
    has_numbers = not any(isinstance(value, str) for value in distinct)
    if is_boolean or (has_numbers and not is_categorical):
        return NumberColumn(label, column.numbers()(slice(None)), is_boolean)
    return column


def _plain(value: Any, label: str) -> Value:
    """Return a value as Python's own str, bool, int or finite float."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta | np.datetime64 | np.timedelta64):
        raise _date_error(label, type(value).__name__)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, numbers.Integral) and abs(int(value)) < 2**53:
        return int(value)
    if not isinstance(value, numbers.Real | Decimal):
        raise _kind_error(label, value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise _infinity_error(label)
    return number


def _infinity_error(label: str) -> ValueError:
    return ValueError(
        f"X contains infinity, or a number too large for float64, in {label}. Replace it by a finite number, or by NaN "
        "where it stands for a missing value."
    )


def _kind_error(label: str, value: Any) -> TypeError:
    return TypeError(
        f"{label} holds {value!r} of type {type(value).__name__}, but an argument must be a string or a number, a "
        "boolean, or missing (None or NaN)."
    )


def _date_error(label: str, kind: str) -> TypeError:
    return TypeError(
        f"{label} holds dates or times ({kind}). Turn it into numbers first, each with a meaning of its own: the year, "
        "the day of the week, the days since some date."
    )
