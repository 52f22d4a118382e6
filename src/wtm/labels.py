"""Labels of the caller's kind, and the class indices that machines know."""

from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

__all__ = ["check_labels", "check_number_of_classes", "class_indices", "unique_labels"]


def unique_labels(labels: Any, name: str) -> np.ndarray:
    """Return the sorted labels, each once.

    Raises
    ------
    ValueError
        `labels`, the argument called `name`, is no list of labels.
    """
    _check_one_kind(labels, name)
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(f"{name} must be a list of labels, got {labels!r} of shape {labels.shape}.")
    if labels.dtype.kind in "mM":
        raise _unknown_kind(name, f"dates or times of dtype {labels.dtype}: turn them into strings")
    if labels.dtype.kind in "fcO":
        missing = [label for label in labels.tolist() if label is None or label != label]
        if missing:
            raise ValueError(f"{name} must hold a label for each row, but holds the missing value {missing[0]!r}.")
    try:
        check_classification_targets(labels)
        return np.unique(labels)
    except (ValueError, TypeError) as error:
        found = "continuous numbers" if labels.dtype.kind == "f" else "others"
        raise _unknown_kind(name, f"{labels[0]!r} and {found} of dtype {labels.dtype}") from error


def check_number_of_classes(classes: np.ndarray, name: str) -> None:
    """Refuse fewer than two classes: there would be nothing to tell apart."""
    if len(classes) < 2:
        one = "one class" if len(classes) else "none"
        raise ValueError(f"{name} must hold at least two classes, got {one}: {classes}.")


def class_indices(y: np.ndarray, classes: np.ndarray, name: str) -> np.ndarray:
    """Return the place in `classes`, which are sorted, of each label; int64 of shape (n_rows,).

    Raises
    ------
    ValueError
        A label is none of the classes.
    """
    known = np.isin(y, classes)
    if not known.all():
        raise ValueError(f"{name} holds the label {y[~known][0]!r}, which is none of the classes {classes}.")
    return np.searchsorted(classes, y).astype(np.int64)


def check_labels(y: Any, name: str) -> np.ndarray:
    """Return labels as a flat array without missing numbers."""
    if y is None:
        raise ValueError(f"This classifier requires {name} to be passed, but the target {name} is None.")
    _check_one_kind(y, name)
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name=name)
    return y


def _check_one_kind(labels: Any, name: str) -> None:
    """Refuse a list of strings and others, of which NumPy would make strings without a word: of 1 the label "1"."""
    if not isinstance(labels, list | tuple) or np.asarray(labels).dtype.kind != "U":
        return
    others = [label for label in np.array(labels, object).ravel() if not isinstance(label, str)]
    if others:
        raise _unknown_kind(name, f"strings and {others[0]!r}")


def _unknown_kind(name: str, found: str) -> ValueError:
    return ValueError(
        f"Unknown label type: {name} must hold integers, strings, booleans or whole floats as labels, all of one "
        f"kind; got {found}."
    )
