"""The predictions of a model for a file with a table, some rows at a time."""

import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from wtm.cli.model_kinds import AnyModel, Classifier
from wtm.cli.notes import with_progress
from wtm.cli.table_options import TableOptions
from wtm.table_files.column_names import require_columns
from wtm.table_files.csv_format import CsvFormat, option_words
from wtm.table_files.missing_values import MissingValues
from wtm.table_files.model_columns import ModelColumns
from wtm.table_files.open_table import TableFile, TableSource, open_table
from wtm.utils.caller import forget_warnings
from wtm.utils.printable import counted

PREDICTION = "prediction"


def stored_format(model: AnyModel) -> CsvFormat:
    """Return the options of CSV with which a model was trained."""
    return CsvFormat.from_json(getattr(model, "csv_format_", "{}"))


def probability_names(clf: Classifier) -> list[str]:
    """Return the names of the columns with probabilities."""
    return [f"probability_{label}" for label in clf.classes_]


def prediction_names(model: AnyModel) -> list[str]:
    """Return the names of the columns with predictions: several for a regressor of several outputs."""
    n_outputs = getattr(model, "n_outputs_", 1)
    return [PREDICTION] if n_outputs == 1 else [f"{PREDICTION}_{output}" for output in range(n_outputs)]


@contextmanager
def predictions_for(model: AnyModel, options: TableOptions, *, proba: bool = False) -> "Iterator[Predictions]":
    """Open a table with the options that are given, completed by those of the training, and check its columns."""
    model.n_jobs = options.n_jobs
    with open_table(options.data, options.format.over(stored_format(model))) as source:
        yield Predictions(model, source, options, proba=proba)


class Predictions:
    """Predicts the rows of the file `source`, `n_rows` so far."""

    def __init__(self, model: AnyModel, source: TableFile, options: TableOptions, *, proba: bool) -> None:
        self.n_rows = 0
        self._model = model
        self.source = source
        self._options = options
        self._proba = proba
        self._names = needed_columns(model, source)
        self._columns = None
        self._missing = MissingValues(options.format)
        if source.cells is not None:
            b = model.booleanizer_
            conditions = [None] * len(self._names) if b is None else b.conditions_
            needs = dict(zip(self._names, conditions, strict=True))
            self._columns = ModelColumns(needs, source.cells, None if b is None else b.max_categories)
        self._warnings: dict[str, Warning | str] | None = None  # that every batch gave, by column, in their order

    def batches(
        self, others: Sequence[str], *, hidden: bool = False
    ) -> Generator[tuple[Any, dict[str, Any]], None, None]:
        """Give each batch, with the columns `others` in it, and the predictions and probabilities; then write notes."""
        return self._answers(self._predict, others, hidden=hidden)

    def tables(self, others: Sequence[str] = ()) -> Generator[tuple[Any, Any], None, None]:
        """Give each batch, with the columns `others` in it, and the table that the model takes; then write notes."""
        return self._answers(lambda table: table, others, hidden=False)

    def _answers(
        self, answer: Callable[[Any], Any], others: Sequence[str], *, hidden: bool
    ) -> Generator[tuple[Any, Any], None, None]:
        self._note_format()
        batches = self.source.batches(list(dict.fromkeys([*self._names, *others])))
        quiet = hidden or self._options.quiet
        with closing(with_progress(batches, self.source.n_rows, "predicting", quiet=quiet)) as shown:
            for batch in shown:
                yield batch, self._answer(answer, batch)
        notes = {column: str(warning) for column, warning in (self._warnings or {}).items()}
        if self._columns is not None:  # these say why a column holds no value seen in fit
            notes |= self._columns.notes()
        for text in [*self._missing.notes(), *notes.values()]:
            self._options.note(text)

    def _note_format(self) -> None:
        self._options.note_format(self.source)
        if self.source.cells is None:
            return
        given, stored = self._options.format.given(), stored_format(self._model).given()
        replaced = {name: value for name, value in given.items() if stored.get(name, value) != value}
        kept = {name: value for name, value in stored.items() if name not in given}
        if replaced:
            self._options.note(f"{option_words(replaced)} replaces the option of the training.")
        if kept:
            self._options.note(f"{self.source.name} is read with the options of the training: {option_words(kept)}")

    def _answer(self, answer: Callable[[Any], Any], batch: Any) -> Any:
        table = batch.select(self._names)
        if self._columns is not None:
            self._missing.look(table.columns)
            table = self._columns.read(batch, self.n_rows + 1)
        forget_warnings(self._model)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # The number of columns is checked.
            warnings.filterwarnings("ignore", message="X has feature names", category=UserWarning)
            try:
                found = answer(table)
            except TypeError as error:  # a column of lists, for instance
                raise ValueError(str(error)) from None
        if len(batch):
            found_now = {_label(warning.message): warning.message for warning in caught}
            before = found_now if self._warnings is None else self._warnings
            self._warnings = {
                label: found_now[label] if getattr(warning, "is_missing", False) else warning
                for label, warning in before.items()
                if label in found_now
            }
        self.n_rows += len(batch)
        return found

    def _predict(self, table: Any) -> dict[str, Any]:
        return predicted_columns(self._model, table, proba=self._proba)


def predicted_columns(model: AnyModel, table: Any, *, proba: bool) -> dict[str, Any]:
    """Return the predictions for a table, and with `proba` the probabilities, by the names of their columns."""
    predicted = model.predict(table)
    columns = predicted.T if predicted.ndim == 2 else [predicted]
    found: dict[str, Any] = dict(zip(prediction_names(model), columns, strict=True))
    if proba:
        assert isinstance(model, Classifier)
        found |= zip(probability_names(model), model.predict_proba(table).T, strict=True)
    return found


def _label(warning: Warning | str) -> str:
    """Return the label of the column that a warning is of, or its text."""
    return next(iter(getattr(warning, "columns", [str(warning)])))


def needed_columns(model: AnyModel, source: TableSource) -> list[str]:
    """Names, in the file, of the model's columns in their order."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        known = [*source.names, *source.index]
        require_columns(names, known, source.name, "which the model needs", source.hint)
        return [str(name) for name in names]
    if len(source.names) != model.n_features_in_:  # trained in Python on an array: columns go by position
        raise ValueError(
            f"{source.name} has {counted(len(source.names), 'column')}, and the model, which has no names, needs "
            f"exactly {model.n_features_in_:,} in the order of training. {source.hint}".rstrip()
        )
    return source.names
