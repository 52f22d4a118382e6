"""How much each row counts: the caller's sample and class weights, checked and put into numbers."""

import math
import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_array

__all__ = ["check_total", "class_weights", "sample_weights", "times_counted"]

_MOST_EXAMPLES = 1 << 28
_COUNTED_BITS = 40


def sample_weights(sample_weight: Any, n_rows: int, name: str = "sample_weight") -> np.ndarray | None:
    """Check the weights of rows.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,), number or None
    n_rows : int
    name : str
        The argument's name, for messages.

    Returns
    -------
    ndarray of shape (n_rows,), float64, or None where none were given

    Raises
    ------
    ValueError
        A weight is negative, NaN, masked or infinite, the number of weights is not that of the rows, or all are zero.
    """
    if sample_weight is None:
        return None
    if np.ma.is_masked(sample_weight):
        raise ValueError(f"{name} must hold a weight for each row, but some are masked: fill them in.")
    if isinstance(sample_weight, numbers.Number):
        sample_weight = np.full(n_rows, sample_weight)
    weights = check_array(sample_weight, ensure_2d=False, allow_nd=True, dtype=np.float64, input_name=name)
    if weights.shape != (n_rows,):
        raise ValueError(f"{name} must hold a weight for each of the {n_rows} rows, got shape {weights.shape}.")
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(f"{name} must not be negative, but row {row} has the weight {weights[row]}.")
    if not weights.any():
        raise ValueError(f"{name} must not be zero for all rows: at least one weight must be greater.")
    return weights


def times_counted(weights: np.ndarray) -> np.ndarray:
    """Weights of rows as whole numbers, so that sums of them are exact in any order.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,), float64
        All above 0.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        At least 1. Whole weights stay as they are, where their sum is sure to be below 2**40; others are multiplied by
        the power of 2 that makes it so, and rounded.
    """
    bits = math.frexp(weights.max())[1] + len(weights).bit_length()
    if bits > _COUNTED_BITS or (weights != np.floor(weights)).any():
        weights = np.ldexp(weights, _COUNTED_BITS - bits)
    return np.maximum(1, np.rint(weights)).astype(np.int64)


def class_weights(
    class_weight: Any, classes: np.ndarray, labels: np.ndarray, weights: np.ndarray | None
) -> np.ndarray | None:
    """What the rows of each class are weighted with, on top of their own weights.

    Parameters
    ----------
    class_weight : None, "balanced" or dict from label to weight
        "balanced" makes all classes count the same: n_rows / (n_classes * rows of the class), counted by `weights`.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    labels : ndarray of shape (n_rows,), int64
        Class indices.
    weights : ndarray of shape (n_rows,), float64, or None
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_classes,), float64, or None where `class_weight` is

    Raises
    ------
    ValueError
        A weight is negative, NaN or infinite, or all are zero; a label is none of the classes.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        counted = np.bincount(labels, weights, minlength=len(classes))
        return math.fsum(counted) / (len(classes) * np.maximum(counted, np.finfo(float).tiny))
    unknown = [label for label in class_weight if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"class_weight names the label {unknown[0]!r}, which is none of the classes {classes}.")
    given = [class_weight.get(label, 1.0) for label in classes.tolist()]
    are_numbers = all(isinstance(weight, numbers.Real) for weight in given)
    found = np.array(given if are_numbers else [np.nan], np.float64)
    if not (np.isfinite(found).all() and (found >= 0).all() and found[labels].any()):
        raise ValueError(f"class_weight must hold finite weights of 0 or more, not all zero; got {class_weight!r}.")
    return found


def check_total(weights: np.ndarray | None) -> None:
    """Refuse an epoch that would never end: a row of weight w is seen w times."""
    if weights is None:
        return
    total = weights.sum()
    if total > max(_MOST_EXAMPLES, len(weights)):
        raise ValueError(
            f"sample_weight times class_weight adds up to {total:.3g}, and an epoch would see as many examples; at "
            f"most {_MOST_EXAMPLES} are possible. Divide the weights by a common number."
        )
