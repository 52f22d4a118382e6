"""Find columns whose values are all missing, or all unseen, although fit saw values in them."""

from collections.abc import Iterator

import numpy as np

from wtm.tables.column_conditions import ColumnConditions
from wtm.tables.columns import Column, NumberColumn
from wtm.tables.conditions import Categories, Conditions, Numbers
from wtm.tables.table import SparseTable, Table
from wtm.utils.printable import short_repr


class NewValuesWarning(UserWarning):
    """A column holds none of the values seen in fit, so all its features are false."""


def describe_new_values(
    table: Table | SparseTable, conditions: ColumnConditions | None, max_categories: int | None = None
) -> Iterator[str]:
    """Name each column whose values are all missing or unseen, so that its features are false; say what to do.

    Parameters
    ----------
    table : Table or SparseTable
    conditions : ColumnConditions or None
        The conditions on each column; None if the columns are the features.
    max_categories : int or None
        The Booleanizer's limit. Where a column reached it, fit may have seen further values, so nothing is reported.
    """
    for j in _missing_columns(table):
        if conditions is None or _needs_numbers(conditions[j]):
            label = f"column {j}" if isinstance(table, SparseTable) else table.column(j).label
            yield (
                f"{label} is missing in all rows, but never was in fit, so all its features are false. Fill in its "
                "values, or train with rows in which they are missing."
            )
    if conditions is None or isinstance(table, SparseTable) or not table.n_rows:
        return
    for j, of_column in conditions.given.items():
        if isinstance(of_column, Categories) and _holds_none_of(table.column(j), of_column, max_categories):
            label = table.column(j).label
            yield (
                f"{label} holds no value seen in fit, such as {short_repr(of_column.values[0])}, so all its "
                "features are false. Check that it has values, written as in fit and of the same type."
            )


def _needs_numbers(conditions: Conditions) -> bool:
    return isinstance(conditions, Numbers) and bool(conditions.thresholds) and not conditions.has_missing


def _holds_none_of(column: Column, conditions: Categories, max_categories: int | None) -> bool:
    # A missing value is one more that is not seen, so that a table and its parts give the same answer.
    values = column.distinct_values()
    if not values:
        return bool(conditions.values) and not conditions.has_missing
    return 0 < len(conditions.values) != max_categories and conditions.has_none_of(values)


def _missing_columns(table: Table | SparseTable) -> Iterator[int]:
    """Yield the columns without any value. The first row rules out nearly all of them."""
    if not table.n_rows:
        return
    if isinstance(table, SparseTable):
        yield from _missing_in_csr(table)
    elif table.array is None:
        yield from (j for j, column in enumerate(table.columns) if _is_missing(column))
    elif table.array.dtype.kind == "f":
        for j in np.flatnonzero(np.isnan(table.array[0])).tolist():
            if np.isnan(table.array[:, j]).all():
                yield j


def _missing_in_csr(table: SparseTable) -> Iterator[int]:
    csr = table.csr
    first = slice(csr.indptr[0], csr.indptr[1])
    for j in csr.indices[first][np.isnan(csr.data[first])].tolist():
        if np.count_nonzero(np.isnan(csr.data[csr.indices == j])) == table.n_rows:
            yield j


def _is_missing(column: Column) -> bool:
    if isinstance(column, NumberColumn):
        values = column.values
        return values.dtype.kind == "f" and bool(values[0] != values[0]) and bool(np.isnan(values).all())
    return bool(column.codes[0] < 0) and bool((column.codes < 0).all())
