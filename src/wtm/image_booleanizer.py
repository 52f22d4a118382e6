"""ImageBooleanizer: turns the grey values of images into channels of true and false."""

import math
import numbers
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from scipy.ndimage import correlate1d
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wtm.utils.memory_limits import check_memory
from wtm.utils.printable import short_repr
from wtm.validation.images import read_images

__all__ = ["ImageBooleanizer"]

_CHUNK = 256  # images that are transformed at a time, so that working space doesn't grow with their number
_SOBEL_WEIGHTS = 8.0  # sum of the weights' absolute values, so that a rise of 1 per pixel is a gradient of 1


class ImageBooleanizer(TransformerMixin, BaseEstimator):
    """Turn the grey values of images into channels of true and false, for the classifiers of images.

    Each channel of the images becomes several: whether the pixel is brighter than a threshold, whether it is brighter
    than a quantile of its own image, and whether the brightness rises or falls there to the right or downward.

    Parameters
    ----------
    thresholds : int or sequence of float, default=1
        Grey values; a channel is true where the pixel is above one of them. An integer is a number of thresholds,
        evenly spaced between the smallest and the largest grey value seen in fit.
    quantiles : sequence of float, default=()
        Fractions from 0 to 1; a channel is true where the pixel is above this quantile of the pixels of its image. So
        it does not depend on how bright the image is.
    gradients : sequence of float, default=()
        Grey values per pixel, at least 0. For each there are four channels: where the brightness rises to the right by
        more than it, where it falls to the right, where it rises downward, and where it falls downward. Gradients are
        those of Sobel's operator, with the pixels at the edge repeated beyond it.

    Attributes
    ----------
    thresholds_ : ndarray of float64
        The thresholds that are used.
    image_shape_ : tuple of int
        Height, width and number of channels of the images seen in fit.
    n_features_in_ : int
        Number of pixels of an image, times the number of channels.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> from wtm import ConvolutionalWTMClassifier, ImageBooleanizer
    >>> X, y = load_digits().images, load_digits().target
    >>> clf = ConvolutionalWTMClassifier(n_clauses=40, T=10, n_epochs=10, patch_shape=(5, 5), random_state=0)
    >>> model = make_pipeline(ImageBooleanizer(thresholds=3), clf)
    >>> model.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.9
    True
    """

    def __init__(self, thresholds: Any = 1, *, quantiles: Any = (), gradients: Any = ()) -> None:
        self.thresholds = thresholds
        self.quantiles = quantiles
        self.gradients = gradients

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the thresholds, if `thresholds` is a number of them, and the size of the images.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height, width, n_channels)
            Grey values, any finite numbers.
        y
            Not used.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter or the images can't be used.
        """
        images = read_images(X)
        quantiles = _numbers(self.quantiles, "quantiles", 0, 1)
        gradients = _numbers(self.gradients, "gradients", 0, math.inf)
        thresholds = self._learn_thresholds(images)
        if not len(thresholds) + len(quantiles) + len(gradients):
            raise ValueError("thresholds, quantiles and gradients must not all be empty: there would be no channels.")
        self.thresholds_ = thresholds
        self.image_shape_ = images.shape[1:]
        self.n_features_in_ = math.prod(self.image_shape_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Turn images of the size seen in fit into channels of true and false.

        Returns
        -------
        ndarray of shape (n_images, height, width, n_channels_out), bool
            For each channel of the images in turn: the channels of the thresholds, of the quantiles and of the
            gradients.

        Raises
        ------
        ValueError, TypeError
            The images can't be used.
        MemoryError
            The result doesn't fit in memory.
        """
        check_is_fitted(self)
        images = read_images(X, min_images=0)
        if images.shape[1:] != self.image_shape_:
            raise ValueError(
                f"X must have images of the size seen in fit, {self.image_shape_}, got {images.shape[1:]}. Scale, crop "
                "or pad them."
            )
        quantiles, gradients = (np.asarray(list(values), float) for values in (self.quantiles, self.gradients))
        n_out = images.shape[3] * (len(self.thresholds_) + len(quantiles) + 4 * len(gradients))
        shape = (*images.shape[:3], n_out)
        check_memory(
            math.prod(shape), f"{len(images):,} images of {n_out} channels", "Transform some images at a time."
        )
        channels = np.empty(shape, np.bool_)
        for start, chunk in _chunks(images):
            parts = [
                part
                for grey in np.moveaxis(chunk, 3, 0)
                for part in (
                    *_above(grey, self.thresholds_),
                    *_above_quantiles(grey, quantiles),
                    *_rising_and_falling(grey, gradients),
                )
            ]
            np.stack(parts, axis=3, out=channels[start : start + len(chunk)])
        return channels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def _learn_thresholds(self, images: np.ndarray) -> np.ndarray:
        extremes = [(chunk.min(), chunk.max()) for _, chunk in _chunks(images)]  # also checks that all are finite
        if not isinstance(self.thresholds, numbers.Integral) or isinstance(self.thresholds, bool):
            if isinstance(self.thresholds, str) or not np.iterable(self.thresholds):
                raise TypeError(
                    f"thresholds must be an integer or a sequence of numbers, got {short_repr(self.thresholds)}."
                )
            return _numbers(self.thresholds, "thresholds", -math.inf, math.inf)
        n = int(self.thresholds)
        if not 0 <= n <= 255:
            raise ValueError(f"thresholds must be a number of thresholds from 0 to 255 or a list of them, got {n}.")
        low, high = min(pair[0] for pair in extremes), max(pair[1] for pair in extremes)
        return np.linspace(low, high, n + 2)[1:-1]


def _chunks(images: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield some images at a time, float64, with the number of the first."""
    for start in range(0, len(images), _CHUNK):
        chunk = images[start : start + _CHUNK].astype(float)
        if not np.isfinite(chunk).all():
            wrong = np.argwhere(~np.isfinite(chunk))[0]
            raise ValueError(
                f"X must hold finite grey values, but image {start + wrong[0]}, row {wrong[1]}, column {wrong[2]} "
                f"holds {chunk[tuple(wrong)]}. Replace missing pixels, for example by 0."
            )
        yield start, chunk


def _numbers(values: Any, name: str, low: float, high: float) -> np.ndarray:
    """Return a parameter as an array of float64, which must be numbers from `low` to `high`."""
    if isinstance(values, str) or not np.iterable(values):
        raise TypeError(f"{name} must be a sequence of numbers, got {short_repr(values)}.")
    found = list(values)
    if not all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in found):
        raise TypeError(f"{name} must be a sequence of numbers, got {short_repr(values)}.")
    array = np.asarray(found, float)
    if not (np.isfinite(array) & (array >= low) & (array <= high)).all():
        limits = (
            "finite"
            if math.isinf(low)
            else f"finite and at least {low:g}"
            if math.isinf(high)
            else f"from {low:g} to {high:g}"
        )
        raise ValueError(f"{name} must be {limits}, got {short_repr(values)}.")
    return array


def _above(grey: np.ndarray, thresholds: np.ndarray) -> list[np.ndarray]:
    return [grey > threshold for threshold in thresholds]


def _above_quantiles(grey: np.ndarray, quantiles: np.ndarray) -> list[np.ndarray]:
    if not len(quantiles):
        return []
    return [grey > level[:, np.newaxis, np.newaxis] for level in np.quantile(grey, quantiles, axis=(1, 2))]


def _rising_and_falling(grey: np.ndarray, gradients: np.ndarray) -> list[np.ndarray]:
    if not len(gradients):
        return []
    right, down = (_slope(grey, *axes) for axes in ((2, 1), (1, 2)))
    return [sign * slope > least for least in gradients for slope in (right, down) for sign in (1, -1)]


def _slope(grey: np.ndarray, along: int, across: int) -> np.ndarray:
    """Sobel's operator along an axis: a difference, smoothed across it."""
    difference = correlate1d(grey, [-1.0, 0.0, 1.0], axis=along, mode="nearest")
    return correlate1d(difference, [1.0, 2.0, 1.0], axis=across, mode="nearest") / _SOBEL_WEIGHTS
