"""``wtm predict``: a model file and a file with a table become predictions, some rows at a time."""

import sys
import warnings
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wtm.classifier import WTMClassifier
from wtm.cli import MISSING
from wtm.cli.columns import note, parse_names, require_columns, warnings_as_notes, with_progress
from wtm.cli.files import Format, TableFile, import_pyarrow, open_table
from wtm.cli.numerals import Numerals
from wtm.cli.output import STDOUT, check_table_output, table_writer
from wtm.cli.values import as_conditions_need, cleaned, distinct_values
from wtm.loading import load_model
from wtm.tables.new_values import NewValues, NewValuesWarning
from wtm.utils.printable import short_repr

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Prediction", "predict"]

_PREDICTION = "prediction"


@dataclass(frozen=True)
class Prediction:
    """What is asked of ``wtm predict``.

    Attributes
    ----------
    model, data, out : Path
    format : Format
        Of `data`, where it is CSV.
    missing : tuple of str or None
        What stands for a missing value in CSV, beside nothing; None: what did in training.
    proba : bool
        Whether to write a probability for each class.
    keep : tuple of str
        Columns of `data` to write too, as `parse_names` reads them.
    n_jobs : int
    overwrite, quiet : bool
    """

    model: Path
    data: Path
    out: Path
    format: Format
    missing: tuple[str, ...] | None
    proba: bool
    keep: tuple[str, ...]
    n_jobs: int
    overwrite: bool
    quiet: bool


def predict(asked: Prediction) -> None:
    """Predict, and write what is predicted in the order of the rows.

    Raises
    ------
    ValueError, OSError, MemoryError
        Something is wrong with a file, the options or the machine.
    """
    source = open_table(asked.data, asked.format)
    clf = load_model(asked.model)
    clf.n_jobs = asked.n_jobs
    needed = _needed_columns(clf, source, asked.data)
    kept = parse_names(asked.keep, source.names)
    require_columns(kept, source, asked.data, "which --keep names")
    _check_names(clf, kept, proba=asked.proba)
    check_table_output(asked.out, [asked.model, asked.data], overwrite=asked.overwrite)
    missing = _missing(clf, asked.missing) if source.is_text else None
    predictor = _BatchPredictor(clf, needed, missing, Numerals(asked.format.decimal), asked.proba)
    n_rows = 0
    with table_writer(asked.out) as write:
        batches = source.batches(list(dict.fromkeys([*needed, *kept])))
        hides = asked.quiet or (asked.out == STDOUT and sys.stdout.isatty())  # no bar between the predictions
        shown = with_progress(batches, source.n_rows, "predicting", quiet=hides)
        with warnings_as_notes(quiet=asked.quiet), closing(shown):
            for batch in shown:
                write(_with_kept(batch, kept, predictor.answers(batch, n_rows + 1)))
                n_rows += len(batch)
            predictor.warn()
    if asked.out != STDOUT:
        note(f"{asked.out}: predictions for {n_rows:,} rows", quiet=asked.quiet)


def _needed_columns(clf: WTMClassifier, source: TableFile, path: Path) -> list[str]:
    """Names, in the data, of the model's columns in their order."""
    names = getattr(clf, "feature_names_in_", None)
    if names is not None:
        require_columns(names, source, path, "which the model needs")
        return [str(name) for name in names]
    if len(source.names) != clf.n_features_in_:  # trained in Python, on an array: columns go by their places
        raise ValueError(
            f"{path} has {len(source.names):,} columns, and the model, which knows no names, needs exactly "
            f"{clf.n_features_in_:,} in the order of training."
        )
    return source.names


def _missing(clf: WTMClassifier, missing: tuple[str, ...] | None) -> Sequence[str]:
    if missing is not None:
        return missing
    return str(getattr(clf, "missing_values_", MISSING)).split(",")


class _BatchPredictor:
    """Predicts batch by batch, and tells what is wrong as if they were one table.

    Parameters
    ----------
    clf : WTMClassifier
    columns : list of str
        Names, in the batches, of the model's columns in their order.
    missing : sequence of str or None
        What stands for a missing value in text whose kinds are to be found; None where columns have kinds.
    numerals : Numerals
        How text spells numbers.
    proba : bool
        Whether to give a probability for each class.
    """

    def __init__(
        self, clf: WTMClassifier, columns: list[str], missing: Sequence[str] | None, numerals: Numerals, proba: bool
    ) -> None:
        self._clf = clf
        self._columns = columns
        self._missing = missing
        self._numerals = numerals
        self._proba = proba
        b = clf.booleanizer_
        self._new_values = None if b is None else NewValues(b.conditions_, b.max_categories)

    def answers(self, batch: "pyarrow.Table", first_row: int) -> list[tuple[str, Any]]:
        """Names and arrays of the new columns.

        Raises
        ------
        ValueError
            A row has something that the model can't take. The error is that of the first such row, and of the first
            such column in it, wherever batches begin and end; `first_row` is the number of the batch's first row.
        """
        try:
            return self._answers(batch, first_row)
        except ValueError:
            self._raise_for_first_row(batch, first_row)
            raise

    def warn(self) -> None:
        """Warn, after the last batch, of columns in which nothing was known to the model."""
        if self._new_values is not None:
            for text in self._new_values.warnings(lambda j: f"column {short_repr(self._columns[j])}"):
                warnings.warn(text, NewValuesWarning, stacklevel=2)

    def _answers(self, batch: "pyarrow.Table", first_row: int) -> list[tuple[str, Any]]:
        table = self._as_model_needs(batch, first_row)
        if self._new_values is not None:
            self._new_values.see(lambda j: distinct_values(table[self._columns[j]]))
        with warnings.catch_warnings():
            # Of names that a model without names is given: their number was checked.
            warnings.filterwarnings("ignore", message="X has feature names", category=UserWarning)
            # Of values that are new in a batch: all batches count.
            warnings.simplefilter("ignore", NewValuesWarning)
            answers = [(_PREDICTION, self._clf.predict(table))]
            if self._proba:
                answers += zip(_probability_names(self._clf), self._clf.predict_proba(table).T, strict=True)
        return answers

    def _as_model_needs(self, batch: "pyarrow.Table", first_row: int) -> "pyarrow.Table":
        booleanizer = self._clf.booleanizer_
        conditions: Sequence[Any] = [None] * len(self._columns) if booleanizer is None else booleanizer.conditions_
        columns = {}
        for name, needs in zip(self._columns, conditions, strict=True):
            column = batch[name] if self._missing is None else cleaned(batch[name], self._missing)
            columns[name] = as_conditions_need(column, name, needs, first_row, self._numerals)
        return import_pyarrow().table(columns)

    def _raise_for_first_row(self, batch: "pyarrow.Table", first_row: int) -> None:
        """Find the first row that is an error, by halves, and raise its error."""
        fine, wrong = 0, len(batch)  # there is none above `fine`, and one above `wrong`
        while wrong - fine > 1:
            middle = (fine + wrong) // 2
            try:
                self._answers(batch.slice(fine, middle - fine), first_row + fine)
                fine = middle
            except ValueError:
                wrong = middle
        self._answers(batch.slice(fine, 1), first_row + fine)


def _probability_names(clf: WTMClassifier) -> list[str]:
    return [f"probability_{label}" for label in clf.classes_]


def _check_names(clf: WTMClassifier, kept: list[str], *, proba: bool) -> None:
    new = [_PREDICTION, *(_probability_names(clf) if proba else [])]
    clash = next((name for name in kept if name in new), None)
    if clash is not None:
        raise ValueError(
            f"--keep names {short_repr(clash)}, and the predictions have a column of this name. Rename it in the data."
        )


def _with_kept(batch: "pyarrow.Table", kept: list[str], predictions: list[tuple[str, Any]]) -> "pyarrow.Table":
    """Kept columns as they stand in the file, and the predictions."""
    pa = import_pyarrow()
    columns = {name: batch[name] for name in kept}
    columns |= {name: pa.array(values) for name, values in predictions}
    return pa.table(columns)
