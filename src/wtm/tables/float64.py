"""Convert numbers to float64; refuse integers that float64 can't hold."""

from collections.abc import Callable

import numpy as np

LAST_EXACT = 2**53
"""Integers of at most this size are exact in float64."""


def as_float64(values: np.ndarray, label_of: Callable[[int], str]) -> np.ndarray:
    """Convert numbers to float64, finite or NaN. Integers stay exact; floats longer than float64 are rounded.

    Parameters
    ----------
    values : ndarray of shape (n,), any real or boolean dtype
    label_of : callable
        Gives the label of the column that holds the value at a position, for messages.

    Raises
    ------
    ValueError
        A number is infinite, or float64 can't hold an integer.
    """
    floats = values.astype(np.float64, copy=False)
    if not values.size:
        return floats
    if values.dtype.kind == "f":
        # One pass each for the extremes; fmax and fmin ignore NaN.
        if np.fmax.reduce(floats) == np.inf or np.fmin.reduce(floats) == -np.inf:
            raise infinity_error(label_of(int(np.isinf(floats).argmax())))
    elif values.dtype.itemsize >= 8 and max(int(values.max()), -int(values.min())) > LAST_EXACT:
        for i in np.flatnonzero(np.abs(floats) >= LAST_EXACT).tolist():
            if int(values[i]) != int(floats[i]):
                raise precision_error(label_of(i), int(values[i]))
    return floats


def precision_error(label: str, value: int) -> ValueError:
    """Return the error for a column with an integer that float64 can't hold."""
    return ValueError(
        f"{label} holds the integer {value}, but float64, in which numbers are compared, can't represent it. If the "
        "column holds identifiers, drop it or convert it to strings; else subtract a constant, such as its minimum."
    )


def infinity_error(label: str) -> ValueError:
    """Return the error for a column with an infinite number."""
    return ValueError(
        f"X contains infinity, or a number too large for float64, in {label}. Replace it with a finite number, or with "
        "NaN if the value is missing."
    )
