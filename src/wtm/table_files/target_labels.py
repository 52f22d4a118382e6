"""The target in a table: which rows have one, and how it is read, for training and as a model has it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wtm.table_files.arrow import compute, pa
from wtm.table_files.column_names import listed
from wtm.table_files.csv_cells import Cells, Rows
from wtm.table_files.open_table import TableFile
from wtm.table_files.training_columns import training_column
from wtm.utils.printable import short_repr
from wtm.validation.labels import check_labels

_LARGEST = 1e150  # float64 holds sums of squares of such numbers, of which errors are made


def rows_with_label(labels: Any, name: str, file: str, *, drop_missing: bool, written: Any = None) -> np.ndarray:
    """Return the places of the labels that are not missing. There must be one, and without `drop_missing` all.

    `written` is the cells of a CSV file, of which some may be missing.
    """
    if not len(labels):
        raise ValueError(f"{file} has no rows.")
    rows = np.flatnonzero(~np.asarray(compute.is_null(labels, nan_is_null=True)))
    n_missing = len(labels) - len(rows)
    if not len(rows):
        raise ValueError(f"the target {short_repr(name)} is missing in all rows of {file}.")
    if n_missing and not drop_missing:
        raise ValueError(
            f"the target {short_repr(name)} is missing in {n_missing:,} of {len(labels):,} rows, the first in row "
            f"{_first_gap(rows):,}: pass --drop-missing-target to leave them out.{_spelt_as_missing(labels, written)}"
        )
    return rows


def _first_gap(rows: np.ndarray) -> int:
    """Return the number, from 1, of the first row that is not among `rows`."""
    gaps = np.flatnonzero(rows != np.arange(len(rows)))
    return int(gaps[0] if len(gaps) else len(rows)) + 1


def _spelt_as_missing(labels: Any, written: Any) -> str:
    """Return what to do about a cell such as NA that may be a label."""
    if written is None:
        return ""
    cells = compute.unique(written.filter(compute.is_null(labels))).to_pylist()
    cell = next((cell for cell in cells if cell), None)
    if cell is None:
        return ""
    return f" Cells {short_repr(cell)} of CSV are read as missing: if this is a label, rename it or use Parquet."


def target_column(text: Any, name: str, cells: Cells, rows: Rows) -> Any:
    """Return a target in CSV as integers, float64, booleans or text; `rows` are the rows' numbers in the file."""
    integers = None if cells.numbers(text) is None else cells.integers(text)
    return training_column(text, name, cells, rows) if integers is None else integers


def target_numbers(column: Any, name: str, cells: Cells | None, rows: Rows, remedy: str) -> np.ndarray:
    """Return a target without missing values as float64.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Text if `cells` are those of a CSV file.
    name : str
    cells : Cells or None
    rows : sequence of int
        The rows' numbers in the file.
    remedy : str
        What to do about a target that is not a column of numbers.

    Raises
    ------
    ValueError
        A value is not a number, or is infinite or so large that its square may be.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if cells is not None:
        numbers = cells.numbers(column)
    else:
        numbers = column.cast(pa.float64(), safe=False) if _holds_numbers(column.type) else None
    if numbers is None:
        are_numbers = None if cells is None else cells.are_numbers(column)
        place = 0 if are_numbers is None else compute.index(are_numbers, False).as_py()
        value = column[place].as_py()
        if cells is not None and 2 * compute.sum(are_numbers).as_py() > len(column):
            remedy = cells.remedy(value)
        raise ValueError(f"{_place(rows[place], name)} holds {short_repr(value)}, which is not a number. {remedy}")
    found: np.ndarray = np.asarray(numbers)
    is_usual = np.abs(found) <= _LARGEST
    if not is_usual.all():
        place = int(np.argmin(is_usual))
        raise ValueError(
            f"{_place(rows[place], name)} holds {short_repr(column[place].as_py())}, but numbers to predict must lie "
            f"between -{_LARGEST:g} and {_LARGEST:g}. Remove such rows."
        )
    return found


def _holds_numbers(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _place(row: int, target: str) -> str:
    return f"row {row:,} of the target {short_repr(target)}"


def labels_of_model(
    batches: Sequence[Any], target: str, classes: np.ndarray, source: TableFile, *, drop_missing: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the rows with a label in all batches together, and the labels as among the `classes`."""
    cells = None if source.cells is None else source.cells.without(classes.tolist())  # a class may be called NA
    rows, column = _rows_of_model(batches, target, cells, source, drop_missing=drop_missing)
    return rows, _known_labels(column, rows + 1, target, classes, cells)


def numbers_of_model(
    batches: Sequence[Any], target: str, source: TableFile, *, drop_missing: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the rows with a number in all batches together, and the numbers, float64."""
    rows, column = _rows_of_model(batches, target, source.cells, source, drop_missing=drop_missing)
    remedy = "The model predicts numbers: name the column with the true ones by --target."
    return rows, target_numbers(column, target, source.cells, rows + 1, remedy)


def _rows_of_model(
    batches: Sequence[Any], target: str, cells: Cells | None, source: TableFile, *, drop_missing: bool
) -> tuple[np.ndarray, Any]:
    """Return the places of the rows with a target, and the target of these rows."""
    column = pa.concat_tables([batch.select([target]) for batch in batches]).unify_dictionaries()[target]
    written = None
    if cells is not None:
        column, written = cells.text(column), column
    rows = rows_with_label(column, target, source.name, drop_missing=drop_missing, written=written)
    return rows, column.take(rows)


def _known_labels(column: Any, rows: np.ndarray, target: str, classes: np.ndarray, cells: Cells | None) -> np.ndarray:
    """Return labels as the model has them; a ValueError if it does not know some."""
    if cells is not None and classes.dtype.kind not in "OU":
        column = target_column(column, target, cells, rows)
    labels = check_labels(column, f"The target {short_repr(target)}")
    known = set(classes.tolist())
    is_known = np.array([label in known for label in labels.tolist()])
    if not is_known.all():
        unknown = rows[~is_known]
        raise ValueError(
            f"the target {short_repr(target)} holds labels that are not classes of the model, in {len(unknown):,} of "
            f"{len(labels):,} rows, the first in row {unknown[0]:,}: {listed(np.unique(labels[~is_known]).tolist())}. "
            f"The classes are {listed(classes.tolist())}. Remove these rows, or train a model with them."
        )
    return labels
