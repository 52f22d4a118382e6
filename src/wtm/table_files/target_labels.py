"""The labels in a table: which rows have one, and how they are read, for training and as a model has them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wtm.classifier import WTMClassifier
from wtm.table_files.arrow import compute, pa
from wtm.table_files.column_names import listed
from wtm.table_files.csv_cells import Cells, Rows
from wtm.table_files.open_table import TableFile
from wtm.table_files.training_columns import training_column
from wtm.utils.printable import short_repr
from wtm.validation.labels import check_labels


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
            f"the target {short_repr(name)} is missing in {n_missing:,} of {len(labels):,} rows: pass "
            f"--drop-missing-target to leave them out.{_spelt_as_missing(labels, written)}"
        )
    return rows


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


def labels_of_model(
    batches: Sequence[Any],
    target: str,
    clf: WTMClassifier,
    source: TableFile,
    *,
    drop_missing: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the rows with a label in all batches together, and the labels as the model has them."""
    column = pa.concat_tables([batch.select([target]) for batch in batches]).unify_dictionaries()[target]
    cells, written = source.cells, None
    if cells is not None:
        cells, written = cells.without(clf.classes_.tolist()), column  # a class may be called NA
        column = cells.text(column)
    rows = rows_with_label(column, target, source.name, drop_missing=drop_missing, written=written)
    return rows, _known_labels(column.take(rows), rows + 1, target, clf, cells)


def _known_labels(column: Any, rows: np.ndarray, target: str, clf: WTMClassifier, cells: Cells | None) -> np.ndarray:
    """Return labels as the model has them; a ValueError if it does not know some."""
    if cells is not None and clf.classes_.dtype.kind not in "OU":
        column = target_column(column, target, cells, rows)
    labels = check_labels(column, f"The target {short_repr(target)}")
    known = set(clf.classes_.tolist())
    is_known = np.array([label in known for label in labels.tolist()])
    if not is_known.all():
        unknown = rows[~is_known]
        raise ValueError(
            f"the target {short_repr(target)} holds labels that are not classes of the model, in {len(unknown):,} of "
            f"{len(labels):,} rows, the first in row {unknown[0]:,}: {listed(np.unique(labels[~is_known]).tolist())}. "
            f"The classes are {listed(clf.classes_.tolist())}. Remove these rows, or train a model with them."
        )
    return labels
