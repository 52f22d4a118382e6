"""``wtm train``: from a file with a table to a model file, measured on rows held out."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import typer
from sklearn.base import clone

from wtm.booleanizer import STRATEGIES, Booleanizer
from wtm.classifier import WTMClassifier
from wtm.cli.column_options import named_target, parse_names
from wtm.cli.errors import OptionError
from wtm.cli.holdout import divide, divide_numbers, worth
from wtm.cli.model_kinds import AnyModel, Regressor, kind_to_train
from wtm.cli.notes import warnings_as_notes, with_progress
from wtm.cli.output import check_output
from wtm.cli.table_options import TableOptions
from wtm.table_files.arrow import pa
from wtm.table_files.column_names import require_columns
from wtm.table_files.csv_cells import Cells, cells_as_text
from wtm.table_files.missing_values import MissingValues
from wtm.table_files.open_table import STANDARD_STREAM, TableFile, open_table
from wtm.table_files.parquet_file import ParquetFile
from wtm.table_files.target_labels import rows_with_label, target_column, target_numbers
from wtm.table_files.training_columns import training_columns
from wtm.tables.split_thresholds import MIN_ROWS
from wtm.utils.memory_limits import check_memory
from wtm.utils.printable import counted, short_repr
from wtm.validation.labels import check_labels
from wtm.validation.parameters import check_parameters

_FEW = 3
_COPIES = 2  # of a table, at the least: all rows and the training rows


def train(
    options: TableOptions,
    target: str,
    out: Path,
    parameters: dict[str, Any],
    *,
    regression: bool,
    fuzzy: bool,
    readable: bool,
    thresholds: str,
    drop: Sequence[str],
    drop_missing_target: bool,
    holdout: float,
    refit: bool,
) -> None:
    """Train a model with `parameters`, measure it and save it."""
    model = _new_model(options, parameters, thresholds, regression=regression, fuzzy=fuzzy, readable=readable)
    try:
        check_parameters(model.get_params(deep=False))
    except ValueError as error:
        name, reason = str(error).split(" ", 1)
        if name == "average_last" and name not in parameters:  # the votes of that many epochs are clauses in prediction
            name, reason = "n_clauses", f"{parameters['n_clauses']} is too large with --regression: use fewer."
        option = name if name == "n_shards" else name.removeprefix("n_")
        raise OptionError(f"--{option.replace('_', '-')} {reason}") from None
    if out == STANDARD_STREAM:
        raise OptionError("a model can't be written to standard output: give --out the name of a file.")
    with open_table(options.data, options.format) as source:
        features = _feature_names(source, target, drop, options)
        check_output(out, [options.data], overwrite=options.overwrite)
        read = _numbers if regression else _labels
        columns, y, noted = _read(source, features, target, read, options, drop_missing_target=drop_missing_target)
    if regression:
        training, held_out = divide_numbers(len(y), holdout, model.random_state)
    else:
        training, held_out = divide(y, holdout, model.random_state)
    with warnings_as_notes(options.note, noted):
        _fit(model, columns.take(training), y[training])
        lines = [_summary(model, columns, y), *worth(model, columns, y, training, held_out)]
        if refit and len(held_out):
            model = _fit(clone(model), columns, y)
        if model.booleanizer_ is not None and model.booleanizer_.strategy_ != thresholds:
            options.note(f"--thresholds {thresholds} needs {MIN_ROWS:,} rows to train on: quantile was used.")
    # Kept in the model file, for `wtm predict` and `wtm evaluate`.
    model.target_name_ = target
    if source.cells is not None and options.format.given():
        model.csv_format_ = options.format.to_json()
    model.verbose, model.n_jobs = 0, None  # settings of this training, not of the model
    model.save(out)
    rows = "all rows" if refit or not len(held_out) else "the training rows"
    for line in (*lines, f"{out}: the model trained on {rows}"):  # once the file is there, if a pipe closes
        typer.echo(line)


def _new_model(
    options: TableOptions,
    parameters: dict[str, Any],
    thresholds: str,
    *,
    regression: bool,
    fuzzy: bool,
    readable: bool,
) -> AnyModel:
    if readable and (regression or fuzzy):
        other = "--regression" if regression else "--fuzzy"
        raise OptionError(f"--readable does not go with {other}: leave one of them out.")
    if "literal_failures" in parameters and not fuzzy:
        raise OptionError("--literal-failures is for fuzzy rules: pass --fuzzy too.")
    if parameters.get("s") == "auto" and (regression or fuzzy):
        other = "--regression" if regression else "--fuzzy"
        raise OptionError(f"--s auto does not go with {other}: give a number.")
    if thresholds not in STRATEGIES:
        raise OptionError(f"--thresholds must be one of {', '.join(STRATEGIES)}; got {short_repr(thresholds)}.")
    kind = kind_to_train(regression=regression, fuzzy=fuzzy)
    # A Booleanizer of its own, since "auto" uses a table of 0 and 1 as it is, and then refuses missing values.
    parameters = parameters | {
        "booleanizer": Booleanizer(kind._n_thresholds, strategy=thresholds),
        "n_jobs": options.n_jobs,
        "verbose": 0 if options.quiet else 1,
    }
    return WTMClassifier.readable(**parameters) if readable else kind(**parameters)


def _feature_names(source: TableFile, target: str, drop: Sequence[str], options: TableOptions) -> list[str]:
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


def _read(
    source: TableFile,
    features: Sequence[str],
    target: str,
    read_target: Callable[[Any, str, Cells | None, np.ndarray, TableOptions], np.ndarray],
    options: TableOptions,
    *,
    drop_missing_target: bool,
) -> tuple[Any, np.ndarray, Iterable[str]]:
    """Read what is learnt from as a pyarrow table, and the target, of the rows that have one.

    Labels of the columns that have a note come with them.
    """
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
    y = read_target(table[target], target, None if source.cells is None else cells, rows + 1, options)
    if (y == y[0]).all():
        value = short_repr(y.tolist()[0])
        raise ValueError(f"the target {short_repr(target)} has the one value {value} in all rows.")
    return pa.table(columns), y, notes


def _labels(column: Any, target: str, cells: Cells | None, rows: np.ndarray, options: TableOptions) -> np.ndarray:
    if cells is not None:
        column = target_column(column, target, cells, rows)
    labels = check_labels(column, f"The target {short_repr(target)}")
    _note_similar(np.unique(labels), target, options)
    return labels


def _numbers(column: Any, target: str, cells: Cells | None, rows: np.ndarray, _: TableOptions) -> np.ndarray:
    remedy = "Leave --regression out to train a classifier on such labels."
    return target_numbers(column, target, cells, rows, remedy)


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


def _fit(model: AnyModel, columns: Any, y: np.ndarray) -> AnyModel:
    try:
        return model.fit(columns, y)
    except TypeError as error:  # a column of lists, for instance
        raise ValueError(f"{error} --drop leaves a column out.") from None


def _summary(model: AnyModel, columns: Any, y: np.ndarray) -> str:
    """Return the size of a table, what is predicted, and how long a model was trained."""
    epochs = counted(model.n_epochs_, "epoch")
    if model.early_stopping:
        epochs = f"epoch {model.best_epoch_} of {len(model.history_)}"
    assert model.booleanizer_ is not None
    features = counted(model.booleanizer_.n_features_out_, "true/false feature")
    if isinstance(model, Regressor):
        outputs = f"numbers from {y.min():g} to {y.max():g}"
    else:
        outputs = f"{len(model.classes_):,} classes"
    return f"{counted(len(y), 'row')}, {counted(columns.num_columns, 'column')} ({features}), {outputs}, {epochs}"
