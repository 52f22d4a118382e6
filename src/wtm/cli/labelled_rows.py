"""All rows of a file, and their labels or numbers, for what is counted on them."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from wtm.cli.column_options import named_target
from wtm.cli.model_kinds import AnyModel, Regressor
from wtm.cli.predictions import Predictions, predictions_for
from wtm.cli.table_options import TableOptions
from wtm.table_files.arrow import pa
from wtm.table_files.target_labels import labels_of_model, numbers_of_model


def all_rows(model: AnyModel, options: TableOptions) -> Any:
    """Return the table that the model takes."""
    with predictions_for(model, options) as predictions:
        return _joined(_parts(predictions, []))


def rows_with_labels(
    model: AnyModel, options: TableOptions, target: str | None = None
) -> tuple[Any, np.ndarray | None, np.ndarray]:
    """Return the table that the model takes, the labels or numbers, and the places of the rows in the file.

    Without a column of them, they are None and all rows are returned; otherwise those that have one. `target` names
    the column. By default it is that of the training, which the file may lack.
    """
    with predictions_for(model, options) as predictions:
        source = predictions.source
        if target is not None:
            named_target(target, source)
        known = getattr(model, "target_name_", None) if target is None else target
        others = [known] if isinstance(known, str) and known in source.names else []
        parts = _parts(predictions, others)
    X = _joined(parts)
    if not others:
        of_numbers, of_labels = "numbers, so no error is measured", "labels, so precision is not counted"
        lacking = of_numbers if isinstance(model, Regressor) else of_labels
        options.note(f"{source.name} has no column with {lacking}.")
        return X, None, np.arange(len(X))
    batches = [batch for batch, _ in parts]
    if isinstance(model, Regressor):
        rows, y = numbers_of_model(batches, others[0], source, drop_missing=True)
    else:
        rows, y = labels_of_model(batches, others[0], model.classes_, source, drop_missing=True)
    return X.take(rows), y, rows


def _parts(predictions: Predictions, others: Sequence[str]) -> list[tuple[Any, Any]]:
    """Return the batches, with the columns `others` in them, and the tables that the model takes."""
    with closing(predictions.tables(others)) as batches:
        parts = list(batches)
    if not sum(len(table) for _, table in parts):
        raise ValueError(f"{predictions.source.name} has no rows to evaluate the rules on.")
    return parts


def _joined(parts: Sequence[tuple[Any, Any]]) -> Any:
    return pa.concat_tables([table for _, table in parts])
