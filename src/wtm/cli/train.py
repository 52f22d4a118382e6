"""``wtm train``: from a file with a table to a model file, and the accuracy on rows held out."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from wtm.booleanizer import Booleanizer
from wtm.classifier import WTMClassifier
from wtm.cli.column_names import parse_names, require_columns
from wtm.cli.csv_columns import Cells, cells_as_text, target_column, training_columns
from wtm.cli.csv_format import CsvFormat
from wtm.cli.notes import note, warnings_as_notes, with_progress
from wtm.cli.output import check_output
from wtm.cli.table_files import STANDARD_STREAM, TableFile, import_pyarrow, open_table
from wtm.utils.memory_limits import check_memory
from wtm.utils.printable import short_repr
from wtm.validation.labels import check_labels
from wtm.validation.parameters import check_parameters

_FEW = 3
_COPIES = 2  # of a table, at the least: all rows and the training rows


@dataclass(frozen=True)
class Training:
    """Arguments of ``wtm train``: its options, with `parameters` of `WTMClassifier`."""

    data: Path
    target: str
    out: Path
    parameters: dict[str, Any]
    format: CsvFormat
    drop: tuple[str, ...]
    drop_missing_target: bool
    holdout: float
    refit: bool
    overwrite: bool
    quiet: bool


def train(asked: Training) -> None:
    """Train, measure and save.

    Raises
    ------
    ValueError, OSError, MemoryError
        A file or an option can't be used, or memory is short.
    """
    # A Booleanizer of its own, since "auto" uses a table of 0 and 1 as it is, and then refuses missing values.
    clf = WTMClassifier(booleanizer=Booleanizer(), verbose=0 if asked.quiet else 1, **asked.parameters)
    check_parameters(clf.get_params(deep=False))
    if asked.out == STANDARD_STREAM:
        raise ValueError("a model can't be written to standard output: give --out the name of a file.")
    with open_table(asked.data, asked.format) as source:
        features = _feature_names(source, asked)
        check_output(asked.out, [asked.data], overwrite=asked.overwrite)
        table = _read(source, [*features, asked.target], asked)
        columns, labels = _columns(table, source, features, asked)
    training, held_out = divide(labels, asked.holdout, asked.parameters["random_state"])
    _fit(clf, columns.take(training), labels[training], quiet=asked.quiet)
    with warnings_as_notes(quiet=asked.quiet):  # of values that only rows held out have
        _report(clf, columns, labels, training, held_out)
    if asked.refit and len(held_out):
        clf = _fit(clone(clf), columns, labels, quiet=asked.quiet)
    if source.is_csv and asked.format.given():
        clf.csv_format_ = asked.format.to_json()  # kept in the model file, so that `wtm predict` reads CSV alike
    clf.verbose, clf.n_jobs = 0, None  # settings of this training, not of the model
    clf.save(asked.out)
    rows = "all rows" if asked.refit or not len(held_out) else "the training rows"
    typer.echo(f"{asked.out}: the model trained on {rows}")


def divide(labels: np.ndarray, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Divide rows into those to train on and those to hold out, in about equal shares of each class.

    The single row of a class is trained on.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
    fraction : float
        Share of the rows to hold out, from 0 to below 1.
    seed : int

    Returns
    -------
    training, held_out : ndarray, int64
        Row numbers, ascending.

    Raises
    ------
    ValueError
        There are too few rows.
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


def _feature_names(source: TableFile, asked: Training) -> list[str]:
    drop = parse_names(asked.drop, [*source.names, *source.index])
    require_columns([asked.target], source.names, asked.data, "which --target names")
    require_columns(drop, [*source.names, *source.index], asked.data, "which --drop names")
    if asked.target in drop:
        raise ValueError(f"--drop names {short_repr(asked.target)}, which is the target.")
    others = {asked.target, *drop}
    features = [name for name in source.names if name not in others]
    if not features:
        raise ValueError(f"{asked.data} has no column to learn from besides the target {short_repr(asked.target)}.")
    if index := [short_repr(name) for name in source.index if name not in drop]:
        note(f"the index of a pandas data frame is left out: {', '.join(index)}.", quiet=asked.quiet)
    if source.is_csv and "Unnamed: 0" in features:
        note(
            "the first column has no name, and is called 'Unnamed: 0'. If it numbers the rows, pass "
            "--drop 'Unnamed: 0'.",
            quiet=asked.quiet,
        )
    if not source.is_csv and asked.format.given():
        note(f"{asked.data} is Parquet, to which {asked.format.words()} does not apply.", quiet=asked.quiet)
    return features


def _read(source: TableFile, names: Sequence[str], asked: Training) -> Any:
    """Read columns, of the rows with a label."""
    pa = import_pyarrow()
    cells = Cells.of(asked.format)
    if source.n_rows is not None:  # a small file can hold many rows that are alike
        check_memory(
            _COPIES * source.n_rows * source.bytes_per_row(names),
            f"Training on {source.n_rows:,} rows and {len(names):,} columns of {asked.data}",
            "Train on a part of the rows, or leave columns out with --drop.",
        )
    with (
        closing(source.batches(names)) as batches,
        closing(with_progress(batches, source.n_rows, "reading", quiet=asked.quiet)) as shown,
    ):
        parts = [_text(batch, cells) if source.is_csv else batch for batch in shown]
    table = pa.concat_tables(parts).unify_dictionaries()
    if not len(table):
        raise ValueError(f"{asked.data} has no rows.")
    has_label = pa.compute.invert(pa.compute.is_null(table[asked.target], nan_is_null=True))
    n_missing = len(table) - pa.compute.sum(has_label).as_py()
    if n_missing == len(table):
        raise ValueError(f"the target {short_repr(asked.target)} is missing in all rows of {asked.data}.")
    if n_missing and not asked.drop_missing_target:
        raise ValueError(
            f"the target {short_repr(asked.target)} is missing in {n_missing:,} of {len(table):,} rows: pass "
            "--drop-missing-target to leave them out."
        )
    return table.filter(has_label) if n_missing else table


def _text(batch: Any, cells: Cells) -> Any:
    return import_pyarrow().table(cells_as_text(batch.columns, cells), names=batch.column_names)


def _columns(table: Any, source: TableFile, features: Sequence[str], asked: Training) -> tuple[Any, np.ndarray]:
    """Return what a table's columns hold, and the labels."""
    cells = Cells.of(asked.format)
    labels, columns = table[asked.target], {name: table[name] for name in features}
    if source.is_csv:
        labels = target_column(labels, asked.target, cells)
        columns, concerns = training_columns(columns, cells)
        for concern in concerns:
            note(concern, quiet=asked.quiet)
    found = check_labels(labels, f"The target {short_repr(asked.target)}")
    distinct = np.unique(found)
    if len(distinct) < 2:
        value = short_repr(distinct.tolist()[0])
        raise ValueError(f"the target {short_repr(asked.target)} has the one value {value} in all rows.")
    _note_similar(distinct, asked)
    return import_pyarrow().table(columns), found


def _note_similar(labels: np.ndarray, asked: Training) -> None:
    """Name labels, given once each, that people would take for one."""
    similar: dict[str, list[str]] = {}
    for label in labels.tolist():
        if isinstance(label, str):
            similar.setdefault(" ".join(label.split()).casefold(), []).append(label)
    found = ["; ".join(map(short_repr, same[:_FEW])) for same in similar.values() if len(same) > 1]
    if found:
        note(
            f"the target {short_repr(asked.target)} has labels that differ in case or white space only, and are "
            f"different classes: {', '.join(found[:_FEW])}.",
            quiet=asked.quiet,
        )


def _fit(clf: WTMClassifier, columns: Any, labels: np.ndarray, *, quiet: bool) -> WTMClassifier:
    with warnings_as_notes(quiet=quiet):
        try:
            return clf.fit(columns, labels)
        except TypeError as error:  # a column of lists, for instance
            raise ValueError(f"{error} --drop leaves a column out.") from None


def _report(clf: WTMClassifier, columns: Any, labels: np.ndarray, training: np.ndarray, held_out: np.ndarray) -> None:
    epochs = f"{clf.n_epochs_} epoch" + "s" * (clf.n_epochs_ != 1)
    if clf.early_stopping:
        epochs = f"epoch {clf.best_epoch_} of {len(clf.history_)}"
    assert clf.booleanizer_ is not None
    typer.echo(
        f"{len(labels):,} rows, {columns.num_columns:,} columns ({clf.booleanizer_.n_features_out_:,} true/false "
        f"features), {len(clf.classes_):,} classes, {epochs}"
    )
    for name, rows in (("training", training), ("held-out", held_out)):
        if len(rows):
            accuracy = clf.score(columns.take(rows), labels[rows])
            _, counts = np.unique(labels[rows], return_counts=True)
            typer.echo(
                f"accuracy on {len(rows):,} {name} rows: {100 * accuracy:.2f} % "
                f"(the most frequent class alone: {100 * counts.max() / len(rows):.2f} %)"
            )
