"""What is counted of the columns of a part of a table, and how the counts of parts are added up.

From the counts of all parts, a Booleanizer learns the same conditions as from the whole table, as long as columns have
few enough different values. The numbers of longer columns are then counted in groups of neighbours.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wtm.tables.columns import CategoryColumn, Tally, Value, ValueCounts
from wtm.tables.table import Table

MOST_VALUES = 1 << 22
"""Different numbers of all columns together that are kept apart; each column has an equal share, at least 1,024."""

_LEAST_SHARE = 1 << 10
_MOST_CATEGORIES = 1 << 16


@dataclass(frozen=True)
class CountedColumn:
    """What is counted of a column.

    Attributes
    ----------
    label : str
        Name of the column in messages.
    counts : Tally or ValueCounts
    is_number : bool
        Whether it holds numbers, and not categories or booleans.
    """

    label: str
    counts: Tally | ValueCounts
    is_number: bool


def count_columns(table: Table, times: np.ndarray | None = None) -> list[CountedColumn]:
    """Count the values of each column; `times` as in `Tally`."""
    most = _share(table.n_columns)
    return [
        CountedColumn(column.label, _most_frequent(column.value_counts(times)), is_number=False)
        if isinstance(column, CategoryColumn)
        else CountedColumn(column.label, grouped(column.tally(times), most), not column.is_boolean)
        for column in table.columns
    ]


def add_counts(parts: Sequence[Sequence[CountedColumn]]) -> list[CountedColumn]:
    """Add up the counts of parts of a table, at least one.

    Raises
    ------
    ValueError
        A column holds numbers in one part and text in another.
    """
    most = _share(len(parts[0]))
    return [_added(columns, most) for columns in zip(*parts, strict=True)]


def _share(n_columns: int) -> int:
    return max(_LEAST_SHARE, MOST_VALUES // n_columns)


def grouped(tally: Tally, most: int) -> Tally:
    """Return a tally of about `most` values: where there are more, neighbours count as the largest of them.

    A group has fewer than two rows in `most`, so the rank of a number changes by no more than this. A value that one
    row in `most` has stays alone.
    """
    if len(tally.distinct) <= most:
        return tally
    counts = tally.counts
    size = -(-int(counts.sum()) // most)
    is_frequent = counts >= size
    groups = (np.cumsum(counts) - counts) // size
    is_last = np.append(groups[1:] != groups[:-1], True) | is_frequent
    is_last[:-1] |= is_frequent[1:]
    ends = np.cumsum(counts)[is_last]
    return Tally(tally.distinct[is_last], np.diff(ends, prepend=0), tally.has_missing)


def _added(columns: Sequence[CountedColumn], most: int) -> CountedColumn:
    has_missing = any(column.counts.has_missing for column in columns)
    found = [c for c in columns if not isinstance(c.counts, Tally) or len(c.counts.distinct)] or list(columns[:1])
    tallies = [column.counts for column in found if isinstance(column.counts, Tally)]
    categories = [column.counts for column in found if isinstance(column.counts, ValueCounts)]
    if tallies and categories:
        raise ValueError(
            f"{found[0].label} holds only numbers in some chunks, and text in others. Convert the column to one kind, "
            "such as by .astype(str)."
        )
    is_number = any(column.is_number for column in found)
    if tallies:
        return CountedColumn(found[0].label, grouped(_added_tallies(tallies, has_missing), most), is_number)
    total: Counter[Value] = Counter()
    for part in categories:
        total.update(part.counts)
    return CountedColumn(found[0].label, _most_frequent(ValueCounts(dict(total), has_missing)), is_number)


def _added_tallies(tallies: Sequence[Tally], has_missing: bool) -> Tally:
    values = np.concatenate([tally.distinct for tally in tallies])
    order = np.argsort(values, kind="stable")
    values, counts = values[order], np.concatenate([tally.counts for tally in tallies])[order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1])) if len(values) else order
    return Tally(values[starts], np.add.reduceat(counts, starts) if len(starts) else counts, has_missing)


def _most_frequent(found: ValueCounts) -> ValueCounts:
    if len(found.counts) <= _MOST_CATEGORIES:
        return found
    frequent = sorted(found.counts.items(), key=lambda pair: (-pair[1], isinstance(pair[0], str), pair[0]))
    return ValueCounts(dict(frequent[:_MOST_CATEGORIES]), found.has_missing)
