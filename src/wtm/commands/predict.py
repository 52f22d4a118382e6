"""``wtm predict``: a model file and a file with a table become predictions, some rows at a time."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wtm.classifier import WTMClassifier
from wtm.commands import MISSING
from wtm.commands.columns import note, parse_names, require_columns, warnings_as_notes, with_progress
from wtm.commands.files import Format, TableFile, import_pyarrow, open_table
from wtm.commands.output import STDOUT, check_table_output, table_writer
from wtm.commands.values import as_conditions_need, cleaned
from wtm.modelfile import load_model

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
    check_table_output(asked.out, [asked.model, asked.data], overwrite=asked.overwrite)
    source = open_table(asked.data, asked.format)
    clf = load_model(asked.model)
    clf.n_jobs = asked.n_jobs
    needed = _needed_columns(clf, source, asked.data)
    kept = parse_names(asked.keep, source.names)
    require_columns(kept, source, asked.data, "which --keep names")
    _check_names(clf, kept, proba=asked.proba)
    n_rows = 0
    with table_writer(asked.out) as write:
        batches = source.batches(list(dict.fromkeys([*needed, *kept])))
        hides = asked.quiet or (asked.out == STDOUT and sys.stdout.isatty())  # no bar between the predictions
        shown = with_progress(batches, source.n_rows, "predicting", quiet=hides)
        with warnings_as_notes(quiet=asked.quiet), closing(shown):
            for batch in shown:
                table = _as_model_needs(clf, batch, needed, _missing(clf, asked.missing), source, n_rows + 1)
                write(_with_kept(batch, kept, _predictions(clf, table, proba=asked.proba)))
                n_rows += len(batch)
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


def _as_model_needs(
    clf: WTMClassifier, batch: "pyarrow.Table", names: list[str], missing: Sequence[str], source: TableFile,
    first_row: int,
) -> "pyarrow.Table":  # fmt: skip
    booleanizer = clf.booleanizer_
    conditions: Sequence[Any] = [None] * len(names) if booleanizer is None else booleanizer.conditions_
    columns = {}
    for name, needs in zip(names, conditions, strict=True):
        column = cleaned(batch[name], missing) if source.is_text else batch[name]
        columns[name] = as_conditions_need(column, name, needs, first_row)
    return import_pyarrow().table(columns)


def _predictions(clf: WTMClassifier, table: "pyarrow.Table", *, proba: bool) -> Iterator[tuple[str, Any]]:
    """Names and arrays of the new columns."""
    with warnings.catch_warnings():
        # Of names that a model without names is given: their number was checked.
        warnings.filterwarnings("ignore", message="X has feature names", category=UserWarning)
        yield _PREDICTION, clf.predict(table)
        if proba:
            yield from zip(_probability_names(clf), clf.predict_proba(table).T, strict=True)


def _probability_names(clf: WTMClassifier) -> list[str]:
    return [f"probability_{label}" for label in clf.classes_]


def _check_names(clf: WTMClassifier, kept: list[str], *, proba: bool) -> None:
    new = [_PREDICTION, *(_probability_names(clf) if proba else [])]
    clash = next((name for name in kept if name in new), None)
    if clash is not None:
        raise ValueError(f"--keep {clash}: the predictions have a column of this name. Rename it in the data.")


def _with_kept(batch: "pyarrow.Table", kept: list[str], predictions: Iterator[tuple[str, Any]]) -> "pyarrow.Table":
    """Kept columns as they stand in the file, and the predictions."""
    pa = import_pyarrow()
    columns = {name: batch[name] for name in kept}
    columns |= {name: pa.array(values) for name, values in predictions}
    return pa.table(columns)
