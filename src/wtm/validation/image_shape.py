"""The shape of images whose pixels are the columns of a table."""

import numbers
from typing import Any

import numpy as np


def check_image_shape(image_shape: Any, n_columns: int) -> tuple[int, int]:
    """Return height and width; a ValueError if they are not such numbers, or don't have a pixel for each column."""
    sides = list(image_shape) if np.iterable(image_shape) else []
    if len(sides) != 2 or not all(isinstance(side, numbers.Integral) and int(side) > 0 for side in sides):
        raise ValueError(f"image_shape must be a height and a width, got {image_shape!r}.")
    height, width = map(int, sides)
    if height * width != n_columns:
        raise ValueError(
            f"image_shape must have a pixel for each of the {n_columns} columns, got {height} x {width} = "
            f"{height * width}."
        )
    return height, width
