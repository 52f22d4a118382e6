"""Find columns whose values are all missing, or all unseen, although fit saw values in them."""

from collections.abc import Iterator

import numpy as np

from wtm.tables.column_conditions import ColumnConditions
from wtm.tables.columns import Column, NumberColumn
from wtm.tables.conditions import Categories, Conditions, Numbers
from wtm.tables.table import SparseTable, Table
from wtm.utils.printable import short_repr


class NewValuesWarning(UserWarning):
    """A column holds none of the values seen in fit, so all its features are false.

    Parameters
    ----------
    text : str
    column : str
        Label of the column, as in `wtm.tables.columns.NumberColumn`.
    is_missing : bool
        Whether the column is missing in all rows.
    """

    def __init__(self, text: str, column: str = "", *, is_missing: bool = False) -> None:
        super().__init__(text)
        self.columns = {column}
        self.is_missing = is_missing


def new_values_warnings(
    table: Table | SparseTable, conditions: ColumnConditions | None, max_categories: int | None = None
) -> Iterator[NewValuesWarning]:
    """Warn of each column whose values are all missing or unseen, so that its features are false; say what to do.

    Parameters
    ----------
    table : Table or SparseTable
    conditions : ColumnConditions or None
        The conditions on each column; None if the columns are the features.
    max_categories : int or None
        The Booleanizer's limit. Where a column reached it, fit may have seen further values, so nothing is reported.
    """
    for j in _missing_columns(table):
        if conditions is None or _needs_values(conditions[j]):
            label = f"column {j}" if isinstance(table, SparseTable) else table.column(j).label
            text = (
                f"{label} is missing in all rows, but never was in fit, so all its features are false. Fill in its "
                "values, or train with rows in which they are missing."
            )
            yield NewValuesWarning(text, label, is_missing=True)
    if conditions is None or isinstance(table, SparseTable) or not table.n_rows:
        return
    for j, of_column in conditions.given.items():
        if isinstance(of_column, Categories) and _holds_none_of(table.column(j), of_column, max_categories):
            label = table.column(j).label
            text = (
                f"{label} holds no value seen in fit, such as {short_repr(of_column.values[0])}, so all its "
                "features are false. Check that its values are written as in fit and have the same type."
            )
            yield NewValuesWarning(text, label)


def _needs_values(conditions: Conditions) -> bool:
    has_some = conditions.thresholds if isinstance(conditions, Numbers) else conditions.values
    return bool(has_some) and not conditions.has_missing


def _holds_none_of(column: Column, conditions: Categories, max_categories: int | None) -> bool:
    values = column.distinct_values()
    return bool(values) and 0 < len(conditions.values) != max_categories and conditions.has_none_of(values)


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
