"""Compute the features of a table for some rows at a time, so that working space does not grow with the table."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from wtm.tables.column_conditions import ColumnConditions
from wtm.tables.columns import runs
from wtm.tables.conditions import Numbers, Writer, run_writer
from wtm.tables.table import SparseTable, Table

_BLOCK_CELLS = 1 << 22  # features times rows
_MIN_ROWS = 64


def feature_blocks(conditions: ColumnConditions, table: Table | SparseTable) -> Iterator[Any]:
    """Return the features of blocks of rows, bool.

    Parameters
    ----------
    conditions : ColumnConditions
    table : Table or SparseTable

    Returns
    -------
    iterator over ndarray (Fortran order) or CSR matrix of shape (n_block_rows, n_features)
        CSR matrices for a sparse table.

    Raises
    ------
    ValueError
        A column holds values that can't be compared with those of fit.
    """
    if isinstance(table, SparseTable):
        return _sparse_blocks(conditions, table)
    return _dense_blocks(conditions, table)


def _dense_blocks(conditions: ColumnConditions, table: Table) -> Iterator[np.ndarray]:
    positions, of_columns = list(conditions.with_features), list(conditions.with_features.values())
    columns = [table.columns[j] for j in positions]
    numbers = [column if isinstance(c, Numbers) else None for column, c in zip(columns, of_columns, strict=True)]
    writers = []
    n_features = 0
    for run in runs(numbers):
        size = sum(c.n_features for c in of_columns[run])
        writers.append((_writer(of_columns[run], columns[run]), slice(n_features, n_features + size)))
        n_features += size

    def block(rows: slice) -> np.ndarray:
        out = np.empty((n_features, rows.stop - rows.start), np.bool_)
        for write, features in writers:
            write(rows, out[features])
        return out.T

    return map(block, _row_slices(table.n_rows, n_features))


def _writer(conditions: list[Any], columns: list[Any]) -> Writer:
    return run_writer(conditions, columns) if len(columns) > 1 else conditions[0].writer(columns[0])


def _sparse_blocks(conditions: ColumnConditions, table: SparseTable) -> Iterator[sp.csr_array]:
    features = conditions.sparse_features
    slices = _row_slices(table.n_rows, 1 + features.max_entries_per_row(table.csr))
    return (features.of_rows(table.csr[rows]) for rows in slices)


def _row_slices(n_rows: int, n_cells_per_row: int) -> Iterator[slice]:
    step = max(_MIN_ROWS, _BLOCK_CELLS // n_cells_per_row)
    return (slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step))
