"""``wtm evaluate``: compare the predictions for a file with its target."""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss

from wtm.cli.column_options import named_target, target_of
from wtm.cli.model_kinds import AnyModel, Classifier, Regressor
from wtm.cli.output import check_output
from wtm.cli.predictions import PREDICTION, predictions_for, probability_names
from wtm.cli.regression_metrics import regression_metrics, spelled_r_squared
from wtm.cli.table_options import TableOptions
from wtm.loading import load_table_model
from wtm.table_files.open_table import STANDARD_STREAM
from wtm.table_files.target_labels import labels_of_model, numbers_of_model
from wtm.utils.atomic_write import atomic_write
from wtm.utils.printable import counted, escape

_WIDTH = 10_000  # so that nothing is cut where nobody looks


def evaluate(
    options: TableOptions, model: Path, target: str | None, out: Path | None, *, drop_missing_target: bool
) -> None:
    """Print the metrics, or write them as JSON."""
    loaded: AnyModel = load_table_model(model)
    if isinstance(loaded, Regressor) and loaded.n_outputs_ > 1:
        raise ValueError(f"{model} predicts {loaded.n_outputs_} numbers per row: evaluate it in Python.")
    target = target_of(loaded, target, model)
    with predictions_for(loaded, options, proba=isinstance(loaded, Classifier)) as predictions:
        source = predictions.source
        named_target(target, source, "the target of the model")
        if out is not None and out != STANDARD_STREAM:
            check_output(out, [model, options.data], overwrite=options.overwrite)
        with closing(predictions.batches([target])) as batches:
            parts = [(batch.select([target]), found) for batch, found in batches]
    batches_read = [batch for batch, _ in parts]
    if isinstance(loaded, Regressor):
        rows, y = numbers_of_model(batches_read, target, source, drop_missing=drop_missing_target)
        metrics = regression_metrics(y, _found(parts, rows)[PREDICTION], float(np.mean(y)))
    else:
        rows, y = labels_of_model(batches_read, target, loaded.classes_, source, drop_missing=drop_missing_target)
        metrics = _classification_metrics(loaded, y, _found(parts, rows))
    if out is None:
        show = _print_regression if isinstance(loaded, Regressor) else _print_classification
        show(metrics)
    elif out == STANDARD_STREAM:
        typer.echo(json.dumps(metrics, indent=2))
    else:
        with atomic_write(out) as file:
            file.write(json.dumps(metrics, indent=2).encode() + b"\n")


def _found(parts: Sequence[tuple[Any, dict[str, np.ndarray]]], rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns with predictions of all batches together, for these rows."""
    return {name: np.concatenate([part[name] for _, part in parts])[rows] for name in parts[0][1]}


def _classification_metrics(clf: Classifier, labels: np.ndarray, found: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the metrics as plain data, in the order in which they are printed."""
    classes = clf.classes_.tolist()
    counts = Counter(labels.tolist())
    probabilities = np.column_stack([found[name] for name in probability_names(clf)])
    return {
        "rows": len(labels),
        "accuracy": accuracy_score(labels, found[PREDICTION]),
        "accuracy_of_most_frequent_class": max(counts.values()) / len(labels),
        "log_loss": log_loss(labels, probabilities, labels=clf.classes_),
        "classes": classes,
        "confusion_matrix": confusion_matrix(labels, found[PREDICTION], labels=clf.classes_).tolist(),
    }


def _print_regression(metrics: dict[str, Any]) -> None:
    typer.echo(
        f"RMSE on {counted(metrics['rows'], 'row')}: {metrics['rmse']:.4g} "
        f"(always predicting their mean: {metrics['rmse_of_mean']:.4g})"
    )
    typer.echo(f"mean absolute error: {metrics['mean_absolute_error']:.4g}")
    typer.echo(spelled_r_squared(metrics))


def _print_classification(metrics: dict[str, Any]) -> None:
    typer.echo(
        f"accuracy on {counted(metrics['rows'], 'row')}: {100 * metrics['accuracy']:.2f} % "
        f"(the most frequent class alone: {100 * metrics['accuracy_of_most_frequent_class']:.2f} %)"
    )
    typer.echo(f"log loss: {metrics['log_loss']:.4f}\n")
    classes = [escape(str(label)) for label in metrics["classes"]]
    table = Table("label", *classes)
    for label, counts in zip(classes, metrics["confusion_matrix"], strict=True):
        table.add_row(label, *(f"{count:,}" for count in counts))
    typer.echo("rows by their label (down) and their prediction (across):")
    Console(width=None if Console().is_terminal else _WIDTH, markup=False, emoji=False).print(table)
