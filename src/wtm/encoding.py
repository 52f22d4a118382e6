"""Convert tables to packed examples, as the classifier's parameter `booleanizer` specifies."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import assert_all_finite

from wtm.booleanizer import Booleanizer
from wtm.machine.examples import Block, Examples, above_half_blocks, checked_blocks, pack_blocks, pack_parts
from wtm.tables.counted_columns import CountedColumn
from wtm.tables.feature_blocks import feature_blocks
from wtm.tables.split_thresholds import MIN_ROWS
from wtm.tables.table import SparseTable, Table

_MOST_AS_THEY_ARE = 1 << 16
"""Columns of 0 and 1 that "auto" takes as they are, even those that never vary; hashed text has far more."""


def learn_booleanizer(
    choice: Any,
    table: Table | SparseTable,
    names: np.ndarray | None,
    weights: np.ndarray | None = None,
    n_thresholds: int = 10,
    targets: np.ndarray | None = None,
) -> Booleanizer | None:
    """Fit the Booleanizer for tables like this one, if they need one.

    Parameters
    ----------
    choice : "auto", "strict" or Booleanizer
        "auto": none if the table holds only 0 and 1 in at most 2**16 columns, else one with `n_thresholds`, which
        leaves out columns of a single value. "strict": none. A Booleanizer is cloned.
    table : Table or SparseTable
        The training rows.
    names : ndarray of str or None
        Names of the columns, if they have any.
    weights : ndarray of float64 or None
        Weights of the rows, all above 0.
    n_thresholds : int, default=10
        Of a Booleanizer that "auto" makes.
    targets : ndarray or None
        As in `Booleanizer.fit_table`.

    Returns
    -------
    Booleanizer or None
        None if the columns are the features.
    """
    if isinstance(choice, Booleanizer):
        fitted: Booleanizer = clone(choice).fit_table(table, names, weights, targets)
        return fitted
    if choice == "strict" or (table.n_columns <= _MOST_AS_THEY_ARE and table.is_binary()):
        return None
    return Booleanizer(n_thresholds).fit_table(table, names, weights, targets)


def booleanizer_of_counts(
    choice: Any,
    columns: Sequence[CountedColumn] | None,
    shape: tuple[int, int],
    names: np.ndarray | None,
    *,
    is_binary: bool,
    n_thresholds: int = 10,
) -> Booleanizer | None:
    """Do the same as `learn_booleanizer` from what was counted of a table.

    Parameters
    ----------
    choice, names, n_thresholds
        As in `learn_booleanizer`.
    columns : sequence of CountedColumn, or None
        None for a sparse table.
    shape : tuple of int
        Of the table.
    is_binary : bool
        Whether the table holds only 0 and 1.

    Raises
    ------
    TypeError
        A sparse table needs a Booleanizer.
    ValueError
        Its strategy is "splits", which needs all rows at once.
    """
    is_given = isinstance(choice, Booleanizer)
    if not is_given and (choice == "strict" or (is_binary and shape[1] <= _MOST_AS_THEY_ARE)):
        return None
    if columns is None:
        raise TypeError(
            "Sparse chunks must hold only 0 and 1, or booleanizer must be 'strict': their numbers are not counted. "
            "Convert the chunks to dense arrays, such as by X.map_blocks(lambda chunk: chunk.toarray())."
        )
    booleanizer = clone(choice) if is_given else Booleanizer(n_thresholds)
    if booleanizer.strategy == "splits" and shape[0] >= MIN_ROWS:
        raise ValueError(
            "strategy='splits' needs all rows in one memory. Use strategy='quantile', or fit a Booleanizer to a sample "
            "and pass its thresholds."
        )
    fitted: Booleanizer = booleanizer.fit_counts(columns, shape[0], names)
    return fitted


def table_to_examples(
    table: Table | SparseTable, booleanizer: Booleanizer | None, name: str = "X", *, strict: bool = True
) -> Examples:
    """Pack a table.

    Parameters
    ----------
    table : Table or SparseTable
    booleanizer : Booleanizer or None
        If None, the columns are the features.
    name : str
        The argument's name, for messages.
    strict : bool
        Whether, without a Booleanizer, the table must hold only 0 and 1. If not, a feature is true above 0.5.

    Raises
    ------
    ValueError
        The table holds values that are not allowed.
    """
    n_features, blocks = _features(table, booleanizer, name, strict=strict)
    return pack_blocks(len(table), n_features, blocks)


def table_to_parts(
    table: Table | SparseTable,
    booleanizer: Booleanizer | None,
    rows_per_part: int,
    name: str = "X",
    *,
    strict: bool = True,
) -> Iterator[Examples]:
    """Pack a table part by part, so that working space does not grow with it.

    Parameters and errors are those of `table_to_examples`; for `rows_per_part` see `wtm.machine.examples.pack_parts`.
    An error is raised when the part that causes it is taken.
    """
    n_features, blocks = _features(table, booleanizer, name, strict=strict)
    return pack_parts(len(table), n_features, blocks, rows_per_part)


def _features(
    table: Table | SparseTable, booleanizer: Booleanizer | None, name: str, *, strict: bool
) -> tuple[int, Iterator[Block]]:
    """Return the number of features, and their values in blocks of rows."""
    if booleanizer is not None:
        return booleanizer.n_features_out_, feature_blocks(booleanizer.conditions_, table)
    if strict:
        X = table.csr if isinstance(table, SparseTable) else table.to_array(name)
        assert_all_finite(X, input_name=name)
        return X.shape[1], checked_blocks(X, name, table.labels())
    X = table.csr if isinstance(table, SparseTable) else table.to_numbers()
    assert_all_finite(X, input_name=name, allow_nan=True)
    return X.shape[1], above_half_blocks(X)
