"""Learn the conditions on each column from a table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from wtm.tables.column_conditions import ColumnConditions
from wtm.tables.columns import CategoryColumn, Tally, Value, ValueCounts
from wtm.tables.conditions import Categories, Conditions, Numbers
from wtm.tables.table import SparseTable, Table
from wtm.tables.tallies import Tallies, tally_columns
from wtm.tables.thresholds import choose_thresholds

_COLUMNS_AT_A_TIME = 512


def learn_conditions(
    table: Table | SparseTable,
    given: Mapping[int, tuple[float, ...]],
    n_thresholds: int,
    max_categories: int | None,
    times: np.ndarray | None,
) -> ColumnConditions:
    """Learn the conditions on each column.

    Parameters
    ----------
    table : Table or SparseTable
    given : mapping from int to tuple of float
        Thresholds of some number columns, by position; those of the others are chosen.
    n_thresholds, max_categories : int, int or None
        As in `Booleanizer`.
    times : ndarray of shape (n_samples,), int64, or None
        How often each row counts.
    """
    learned: dict[int, Conditions] = {}
    if isinstance(table, SparseTable):
        # A column without entries has no tally: it has no conditions but the given ones.
        learned |= {j: Numbers(thresholds) for j, thresholds in given.items()}
        tallied = table.tallies(times)
        while some := list(islice(tallied, _COLUMNS_AT_A_TIME)):
            positions = [j for j, _ in some]
            learned |= zip(positions, _learn_numbers(Tallies.of([t for _, t in some]), n_thresholds), strict=True)
            learned |= {j: Numbers(given[j], tally.has_missing) for j, tally in some if j in given}
        return ColumnConditions(table.n_columns, learned)
    chosen = []
    for j, column in enumerate(table.columns):
        if isinstance(column, CategoryColumn):
            learned[j] = _learn_categories(column.value_counts(times), max_categories)
        elif j in given:
            learned[j] = Numbers(given[j], column.has_missing())
        else:
            chosen.append((j, column))
    numbers = (
        conditions
        for tallies in tally_columns([column for _, column in chosen], times)
        for conditions in _learn_numbers(tallies, n_thresholds)
    )
    learned |= zip((j for j, _ in chosen), numbers, strict=True)
    return ColumnConditions(table.n_columns, learned)


def _learn_numbers(tallies: Tallies, n_thresholds: int) -> Iterator[Numbers]:
    starts, pairs = tallies.starts, tallies.sizes == 2
    is_binary = np.zeros(len(tallies), np.bool_)
    is_binary[pairs] = (tallies.distinct[starts[pairs]] == 0) & (tallies.distinct[starts[pairs] + 1] == 1)
    thresholds = choose_thresholds(tallies, n_thresholds)
    for j, has_missing in enumerate(tallies.has_missing):
        if is_binary[j]:
            yield Numbers((0.5,), has_missing, is_binary=True)
        else:
            yield Numbers(thresholds[j], has_missing and bool(tallies.sizes[j]))


def conditions_of_counts(
    counts: Sequence[Tally | ValueCounts],
    given: Mapping[int, tuple[float, ...]],
    n_thresholds: int,
    max_categories: int | None,
) -> ColumnConditions:
    """Learn the conditions on each column from what is counted of it; parameters are those of `learn_conditions`."""
    learned: dict[int, Conditions] = {}
    for j, tally in enumerate(counts):
        if isinstance(tally, ValueCounts):
            learned[j] = _learn_categories(tally, max_categories)
        elif j in given:
            learned[j] = Numbers(given[j], tally.has_missing)
        else:
            learned[j] = next(_learn_numbers(Tallies.of([tally]), n_thresholds))
    return ColumnConditions(len(counts), learned)


def _learn_categories(found: ValueCounts, max_categories: int | None) -> Categories:
    occurring, has_missing = [(value, count) for value, count in found.counts.items() if count], found.has_missing
    if len(occurring) < 2:
        return Categories((), has_missing and len(occurring) == 1)
    by_value = sorted(occurring, key=lambda pair: _sort_key(pair[0]))
    frequent = sorted(by_value, key=lambda pair: -pair[1])[:max_categories]
    conditions = Categories(tuple(sorted((value for value, _ in frequent), key=_sort_key)), has_missing)
    kinds = {isinstance(value, str) for value, _ in occurring}
    return conditions if kinds == conditions.are_text else replace(conditions, is_mixed=True)


def _sort_key(value: Value) -> tuple[bool, Value]:
    return isinstance(value, str), value
