"""``wtm predict``: from a model file and a file with a table to predictions, some rows at a time."""

import sys
import warnings
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wtm.classifier import WTMClassifier
from wtm.cli.column_names import parse_names, require_columns
from wtm.cli.csv_columns import Cells, ModelColumns
from wtm.cli.csv_format import CsvFormat
from wtm.cli.notes import note, with_progress
from wtm.cli.output import check_table_output, table_writer
from wtm.cli.table_files import PARQUET, STANDARD_STREAM, TableFile, import_pyarrow, open_table
from wtm.loading import load_model
from wtm.utils.printable import short_repr

_PREDICTION = "prediction"


@dataclass(frozen=True)
class Prediction:
    """Arguments of ``wtm predict``: its options; `format` holds those that are given."""

    model: Path
    data: Path
    out: Path
    format: CsvFormat
    proba: bool
    keep: tuple[str, ...]
    n_jobs: int
    escape_formulas: bool
    overwrite: bool
    quiet: bool


def predict(asked: Prediction) -> None:
    """Predict, and write the predictions in the order of the rows.

    Raises
    ------
    ValueError, OSError, MemoryError
        A file or an option can't be used, or memory is short.
    """
    clf = load_model(asked.model)
    clf.n_jobs = asked.n_jobs
    trained = CsvFormat.from_json(getattr(clf, "csv_format_", "{}"))
    format = asked.format.over(trained)
    with open_table(asked.data, format) as source:
        needed = _needed_columns(clf, source, asked.data)
        known = [*source.names, *source.index]
        kept = parse_names(asked.keep, known)
        require_columns(kept, known, asked.data, "which --keep names")
        _check_names(clf, kept, proba=asked.proba)
        if asked.escape_formulas and asked.out.name.lower().endswith(PARQUET):
            raise ValueError(f"--escape-formulas is for CSV, but --out {asked.out} is Parquet: leave it out.")
        check_table_output(asked.out, [asked.model, asked.data], overwrite=asked.overwrite)
        _note_format(asked, trained, is_csv=source.is_csv)
        columns = None
        if source.is_csv:
            booleanizer = clf.booleanizer_
            conditions = [None] * len(needed) if booleanizer is None else booleanizer.conditions_
            columns = ModelColumns(dict(zip(needed, conditions, strict=True)), Cells.of(format))
        predictor = _Predictor(clf, needed, columns, proba=asked.proba)
        hides = asked.quiet or (asked.out == STANDARD_STREAM and sys.stdout.isatty())  # no bar between predictions
        batches = source.batches(list(dict.fromkeys([*needed, *kept])))
        with (
            closing(batches),
            closing(with_progress(batches, source.n_rows, "predicting", quiet=hides)) as shown,
            table_writer(asked.out, escape_formulas=asked.escape_formulas) as write,
        ):
            for batch in shown:
                write(_with_kept(batch, kept, predictor.answers(batch)))
    for text in predictor.notes():
        note(text, quiet=asked.quiet)
    if asked.out != STANDARD_STREAM:
        note(f"{asked.out}: predictions for {predictor.n_rows:,} rows", quiet=asked.quiet)


def _needed_columns(clf: WTMClassifier, source: TableFile, path: Path) -> list[str]:
    """Names, in the data, of the model's columns in their order."""
    names = getattr(clf, "feature_names_in_", None)
    if names is not None:
        require_columns(names, [*source.names, *source.index], path, "which the model needs")
        return [str(name) for name in names]
    if len(source.names) != clf.n_features_in_:  # trained in Python on an array: columns go by position
        raise ValueError(
            f"{path} has {len(source.names):,} columns, and the model, which has no column names, needs exactly "
            f"{clf.n_features_in_:,} in the order of training."
        )
    return source.names


def _note_format(asked: Prediction, trained: CsvFormat, *, is_csv: bool) -> None:
    if not is_csv:
        if words := asked.format.words():
            note(f"{asked.data} is Parquet, to which {words} does not apply.", quiet=asked.quiet)
        return
    if words := asked.format.against(trained).words():
        note(f"{words} replaces the option of the training.", quiet=asked.quiet)
    if words := trained.without(asked.format).words():
        note(f"{asked.data} is read with the options of the training: {words}", quiet=asked.quiet)


class _Predictor:
    """Predicts batch by batch.

    Parameters
    ----------
    clf : WTMClassifier
    names : sequence of str
        Names, in the batches, of the model's columns in their order.
    columns : ModelColumns or None
        Reads the columns of CSV; None where columns have types.
    proba : bool
        Whether to give a probability for each class.
    """

    def __init__(self, clf: WTMClassifier, names: Sequence[str], columns: ModelColumns | None, *, proba: bool) -> None:
        self.n_rows = 0
        self._clf = clf
        self._names = list(names)
        self._columns = columns
        self._proba = proba
        self._warnings: dict[str, None] | None = None  # that every batch gave, in their order

    def answers(self, batch: Any) -> list[tuple[str, Any]]:
        """Names and arrays of the new columns."""
        table = batch.select(self._names) if self._columns is None else self._columns.read(batch, self.n_rows + 1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # The number of columns is checked.
            warnings.filterwarnings("ignore", message="X has feature names", category=UserWarning)
            try:
                answers = [(_PREDICTION, self._clf.predict(table))]
                if self._proba:
                    answers += zip(_probability_names(self._clf), self._clf.predict_proba(table).T, strict=True)
            except TypeError as error:  # a column of lists, for instance
                raise ValueError(str(error)) from None
        if len(batch):
            found = dict.fromkeys(str(warning.message) for warning in caught)
            before = found if self._warnings is None else self._warnings
            self._warnings = {text: None for text in before if text in found}
        self.n_rows += len(batch)
        return answers

    def notes(self) -> list[str]:
        """What a user should know, after the last batch."""
        return [*(self._warnings or ()), *(self._columns.notes() if self._columns else ())]


def _probability_names(clf: WTMClassifier) -> list[str]:
    return [f"probability_{label}" for label in clf.classes_]


def _check_names(clf: WTMClassifier, kept: list[str], *, proba: bool) -> None:
    new = [_PREDICTION, *(_probability_names(clf) if proba else [])]
    clash = next((name for name in kept if name in new), None)
    if clash is not None:
        raise ValueError(
            f"--keep names {short_repr(clash)}, and the predictions have a column of this name. Rename it in the data."
        )


def _with_kept(batch: Any, kept: list[str], predictions: list[tuple[str, Any]]) -> Any:
    """Kept columns as they are in the file, and the predictions."""
    pa = import_pyarrow()
    columns = {name: batch[name] for name in kept}
    columns |= {name: pa.array(values) for name, values in predictions}
    return pa.table(columns)
