"""Rules of a convolution as patterns: what they say adds up to the votes."""

import numpy as np
import pytest

from tests.images.conftest import crosses, small
from wtm import load_model
from wtm.rules import Pattern


def sums_of(patterns, X, labels):
    sums = np.zeros((len(X), len(labels)))
    for pattern in patterns:
        holds = pattern.places(X).any(axis=(1, 2))
        sums[:, labels.index(pattern.label)] += pattern.polarity * pattern.weight * holds
    return sums


@pytest.mark.parametrize(
    "changes", [{}, {"positions": False}, {"patch_shape": (7, 8)}, {"init": "random"}, {"patch_shape": (7, 2)}], ids=str
)
@pytest.mark.parametrize("n_channels", [1, 2])
def test_patterns_add_up_to_the_class_sums(changes, n_channels):
    X, y = crosses(300, 0, n_channels=n_channels)
    model = small(**changes).fit(X, y)
    patterns = model.patterns()
    np.testing.assert_allclose(sums_of(patterns, X, ["cross", "ring"]), model.class_sums(X), atol=1e-9)
    weights = [pattern.weight for pattern in patterns]
    assert weights == sorted(weights, reverse=True)
    assert {pattern.polarity for pattern in patterns} == {1, -1}


def test_patterns_of_a_model_for_prediction_are_the_same(fitted, tmp_path):
    fitted.save(tmp_path / "model", prediction_only=True)
    assert list(map(str, load_model(tmp_path / "model").patterns())) == list(map(str, fitted.patterns()))


def test_a_pattern_is_drawn_with_its_places():
    pixels = np.array([[[1, -1], [0, -1], [-1, 0]], [[-1, -1], [1, -1], [1, 1]]], np.int8)
    drawn = str(Pattern("ring", -1, 2.5, pixels, (0, 3), (4, 4)))
    assert drawn == (
        "votes against ring, weight 2.5, at rows 0 to 3 and column 4\n"
        "+---+\n|#. |\n| ##|\n+---+\n"
        "+---+\n|  .|\n|  #|\n+---+"
    )


def test_places_are_where_the_pattern_is():
    X = np.zeros((1, 5, 6), bool)
    X[0, 1, 2] = X[0, 2, 3] = X[0, 3, 4] = True
    pattern = Pattern("a", 1, 1.0, np.array([[[1], [0]], [[-1], [1]]], np.int8), (0, 3), (0, 4))
    assert np.argwhere(pattern.places(X)).tolist() == [[0, 1, 2], [0, 2, 3]]
    assert np.argwhere(Pattern("a", 1, 1.0, pattern.pixels, (2, 3), (0, 4)).places(X)).tolist() == [[0, 2, 3]]
    assert not Pattern("a", 1, 1.0, pattern.pixels, (0, 3), (0, 1)).places(X).any()


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.full((2, 5, 6), 7), "images must hold only 0 and 1 .* holds 7"),
        (np.zeros((5, 6), bool), "images must have the shape .*for one image, pass X"),
        (np.zeros((2, 5, 6, 3), bool), "images must have 1 channels and at least 2 x 2 pixels"),
        (np.zeros((2, 1, 6), bool), "images must have 1 channels and at least 2 x 2 pixels"),
    ],
)
def test_images_without_places_are_refused(images, message):
    with pytest.raises(ValueError, match=message):
        Pattern("a", 1, 1.0, np.ones((2, 2, 1), np.int8), (0, 3), (0, 4)).places(images)
