"""Convert the caller's numbers, one or more per row, to float64."""

from typing import Any

import numpy as np
from sklearn.utils import check_array

from wtm.utils.printable import shorten


def real_numbers(values: Any, name: str) -> np.ndarray:
    """Return numbers as an array of any shape, float64.

    Parameters
    ----------
    values : array-like
    name : str
        The argument's name, for messages.

    Raises
    ------
    TypeError
        A value is complex, or is not a number, and is no text either.
    ValueError
        A value is text, too large for float64, infinite or missing.
    """
    if getattr(getattr(values, "dtype", None), "kind", None) in tuple("mM"):
        raise TypeError(f"{name} must hold numbers, got dates or times of dtype {values.dtype}: convert them.")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":  # scikit-learn would print them all
            raise TypeError("they are complex")
        if _holds_text(array):  # scikit-learn would convert numerals
            raise ValueError("text is not a number")
        found: np.ndarray = check_array(
            values, ensure_2d=False, allow_nd=True, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=0,
            input_name=name,
        )  # fmt: skip
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        reason, shown = (" ".join(text.split()) for text in (str(error), repr(values)))
        raise kind(f"{name} must hold numbers, got {shorten(shown)}: convert them to float64 ({reason}).") from None
    is_wrong = ~np.isfinite(found)
    if is_wrong.any():
        place = tuple(int(i) for i in np.argwhere(is_wrong)[0])
        raise ValueError(
            f"{name} must hold finite numbers, but row {place[0]} has {found[place]}. Remove such rows, or fill in a "
            "number."
        )
    return found


def _holds_text(values: np.ndarray) -> bool:
    if values.dtype.kind != "O":
        return values.dtype.kind in "SUT"
    return any(isinstance(value, str | bytes) for value in values.ravel().tolist())
