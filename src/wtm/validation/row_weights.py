"""Check the caller's sample and class weights, and convert them to weights of rows."""

import math
import numbers
from typing import Any, NamedTuple

import numpy as np

from wtm.tables.lazy_tables import refuse_lazy
from wtm.validation.real_numbers import real_numbers

_MAX_EXAMPLES = 1 << 28
_COUNT_BITS = 40
_SHARES_ROUNDING = 1e-6  # of shares in single precision


def sample_weights(sample_weight: Any, n_rows: int, name: str = "sample_weight") -> np.ndarray | None:
    """Check the weights of rows.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), number or None
    n_rows : int
    name : str
        The argument's name, for messages.

    Returns
    -------
    ndarray of shape (n_samples,), float64, or None if `sample_weight` is None

    Raises
    ------
    TypeError
        `sample_weight` is a lazy table, or holds something that is neither a number nor text.
    ValueError
        A weight is negative, infinite, missing or text, all are zero, or there is not one for each row.
    """
    if sample_weight is None:
        return None
    refuse_lazy(sample_weight, name)
    if np.ma.is_masked(sample_weight):
        raise ValueError(f"{name} must hold a weight for each row, but some are masked. Fill in the masked values.")
    is_array = isinstance(sample_weight, np.ndarray)
    if isinstance(sample_weight, numbers.Real) or (is_array and not sample_weight.ndim):
        weights = np.full(n_rows, real_numbers(np.atleast_1d(np.asarray(sample_weight)), name))
    else:
        weights = real_numbers(sample_weight, name)
    if weights.shape != (n_rows,):
        raise ValueError(f"{name} must hold a weight for each of the {n_rows} rows, got shape {weights.shape}.")
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"{name} must not be negative, but row {row} has the weight {weights[row]}. Use 0 to leave out a row."
        )
    if not weights.any():
        raise ValueError(f"{name} must not be zero for all {n_rows} rows. Give a row a weight above 0.")
    return weights


def mean_one_if_shares(weights: np.ndarray) -> np.ndarray:
    """Scale weights that add up to at most 1 to a mean of 1, and return others as they are.

    Such weights are shares, as those of `sklearn.ensemble.AdaBoostClassifier`: as numbers of times that an epoch sees
    each row they would make an epoch of a single example. Equal shares become exactly 1.

    Parameters
    ----------
    weights : ndarray of shape (n_samples,), float64
        All above 0.
    """
    return WeightScale.of(weights).scaled(weights)


def integer_weights(weights: np.ndarray) -> np.ndarray:
    """Convert weights to integers, so that their sums are exact in any order.

    Parameters
    ----------
    weights : ndarray of shape (n_samples,), float64
        All above 0.

    Returns
    -------
    ndarray of shape (n_samples,), int64
        At least 1. Whole weights are kept if their sum is certain to stay below 2**40. Otherwise all weights are
        scaled by a power of 2 that ensures this, and rounded.
    """
    return _to_integers(weights, _integer_exponent(weights))


class WeightScale(NamedTuple):
    """How weights are scaled, which depends on those of all rows; then each row's can be scaled alone.

    Attributes
    ----------
    total : float or None
        The sum of the weights if they are shares, else None.
    n_rows : int
    exponent : int
        Of the power of 2 by which scaled weights are multiplied before they are rounded to integers.
    """

    total: float | None
    n_rows: int
    exponent: int

    @classmethod
    def of(cls, weights: np.ndarray) -> "WeightScale":
        """Return the scale of the weights of all rows, which are above 0."""
        scale = cls(_total_of_shares(weights), len(weights), 0)
        return scale._replace(exponent=_integer_exponent(scale.scaled(weights)))

    def scaled(self, weights: np.ndarray) -> np.ndarray:
        """Do what `mean_one_if_shares` does with the weights of some rows."""
        if self.total is None:
            return weights
        scaled: np.ndarray = weights / self.total * self.n_rows
        whole = np.rint(scaled)
        return np.where((whole > 0) & (np.abs(scaled - whole) < _SHARES_ROUNDING), whole, scaled)

    def integers(self, scaled: np.ndarray) -> np.ndarray:
        """Do what `integer_weights` does with the scaled weights of some rows."""
        return _to_integers(scaled, self.exponent)


def _total_of_shares(weights: np.ndarray) -> float | None:
    if weights.max() > 2 or weights.sum() > 2:  # far from it
        return None
    total = math.fsum(weights)  # the same in any order
    return None if total > 1 + _SHARES_ROUNDING else total


def _integer_exponent(weights: np.ndarray) -> int:
    bits = math.frexp(weights.max())[1] + len(weights).bit_length()
    return _COUNT_BITS - bits if bits > _COUNT_BITS or (weights != np.floor(weights)).any() else 0


def _to_integers(weights: np.ndarray, exponent: int) -> np.ndarray:
    counts: np.ndarray = np.maximum(1, np.rint(np.ldexp(weights, exponent))).astype(np.int64)
    return counts


def class_weights(
    class_weight: Any, classes: np.ndarray, labels: np.ndarray, weights: np.ndarray | None
) -> np.ndarray | None:
    """Return the factor by which each class multiplies the weights of its rows.

    Parameters
    ----------
    class_weight : None, "balanced" or dict from label to weight
        "balanced" gives all classes the same total: n_samples / (n_classes * samples of the class), both counted by
        weight.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    labels : ndarray of shape (n_samples,), int64
        Class indices.
    weights : ndarray of shape (n_samples,), float64, or None
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_classes,), float64, or None if `class_weight` is None

    Raises
    ------
    ValueError
        A weight is negative or not finite, all are zero, or a label is not one of the classes.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if weights is not None:  # added from the smallest on, so that the sums are the same in any order of the rows
            ascending = np.argsort(weights)
            labels, weights = labels[ascending], weights[ascending]
        counted = np.bincount(labels, weights, minlength=len(classes))
        return math.fsum(counted) / (len(classes) * np.maximum(counted, np.finfo(float).tiny))
    unknown = [label for label in class_weight if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"class_weight names the label {unknown[0]!r}, which is not one of the classes {classes}.")
    given = [class_weight.get(label, 1.0) for label in classes.tolist()]
    are_numbers = all(isinstance(weight, numbers.Real) for weight in given)
    found = np.array(given if are_numbers else [np.nan], np.float64)
    if not (np.isfinite(found).all() and (found >= 0).all() and found[labels].any()):
        raise ValueError(f"class_weight must hold finite weights of 0 or more, not all zero; got {class_weight!r}.")
    return found


def check_total(weights: np.ndarray | None) -> None:
    """Refuse weights so large that an epoch would take forever: a row of weight w is seen w times."""
    if weights is None:
        return
    total = weights.sum()
    if total > max(_MAX_EXAMPLES, len(weights)):
        raise ValueError(
            f"sample_weight times class_weight adds up to {total:.3g}, so an epoch would see this many examples. At "
            f"most {_MAX_EXAMPLES:,} are possible: divide all weights by their mean."
        )
