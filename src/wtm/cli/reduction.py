"""``wtm prune``, ``wtm refit`` and ``wtm simplify``: from a model file to one of fewer or shorter rules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import typer

from wtm.classifier import WTMClassifier
from wtm.cli.column_options import target_of
from wtm.cli.errors import OptionError, options_named
from wtm.cli.labelled_rows import all_rows, rows_with_labels
from wtm.cli.output import check_output
from wtm.cli.table_options import TableOptions
from wtm.loading import load_classifier
from wtm.table_files.open_table import STANDARD_STREAM
from wtm.utils.printable import counted

_OPTIONS = {"min_weight": "--min-weight", "C": "--C", "y": "the target"}  # by the parameters of the methods


def reduce_with_labels(
    options: TableOptions,
    model: Path,
    out: Path,
    target: str | None,
    reduce: Callable[[WTMClassifier, Any, np.ndarray], WTMClassifier],
) -> None:
    """Make a model with the rows of a table and their labels, save it, and print what has changed."""
    clf = _loaded(options, model, out)
    X, y, _ = rows_with_labels(clf, options, target_of(clf, target, model))
    assert y is not None
    with options_named(_OPTIONS):
        reduced = reduce(clf, X, y)
    accuracy = f"accuracy on {counted(len(y), 'row')}: {clf.score(X, y):.2%} -> {reduced.score(X, y):.2%}"
    _save(clf, reduced, out, accuracy)


def reduce_without_labels(
    options: TableOptions, model: Path, out: Path, reduce: Callable[[WTMClassifier, Any], WTMClassifier]
) -> None:
    """Make a model with the rows of a table, save it, and print what has changed."""
    clf = _loaded(options, model, out)
    X = all_rows(clf, options)
    reduced = reduce(clf, X)
    same = float(np.mean(clf.predict(X) == reduced.predict(X)))
    _save(clf, reduced, out, f"the same label on {same:.2%} of {counted(len(X), 'row')}")


def _loaded(options: TableOptions, model: Path, out: Path) -> WTMClassifier:
    if out == STANDARD_STREAM:
        raise OptionError("a model can't be written to standard output: give --out the name of a file.")
    check_output(out, [model, options.data], overwrite=options.overwrite)
    return load_classifier(model)


def _save(clf: WTMClassifier, reduced: WTMClassifier, out: Path, comparison: str) -> None:
    reduced.n_jobs = None  # a setting of this command, not of the model
    reduced.save(out, prediction_only=True)
    before, after = clf.rules(), reduced.rules()
    typer.echo(f"rules: {len(before):,} -> {len(after):,}")
    typer.echo(f"conditions: {before.n_conditions:,} -> {after.n_conditions:,}")
    typer.echo(comparison)
    typer.echo(f"{out}: the new model, for prediction")
