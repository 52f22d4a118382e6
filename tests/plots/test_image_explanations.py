"""Explanations over images, and patterns in the frame of the image."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from tests.images.conftest import crosses, small, small_fuzzy
from wtm import WTMClassifier
from wtm.plots import ImageExplanationDisplay, PatternsDisplay
from wtm.rules import FoundPattern, ImageExplanation, Pattern

PIXELS = np.array([[[1], [0]], [[-1], [1]]], np.int8)


@pytest.fixture(scope="module", params=[small, small_fuzzy])
def trained(request):
    X, y = crosses(200, 0, n_channels=2)
    return request.param().fit(X, y), X


@pytest.fixture
def explanation():
    """Two patterns for "a", one of them in two places, and others that must not be drawn."""
    image = np.zeros((4, 5, 1), bool)
    image[0, 0] = True
    once, twice = np.zeros((2, 3, 4), bool)
    once[1, 2] = twice[0, 0] = twice[2, 3] = True
    patterns = [
        FoundPattern("a", 3.0, PIXELS, once, 3, 0),
        FoundPattern("a", -2.5, PIXELS, once, 3, 0),
        FoundPattern("b", 2.0, PIXELS, once, 3, 0),
        FoundPattern("a", 2.0, PIXELS, twice, 3, 0),
    ]
    return ImageExplanation("a", {"a": 2.5, "b": 2.0}, patterns, image)


def test_pixels_are_what_votes_for_the_class_need(explanation):
    display = ImageExplanationDisplay.from_explanation(explanation)
    evidence = np.zeros((4, 5))
    for row, column, share in ((1, 2, 3), (0, 0, 1), (2, 3, 1)):
        evidence[row, column] += share
        evidence[row, column + 1] -= share
        evidence[row + 1, column + 1] += share
    assert (display.evidence == evidence).all()
    assert (display.image_.get_array()[2::5, 2::5] == evidence).all()
    assert (display.image_.get_alpha()[2::5, 2::5] == (evidence != 0)).all()
    crosses_at = [tuple(place) for place in display.ax_.lines[0].get_xydata().astype(int)]
    assert crosses_at == [(column, row) for row, column in np.argwhere(evidence < -1.5)]
    assert (display.ax_.images[0].get_array() == explanation.image[..., 0]).all()
    assert display.ax_.get_title() == "a: sum 2.5\n2 patterns for it"


def test_boxes_are_the_patches_of_the_heaviest_patterns(explanation):
    display = ImageExplanationDisplay.from_explanation(explanation)
    assert [(box.get_xy(), box.get_width(), box.get_height()) for box in display.boxes_] == [
        ((1.5, 0.5), 2, 2),
        ((-0.5, -0.5), 2, 2),
    ]
    assert [text.get_text() for text in display.ax_.texts] == ["+3", "+2"]
    assert len(ImageExplanationDisplay.from_explanation(explanation, n_patterns=1).boxes_) == 1


def test_another_class_or_image_can_be_drawn(explanation):
    grey = np.arange(20).reshape(4, 5)
    display = ImageExplanationDisplay.from_explanation(explanation, label="b", image=grey)
    assert display.ax_.get_title() == "b: sum 2, predicted is a\n1 pattern for it"
    assert (display.ax_.images[0].get_array() == grey).all()


def test_a_classifier_explains_what_is_drawn(trained):
    clf, X = trained
    _, axes = plt.subplots()
    display = ImageExplanationDisplay.from_estimator(clf, X[3:4], ax=axes)
    assert display.ax_ is axes
    assert (display.evidence == ImageExplanationDisplay.from_explanation(clf.explain(X[3:4])[0]).evidence).all()
    display.figure_.canvas.draw()


def test_patterns_are_drawn_in_the_middle_of_their_range():
    pattern = Pattern("ring", -1, 2.5, PIXELS, (0, 2), (1, 1))
    display = PatternsDisplay(patterns=[pattern], image_shape=(4, 5)).plot()
    expected = np.zeros((4, 5))
    expected[1, 1], expected[1, 2], expected[2, 2] = 1, -1, 1
    assert (display.images_[0].get_array() == expected).all()
    (box,) = display.ranges_
    assert (box.get_xy(), box.get_width(), box.get_height()) == ((0.5, -0.5), 2, 4)
    assert display.axes_[0].get_title() == "against ring"
    assert display.axes_[0].get_xlabel() == "rows 0–2, column 1"


def test_patterns_of_a_classifier_or_of_one_of_its_classes():
    X, y = crosses(200, 0)
    clf = small().fit(X, y)
    assert PatternsDisplay.from_estimator(clf, n_patterns=4).patterns[0].weight == clf.patterns()[0].weight
    patterns = PatternsDisplay.from_estimator(clf, label="ring").patterns
    assert {(pattern.label, pattern.polarity) for pattern in patterns} == {("ring", 1)}
    with pytest.raises(ValueError, match="ax must be 2 axes, one for each pattern; got 1"):
        PatternsDisplay.from_estimator(clf, n_patterns=2, ax=plt.gca())


def test_what_can_not_be_drawn_is_refused(trained, explanation):
    clf, X = trained
    with pytest.raises(ValueError, match="X has no images: pass the image to explain"):
        ImageExplanationDisplay.from_estimator(clf, X[:0])
    with pytest.raises(TypeError, match=r"clf must be a classifier of images, got .* use ExplanationDisplay"):
        ImageExplanationDisplay.from_estimator(WTMClassifier(), X)
    with pytest.raises(TypeError, match=r"explanation must be one of those that explain\(X\) lists, got None"):
        ImageExplanationDisplay.from_explanation(None)
    with pytest.raises(ValueError, match="label must be one of 'a', 'b', got 'c'"):
        ImageExplanationDisplay.from_explanation(explanation, label="c")
    with pytest.raises(ValueError, match=r"image must have the size of those seen in fit, \(4, 5\), got \(5, 4\)"):
        ImageExplanationDisplay.from_explanation(explanation, image=np.zeros((5, 4)))
    with pytest.raises(TypeError, match="clf must be a ConvolutionalWTMClassifier, got WTMClassifier"):
        PatternsDisplay.from_estimator(WTMClassifier())
    with pytest.raises(ValueError, match="label must be one of"):
        PatternsDisplay.from_estimator(small().fit(X, np.arange(200) % 2), label="ring")
