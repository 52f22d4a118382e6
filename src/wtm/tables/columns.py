"""The caller's table, column by column: numbers as float64 with NaN for missing, or values with a code for each row."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from wtm.utils.printable import short_repr

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
    "as_float64",
    "count_codes",
    "infinity_error",
    "is_missing",
    "precision_error",
]

Value = str | int | float | bool
Reader = Callable[[slice], np.ndarray]
"""Reads some rows of a column."""

_LAST_WHOLE = 2**53
"""Up to here, and down to its negative, every integer is a float64."""

UNKNOWN, MISSING = -1, -2
"""Places of a value that is none of the asked ones, and of a missing one."""


@dataclass(frozen=True)
class Tally:
    """Distinct numbers of a column, ascending, float64; how many rows have each, int64; whether some row has none.

    A row counts as often as `times`, int64 of shape (n_rows,), says, where the functions that make a tally get it.
    """

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
        Compared as float64 everywhere, so that a number means the same in every dtype; see `as_float64`. NaN is
        missing.
    is_boolean : bool
        Whether these are False and True, and no numbers.
    """

    label: str
    values: np.ndarray
    is_boolean: bool = False

    def __getitem__(self, rows: np.ndarray) -> "NumberColumn":
        """Return the rows with these numbers."""
        return NumberColumn(self.label, self.values[rows], self.is_boolean)

    def tally(self, times: np.ndarray | None = None) -> Tally:
        """Count the distinct values."""
        values = self.values
        if values.dtype in (np.bool_, np.uint8):  # counting is many times faster than sorting, and images are large
            counts = count_codes(values, times, 256)
            occurring = np.flatnonzero(counts)
            return Tally(occurring.astype(np.float64), counts[occurring], False)
        if values.dtype.itemsize >= 8:  # long floats that are one float64 are one value; shorter ones sort faster
            values = as_float64(values, lambda _: self.label)
        if times is None:  # faster than through codes
            distinct, counts = np.unique(values, return_counts=True)
        else:
            distinct, codes = np.unique(values, return_inverse=True)
            counts = count_codes(codes, times, len(distinct))
        distinct = as_float64(distinct, lambda _: self.label)
        known = ~np.isnan(distinct)
        return Tally(distinct[known], counts[known], not known.all())

    def has_missing(self) -> bool:
        """Whether some value is missing."""
        return self.values.dtype.kind == "f" and bool(np.isnan(self.values).any())

    def numbers(self) -> Reader:
        """Reader of float64 of shape (n_rows,), NaN where missing."""
        return lambda rows: as_float64(self.values[rows], lambda _: self.label)

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

    def distinct_values(self) -> list[Value]:
        """Return the values, each once."""
        return list(self.tally().distinct.tolist())


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

    def counts(self, times: np.ndarray | None = None) -> tuple[list[int], bool]:
        """How many rows have each value (`times` as in `Tally`), and whether some row has none."""
        counts = count_codes(self.codes + 1, times, len(self.distinct) + 1).tolist()
        return counts[1:], counts[0] > 0

    def numbers(self) -> Reader:
        """As `NumberColumn.numbers`; a ValueError where a value is a string."""
        for value in self.distinct:
            if isinstance(value, str):
                raise ValueError(f"{self.label} held numbers in fit, but now holds the string {short_repr(value)}.")
        table = np.array([*self.distinct, np.nan], np.float64)
        return lambda rows: table[self.codes[rows]]

    def places(self, index: Mapping[Value, int]) -> Reader:
        """As `NumberColumn.places`."""
        table = np.array([*(index.get(value, UNKNOWN) for value in self.distinct), MISSING], np.int64)
        return lambda rows: table[self.codes[rows]]

    def __getitem__(self, rows: np.ndarray) -> "CategoryColumn":
        """Return the rows with these numbers."""
        return CategoryColumn(self.label, self.distinct, self.codes[rows])

    def is_binary(self) -> bool:
        """A column of this kind has to be turned into features first."""
        return False

    def distinct_values(self) -> list[Value]:
        """Return the values, each once."""
        return self.distinct


Column = NumberColumn | CategoryColumn


@dataclass(frozen=True)
class Table:
    """A dense table.

    Attributes
    ----------
    n_rows : int
    columns : list of NumberColumn or CategoryColumn
    array : ndarray of shape (n_rows, n_columns), any real or boolean dtype, or None
        The whole table, where it came as one.
    """

    n_rows: int
    columns: list[Column]
    array: np.ndarray | None = None

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: np.ndarray) -> "Table":
        """Return the rows with these numbers."""
        array = None if self.array is None else self.array[rows]
        return Table(len(rows), [column[rows] for column in self.columns], array)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.columns)

    def labels(self) -> list[str]:
        """What messages call the columns."""
        return [column.label for column in self.columns]

    def number_columns(self) -> list[int]:
        """Positions of the columns that hold numbers."""
        return [j for j, c in enumerate(self.columns) if isinstance(c, NumberColumn) and not c.is_boolean]

    def is_binary(self) -> bool:
        """Whether the table holds nothing but 0 and 1."""
        return all(column.is_binary() for column in self.columns)

    def to_array(self, name: str = "X") -> np.ndarray:
        """Return the table, the argument called `name`, as an array; a ValueError where it holds more than numbers."""
        if self.array is not None:
            return self.array
        values = []
        for column in self.columns:
            if isinstance(column, CategoryColumn):
                example = short_repr(next(iter(column.distinct), None))
                raise ValueError(
                    f"{name} must hold only 0 and 1 (or False and True), but {column.label} holds categories, such as "
                    f"{example}. A wtm.Booleanizer turns them into true/false features."
                )
            values.append(column.values)
        return np.stack(values, axis=1)


@dataclass(frozen=True)
class SparseTable:
    """A sparse table of numbers: a CSR matrix without duplicate entries."""

    csr: sp.csr_array

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: np.ndarray) -> "SparseTable":
        """Return the rows with these numbers."""
        return SparseTable(self.csr[rows])

    def labels(self) -> None:
        """Columns of a sparse table have no names."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.csr.shape[0]

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.csr.shape[1]

    def number_columns(self) -> range:
        """Positions of the columns that hold numbers: all."""
        return range(self.csr.shape[1])

    def tallies(self, times: np.ndarray | None = None) -> Iterable[Tally]:
        """Tally of each column, the entries that are not stored included."""
        csc = self.csr.tocsc()
        total = self.n_rows if times is None else int(times.sum())
        # Columns of 0 and 1, which are most of them where they are many, are counted all at once.
        column_of = np.repeat(np.arange(self.n_columns), np.diff(csc.indptr))
        is_one = csc.data == 1
        is_binary = np.ones(self.n_columns, np.bool_)
        is_binary[column_of[~is_one & (csc.data != 0)]] = False
        n_ones = count_codes(column_of[is_one], None if times is None else times[csc.indices[is_one]], self.n_columns)
        zero_and_one = np.array([0.0, 1.0])
        for j in range(self.n_columns):
            if is_binary[j]:
                counts = np.array([total - n_ones[j], n_ones[j]])
                yield Tally(zero_and_one[counts > 0], counts[counts > 0], False)
                continue
            entries = slice(csc.indptr[j], csc.indptr[j + 1])
            stored = NumberColumn(f"column {j}", csc.data[entries])
            if times is None:
                yield _with_zeros(stored.tally(), total - len(stored.values))
            else:
                of_stored = times[csc.indices[entries]]
                yield _with_zeros(stored.tally(of_stored), total - int(of_stored.sum()))

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


def count_codes(codes: np.ndarray, times: np.ndarray | None, n_codes: int) -> np.ndarray:
    """How many rows have each of the codes 0 .. n_codes - 1, int64; `times` as in `Tally`."""
    # Sums of whole float64 below 2**53 are exact, in whatever order.
    return np.bincount(codes, times, minlength=n_codes).astype(np.int64)


def is_missing(value: Any) -> bool:
    """Whether a value of the caller's stands for none: None, NaN, NaT or pandas.NA."""
    if value is None or isinstance(value, str):
        return value is None
    return value is getattr(sys.modules.get("pandas"), "NA", None) or bool(value != value)


def as_float64(values: np.ndarray, label_of: Callable[[int], str]) -> np.ndarray:
    """Return numbers as float64 that are exactly these, and finite or NaN.

    Floats longer than float64 are rounded.

    Parameters
    ----------
    values : ndarray of shape (n,), any real or boolean dtype
    label_of : callable
        What messages call the column of the value at a place.

    Raises
    ------
    ValueError
        A number is infinite, or an integer is none of float64.
    """
    floats = values.astype(np.float64, copy=False)
    if not values.size:
        return floats
    if values.dtype.kind == "f":
        # The largest and the smallest tell in one pass each; fmax and fmin leave NaN aside.
        if np.fmax.reduce(floats) == np.inf or np.fmin.reduce(floats) == -np.inf:
            raise infinity_error(label_of(int(np.isinf(floats).argmax())))
    elif values.dtype.itemsize >= 8 and max(int(values.max()), -int(values.min())) > _LAST_WHOLE:
        for place in np.flatnonzero(np.abs(floats) >= _LAST_WHOLE).tolist():
            if int(values[place]) != int(floats[place]):
                raise precision_error(label_of(place), int(values[place]))
    return floats


def precision_error(label: str, value: int) -> ValueError:
    """Return the error for a column that holds an integer beyond float64's precision."""
    return ValueError(
        f"{label} holds the integer {value}, but beyond 2**53 float64 does not tell neighbouring integers apart. Leave "
        "the column out, or turn it into strings, where it holds identifiers; else subtract a constant, such as its "
        "smallest value."
    )


def infinity_error(label: str) -> ValueError:
    """Return the error for a column that holds an infinite number."""
    return ValueError(
        f"X contains infinity, or a number too large for float64, in {label}. Replace it by a finite number, or by NaN "
        "where it stands for a missing value."
    )
