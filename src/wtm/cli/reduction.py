"""``wtm prune``, ``wtm refit`` and ``wtm simplify``: from a model file to one of fewer or shorter rules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import typer

from wtm.cli.column_options import target_of
from wtm.cli.errors import OptionError, options_named
from wtm.cli.labelled_rows import all_rows, rows_with_labels
from wtm.cli.model_kinds import AnyModel, Regressor
from wtm.cli.output import check_output
from wtm.cli.table_options import TableOptions
from wtm.fuzzy_classifier import FuzzyWTMClassifier
from wtm.fuzzy_regressor import FuzzyWTMRegressor
from wtm.loading import load_table_model
from wtm.table_files.open_table import STANDARD_STREAM
from wtm.utils.printable import counted

_OPTIONS = {"min_weight": "--min-weight", "C": "--C", "y": "the target"}  # by the parameters of the methods


def prune_model(model: AnyModel, X: Any, y: np.ndarray, wanted: dict[str, Any]) -> AnyModel:
    """Prune a model; the option for the largest loss must be that of its kind."""
    name, other = "--max-r2-loss", "--max-accuracy-loss"
    if isinstance(model, Regressor):
        name, other = other, name
    if name.removeprefix("--").replace("-", "_") in wanted:
        raise ValueError(f"{name} does not go with a {type(model).__name__}: use {other}.")
    pruned: AnyModel = model.prune(X, y, **wanted)
    return pruned


def reduce_with_labels(
    options: TableOptions,
    path: Path,
    out: Path,
    target: str | None,
    reduce: Callable[[AnyModel, Any, np.ndarray], AnyModel],
) -> None:
    """Make a model with the rows of a table and their labels, save it, and print what has changed."""
    model = _loaded(options, path, out)
    X, y, _ = rows_with_labels(model, options, target_of(model, target, path))
    assert y is not None
    with options_named(_OPTIONS):
        reduced = reduce(model, X, y)
    metric, spec = ("R squared", ".4f") if isinstance(model, Regressor) else ("accuracy", ".2%")
    scores = f"{model.score(X, y):{spec}} -> {reduced.score(X, y):{spec}}"
    _save(model, reduced, out, f"{metric} on {counted(len(y), 'row')}: {scores}")


def reduce_without_labels(
    options: TableOptions, path: Path, out: Path, reduce: Callable[[AnyModel, Any], AnyModel]
) -> None:
    """Make a model with the rows of a table, save it, and print what has changed."""
    model = _loaded(options, path, out)
    if isinstance(model, FuzzyWTMClassifier | FuzzyWTMRegressor):
        raise ValueError(
            f"{path} holds fuzzy rules, each of whose conditions counts: use wtm prune to get fewer rules."
        )
    X = all_rows(model, options)
    reduced = reduce(model, X)
    same, what = (
        float(np.mean(model.predict(X) == reduced.predict(X))),
        "number" if isinstance(model, Regressor) else "label",
    )
    _save(model, reduced, out, f"the same {what} on {same:.2%} of {counted(len(X), 'row')}")


def _loaded(options: TableOptions, path: Path, out: Path) -> AnyModel:
    if out == STANDARD_STREAM:
        raise OptionError("a model can't be written to standard output: give --out the name of a file.")
    check_output(out, [path, options.data], overwrite=options.overwrite)
    model: AnyModel = load_table_model(path)
    return model


def _save(model: AnyModel, reduced: AnyModel, out: Path, comparison: str) -> None:
    reduced.n_jobs = None  # a setting of this command, not of the model
    reduced.save(out, prediction_only=True)
    before, after = model.rules(), reduced.rules()
    typer.echo(f"rules: {len(before):,} -> {len(after):,}")
    typer.echo(f"conditions: {sum(before.columns['length']):,} -> {sum(after.columns['length']):,}")
    typer.echo(comparison)
    typer.echo(f"{out}: the new model, for prediction")
