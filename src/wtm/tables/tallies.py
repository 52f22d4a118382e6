"""Distinct numbers of many columns, and how often each occurs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wtm.tables.columns import NumberColumn, Tally, join_numbers, runs

_VALUES_AT_A_TIME, _COLUMNS_AT_A_TIME = 1 << 14, 64  # of columns that are counted alone


@dataclass(frozen=True)
class Tallies:
    """The tallies of some columns, one after the other.

    Attributes
    ----------
    distinct, counts : ndarray of shape (n_distinct_of_all,), float64 and int64
        As in `Tally`.
    sizes : ndarray of shape (n_columns,), int64
        Number of distinct values of each column.
    has_missing : list of bool
    """

    distinct: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray
    has_missing: list[bool]

    @classmethod
    def of(cls, tallies: Sequence[Tally]) -> "Tallies":
        """Join tallies, at least one."""
        return cls(
            np.concatenate([tally.distinct for tally in tallies]),
            np.concatenate([tally.counts for tally in tallies]),
            np.array([len(tally.distinct) for tally in tallies], np.int64),
            [tally.has_missing for tally in tallies],
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each column starts in `distinct`."""
        return np.cumsum(self.sizes) - self.sizes

    def of_columns(self, columns: np.ndarray) -> "Tallies":
        """Return the tallies of some columns."""
        sizes = self.sizes[columns]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        places = np.repeat(self.starts[columns], sizes) + within
        return Tallies(self.distinct[places], self.counts[places], sizes, [self.has_missing[j] for j in columns])


def tally_columns(columns: Sequence[NumberColumn], times: np.ndarray | None) -> Iterator[Tallies]:
    """Yield the tallies of columns, of some at a time, in their order; `times` as in `Tally`."""
    alone: list[Tally] = []
    for run in runs(columns):
        if run.stop - run.start == 1:
            alone.append(columns[run.start].tally(times))
            n_values = sum(len(tally.distinct) for tally in alone)
            if n_values < _VALUES_AT_A_TIME and len(alone) < _COLUMNS_AT_A_TIME and run.stop < len(columns):
                continue
        if alone:
            yield Tallies.of(alone)
            alone = []
        if run.stop - run.start > 1:
            yield _tally_together(columns[run], times)


def _tally_together(columns: Sequence[NumberColumn], times: np.ndarray | None) -> Tallies:
    n_rows = len(columns[0].values)
    values = join_numbers(columns, slice(None))
    if times is None:
        values = np.sort(values, axis=1)
        rows_up_to = np.broadcast_to(np.arange(1, n_rows + 1), values.shape)
    else:
        order = np.argsort(values, axis=1)
        values = np.take_along_axis(values, order, axis=1)
        rows_up_to = np.cumsum(times[order], axis=1)
    known = values == values
    is_last = known.copy()  # of equal values
    is_last[:, :-1] &= values[:, 1:] != values[:, :-1]
    sizes = is_last.sum(axis=1)
    ends = rows_up_to[is_last]
    counts = np.diff(ends, prepend=0)
    starts = (np.cumsum(sizes) - sizes)[sizes > 0]
    counts[starts] = ends[starts]
    return Tallies(values[is_last], counts, sizes, np.logical_not(known.all(axis=1)).tolist())
