"""Channels of true and false from grey values."""

import numpy as np
import pytest
from scipy.ndimage import sobel
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

from tests.images.conftest import small
from wtm import ImageBooleanizer


@pytest.fixture(scope="module")
def grey():
    return np.random.default_rng(0).integers(0, 256, (300, 6, 7)).astype(np.uint8)


def test_thresholds_are_compared_with_each_pixel(grey):
    found = ImageBooleanizer([10, 200.5]).fit_transform(grey)
    assert found.dtype == np.bool_
    assert (found == np.stack([grey > 10, grey > 200.5], axis=3)).all()


@pytest.mark.parametrize("n", [1, 3])
def test_a_number_of_thresholds_is_spaced_evenly_over_the_training_images(grey, n):
    grey = np.clip(grey, 20, 220)
    booleanizer = ImageBooleanizer(n).fit(grey)
    assert booleanizer.thresholds_ == pytest.approx([20 + 200 * (i + 1) / (n + 1) for i in range(n)])
    assert booleanizer.transform(grey[:2] // 2).shape == (2, 6, 7, n)


def test_quantiles_are_those_of_each_image(grey):
    found = ImageBooleanizer((), quantiles=[0.25, 0.5, 1]).fit_transform(grey)
    for image, channels in zip(grey, np.moveaxis(found, 3, 1), strict=True):
        for fraction, channel in zip([0.25, 0.5, 1], channels, strict=True):
            assert (channel == (image > np.quantile(image, fraction))).all()
    halved = ImageBooleanizer((), quantiles=[0.25]).fit_transform(grey / 2)
    assert (halved[..., 0] == found[..., 0]).all()


def test_gradients_are_those_of_sobel(grey):
    found = ImageBooleanizer((), gradients=[0, 12.5]).fit_transform(grey)
    assert found.shape == (300, 6, 7, 8)
    for image, channels in zip(grey[::40], found[::40], strict=True):
        right, down = (sobel(image.astype(float), axis=axis, mode="nearest") / 8 for axis in (1, 0))
        expected = [s > least for least in (0, 12.5) for slope in (right, down) for s in (slope, -slope)]
        assert (channels == np.stack(expected, axis=2)).all()


def test_a_ramp_rises_by_one_per_pixel():
    ramp = np.tile(np.arange(6.0), (1, 5, 1))
    found = ImageBooleanizer((), gradients=[0.9, 1.1]).fit_transform(ramp)
    inner = found[0, :, 1:-1]
    assert inner[..., 0].all()
    assert not inner[..., 1:].any()


def test_channels_stay_together(grey):
    both = np.stack([grey, 255 - grey], axis=3)
    booleanizer = ImageBooleanizer([99], quantiles=[0.5], gradients=[3])
    found = booleanizer.fit_transform(both)
    for i, one in enumerate((grey, 255 - grey)):
        assert (found[..., 6 * i : 6 * i + 6] == clone(booleanizer).fit_transform(one)).all()


def test_a_pipeline_takes_grey_values():
    digits = load_digits()
    X, y = digits.images, digits.target
    model = make_pipeline(ImageBooleanizer(3), small(n_clauses=40, T=10, patch_shape=(5, 5), n_epochs=10))
    assert model.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.88
    assert model.predict(X[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"thresholds": "auto"}, TypeError, r"thresholds must be an integer or a sequence of numbers, got 'auto'"),
        ({"thresholds": 3.0}, TypeError, r"thresholds must be an integer or a sequence of numbers, got 3\.0"),
        ({"thresholds": [1, "2"]}, TypeError, r"thresholds must be a sequence of numbers"),
        ({"thresholds": [np.nan]}, ValueError, r"thresholds must be finite"),
        ({"thresholds": -1}, ValueError, r"number of thresholds from 0 to 255"),
        ({"thresholds": 0}, ValueError, r"must not all be empty"),
        ({"quantiles": 0.5}, TypeError, r"quantiles must be a sequence of numbers, got 0\.5"),
        ({"quantiles": [1.5]}, ValueError, r"quantiles must be from 0 to 1"),
        ({"gradients": [-1]}, ValueError, r"gradients must be finite and at least 0"),
    ],
)
def test_wrong_parameters_are_named(grey, parameters, error, message):
    with pytest.raises(error, match=message):
        ImageBooleanizer(**parameters).fit(grey)


def test_bad_images_are_refused(grey):
    booleanizer = ImageBooleanizer().fit(grey)
    with pytest.raises(ValueError, match=r"size seen in fit, \(6, 7, 1\), got \(5, 7, 1\)"):
        booleanizer.transform(grey[:, :5])
    missing = grey.astype(float)
    missing[270, 1, 2] = np.nan
    with pytest.raises(ValueError, match=r"image 270, row 1, column 2 holds nan\. Replace missing pixels"):
        booleanizer.transform(missing)
    with pytest.raises(ValueError, match=r"holds nan"):
        booleanizer.fit(missing)
    masked = np.ma.masked_equal(grey, grey[0, 0, 0])
    for images in (masked, masked[..., np.newaxis]):
        with pytest.raises(ValueError, match=r"X must have a value for each pixel, but some are masked"):
            booleanizer.transform(images)
    with pytest.raises(ValueError, match=r"must have the shape"):
        booleanizer.transform(grey.reshape(300, -1))
