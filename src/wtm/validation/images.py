"""Checks of images, and of the shape of patches."""

import numbers
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from wtm.utils.printable import short_repr

_CHUNK = 1024  # images that are checked at a time, so that working space doesn't grow with their number


def read_images(X: Any, *, min_images: int = 1, name: str = "X") -> np.ndarray:
    """Read images of one size as an array, without a copy if they are one.

    Parameters
    ----------
    X : array-like of shape (n_images, height, width) or (n_images, height, width, n_channels)
        Booleans or numbers. Their values are not checked; `check_bits` does that.
    min_images : int, default=1
        The fewest images allowed.
    name : str, default="X"
        The argument's name, for messages.

    Returns
    -------
    ndarray of shape (n_images, height, width, n_channels)

    Raises
    ------
    ValueError
        The images have different sizes or no pixels, are too few, or the array has another number of dimensions.
    TypeError
        They are not booleans or numbers, or no array, such as None or the path of a file.
    """
    images = _as_array(X, name)
    if images.ndim == 0:
        raise TypeError(f"{name} must be an array of images, got {short_repr(X)}.")
    if images.ndim not in (3, 4):
        raise ValueError(
            f"{name} must have the shape (n_images, height, width) or (n_images, height, width, n_channels), got "
            f"{images.shape}.{_remedy_for_shape(images)}"
        )
    if images.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold booleans, or numbers that are 0 or 1, got the dtype {images.dtype}.")
    if len(images) < min_images:
        raise ValueError(f"{name} must have at least {min_images} image, got the shape {images.shape}.")
    if 0 in images.shape[1:]:
        raise ValueError(f"{name} must have images with pixels, got the shape {images.shape}.")
    return images if images.ndim == 4 else images[..., np.newaxis]


def _as_array(X: Any, name: str) -> np.ndarray:
    first = X[0] if isinstance(X, list | tuple) and X else X
    if isinstance(first, str | bytes | os.PathLike):
        raise TypeError(f"{name} must be an array of images, got {short_repr(X)}. Read the files into an array first.")
    if sp.issparse(X):
        raise TypeError(
            f"{name} must be an array of images, got a sparse matrix. Pass X.toarray().reshape(-1, height, width)."
        )
    if np.ma.is_masked(X):
        raise ValueError(f"{name} must have a value for each pixel, but some are masked. Fill them, as by X.filled(0).")
    if isinstance(X, list | tuple):
        shapes = sorted({np.shape(image) for image in X if not isinstance(image, list | tuple)})
        if len(shapes) > 1:
            raise ValueError(
                f"{name} must have images of one size, got {shapes[0]} and {shapes[1]}. Scale, crop or pad them."
            )
    try:
        return np.asarray(X)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name} must have images of one size. Scale, crop or pad them. ({error})") from None


def _remedy_for_shape(images: np.ndarray) -> str:
    if images.ndim != 2:
        return ""
    side = int(images.shape[1] ** 0.5)
    shape = f"{side}, {side}" if side * side == images.shape[1] else "height, width"
    return f" If its rows are the pixels of images, pass X.reshape(-1, {shape}); for one image, pass X[np.newaxis]."


def check_bits(images: np.ndarray, name: str = "X", *, first_image: int = 0) -> None:
    """Check that all pixels, of an array of shape (n_images, height, width, n_channels), are 0 or 1.

    `first_image` is the number of the first image, for messages.

    Raises
    ------
    ValueError
        One is not. The message names the first one.
    """
    for start, wrong in _wrong_pixels(images):
        image, y, x, channel = np.argwhere(wrong)[0]
        value = images[start + image, y, x, channel]
        where = f"image {first_image + start + image}, row {y}, column {x}"
        if images.shape[3] > 1:
            where += f", channel {channel}"
        raise ValueError(
            f"{name} must hold only 0 and 1 (or False and True), but {where} holds {value!s}. Compare grey values with "
            "a threshold, as in X > 127, or pass the images through a wtm.ImageBooleanizer."
        )


def _wrong_pixels(images: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    if images.dtype == np.bool_:
        return
    for start in range(0, len(images), _CHUNK):
        chunk = images[start : start + _CHUNK]
        wrong = (chunk != 0) & (chunk != 1)
        if wrong.any():
            yield start, wrong


def check_patch_shape(patch_shape: Any) -> tuple[int, int]:
    """Return the height and width of a patch.

    Raises
    ------
    TypeError, ValueError
        They are not two integers of at least 1.
    """
    sides = list(patch_shape) if isinstance(patch_shape, list | tuple | np.ndarray) else []
    if len(sides) != 2 or not all(isinstance(side, numbers.Integral) and not isinstance(side, bool) for side in sides):
        raise TypeError(f"patch_shape must be two integers, a height and a width, got {short_repr(patch_shape)}.")
    height, width = map(int, sides)
    if min(height, width) < 1:
        raise ValueError(f"patch_shape must have a height and a width of at least 1, got {height} and {width}.")
    return height, width


def check_patch_fits(patch_shape: tuple[int, int], image_shape: tuple[int, ...]) -> None:
    """Check that images of a height and a width, which come first in `image_shape`, have patches of this size.

    Raises
    ------
    ValueError
        They don't.
    """
    (height, width), (image_height, image_width) = patch_shape, image_shape[:2]
    if height > image_height or width > image_width:
        raise ValueError(
            f"patch_shape must be at most the size of an image, {image_height} x {image_width}, got {height} x "
            f"{width}. Use a smaller patch_shape, such as ({max(1, image_height // 3)}, {max(1, image_width // 3)})."
        )
