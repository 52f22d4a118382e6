"""Check the targets that thresholds are to separate."""

from typing import Any

import numpy as np

from wtm.tables.lazy_tables import refuse_lazy
from wtm.validation.labels import check_labels
from wtm.validation.targets import check_numbers

_MOST_LABELS = 100


def separated_targets(y: Any, n_rows: int) -> np.ndarray:
    """Return the targets of rows as class indices or numbers.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Text, booleans, and whole numbers of up to 100 different values are labels; all else are numbers.
    n_rows : int

    Returns
    -------
    ndarray
        Class indices, int64 of shape (n_samples,), or numbers, float64 of shape (n_samples, n_outputs).

    Raises
    ------
    TypeError, ValueError
        `y` is missing or can't be used.
    """
    if y is None:
        raise ValueError(
            "strategy='splits' requires y to be passed, but the target y is None. Pass y, or use strategy='quantile'."
        )
    refuse_lazy(y, "y")
    values = np.asarray(y)
    has_several = values.ndim > 1 and values.shape[1] != 1
    has_fractions = values.dtype.kind == "f" and bool((values != np.rint(values)).any())
    targets = None if has_several or has_fractions else _class_indices(y)
    if targets is None:
        numbers = check_numbers(y, "y")
        targets = numbers.reshape(len(numbers), -1)
    if len(targets) != n_rows:
        raise ValueError(f"y must have a target for each of the {n_rows} rows, got {len(targets)}.")
    return targets


def _class_indices(y: Any) -> np.ndarray | None:
    """Return class indices, or None if there are too many different numbers for labels."""
    labels = check_labels(y, "y")
    classes, indices = np.unique(labels, return_inverse=True)
    return None if len(classes) > _MOST_LABELS and labels.dtype.kind in "iuf" else indices.astype(np.int64)
