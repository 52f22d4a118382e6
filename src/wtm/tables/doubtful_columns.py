"""Find columns from which little can be learnt as they are: identifiers, row numbers, numbers and dates as text."""

import re
from collections.abc import Collection, Mapping
from itertools import chain

import numpy as np

from wtm.tables.columns import CategoryColumn, Column, NumberColumn
from wtm.tables.table import SparseTable, Table

_MIN_VALUES = 20  # of a column of categories
_MOST = 0.5  # of its rows
_MIN_ROWS = 50  # of a column of numbers: in smaller tables a measured column may well be sorted
_MAX_GAP = 4  # on average: between row numbers of which some were left out
_START = 3  # rows that rule out most columns
_NAMELESS = re.compile(r"(Unnamed: 0(\.\d+)?)?")  # in pandas
_MAX_LISTED = 5

_NUMBER = re.compile(r"\s*[+-]?(?!0\d)(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_DATE = re.compile(r"\s*\d{1,4}([-/.])\d{1,2}\1\d{1,4}(\D.*)?", re.ASCII | re.DOTALL)

_VARIED = "Drop columns with a different value in most rows"
_NUMBERS_AS_TEXT = "Convert numbers stored as text to numbers"
_DATES_AS_TEXT = "Replace dates stored as text with numbers or categories, such as the year or the weekday"
_ROW_NUMBERS = "Drop row numbers and identifiers"


class DoubtfulColumnsWarning(UserWarning):
    """Little can be learnt from some columns as they are.

    Parameters
    ----------
    text : str
    found : mapping from str to list of str
        For each remedy the labels of the columns, as in `wtm.tables.columns.NumberColumn`.
    """

    def __init__(self, text: str, found: Mapping[str, list[str]] | None = None) -> None:
        super().__init__(text)
        self._found = dict(found or {})
        self.columns = set(chain.from_iterable(self._found.values()))

    def without(self, columns: Collection[str]) -> "DoubtfulColumnsWarning | None":
        """Return the warning of the other columns, or None if there are none."""
        return _warning_of(
            {remedy: [label for label in labels if label not in columns] for remedy, labels in self._found.items()}
        )


def _warning_of(found: Mapping[str, list[str]]) -> DoubtfulColumnsWarning | None:
    parts = [f"{remedy}: {_listed(labels)}." for remedy, labels in found.items() if labels]
    if not parts:
        return None
    return DoubtfulColumnsWarning(" ".join(["Little can be learnt from some columns as they are.", *parts]), found)


def doubtful_columns_warning(
    table: Table | SparseTable, names: np.ndarray | None = None
) -> DoubtfulColumnsWarning | None:
    """Name the columns from which little can be learnt, and say what to do about them.

    Categories are doubtful if they have at least half as many values as rows, and text also if it is numbers or dates
    for the most part, unless its dtype is categorical; 20 values are the fewest that count. Numbers are doubtful if
    they are whole, differ in all rows, which must be at least 50, and are either sorted or close together: measured
    numbers rarely are. A first column without a name is doubtful if it holds other numbers in all rows.

    Parameters
    ----------
    table : Table or SparseTable
    names : ndarray of str or None
        Names of the columns, if they have any.

    Returns
    -------
    DoubtfulColumnsWarning or None
        None if there are no such columns. The text does not depend on the number of rows.
    """
    found: dict[str, list[str]] = {}
    if isinstance(table, SparseTable):
        numbers_rows = _sparse_row_numbers(table)
        found[_ROW_NUMBERS] = [f"column {j}" for j in numbers_rows]
    else:
        is_nameless = names is not None and _NAMELESS.fullmatch(str(names[0])) is not None
        for j, column in enumerate(table.columns):
            reason = _reason(column, is_nameless=is_nameless and j == 0)
            if reason is not None:
                found.setdefault(reason, []).append(column.label)
    if table.n_columns == 1:  # all that there is to learn from
        found.pop(_ROW_NUMBERS, None)
    return _warning_of(found)


def _listed(labels: list[str]) -> str:
    more = len(labels) - _MAX_LISTED
    return ", ".join(labels[:_MAX_LISTED]) + f" and {more:,} more" * (more > 0)


def _reason(column: Column, *, is_nameless: bool) -> str | None:
    if isinstance(column, CategoryColumn):
        return _reason_of_categories(column)
    return _ROW_NUMBERS if _are_row_numbers(column, is_nameless=is_nameless) else None


def _reason_of_categories(column: CategoryColumn) -> str | None:
    if len(column.distinct) < _MIN_VALUES:
        return None
    counts, _ = column.counts()
    occurring = [(value, count) for value, count in zip(column.distinct, counts, strict=True) if count]
    if len(occurring) < _MIN_VALUES:
        return None
    least = _MOST * sum(counts)
    texts = [(value, count) for value, count in occurring if isinstance(value, str)]
    for pattern, reason in ((_NUMBER, _NUMBERS_AS_TEXT), (_DATE, _DATES_AS_TEXT)):
        if sum(count for value, count in texts if pattern.fullmatch(value)) >= least:
            return None if column.is_categorical else reason
    return _VARIED if len(occurring) >= least else None


def _are_row_numbers(column: NumberColumn, *, is_nameless: bool = False) -> bool:
    values, n_rows = column.values, len(column.values)
    if n_rows < (_START if is_nameless else _MIN_ROWS):
        return False
    start = values[:_START].tolist()
    if len(set(start)) < _START or not (is_nameless or all(value == value // 1 for value in start)):
        return False
    numbers = values.astype(np.float64)
    ascending = np.sort(numbers)
    if not (np.diff(ascending) > 0).all():  # nor is any NaN
        return False
    if is_nameless:
        return True
    is_close = ascending[-1] - ascending[0] < _MAX_GAP * n_rows
    is_sorted = np.array_equal(numbers, ascending) or np.array_equal(numbers, ascending[::-1])
    return (is_close or is_sorted) and bool((numbers == np.rint(numbers)).all())


def _sparse_row_numbers(table: SparseTable) -> list[int]:
    csr = table.csr
    if table.n_rows < _MIN_ROWS:
        return []
    first = np.unique(csr.indices[: csr.indptr[2]])  # of the first two rows: at most one row number is 0
    stored = np.searchsorted(first, csr.indices[np.isin(csr.indices, first)])
    full = first[np.bincount(stored, minlength=len(first)) >= table.n_rows - 1]
    if not len(full):
        return []
    columns = csr[:, full].tocsc()
    return [
        j
        for i, j in enumerate(full.tolist())
        if _are_row_numbers(NumberColumn(f"column {j}", columns[:, [i]].toarray().ravel()))
    ]
