"""``wtm train``: from a file with a table to a model file, and the accuracy on rows held out."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import typer
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from wtm.booleanizer import Booleanizer
from wtm.classifier import WTMClassifier
from wtm.cli.column_options import named_target, parse_names
from wtm.cli.errors import OptionError
from wtm.cli.notes import warnings_as_notes, with_progress
from wtm.cli.output import check_output
from wtm.cli.table_options import TableOptions
from wtm.table_files.arrow import pa
from wtm.table_files.column_names import require_columns
from wtm.table_files.csv_cells import Cells, cells_as_text
from wtm.table_files.missing_values import MissingValues
from wtm.table_files.open_table import STANDARD_STREAM, TableFile, open_table
from wtm.table_files.parquet_file import ParquetFile
from wtm.table_files.target_labels import rows_with_label, target_column
from wtm.table_files.training_columns import training_columns
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
    readable: bool,
    drop: Sequence[str],
    drop_missing_target: bool,
    holdout: float,
    refit: bool,
) -> None:
    """Train a classifier with `parameters`, measure it and save it."""
    # A Booleanizer of its own, since "auto" uses a table of 0 and 1 as it is, and then refuses missing values.
    new = WTMClassifier.readable if readable else WTMClassifier
    clf = new(booleanizer=Booleanizer(), n_jobs=options.n_jobs, verbose=0 if options.quiet else 1, **parameters)
    try:
        check_parameters(clf.get_params(deep=False))
    except ValueError as error:
        name, reason = str(error).split(" ", 1)
        raise OptionError(f"--{name.removeprefix('n_').replace('_', '-')} {reason}") from None
    if out == STANDARD_STREAM:
        raise OptionError("a model can't be written to standard output: give --out the name of a file.")
    with open_table(options.data, options.format) as source:
        features = _feature_names(source, target, drop, options)
        check_output(out, [options.data], overwrite=options.overwrite)
        columns, labels, noted = _read(source, features, target, options, drop_missing_target=drop_missing_target)
    training, held_out = divide(labels, holdout, clf.random_state)
    with warnings_as_notes(options.note, noted):
        _fit(clf, columns.take(training), labels[training])
        _report(clf, columns, labels, training, held_out)
        if refit and len(held_out):
            clf = _fit(clone(clf), columns, labels)
    # Kept in the model file, for `wtm predict` and `wtm evaluate`.
    clf.target_name_ = target
    if source.cells is not None and options.format.given():
        clf.csv_format_ = options.format.to_json()
    clf.verbose, clf.n_jobs = 0, None  # settings of this training, not of the model
    clf.save(out)
    rows = "all rows" if refit or not len(held_out) else "the training rows"
    typer.echo(f"{out}: the model trained on {rows}")


def divide(labels: np.ndarray, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Divide rows into those to train on and those to hold out, in about equal shares of each class.

    The row numbers are ascending. The single row of a class is trained on. Too few rows are a ValueError.
    """
    everything = np.arange(len(labels))
    if not fraction:
        return everything, everything[:0]
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    several = np.flatnonzero(counts[codes] > 1)
    if not len(several):
        raise ValueError(
            f"--holdout {fraction:g} is not possible: no class has two rows. Is the target an identifier? "
            "--holdout 0 trains on all rows."
        )
    random_state = int(np.random.SeedSequence(seed).generate_state(1)[0])
    try:
        _, held_out = train_test_split(several, test_size=fraction, random_state=random_state, stratify=codes[several])
    except ValueError:
        raise ValueError(
            f"--holdout {fraction:g} of {len(several):,} rows leaves no row of some class to train on, or to measure "
            f"with: the classes are {np.count_nonzero(counts > 1):,}. Choose another share, or --holdout 0."
        ) from None
    return np.setdiff1d(everything, held_out), np.sort(held_out)


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
    source: TableFile, features: Sequence[str], target: str, options: TableOptions, *, drop_missing_target: bool
) -> tuple[Any, np.ndarray, Iterable[str]]:
    """Read what is learnt from as a pyarrow table, and the labels, of the rows with a label.

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
    columns, labels = {name: table[name] for name in features}, table[target]
    notes: dict[str, str] = {}
    if source.cells is not None:
        labels = target_column(labels, target, cells, rows + 1)
        columns, notes = training_columns(columns, cells, rows + 1)
        for text in [*missing.notes(), *notes.values()]:
            options.note(text)
    found = check_labels(labels, f"The target {short_repr(target)}")
    distinct = np.unique(found)
    if len(distinct) < 2:
        value = short_repr(distinct.tolist()[0])
        raise ValueError(f"the target {short_repr(target)} has the one value {value} in all rows.")
    _note_similar(distinct, target, options)
    return pa.table(columns), found, notes


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


def _fit(clf: WTMClassifier, columns: Any, labels: np.ndarray) -> WTMClassifier:
    try:
        return clf.fit(columns, labels)
    except TypeError as error:  # a column of lists, for instance
        raise ValueError(f"{error} --drop leaves a column out.") from None


def _report(clf: WTMClassifier, columns: Any, labels: np.ndarray, training: np.ndarray, held_out: np.ndarray) -> None:
    epochs = counted(clf.n_epochs_, "epoch")
    if clf.early_stopping:
        epochs = f"epoch {clf.best_epoch_} of {len(clf.history_)}"
    assert clf.booleanizer_ is not None
    typer.echo(
        f"{counted(len(labels), 'row')}, {counted(columns.num_columns, 'column')} "
        f"({counted(clf.booleanizer_.n_features_out_, 'true/false feature')}), {len(clf.classes_):,} classes, {epochs}"
    )
    for name, rows in (("training", training), ("held-out", held_out)):
        if len(rows):
            accuracy = clf.score(columns.take(rows), labels[rows])
            _, counts = np.unique(labels[rows], return_counts=True)
            typer.echo(
                f"accuracy on {counted(len(rows), f'{name} row')}: {100 * accuracy:.2f} % "
                f"(the most frequent class alone: {100 * counts.max() / len(rows):.2f} %)"
            )
