"""Thresholds of number columns from the splits of a decision tree on the whole table."""

import warnings
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wtm.tables.column_conditions import ColumnConditions
from wtm.tables.conditions import Numbers
from wtm.tables.table import SparseTable, Table
from wtm.tables.thresholds import short_number_between
from wtm.utils.memory_limits import check_memory

MIN_ROWS = 2000
"""With fewer rows, splits fit chance; `benchmarks/table_accuracy.py` measures it."""

_MAX_LEAVES, _ROWS_PER_LEAF = 300, 500  # at least one row in this many
_LEVELS = 1 << 12  # of numbers to predict: sums of whole levels are exact, so the same in any order of the rows
_BYTES_PER_CELL = 12  # float32 here and in the tree, and what that sorts


@dataclass(frozen=True)
class _Splits:
    """The splits of a tree; arrays of shape (n_splits,)."""

    column: np.ndarray
    gap: np.ndarray
    gain: np.ndarray


def with_split_thresholds(
    table: Table | SparseTable,
    conditions: ColumnConditions,
    targets: np.ndarray,
    times: np.ndarray | None,
    n_thresholds: int,
    given: Collection[int],
) -> ColumnConditions:
    """Replace the thresholds of columns by those that separate the targets.

    A decision tree is fitted to the columns that have more different values than thresholds. Its splits on a column
    become thresholds; if they are more than `n_thresholds`, those that divide evenly what all splits gain, counted by
    its square root. Columns that the tree does not use keep their thresholds.

    Parameters
    ----------
    table : Table or SparseTable
    conditions : ColumnConditions
        The conditions on its columns, with thresholds by quantiles.
    targets : ndarray
        Class indices, int64 of shape (n_samples,), or numbers, float64 of shape (n_samples, n_outputs).
    times : ndarray of shape (n_samples,), int64, or None
        How often each row counts.
    n_thresholds : int
        Largest number of thresholds of a column.
    given : collection of int
        Columns whose thresholds are the caller's.

    Raises
    ------
    MemoryError
        The columns don't fit in memory.
    """
    open_columns = {
        j: of_column
        for j, of_column in conditions.given.items()
        if j not in given and isinstance(of_column, Numbers) and not of_column.is_binary and of_column.thresholds
    }
    check_memory(
        _BYTES_PER_CELL * len(open_columns) * len(table),
        f"A decision tree on {len(table):,} rows of {len(open_columns):,} columns of numbers",
        "Use strategy='quantile', or leave columns out.",
    )
    distinct, ranks = [], []
    for j in open_columns:
        values, of_rows = _ranked(table.column(j).numbers()(slice(None)))
        if len(values) > n_thresholds + 1:
            distinct.append((j, values))
            ranks.append(of_rows)
    if not ranks:
        return conditions
    splits = _splits(np.stack(ranks, axis=1), targets, times)
    changed = dict(conditions.given)
    for place, (j, values) in enumerate(distinct):
        of_column = splits.column == place
        gaps = _choose_gaps(splits.gap[of_column], splits.gain[of_column], n_thresholds)
        if len(gaps):
            thresholds = tuple(short_number_between(float(values[gap]), float(values[gap + 1])) for gap in gaps)
            changed[j] = replace(open_columns[j], thresholds=thresholds)
    return ColumnConditions(table.n_columns, changed)


def _ranked(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different numbers, and the rank of each row's number, NaN for missing.

    Trees compare float32, which can tell ranks apart where it can't tell the numbers.
    """
    known = ~np.isnan(numbers)
    distinct, codes = np.unique(numbers[known], return_inverse=True)
    ranks = np.full(len(numbers), np.nan, np.float32)
    ranks[known] = codes
    return distinct, ranks


def _splits(ranks: np.ndarray, targets: np.ndarray, times: np.ndarray | None) -> _Splits:
    """Fit a tree to ranks, float32 of shape (n_samples, n_columns)."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # they take long to import

    parameters: dict[str, Any] = {
        "max_leaf_nodes": _MAX_LEAVES, "min_weight_fraction_leaf": 1 / _ROWS_PER_LEAF, "random_state": 0
    }  # fmt: skip
    if targets.ndim == 1:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)  # it's the caller's choice
            fitted = DecisionTreeClassifier(**parameters).fit(ranks, targets, times)
    else:
        fitted = DecisionTreeRegressor(**parameters).fit(ranks, _in_levels(targets), times)
    tree = fitted.tree_
    # A threshold of infinity only separates missing values from all others.
    nodes = np.flatnonzero((tree.children_left >= 0) & np.isfinite(tree.threshold))
    loss = tree.impurity * tree.weighted_n_node_samples
    gain = loss[nodes] - loss[tree.children_left[nodes]] - loss[tree.children_right[nodes]]
    return _Splits(tree.feature[nodes], np.floor(tree.threshold[nodes]).astype(np.int64), np.maximum(gain, 0))


def _in_levels(numbers: np.ndarray) -> np.ndarray:
    """Round each output to levels from its smallest to its largest number."""
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    half = high / 2 - low / 2  # without overflow
    shares = (numbers / 2 - low / 2) / np.where(half > 0, half, 1)
    return np.rint(shares * (_LEVELS - 1))


def _choose_gaps(gaps: np.ndarray, gains: np.ndarray, n_thresholds: int) -> np.ndarray:
    """Choose gaps, ascending, from those of splits, which may occur more than once."""
    distinct, codes = np.unique(gaps, return_inverse=True)
    if len(distinct) <= n_thresholds:
        return distinct
    shares = np.cumsum(np.sqrt(np.bincount(codes, gains)))
    middles = (np.arange(n_thresholds) + 0.5) * (shares[-1] / n_thresholds)
    places = np.searchsorted(shares, middles)
    return distinct[np.unique(np.minimum(places, len(distinct) - 1))]
