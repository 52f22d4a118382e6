"""The caller's table, dense or sparse."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from wtm.tables.columns import CategoryColumn, Column, NumberColumn, Tally, count_codes
from wtm.utils.printable import short_repr


@dataclass(frozen=True)
class Table:
    """A dense table.

    Attributes
    ----------
    n_rows : int
    columns : list of NumberColumn or CategoryColumn
    array : ndarray of shape (n_rows, n_columns), any real or boolean dtype, or None
        The whole table, if the caller passed an array of numbers.
    """

    n_rows: int
    columns: list[Column]
    array: np.ndarray | None = None

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: np.ndarray) -> "Table":
        """Return the rows at these positions."""
        array = None if self.array is None else self.array[rows]
        return Table(len(rows), [column[rows] for column in self.columns], array)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.columns)

    def column(self, j: int) -> Column:
        """Return a column."""
        return self.columns[j]

    def labels(self) -> list[str]:
        """Return the names of the columns in messages."""
        return [column.label for column in self.columns]

    def number_columns(self) -> list[int]:
        """Return the positions of the columns that hold numbers."""
        return [j for j, c in enumerate(self.columns) if isinstance(c, NumberColumn) and not c.is_boolean]

    def is_binary(self) -> bool:
        """Whether the table holds only 0 and 1."""
        return all(column.is_binary() for column in self.columns)

    def to_array(self, name: str = "X") -> np.ndarray:
        """Return the table as an array of numbers; `name` is the argument's name, for messages.

        Raises
        ------
        ValueError
            A column holds categories.
        """
        if self.array is not None:
            return self.array
        values = []
        for column in self.columns:
            if isinstance(column, CategoryColumn):
                example = short_repr(next(iter(column.distinct), None))
                raise ValueError(
                    f"{name} must hold only 0 and 1 (or False and True), but {column.label} holds categories, such as "
                    f"{example}. Use a wtm.Booleanizer to turn them into true/false features."
                )
            values.append(column.values)
        return np.stack(values, axis=1)

    def to_numbers(self) -> np.ndarray:
        """Return the table as an array of numbers, NaN where a value is missing.

        Raises
        ------
        ValueError
            A column holds strings.
        """
        if self.array is not None:
            return self.array
        values = [c.values if isinstance(c, NumberColumn) else c.numbers()(slice(None)) for c in self.columns]
        return np.stack(values, axis=1)


@dataclass(frozen=True)
class SparseTable:
    """A sparse table of numbers: a CSR matrix without duplicate entries."""

    csr: sp.csr_array

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: np.ndarray) -> "SparseTable":
        """Return the rows at these positions."""
        return SparseTable(self.csr[rows])

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.csr.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.csr.shape[1])

    def column(self, j: int) -> Column:
        """Return a column, with the zeros that are not stored."""
        entries = slice(self._csc.indptr[j], self._csc.indptr[j + 1])
        values = np.zeros(self.n_rows, self.csr.dtype)
        values[self._csc.indices[entries]] = self._csc.data[entries]
        return NumberColumn(f"column {j}", values)

    @cached_property
    def _csc(self) -> sp.csc_array:
        return self.csr.tocsc()

    def labels(self) -> None:
        """Return None: columns of a sparse table have no names."""

    def number_columns(self) -> range:
        """Return the positions of the columns that hold numbers: all."""
        return range(self.n_columns)

    def is_binary(self) -> bool:
        """Whether the table holds only 0 and 1."""
        return NumberColumn("X", self.csr.data).is_binary()

    def tallies(self, times: np.ndarray | None = None) -> Iterator[tuple[int, Tally]]:
        """Yield the tally of each column that has stored entries, zeros included; `times` as in `Tally`."""
        csc = self.csr.tocsc()
        total = self.n_rows if times is None else int(times.sum())
        # Columns of 0 and 1, usually most of a wide table, are counted all at once.
        column_of = np.repeat(np.arange(self.n_columns), np.diff(csc.indptr))
        is_one = csc.data == 1
        is_binary = np.ones(self.n_columns, np.bool_)
        is_binary[column_of[~is_one & (csc.data != 0)]] = False
        n_ones = count_codes(column_of[is_one], None if times is None else times[csc.indices[is_one]], self.n_columns)
        zero_and_one = np.array([0.0, 1.0])
        for j in np.flatnonzero(np.diff(csc.indptr)).tolist():
            if is_binary[j]:
                counts = np.array([total - n_ones[j], n_ones[j]])
                yield j, Tally(zero_and_one[counts > 0], counts[counts > 0], False)
                continue
            entries = slice(csc.indptr[j], csc.indptr[j + 1])
            stored = NumberColumn(f"column {j}", csc.data[entries])
            stored_times = None if times is None else times[csc.indices[entries]]
            n_stored = len(stored.values) if stored_times is None else int(stored_times.sum())
            yield j, _with_zeros(stored.tally(stored_times), total - n_stored)


def _with_zeros(tally: Tally, n_zeros: int) -> Tally:
    if not n_zeros:
        return tally
    below, above = tally.distinct < 0, tally.distinct > 0
    n_zeros += int(tally.counts[tally.distinct == 0].sum())
    distinct = np.concatenate([tally.distinct[below], [0.0], tally.distinct[above]])
    counts = np.concatenate([tally.counts[below], [n_zeros], tally.counts[above]])
    return Tally(distinct, counts, tally.has_missing)
