"""``wtm train``: a file with a table becomes a model file, with the accuracy on rows held out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from wtm.booleanizer import Booleanizer
from wtm.classifier import WTMClassifier
from wtm.cli.column_notes import concern_about_labels, concerns_about_text
from wtm.cli.columns import note, parse_names, require_columns, warnings_as_notes, with_progress
from wtm.cli.files import Format, TableFile, import_pyarrow, open_table
from wtm.cli.numerals import Numerals
from wtm.cli.output import STDOUT, check_output
from wtm.cli.values import as_labels, as_learnt, cleaned
from wtm.utils.printable import short_repr, shorten
from wtm.validation.parameters import check_parameters

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Training", "divide", "train"]


@dataclass(frozen=True)
class Training:
    """What is asked of ``wtm train``.

    Attributes
    ----------
    data, out : Path
    target : str
        Name of the column with the labels.
    parameters : dict
        Of `WTMClassifier`; with ``random_state``, an integer.
    format : Format
        Of `data`, where it is CSV.
    missing : tuple of str
        What stands for a missing value in CSV, beside nothing.
    drop : tuple of str
        Columns to leave out, as `parse_names` reads them.
    drop_missing_target : bool
        Whether to leave out rows without a label, or to refuse them.
    holdout : float
        Share of the rows that are held out, from 0 to below 1.
    refit : bool
        Whether to train again, on all rows, once the accuracy is measured.
    overwrite, quiet : bool
    """

    data: Path
    target: str
    out: Path
    parameters: dict[str, Any]
    format: Format
    missing: tuple[str, ...]
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
        Something is wrong with the file, the options or the machine.
    """
    # One's own Booleanizer, since "auto" takes a table of 0 and 1 as it is and then refuses missing values.
    clf = WTMClassifier(booleanizer=Booleanizer(), verbose=0 if asked.quiet else 1, **asked.parameters)
    check_parameters(clf.get_params(deep=False))
    source = open_table(asked.data, asked.format)
    features = _feature_names(source, asked)
    if asked.out == STDOUT:
        raise ValueError(f"--out {asked.out}: a model is nothing for standard output. Give the name of a file.")
    check_output(asked.out, [asked.data], overwrite=asked.overwrite)  # last of what can be found out at once
    table, labels = _read(source, features, asked)
    training, held_out = divide(labels, asked.holdout, asked.parameters["random_state"])
    _fit(clf, table.take(training), labels[training], quiet=asked.quiet)
    with warnings_as_notes(quiet=asked.quiet):  # of values that only rows held out have
        _report(clf, table, labels, training, held_out)
    if asked.refit and len(held_out):
        clf = _fit(clone(clf), table, labels, quiet=asked.quiet)
    # Model files keep such attributes: prediction must see the same values as missing.
    clf.missing_values_ = ",".join(asked.missing)
    clf.verbose, clf.n_jobs = 0, None  # how it was trained says nothing of how it is to be used
    clf.save(asked.out)
    rows = "all rows" if asked.refit or not len(held_out) else "the training rows"
    typer.echo(f"{asked.out}: the model trained on {rows}")


def divide(labels: np.ndarray, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Divide rows into those to train on and those held out, in about equal shares of each class.

    A class with a single row keeps it for training.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
    fraction : float
        Share of the rows to hold out; 0 holds out none.
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
    _check_share(fraction, len(several), int(np.sum(counts > 1)), len(labels))
    random_state = int(np.random.SeedSequence(seed).generate_state(1)[0])
    _, held_out = train_test_split(several, test_size=fraction, random_state=random_state, stratify=codes[several])
    return np.setdiff1d(everything, held_out), np.sort(held_out)


def _check_share(fraction: float, n_rows: int, n_classes: int, n_all: int) -> None:
    """Refuse a share that leaves one of the two parts without room for a row of each class.

    `n_rows` are the rows that can be divided, those of the `n_classes` that have more than one, out of `n_all`.
    """
    if not n_classes:
        raise ValueError(
            f"--holdout {fraction:g} is not possible: no class has two rows, of the {n_all:,} in all, to be divided "
            "between training and measuring. Say --holdout 0 to train on all rows."
        )
    n_held_out = math.ceil(fraction * n_rows)  # as `train_test_split` has it
    few, many = n_held_out < n_classes, n_rows - n_held_out < n_classes
    if not few and not many:
        return
    share = n_classes / n_rows  # half of the rows at most, since each class has two
    # In whole thousandths, and one to spare where a product that is rounded up would be one row too many.
    remedy = f"{math.ceil(1000 * share) / 1000:g} or more"
    if many:
        remedy = f"{max(0.5, (math.floor(1000 * (1 - share)) - 1) / 1000):g} or less"
    raise ValueError(
        f"--holdout {fraction:g} of {n_rows:,} rows is {n_held_out:,} to measure with and {n_rows - n_held_out:,} to "
        f"train on, too few for one of each of {n_classes:,} classes. Say --holdout {remedy}, or 0 to train on all "
        "rows."
    )


def _read(source: TableFile, features: list[str], asked: Training) -> tuple["pyarrow.Table", np.ndarray]:
    """Read features and labels."""
    pa = import_pyarrow()
    batches = with_progress(source.batches([*features, asked.target]), source.n_rows, "reading", quiet=asked.quiet)
    if source.is_text:
        batches = (_cleaned_table(batch, asked.missing) for batch in batches)
    table = pa.concat_tables(batches).unify_dictionaries()
    if not len(table):
        raise ValueError(f"{asked.data} has no rows.")
    table = _with_target(table, asked)
    numerals = Numerals(asked.format.decimal) if source.is_text else None
    labels = _labels(table[asked.target], asked, numerals)
    if labels.dtype.kind == "U" and (concern := concern_about_labels(np.unique(labels), asked.target)):
        note(concern, quiet=asked.quiet)
    columns = {name: as_learnt(table[name], name, numerals) for name in features}
    for concern in concerns_about_text(columns, Booleanizer().max_categories or 0, numerals):
        note(concern, quiet=asked.quiet)
    return pa.table(columns), labels


def _feature_names(source: TableFile, asked: Training) -> list[str]:
    drop = parse_names(asked.drop, source.names)
    require_columns([asked.target], source, asked.data, "which --target names")
    require_columns(drop, source, asked.data, "which --drop names")
    if asked.target in drop:
        raise ValueError(f"--drop names {short_repr(asked.target)}, which is the target.")
    others = {asked.target, *drop}
    features = [name for name in source.names if name not in others]
    if not features:
        raise ValueError(f"{asked.data} has no column to learn from beside the target {short_repr(asked.target)}.")
    return features


def _cleaned_table(table: "pyarrow.Table", missing: Sequence[str]) -> "pyarrow.Table":
    pa = import_pyarrow()
    return pa.table({name: cleaned(table[name], missing) for name in table.column_names})


def _with_target(table: "pyarrow.Table", asked: Training) -> "pyarrow.Table":
    """Rows with a label, which should be all."""
    compute = import_pyarrow().compute
    has_label = compute.invert(compute.is_null(table[asked.target], nan_is_null=True))
    n_missing = len(table) - compute.sum(has_label).as_py()
    if n_missing == len(table):
        raise ValueError(f"the target {short_repr(asked.target)} is missing in all rows of {asked.data}.")
    if n_missing and not asked.drop_missing_target:
        raise ValueError(
            f"the target {short_repr(asked.target)} is missing in {n_missing:,} of {len(table):,} rows: say "
            "--drop-missing-target to leave these out, or see --missing for what counts as missing."
        )
    return table.filter(has_label) if n_missing else table


def _labels(column: Any, asked: Training, numerals: Numerals | None) -> np.ndarray:
    labels = as_labels(column, asked.target, numerals)
    distinct = np.unique(labels)
    if len(distinct) < 2:
        raise ValueError(
            f"the target {short_repr(asked.target)} has the one value {shorten(str(distinct[0]))} in all rows, and "
            "there must be two classes at least."
        )
    if len(distinct) == len(labels) > 2:
        raise ValueError(
            f"the target {short_repr(asked.target)} has a value of its own in each of the {len(labels):,} rows: is it "
            "an identifier?"
        )
    return labels


def _fit(clf: WTMClassifier, table: "pyarrow.Table", labels: np.ndarray, *, quiet: bool) -> WTMClassifier:
    with warnings_as_notes(quiet=quiet):
        clf.fit(table, labels)
    return clf


def _report(
    clf: WTMClassifier, table: "pyarrow.Table", labels: np.ndarray, training: np.ndarray, held_out: np.ndarray
) -> None:
    n_features = clf._model.parameters.n_features
    epochs = f"{clf.n_epochs_} epochs"
    if clf.early_stopping:
        epochs = f"epoch {clf.best_epoch_} of {len(clf.history_)}"
    typer.echo(
        f"{len(labels):,} rows, {table.num_columns:,} columns ({n_features:,} true/false features), "
        f"{len(clf.classes_):,} classes, {epochs}"
    )
    for name, rows in (("training", training), ("held-out", held_out)):
        if len(rows):
            accuracy = clf.score(table.take(rows), labels[rows])
            _, counts = np.unique(labels[rows], return_counts=True)
            typer.echo(
                f"accuracy on {len(rows):,} {name} rows: {100 * accuracy:.2f} % "
                f"(the most frequent class alone: {100 * counts.max() / len(rows):.2f} %)"
            )
