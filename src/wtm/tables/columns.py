"""Columns of the caller's table: numbers with NaN for missing, or categories with a code for each row."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.tables.float64 import as_float64
from wtm.utils.printable import short_repr

Value = str | int | float | bool
"""A category."""

Reader = Callable[[slice], np.ndarray]
"""Reads some rows of a column."""

_ROWS_PER_RUN = 1 << 12  # each longer column takes long enough alone
_CELLS_PER_RUN = 1 << 17

UNKNOWN, MISSING = -1, -2
"""Positions of a value that is not in the index, and of a missing one."""


@dataclass(frozen=True)
class Tally:
    """Distinct numbers of a column and how often each occurs.

    Attributes
    ----------
    distinct : ndarray of shape (n_distinct,), float64
        Ascending, without NaN.
    counts : ndarray of shape (n_distinct,), int64
        Rows with each number. Functions that make a tally take `times`, int64 of shape (n_samples,) or None: how
        often each row counts.
    has_missing : bool
        Whether some row has no number.
    """

    distinct: np.ndarray
    counts: np.ndarray
    has_missing: bool


@dataclass(frozen=True)
class ValueCounts:
    """Values of a column of categories and how often each occurs, which may be never; see `Tally`."""

    counts: dict[Value, int]
    has_missing: bool


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers or booleans.

    Attributes
    ----------
    label : str
        Name of the column in messages: ``column 'age'``.
    values : ndarray of shape (n_samples,), any real or boolean dtype
        Compared as float64, so that a number means the same in every dtype; NaN is missing.
    is_boolean : bool
        Whether the values are False and True instead of numbers.
    """

    label: str
    values: np.ndarray
    is_boolean: bool = False

    def __getitem__(self, rows: np.ndarray) -> "NumberColumn":
        """Return the rows at these positions."""
        return NumberColumn(self.label, self.values[rows], self.is_boolean)

    def tally(self, times: np.ndarray | None = None) -> Tally:
        """Count the distinct values."""
        values = self.values
        if values.dtype in (np.bool_, np.uint8):  # much faster than sorting, and images are large
            counts = count_codes(values, times, 256)
            occurring = np.flatnonzero(counts)
            return Tally(occurring.astype(np.float64), counts[occurring], False)
        if values.dtype.itemsize >= 8:  # longer floats are rounded first; shorter ones sort faster as they are
            values = self._as_float64(values)
        if times is None:  # faster than through codes
            distinct, counts = np.unique(values, return_counts=True)
        else:
            distinct, codes = np.unique(values, return_inverse=True)
            counts = count_codes(codes, times, len(distinct))
        distinct = self._as_float64(distinct)
        known = ~np.isnan(distinct)
        return Tally(distinct[known], counts[known], not known.all())

    def has_missing(self) -> bool:
        """Whether some value is missing."""
        return self.values.dtype.kind == "f" and bool(np.isnan(self.values).any())

    def numbers(self) -> Reader:
        """Return a reader of float64, NaN where a value is missing."""
        return lambda rows: self._as_float64(self.values[rows])

    def positions(self, index: Mapping[Value, int]) -> Reader:
        """Return a reader of each row's position in `index`, or UNKNOWN or MISSING."""
        read_numbers = self.numbers()

        def read(rows: slice) -> np.ndarray:
            distinct, codes = np.unique(read_numbers(rows), return_inverse=True)
            found = [MISSING if value != value else index.get(value, UNKNOWN) for value in distinct.tolist()]
            return np.array(found, np.int64)[codes]

        return read

    def is_binary(self) -> bool:
        """Whether every row holds 0 or 1."""
        return self.values.dtype == np.bool_ or bool(((self.values == 0) | (self.values == 1)).all())

    def distinct_values(self) -> list[Value]:
        """Return the values, each once."""
        return list(self.tally().distinct.tolist())

    def _as_float64(self, values: np.ndarray) -> np.ndarray:
        return as_float64(values, lambda _: self.label)


@dataclass(frozen=True)
class CategoryColumn:
    """A column of strings or of mixed values, or one with a categorical dtype.

    Attributes
    ----------
    label : str
        As in `NumberColumn`.
    distinct : list of str, int, float or bool
        The values, each once; equal numbers (1, 1.0 and True) are one value.
    codes : ndarray of shape (n_samples,), int64
        Position in `distinct`, or -1 where the value is missing.
    is_categorical : bool
        Whether the column has a categorical dtype.
    """

    label: str
    distinct: list[Value]
    codes: np.ndarray
    is_categorical: bool = False

    def __getitem__(self, rows: np.ndarray) -> "CategoryColumn":
        """Return the rows at these positions."""
        return CategoryColumn(self.label, self.distinct, self.codes[rows], self.is_categorical)

    def counts(self, times: np.ndarray | None = None) -> tuple[list[int], bool]:
        """Return how many rows have each value (`times` as in `Tally`), and whether some row has none."""
        counts = count_codes(self.codes + 1, times, len(self.distinct) + 1).tolist()
        return counts[1:], counts[0] > 0

    def value_counts(self, times: np.ndarray | None = None) -> ValueCounts:
        """Count the values; `times` as in `Tally`."""
        counts, has_missing = self.counts(times)
        return ValueCounts(dict(zip(self.distinct, counts, strict=True)), has_missing)

    def numbers(self) -> Reader:
        """Return a reader as in `NumberColumn.numbers`; raise a ValueError if a value is a string."""
        for value in self.distinct:
            if isinstance(value, str):
                raise ValueError(
                    f"{self.label} held numbers in fit, but now holds the string {short_repr(value)}. Convert the "
                    "column to numbers."
                )
        table = np.array([*self.distinct, np.nan], np.float64)
        return lambda rows: table[self.codes[rows]]

    def positions(self, index: Mapping[Value, int]) -> Reader:
        """Return a reader as in `NumberColumn.positions`."""
        table = np.array([*(index.get(value, UNKNOWN) for value in self.distinct), MISSING], np.int64)
        return lambda rows: table[self.codes[rows]]

    def is_binary(self) -> bool:
        """Return False: categories are never used as they are."""
        return False

    def distinct_values(self) -> list[Value]:
        """Return the values, each once."""
        return self.distinct


Column = NumberColumn | CategoryColumn


def runs(columns: Sequence[Column | None]) -> Iterator[slice]:
    """Divide columns into runs of short ones of numbers of one dtype, and single others.

    A run is computed at once, since calls for each of its columns would take longer than the work.
    """
    first = 0
    while first < len(columns):
        column, stop = columns[first], first + 1
        if isinstance(column, NumberColumn) and len(column.values) <= _ROWS_PER_RUN:
            most = first + _CELLS_PER_RUN // max(1, len(column.values))
            while stop < min(most, len(columns)) and _has_dtype(columns[stop], column.values.dtype):
                stop += 1
        yield slice(first, stop)
        first = stop


def _has_dtype(column: Column | None, dtype: np.dtype[Any]) -> bool:
    return isinstance(column, NumberColumn) and column.values.dtype == dtype


def join_numbers(columns: Sequence[NumberColumn], rows: slice) -> np.ndarray:
    """Return some rows of the columns of a run, float64 of shape (n_columns, n_rows); errors as in `as_float64`."""
    values = np.concatenate([column.values[rows] for column in columns])
    n_rows = len(values) // len(columns)
    return as_float64(values, lambda place: columns[place // n_rows].label).reshape(len(columns), n_rows)


def count_codes(codes: np.ndarray, times: np.ndarray | None, n_codes: int) -> np.ndarray:
    """Count the rows with each of the codes 0 .. n_codes - 1, int64; `times` as in `Tally`."""
    # bincount sums in float64, which is exact below 2**53.
    return np.bincount(codes, times, minlength=n_codes).astype(np.int64)


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas.NA."""
    if value is None or isinstance(value, str):
        return value is None
    return value is getattr(sys.modules.get("pandas"), "NA", None) or bool(value != value)
