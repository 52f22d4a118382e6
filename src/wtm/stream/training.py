"""Training on rows that are read batch by batch."""

from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone, is_regressor

from wtm.stream.batches import check_batches, read_batches
from wtm.stream.row_sources import RowSource
from wtm.trainable import Trainable
from wtm.validation.labels import check_classes, check_labels, class_indices
from wtm.validation.parameters import check_integer, draw_seed
from wtm.validation.targets import check_numbers

_Estimator = TypeVar("_Estimator", bound=Trainable)


def fit(
    estimator: _Estimator, rows: RowSource, *, batch_size: int = 100_000, n_epochs: int | None = None
) -> _Estimator:
    """Train a copy of an estimator on rows that need not fit in memory.

    All targets are read first, for the labels or the range of the numbers. Then each epoch reads all rows once in
    `batches`, and calls `partial_fit` with each. Thresholds and values of columns come from the first batch.

    Parameters
    ----------
    estimator : WTMClassifier, WTMRegressor or another estimator of wtm
        It is not changed. Its `random_state` decides the order of the rows too. Its `callbacks` are called after each
        batch.
    rows : ArrayRows, ParquetRows or another source of rows
    batch_size : int
        Number of rows that memory has to hold, about.
    n_epochs : int, optional
        Number of passes over all rows; that of the estimator if omitted.

    Returns
    -------
    estimator
        Fitted. `history_` has an entry for each batch, and ``class_weight="balanced"`` is replaced by the weights of
        the classes, so that `partial_fit` can resume.

    Raises
    ------
    TypeError, ValueError
        An argument, a parameter or the data can't be used, or `early_stopping` is set.
    MemoryError
        A batch needs more memory than is free.

    Warns
    -----
    UserWarning
        Batches hold too few chunks, as in `batches`.
    """
    if not isinstance(estimator, Trainable):
        raise TypeError(f"estimator must be an estimator of wtm, got a {type(estimator).__name__}.")
    if estimator.early_stopping:
        raise ValueError(
            "early_stopping=True needs all rows at once. Set it to False, and choose n_epochs by the score on rows "
            "that are kept apart."
        )
    n_epochs = estimator.n_epochs if n_epochs is None else n_epochs
    check_integer({"n_epochs": n_epochs}, "n_epochs", 1)
    check_batches(rows, batch_size)
    trained = clone(estimator)
    first_call: dict[str, Any] = {}
    labels = not is_regressor(estimator)
    if labels:
        first_call["classes"], counts = _all_labels(rows)
        if isinstance(estimator.get_params()["class_weight"], str):  # "balanced", which needs all rows
            trained.set_params(class_weight=_balanced(first_call["classes"], counts))
    elif estimator.get_params()["y_range"] is None:
        trained.set_params(y_range=_range(rows))
    order = np.random.default_rng(draw_seed(estimator.random_state))
    for _ in range(n_epochs):
        for X, y in read_batches(rows, batch_size, order):
            trained.partial_fit(X, _flat(y) if labels else y, **first_call)
            first_call = {}
    return trained


def _all_labels(rows: RowSource) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels, each once, and how many rows have each."""
    found = [np.unique(check_labels(_flat(part), "y"), return_counts=True) for part in rows.targets()]
    if not found:
        raise _no_targets()
    labels = np.concatenate([values for values, _ in found])
    classes = check_classes(labels, "y")
    positions = class_indices(labels, classes, "y")
    return classes, np.bincount(positions, np.concatenate([counts for _, counts in found])).astype(np.int64)


def _flat(labels: np.ndarray) -> np.ndarray:
    """Return labels in one dimension: a source may have them in a column."""
    return labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels


def _balanced(classes: np.ndarray, counts: np.ndarray) -> dict[Any, float]:
    """Return what `class_weight` "balanced" means for all rows."""
    weights = counts.sum() / (len(classes) * counts)
    return dict(zip(classes.tolist(), weights.tolist(), strict=True))


def _range(rows: RowSource) -> Any:
    """Return the smallest and the largest number; a pair of them for each output if there are several."""
    ends = []
    for part in rows.targets():
        numbers = check_numbers(part, "y")
        if len(numbers):
            ends.append(np.stack([numbers.min(axis=0), numbers.max(axis=0)]))
    if not ends:
        raise _no_targets()
    low, high = np.min(ends, axis=(0, 1)), np.max(ends, axis=(0, 1))
    return np.stack([low, high], axis=-1).tolist()


def _no_targets() -> ValueError:
    return ValueError("rows must have a target for each row, but its targets() gave none.")
