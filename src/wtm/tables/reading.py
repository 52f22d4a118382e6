"""Read arrays, lists, sparse matrices and data frames as tables."""

import datetime
import math
import numbers
import sys
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from wtm.tables.columns import CategoryColumn, Column, NumberColumn, Value, is_missing
from wtm.tables.float64 import LAST_EXACT, as_float64, infinity_error, precision_error
from wtm.tables.lazy_tables import refuse_lazy
from wtm.tables.sparse_checks import checked_sparse
from wtm.tables.table import SparseTable, Table
from wtm.utils.printable import short_repr

_PLAIN_DTYPES = "?bBhHiIlLqQfd"
"""Characters of NumPy's dtypes whose columns are used as they are."""


def read_validated(estimator: Any, X: Any, *, reset: bool, min_rows: int = 1, name: str = "X") -> Table | SparseTable:
    """Read a table, and set or check an estimator's `n_features_in_` and `feature_names_in_`.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame
        As in `read_table`.
    reset : bool
        Whether to set the attributes instead of checking the table against them.
    min_rows : int, default=1
        The fewest rows allowed.
    name : str, default="X"
        The argument's name, for messages.

    Returns
    -------
    Table or SparseTable
    """
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(X, pyarrow.RecordBatch):  # narwhals and scikit-learn don't see its names
        X = pyarrow.Table.from_batches([X])
    if not _is_frame(X):
        # First, since its errors about shapes are clearer.
        table = read_table(X, estimator, min_rows=min_rows, name=name)
        if reset or not _has_known_shape(X, estimator):
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        return table
    duplicate = first_duplicate(X.column_names if hasattr(X, "column_names") else X.columns)
    if duplicate is not None:
        raise ValueError(
            f"Column names must be unique, but {short_repr(duplicate)} occurs more than once. Rename the columns."
        )
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return read_table(X, estimator, min_rows=min_rows, name=name)


def _has_known_shape(X: Any, estimator: Any) -> bool:
    """Whether `validate_data` has nothing to check. For one row, its search for names takes as long as the rest."""
    return (
        type(X) is np.ndarray
        and X.shape[1] == getattr(estimator, "n_features_in_", None)
        and not hasattr(estimator, "feature_names_in_")
    )


def _is_frame(X: Any) -> bool:
    # narwhals takes long for arrays, and some versions warn of their own lazy frames.
    return not isinstance(X, np.ndarray | nw.LazyFrame) and nw.dependencies.is_into_dataframe(X)


def first_duplicate(names: Iterable[Any]) -> Any:
    """Return the first name that occurs more than once, or None."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def read_table(X: Any, estimator: Any = None, *, min_rows: int = 1, name: str = "X") -> Table | SparseTable:
    """Read a table of any supported kind.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Data frames are those that narwhals supports, such as pandas and polars. Masked values are missing.
    estimator : estimator, optional
        Named in messages.
    min_rows : int, default=1
        The fewest rows allowed.
    name : str, default="X"
        The argument's name, for messages.

    Returns
    -------
    Table or SparseTable

    Raises
    ------
    TypeError
        A column holds something other than numbers, booleans and strings, or the table is lazy.
    ValueError
        The table is not two-dimensional, has too few rows or columns, or is a sparse matrix with an index out of range.
    """
    if _is_plain(X, min_rows):
        return _read_array(X)
    if _is_frame(X):
        return _read_frame(X, min_rows)
    refuse_lazy(X, name)
    if not hasattr(X, "dtype") and not sp.issparse(X):
        as_array = np.asarray(X)
        # NumPy would turn numbers next to strings into strings, and round integers next to larger ones.
        kind = as_array.dtype.kind
        is_changed = kind in "US" or (kind == "f" and bool((np.abs(as_array) >= LAST_EXACT).any()))
        X = np.asarray(X, dtype=object) if is_changed else as_array
    if sp.issparse(X):
        X = checked_sparse(X, name)  # first, since converting it follows its indices
    if getattr(getattr(X, "dtype", None), "kind", None) == "c":  # scikit-learn would print them
        raise ValueError(f"Complex data not supported: {name} has dtype {X.dtype}. Pass the real parts.")
    mask = np.ma.getmaskarray(X) if np.ma.is_masked(X) else None  # before check_array drops it
    X = check_array(
        X, accept_sparse="csr", dtype=None, ensure_all_finite=False, ensure_min_samples=min_rows, estimator=estimator,
        input_name=name,
    )  # fmt: skip
    if sp.issparse(X):
        return SparseTable(_canonical(X))
    array = np.asarray(X)
    if mask is not None:
        array = array.astype(object)
        array[mask] = None
    return _read_array(array)


def _is_plain(X: Any, min_rows: int) -> bool:
    """Whether X is an array of numbers in which the checks find nothing; they take longer than to predict a row."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "biuf" and len(X) >= min_rows and X.shape[1] > 0


def _canonical(X: Any) -> sp.csr_array:
    csr = sp.csr_array(X)
    if csr.dtype.kind not in "biuf":
        csr = csr.astype(np.float64)
    if not csr.has_canonical_format:
        csr = csr.copy()  # leave the caller's matrix alone
        csr.sum_duplicates()
    return csr


def _read_array(X: np.ndarray) -> Table:
    labels = [f"column {j}" for j in range(X.shape[1])]
    kind = X.dtype.kind
    if kind in "biuf":
        return Table(len(X), [NumberColumn(label, X[:, j], kind == "b") for j, label in enumerate(labels)], X)
    if kind in "mM":
        raise _date_error(labels[0])
    if kind in "OUT":
        return Table(len(X), [_read_objects(X[:, j].tolist(), label) for j, label in enumerate(labels)])
    raise TypeError(f"X must hold numbers, booleans or strings, got dtype {X.dtype}.")


def _read_frame(X: Any, min_rows: int) -> Table:
    frame = nw.from_native(X, eager_only=True)
    n_rows, n_columns = frame.shape
    for found, needed, what in ((n_columns, 1, "feature"), (n_rows, min_rows, "sample")):
        if found < needed:
            raise ValueError(
                f"Found array with {found} {what}(s) (shape={frame.shape}) while a minimum of {needed} is required."
            )
    labels = [f"column {short_repr(name)}" for name in frame.columns]
    # Columns of pyarrow and pandas as they are: narwhals takes longer for one than to read a short one.
    if nw.dependencies.is_pyarrow_table(native := frame.to_native()):
        columns = map(_read_arrow, native.columns, labels)
    elif nw.dependencies.is_pandas_dataframe(native):
        columns = map(_read_pandas, (series for _, series in native.items()), labels)
    else:  # not by name or position: each access would build the list of all names
        columns = map(_read_series, frame.iter_columns(), labels)
    return Table(n_rows, list(columns))


def _read_arrow(column: Any, label: str) -> Column:
    if str(column.type) in ("float", "double"):
        return NumberColumn(label, column.to_numpy())  # NaN where a value is missing
    return _read_series(nw.from_native(column, series_only=True), label)


def _read_pandas(column: Any, label: str) -> Column:
    if isinstance(column.dtype, np.dtype) and (kind := column.dtype.char) in _PLAIN_DTYPES:
        return NumberColumn(label, column.to_numpy(), kind == "?")
    return _read_series(nw.from_native(column, series_only=True), label)


def _read_series(series: nw.Series[Any], label: str) -> Column:
    dtype = series.dtype
    if dtype.is_temporal():
        raise _date_error(label)
    if dtype.is_nested() or dtype == nw.Binary:
        raise TypeError(f"{label} must hold numbers, booleans or strings, got dtype {dtype}.")
    if dtype == nw.Decimal:
        return _read_series(series.cast(nw.Float64), label)
    if dtype in (nw.Int128, nw.UInt128):  # unknown to NumPy
        return _read_objects(series.to_list(), label)
    if dtype.is_float():
        return NumberColumn(label, np.asarray(series.to_numpy()))  # NaN where a value is missing
    if dtype.is_integer() or dtype == nw.Boolean:
        is_boolean = dtype == nw.Boolean
        missing = np.asarray(series.is_null().to_numpy()) if series.null_count() else None
        filled = series if missing is None else series.fill_null(False if is_boolean else 0)
        values = np.asarray(filled.to_numpy(), np.bool_ if is_boolean else None)
        if missing is not None:
            values = np.where(missing, np.nan, as_float64(values, lambda _: label))
        return NumberColumn(label, values, is_boolean)
    return _read_objects(series.to_list(), label, is_categorical=dtype in (nw.Categorical, nw.Enum))


def _read_objects(values: list[Any], label: str, *, is_categorical: bool = False) -> Column:
    """Read Python objects: as numbers if all are numbers, else as categories."""
    code_of: dict[Any, int] = {}
    try:
        codes = np.fromiter((code_of.setdefault(value, len(code_of)) for value in values), np.int64, len(values))
    except TypeError as error:  # something without a hash, such as a list
        raise _kind_error(label, next(v for v in values if v.__hash__ is None)) from error
    # Several keys may be one plain value: NumPy's scalars, and every NaN.
    merged: dict[Value, int] = {}
    table = np.empty(len(code_of), np.int64)
    for value, code in code_of.items():
        table[code] = -1 if is_missing(value) else merged.setdefault(_plain(value, label), len(merged))
    distinct = list(merged)
    column = CategoryColumn(label, distinct, table[codes], is_categorical)
    is_boolean = bool(distinct) and all(isinstance(value, bool) for value in distinct)
    has_numbers = not any(isinstance(value, str) for value in distinct)
    if is_boolean or (has_numbers and not is_categorical):
        return NumberColumn(label, column.numbers()(slice(None)), is_boolean)
    return column


def _plain(value: Any, label: str) -> Value:
    """Return a value as a plain str, bool, int or finite float."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta | np.datetime64 | np.timedelta64):
        raise _date_error(label)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if not isinstance(value, numbers.Real | Decimal):
        raise _kind_error(label, value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise infinity_error(label)
    if not isinstance(value, numbers.Integral):
        return number
    if int(value) != number:
        raise precision_error(label, int(value))
    return int(value)


def _kind_error(label: str, value: Any) -> TypeError:
    return TypeError(
        f"{label} holds {short_repr(value)} of type {type(value).__name__}, but the argument must be a table of "
        "strings, numbers, booleans or missing values (None or NaN). If these are categories, convert them to strings."
    )


def _date_error(label: str) -> TypeError:
    return TypeError(
        f"{label} holds dates, times or durations. Replace them with numbers or categories, such as the year, the day "
        "of the week, the days since some date or the seconds that something took."
    )
