"""The table that `wtm train` learns from, in memory."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.cli.column_options import named_target, parse_names
from wtm.cli.errors import OptionError
from wtm.cli.model_kinds import AnyModel
from wtm.cli.notes import with_progress
from wtm.cli.table_options import TableOptions
from wtm.table_files.arrow import pa
from wtm.table_files.column_names import require_columns
from wtm.table_files.csv_cells import Cells, cells_as_text
from wtm.table_files.missing_values import MissingValues
from wtm.table_files.open_table import TableFile, TableSource
from wtm.table_files.parquet_file import ParquetFile
from wtm.table_files.target_labels import rows_with_label, target_column, target_numbers
from wtm.table_files.training_columns import training_columns
from wtm.utils.memory_limits import check_memory
from wtm.utils.printable import short_repr
from wtm.validation.labels import check_labels

NOT_NUMBERS = "Leave --regression out to train a classifier on such labels."

_FEW = 3
_COPIES = 2  # of a table, at the least: all rows and the training rows


@dataclass(frozen=True)
class TrainingTable(ABC):
    """The rows that have a target.

    Attributes
    ----------
    y : ndarray of shape (n_rows,)
        Labels or numbers.
    n_columns : int
        Columns to learn from.
    is_csv : bool
    noted : iterable of str
        Labels of the columns that have a note already.
    """

    y: np.ndarray
    n_columns: int
    is_csv: bool
    noted: Iterable[str]

    @abstractmethod
    def fit(self, model: AnyModel, rows: np.ndarray) -> AnyModel:
        """Return a model like this one, trained on some rows."""

    @abstractmethod
    def predict(self, model: AnyModel, rows: np.ndarray) -> np.ndarray:
        """Predict some rows, which ascend."""


@dataclass(frozen=True)
class MemoryTable(TrainingTable):
    """A table of pyarrow."""

    columns: Any

    def fit(self, model: AnyModel, rows: np.ndarray) -> AnyModel:
        """Train the model."""
        try:
            return model.fit(self.columns.take(rows), self.y[rows])
        except TypeError as error:  # a column of lists, for instance
            raise ValueError(f"{error} --drop leaves a column out.") from None

    def predict(self, model: AnyModel, rows: np.ndarray) -> np.ndarray:
        """Predict some rows."""
        predicted: np.ndarray = model.predict(self.columns.take(rows))
        return predicted


def feature_names(source: TableSource, target: str, drop: Sequence[str], options: TableOptions) -> list[str]:
    """Return the columns to learn from: all but the target and those to drop."""
    known = [*source.names, *source.index]
    dropped = parse_names(drop, known, "--drop")
    named_target(target, source)
    require_columns(dropped, known, source.name, "which --drop names", source.hint)
    if target in dropped:
        raise OptionError(f"--drop names {short_repr(target)}, which is the target.")
    others = {target, *dropped}
    features = [name for name in source.names if name not in others]
    if not features:
        raise ValueError(f"{source.name} has no column to learn from besides the target {short_repr(target)}.")
    if index := [short_repr(name) for name in source.index if name not in dropped]:
        options.note(f"the index of a pandas data frame is left out: {', '.join(index)}.")
    options.note_format(source)
    return features


def read_table(
    source: TableFile,
    features: Sequence[str],
    target: str,
    options: TableOptions,
    *,
    regression: bool,
    drop_missing_target: bool,
) -> MemoryTable:
    """Read what is learnt from."""
    cells, missing = Cells.of(options.format), MissingValues(options.format)
    names = [*features, target]
    if isinstance(source, ParquetFile):  # a small file can hold many rows that are alike
        check_memory(
            _COPIES * source.n_rows * source.bytes_per_row(names),
            f"Training on {source.n_rows:,} rows and {len(names):,} columns of {source.name}",
            "Train on a part of the rows, or leave columns out with --drop.",
        )
    with closing(with_progress(source.batches(names), source.n_rows, "reading", quiet=options.quiet)) as batches:
        parts = [_text(batch, cells, missing, target) if source.cells is not None else batch for batch in batches]
    table, written = pa.concat_tables(parts).unify_dictionaries(), None
    if source.cells is not None:
        written = table[target]
        table = table.set_column(len(features), target, cells.text(written))
    rows = rows_with_label(table[target], target, source.name, drop_missing=drop_missing_target, written=written)
    if len(rows) < len(table):
        table = table.take(rows)
    columns = {name: table[name] for name in features}
    notes: dict[str, str] = {}
    if source.cells is not None:
        columns, notes = training_columns(columns, cells, rows + 1)
        for text in [*missing.notes(), *notes.values()]:
            options.note(text)
    cells_of_target = None if source.cells is None else cells
    y = read_target(table[target], target, cells_of_target, rows + 1, options, regression=regression)
    return MemoryTable(y, len(features), source.cells is not None, notes, pa.table(columns))


def read_target(
    column: Any, target: str, cells: Cells | None, rows: np.ndarray, options: TableOptions, *, regression: bool
) -> np.ndarray:
    """Return the target of rows that have one, as labels or numbers that differ; `rows` are those of the file."""
    read = _numbers if regression else _labels
    y = read(column, target, cells, rows, options)
    if (y == y[0]).all():
        value = short_repr(y.tolist()[0])
        raise ValueError(f"the target {short_repr(target)} has the one value {value} in all rows.")
    return y


def _labels(column: Any, target: str, cells: Cells | None, rows: np.ndarray, options: TableOptions) -> np.ndarray:
    if cells is not None:
        column = target_column(column, target, cells, rows)
    labels = check_labels(column, f"The target {short_repr(target)}")
    _note_similar(np.unique(labels), target, options)
    return labels


def _numbers(column: Any, target: str, cells: Cells | None, rows: np.ndarray, _: TableOptions) -> np.ndarray:
    return target_numbers(column, target, cells, rows, NOT_NUMBERS)


def _text(batch: Any, cells: Cells, missing: MissingValues, target: str) -> Any:
    """Return the features of a batch as text, and the target, which comes last, as it is written."""
    missing.look(batch.columns)
    *features, labels = batch.columns
    return pa.table([*cells_as_text(features, cells), labels], names=batch.column_names)


def _note_similar(labels: np.ndarray, target: str, options: TableOptions) -> None:
    """Name labels, given once each, that people would take for one."""
    similar: dict[str, list[str]] = {}
    for label in labels.tolist():
        if isinstance(label, str):
            similar.setdefault(" ".join(label.split()).casefold(), []).append(label)
    found = ["; ".join(map(short_repr, same[:_FEW])) for same in similar.values() if len(same) > 1]
    if found:
        options.note(
            f"the target {short_repr(target)} has labels that differ in case or white space only, and are "
            f"different classes: {', '.join(found[:_FEW])}."
        )
