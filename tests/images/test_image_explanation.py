"""Explanations of images: votes add up to the class sums, and patterns are where they are said to be."""

import numpy as np
import pytest

from tests.images.conftest import crosses, small, small_fuzzy
from wtm import load_model
from wtm.rules import FoundPattern, ImageExplanation, image_explanation

CHANGES = [{}, {"positions": False}, {"patch_shape": (7, 8)}, {"patch_shape": (7, 2)}, {"average_last": 2}]


@pytest.mark.parametrize("new", [small, small_fuzzy])
@pytest.mark.parametrize("changes", CHANGES, ids=str)
@pytest.mark.parametrize("n_channels", [1, 2])
def test_votes_add_up_to_the_class_sums(new, changes, n_channels, monkeypatch):
    monkeypatch.setattr(image_explanation, "_CELLS_AT_A_TIME", 300)  # several parts
    X, y = crosses(200, 0, n_channels=n_channels)
    model = new(**changes).fit(X, y)
    for explanation, image, sums in zip(model.explain(X[:25]), X, model.class_sums(X[:25]), strict=False):
        assert explanation.label == model.predict(image[np.newaxis])[0]
        assert list(explanation.class_sums) == ["cross", "ring"]
        np.testing.assert_allclose(list(explanation.class_sums.values()), sums, atol=1e-9)
        for label, total in explanation.class_sums.items():
            votes = [pattern.vote for pattern in explanation.patterns if pattern.label == label]
            assert sum(votes) == pytest.approx(total)
        sizes = [abs(pattern.vote) for pattern in explanation.patterns]
        assert sizes == sorted(sizes, reverse=True)
        assert (explanation.image == image).all()


@pytest.mark.parametrize("n_channels", [1, 2])
def test_patterns_are_where_the_rules_find_them(n_channels):
    X, y = crosses(200, 0, n_channels=n_channels)
    model = small().fit(X, y)
    rules = model.patterns()
    for explanation, image in zip(model.explain(X[:10]), X[:10], strict=True):
        expected = [
            (rule.label, round(rule.polarity * rule.weight, 6), rule.pixels.tolist(), places.tolist())
            for rule in rules
            if (places := rule.places(image[np.newaxis])[0]).any()
        ]
        found = [(f.label, round(f.vote, 6), f.pixels.tolist(), f.places.tolist()) for f in explanation.patterns]
        assert sorted(found, key=str) == sorted(expected, key=str)


def test_conditions_of_fuzzy_patterns_that_do_not_hold_are_counted():
    X, y = crosses(300, 0)
    model = small_fuzzy(positions=False).fit(X, y)
    n_false = []
    for explanation, image in zip(model.explain(X[:10]), X[:10], strict=True):
        for found in explanation.patterns:
            if found.n_literals != (found.pixels >= 0).sum():
                continue  # asks some pixel for both values
            by_place = np.array(
                [
                    [((image[y : y + 3, x : x + 3] != found.pixels) & (found.pixels >= 0)).sum() for x in range(6)]
                    for y in range(5)
                ]
            )
            assert by_place.min() == found.n_false
            assert ((by_place == found.n_false) == found.places).all()
            n_false.append(found.n_false)
    assert 0 < np.mean(n_false) < 3


def test_a_model_for_prediction_explains_the_same(fitted, shapes, tmp_path):
    fitted.save(tmp_path / "model", prediction_only=True)
    read = load_model(tmp_path / "model")
    assert list(map(str, read.explain(shapes[0][:5]))) == list(map(str, fitted.explain(shapes[0][:5])))
    assert fitted.explain(shapes[0][:0]) == []


def test_explanations_print_the_heaviest_patterns():
    pixels, places = np.array([[[1], [0]]], np.int8), np.zeros((2, 3), bool)
    places[1, 2] = True
    one = FoundPattern("a", 1.5, pixels, places, 2, 0)
    two = FoundPattern("b", -0.5, pixels, np.ones((2, 3), bool), 9, 2)
    explanation = ImageExplanation("a", {"b": -0.5, "a": 1.5 + 10 * 0.25}, [one, two], np.zeros((2, 4, 1), bool))
    assert str(explanation).splitlines() == [
        "predicted: a",
        "a: sum 4 of 1 pattern",
        "       +1.5  at row 1, column 2",
        "b: sum -0.5 of 1 pattern",
        "       -0.5  at row 0, column 0, and 5 other places; 7 of 9 conditions hold",
    ]
    many = ImageExplanation("a", {"a": 18.0}, [one] * 12, explanation.image)
    assert str(many).splitlines()[-1] == "         +3  from 2 lighter patterns"
    assert repr(many) == "<ImageExplanation of a by 12 patterns>"


def test_images_that_can_not_be_explained_are_refused(fitted, shapes):
    with pytest.raises(ValueError, match="of the size seen in fit, 7 x 8, got 6 x 8"):
        fitted.explain(shapes[0][:, :6])
    with pytest.raises(ValueError, match="must hold only 0 and 1"):
        fitted.explain(shapes[0] * 2)
