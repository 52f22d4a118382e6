import numpy as np
import pytest

from wtm import ConvolutionalWTMClassifier, FuzzyConvolutionalWTMClassifier

SMALL = {
    "n_clauses": 20, "T": 8, "s": 4, "gamma": 0.01, "n_epochs": 4, "patch_shape": (3, 3), "random_state": 0,
}  # fmt: skip


def small(**changes):
    """A classifier that trains in some milliseconds."""
    return ConvolutionalWTMClassifier(**SMALL | changes)


def small_fuzzy(**changes):
    """A classifier of fuzzy clauses that trains in some milliseconds."""
    more = {"n_clauses": 8, "T": 1, "s": 20, "literal_failures": 3, "max_literals": 6, "gamma_start": 1}
    return FuzzyConvolutionalWTMClassifier(**SMALL | more | changes)


def crosses(n_images, seed, height=7, width=8, n_channels=1):
    """Images of noise with a cross or a ring of 3 x 3 pixels somewhere in the last channel, and which of them it is."""
    rng = np.random.default_rng(seed)
    images = rng.random((n_images, height, width, n_channels)) < 0.2
    y = rng.choice(["cross", "ring"], n_images)
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
    for image, label in zip(images, y, strict=True):
        top, left = rng.integers(0, height - 2), rng.integers(0, width - 2)
        shape = cross if label == "cross" else np.pad([[False]], 1, constant_values=True)
        image[top : top + 3, left : left + 3, -1] = shape
    return images, y


@pytest.fixture(scope="package")
def shapes():
    """Images of one channel, and their labels."""
    images, y = crosses(700, 0)
    return images[..., 0], y


@pytest.fixture(scope="package")
def fitted(shapes):
    """A classifier that was trained on `shapes`; not to be changed."""
    return small(n_epochs=10).fit(*shapes)
