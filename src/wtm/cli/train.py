"""``wtm train``: from a file with a table to a model file, measured on rows held out."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import typer
from sklearn.base import clone

from wtm.booleanizer import STRATEGIES, Booleanizer
from wtm.classifier import WTMClassifier
from wtm.cli.cluster import check_cluster_options, connected, files_on_cluster, refuse_several
from wtm.cli.cluster_table import read_on_cluster
from wtm.cli.errors import OptionError
from wtm.cli.holdout import divide, divide_numbers, worth
from wtm.cli.model_kinds import AnyModel, Regressor, kind_to_train
from wtm.cli.notes import warnings_as_notes
from wtm.cli.output import check_output
from wtm.cli.table_options import TableOptions
from wtm.cli.training_table import TrainingTable, feature_names, read_table
from wtm.table_files.open_table import STANDARD_STREAM, open_table
from wtm.tables.split_thresholds import MIN_ROWS
from wtm.utils.printable import counted, short_repr
from wtm.validation.parameters import check_parameters


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
    dask: str | None,
) -> None:
    """Train a model with `parameters`, measure it and save it; on a cluster if `dask` is the address of one."""
    if dask is None:
        refuse_several(options)
    else:
        check_cluster_options(options, thresholds, early_stopping=bool(parameters.get("early_stopping")))
    model = _new_model(options, parameters, thresholds, regression=regression, fuzzy=fuzzy, readable=readable)
    try:
        check_parameters(model.get_params(deep=False))
    except ValueError as error:
        name, reason = str(error).split(" ", 1)
        if name == "average_last" and name not in parameters:  # the votes of that many epochs are clauses in prediction
            name, reason = "n_clauses", f"{parameters['n_clauses']} is too large with --regression: use fewer."
        raise OptionError(f"{_option(name)} {_with_options(reason)}") from None
    if out == STANDARD_STREAM:
        raise OptionError("a model can't be written to standard output: give --out the name of a file.")
    with _opened(options, target, out, drop, dask, regression, drop_missing_target) as table:
        n_rows = len(table.y)
        if regression:
            training, held_out = divide_numbers(n_rows, holdout, model.random_state)
        else:
            training, held_out = divide(table.y, holdout, model.random_state)
        with warnings_as_notes(options.note, table.noted):
            model = table.fit(model, training)
            lines = [_summary(model, table), *worth(model, table.predict, table.y, training, held_out)]
            if refit and len(held_out):
                model = table.fit(clone(model), np.arange(n_rows))
            if model.booleanizer_ is not None and model.booleanizer_.strategy_ != thresholds:
                options.note(f"--thresholds {thresholds} needs {MIN_ROWS:,} rows to train on: quantile was used.")
    # Kept in the model file, for `wtm predict` and `wtm evaluate`.
    model.target_name_ = target
    if table.is_csv and options.format.given():
        model.csv_format_ = options.format.to_json()
    model.verbose, model.n_jobs = 0, None  # settings of this training, not of the model
    model.save(out)
    rows = "all rows" if refit or not len(held_out) else "the training rows"
    for line in (*lines, f"{out}: the model trained on {rows}"):  # once the file is there, if a pipe closes
        typer.echo(line)


def _option(parameter: str) -> str:
    """Return the option that gives a parameter."""
    name = parameter if parameter == "n_shards" else parameter.removeprefix("n_")
    return "--" + name.replace("_", "-")


def _with_options(text: str) -> str:
    """Write the parameters that a message names as options."""
    return re.sub(r"\b(n_\w+)(=?)", lambda found: _option(found[1]) + (" " if found[2] else ""), text)


@contextmanager
def _opened(
    options: TableOptions,
    target: str,
    out: Path,
    drop: Sequence[str],
    dask: str | None,
    regression: bool,
    drop_missing_target: bool,
) -> Iterator[TrainingTable]:
    """Open the table to learn from."""
    rows = {"regression": regression, "drop_missing_target": drop_missing_target}
    if dask is not None:
        with connected(dask) as client:
            files = files_on_cluster(options)
            features = feature_names(files, target, drop, options)
            check_output(out, files.paths, overwrite=options.overwrite)
            yield read_on_cluster(client, files, features, target, options, **rows)
        return
    with open_table(options.data, options.format) as source:
        features = feature_names(source, target, drop, options)
        check_output(out, [options.data], overwrite=options.overwrite)
        table = read_table(source, features, target, options, **rows)
    yield table


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


def _summary(model: AnyModel, table: TrainingTable) -> str:
    """Return the size of a table, what is predicted, and how long a model was trained."""
    epochs = counted(model.n_epochs_, "epoch")
    if model.early_stopping:
        epochs = f"epoch {model.best_epoch_} of {len(model.history_)}"
    assert model.booleanizer_ is not None
    features = counted(model.booleanizer_.n_features_out_, "true/false feature")
    if isinstance(model, Regressor):
        outputs = f"numbers from {table.y.min():g} to {table.y.max():g}"
    else:
        outputs = f"{len(model.classes_):,} classes"
    return f"{counted(len(table.y), 'row')}, {counted(table.n_columns, 'column')} ({features}), {outputs}, {epochs}"
