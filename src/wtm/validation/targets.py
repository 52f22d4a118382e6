"""Check the caller's numbers to predict, and scale them to the targets of machines."""

import sys
from typing import Any

import numpy as np

from wtm.tables.lazy_tables import refuse_lazy
from wtm.utils.printable import short_repr
from wtm.validation.real_numbers import real_numbers


def check_numbers(y: Any, name: str) -> np.ndarray:
    """Return the numbers of rows as an array.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    name : str
        The argument's name, for messages.

    Returns
    -------
    ndarray of shape (n_samples,) or (n_samples, n_outputs), float64

    Raises
    ------
    TypeError
        `y` is a lazy table, or holds something that is not a number.
    ValueError
        `y` is missing, holds NaN or infinity, or has another shape.
    """
    if y is None:
        raise ValueError(f"This regressor requires {name} to be passed, but the target {name} is None.")
    refuse_lazy(y, name)
    if np.ma.is_masked(y):
        raise ValueError(f"{name} must hold a number for each row, but some are masked. Remove such rows.")
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(y, polars.Series | polars.DataFrame):
        y = y.to_numpy()  # scikit-learn does not see that its nulls are missing numbers
    numbers = real_numbers(y, name)
    if numbers.ndim not in (1, 2) or (numbers.ndim == 2 and not numbers.shape[1]):
        raise ValueError(
            f"{name} must have a number per row, or a row of numbers for several outputs, got an array of shape "
            f"{numbers.shape}."
        )
    return numbers


def check_range(y_range: Any, n_outputs: int) -> np.ndarray:
    """Return the range of each output, float64 of shape (n_outputs, 2), from the parameter `y_range`.

    Raises
    ------
    TypeError
        It holds something that is not a number.
    ValueError
        It is not a pair of finite numbers, the smaller first, or a pair per output.
    """
    found = _as_numbers(y_range)
    if found.shape == (2,):
        found = np.tile(found, (n_outputs, 1))
    if found.shape != (n_outputs, 2) or not np.isfinite(found).all() or (found[:, 0] > found[:, 1]).any():
        pairs = "" if n_outputs == 1 else f", or {n_outputs} such pairs, one per output"
        raise ValueError(
            f"y_range must be the smallest and the largest number to predict, such as (0, 100){pairs}; got "
            f"{short_repr(y_range)}."
        )
    return found


def _as_numbers(y_range: Any) -> np.ndarray:
    try:
        given = np.array(y_range)  # fails if the pairs differ in length
    except ValueError:
        return np.empty(0)
    try:
        if given.dtype.kind in "iufO" and not any(isinstance(number, str | bytes) for number in given.flat):
            return given.astype(np.float64)
    except (TypeError, OverflowError):
        pass
    raise TypeError(f"y_range must hold numbers, such as (0, 100), got {short_repr(y_range)}.")


def to_shares(numbers: np.ndarray, ranges: np.ndarray) -> np.ndarray:
    """Scale numbers to shares of T: the lower end of the range of their output to -1, and the upper end to 1.

    Numbers outside have shares beyond -1 and 1, and those of an output whose range is a single number are 0.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples, n_outputs), float64
    ranges : ndarray of shape (n_outputs, 2), float64

    Returns
    -------
    ndarray of shape (n_samples, n_outputs), float64
    """
    middle, half = middle_and_half(ranges)
    shares: np.ndarray = (numbers - middle) / np.where(half > 0, half, np.inf)
    return shares


def to_numbers(shares: np.ndarray, ranges: np.ndarray) -> np.ndarray:
    """Do the reverse of `to_shares`; shares beyond -1 and 1 are clipped."""
    middle, half = middle_and_half(ranges)
    numbers: np.ndarray = middle + np.clip(shares, -1.0, 1.0) * half
    return numbers


def middle_and_half(ranges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the middle of each range and half of its width, without overflow."""
    low, high = ranges[:, 0] / 2, ranges[:, 1] / 2
    return low + high, high - low
