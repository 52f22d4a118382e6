import numpy as np
import pytest
from matplotlib import pyplot as plt

from tests.helpers.problems import small
from wtm.plots import ImagesDisplay


@pytest.fixture(scope="module")
def clf():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 12))
    return small(n_clauses=20).fit(X, np.array(["a", "b", "c"])[X[:, 5] + X[:, 5] * X[:, 6]])


def needed(clf, rule):
    """1 where a pixel must be on and -1 where it must be off, from the text of a rule."""
    signs = dict.fromkeys(rule.literals, 1) | {
        text.removeprefix("NOT (").removesuffix(")"): -1 for text in rule.literals if text.startswith("NOT (")
    }
    return np.array([signs.get(f"x{i}", 0) for i in range(clf.n_features_in_)]).reshape(3, 4)


def test_rules_are_drawn_as_what_they_need(clf):
    display = ImagesDisplay.from_estimator(clf, (3, 4), kind="rules", n_rules=5)
    rules = clf.rules(one_sided=False)[:5]
    for image, axes, rule in zip(display.images_, display.axes_, rules, strict=True):
        assert np.array_equal(image.get_array(), needed(clf, rule))
        assert axes.get_title() == f"{'for' if rule.polarity > 0 else 'against'} {rule.label}"
        crosses = [tuple(place) for place in axes.lines[0].get_xydata()[:, ::-1].astype(int)]
        assert crosses == list(zip(*np.nonzero(needed(clf, rule) == -1), strict=True))


def test_classes_are_weighted_sums_of_their_rules(clf):
    display = ImagesDisplay.from_estimator(clf, (3, 4))
    for label, image, axes in zip(clf.classes_, display.images_, display.axes_, strict=True):
        rules = [rule for rule in clf.rules(one_sided=False) if rule.label == label]
        expected = sum(rule.vote * needed(clf, rule) for rule in rules)
        np.testing.assert_allclose(image.get_array(), expected)
        assert image.get_clim() == (-np.abs(expected).max(), np.abs(expected).max())
        assert axes.get_title() == label


def test_grey_pixels_have_thresholds():
    X = np.random.default_rng(0).integers(0, 255, (200, 4))
    clf = small(n_clauses=10).fit(X, X[:, 2] > 128)
    images = ImagesDisplay.from_estimator(clf, (2, 2)).images
    assert images[1, 1, 0] == images[1].max() > 0 > images[0, 1, 0] == images[0].min()


def test_axes_of_the_caller_are_used(clf):
    figure, grid = plt.subplots(1, 3)
    display = ImagesDisplay.from_estimator(clf, (3, 4), ax=grid)
    assert display.figure_ is figure
    assert [len(axes.images) for axes in grid] == [1, 1, 1]
    with pytest.raises(ValueError, match="ax must be 3 axes, one for each image; got 1"):
        display.plot(grid[0])


def test_what_can_not_be_drawn_is_refused(clf):
    with pytest.raises(ValueError, match="image_shape must have a pixel for each of the 12 columns, got 3 x 3 = 9"):
        ImagesDisplay.from_estimator(clf, (3, 3))
    with pytest.raises(ValueError, match="kind must be 'classes' or 'rules', got 'class'"):
        ImagesDisplay.from_estimator(clf, (3, 4), kind="class")
