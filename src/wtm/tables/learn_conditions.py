"""Learn the conditions on each column from a table."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from wtm.tables.column_conditions import ColumnConditions
from wtm.tables.columns import CategoryColumn, Tally, Value
from wtm.tables.conditions import Categories, Conditions, Numbers
from wtm.tables.table import SparseTable, Table
from wtm.tables.thresholds import choose_thresholds


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
    if isinstance(table, SparseTable):
        learned: dict[int, Conditions] = {j: Numbers(thresholds) for j, thresholds in given.items()}
        for j, tally in table.tallies(times):
            learned[j] = Numbers(given[j], tally.has_missing) if j in given else _learn_numbers(tally, n_thresholds)
        return ColumnConditions(table.n_columns, learned)
    learned = {}
    for j, column in enumerate(table.columns):
        if isinstance(column, CategoryColumn):
            learned[j] = _learn_categories(column, max_categories, times)
        elif j in given:
            learned[j] = Numbers(given[j], column.has_missing())
        else:
            learned[j] = _learn_numbers(column.tally(times), n_thresholds)
    return ColumnConditions(table.n_columns, learned)


def _learn_numbers(tally: Tally, n_thresholds: int) -> Numbers:
    if tally.distinct.tolist() == [0, 1]:
        return Numbers((0.5,), tally.has_missing, is_binary=True)
    chosen = choose_thresholds(tally.distinct, tally.counts, n_thresholds)
    return Numbers(tuple(chosen), tally.has_missing and len(tally.distinct) > 0)


def _learn_categories(column: CategoryColumn, max_categories: int | None, times: np.ndarray | None) -> Categories:
    counts, has_missing = column.counts(times)
    occurring = [(value, count) for value, count in zip(column.distinct, counts, strict=True) if count]
    if len(occurring) < 2:
        return Categories((), has_missing and len(occurring) == 1)
    by_value = sorted(occurring, key=lambda pair: _sort_key(pair[0]))
    frequent = sorted(by_value, key=lambda pair: -pair[1])[:max_categories]
    conditions = Categories(tuple(sorted((value for value, _ in frequent), key=_sort_key)), has_missing)
    kinds = {isinstance(value, str) for value, _ in occurring}
    return conditions if kinds == conditions.are_text else replace(conditions, is_mixed=True)


def _sort_key(value: Value) -> tuple[bool, Value]:
    return isinstance(value, str), value
