"""``s="auto"``: the number that it stands for, and the models that come of it."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from tests.helpers.problems import assert_same_model, small, three_classes
from wtm import (
    ConvolutionalWTMClassifier,
    FuzzyWTMClassifier,
    FuzzyWTMRegressor,
    WTMClassifier,
    WTMRegressor,
    load_model,
)
from wtm.machine.automatic_s import MOST_FEATURES, automatic_s


@given(st.floats(1e-3, 1e12), st.integers(2, 1000))
def test_it_is_the_fourth_root_of_the_rows_per_class(n_rows, n_classes):
    s = automatic_s(n_rows, n_classes, MOST_FEATURES)
    assert automatic_s(n_rows, n_classes, MOST_FEATURES + 1) == 3
    assert s >= 1
    assert s == pytest.approx(max(1, (n_rows / n_classes) ** 0.25), abs=0.05 + 1e-9)
    assert s == round(s, 1)


def test_the_model_is_that_of_the_number():
    X, y = three_classes()
    clf = small(s="auto").fit(X, y)
    assert clf.s == "auto"
    assert clf.s_ == automatic_s(len(y), 3, 8) == round((len(y) / 3) ** 0.25, 1)
    assert_same_model(clf, small(s=clf.s_).fit(X, y))
    assert small(s=7).fit(X, y).s_ == 7
    again = clone(clf)
    assert again.s == "auto"
    with pytest.raises(AttributeError, match="has no s_"):
        again.s_  # noqa: B018


def test_weights_count_as_so_many_rows():
    X, y = three_classes()
    weights = np.arange(len(y)) % 4
    weighted, repeated = (
        small(s="auto").fit(X, y, weights),
        small(s="auto").fit(X.repeat(weights, 0), y.repeat(weights)),
    )
    assert weighted.s_ == repeated.s_ != small(s="auto").fit(X, y).s_
    assert_same_model(weighted, repeated)


def test_further_training_keeps_the_number(tmp_path):
    X, y = three_classes()
    few = np.concatenate([np.flatnonzero(y == label)[:3] for label in np.unique(y)])
    clf = small(s="auto").partial_fit(X[few], y[few], classes=np.unique(y))
    s = clf.s_
    assert s == automatic_s(9, 3, 8)
    clf.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert (loaded.s, loaded.s_) == ("auto", s)
    for model in (clf, loaded):
        assert model.partial_fit(X, y).s_ == s
    assert_same_model(clf, loaded)
    clf.set_params(warm_start=True).fit(X, y)
    assert clf.s_ == s
    assert clf.set_params(warm_start=False).fit(X, y).s_ == automatic_s(len(y), 3, 8)
    clf.save(tmp_path / "model", prediction_only=True)
    assert load_model(tmp_path / "model").s_ == clf.s_


@pytest.mark.parametrize(
    "kind",
    [FuzzyWTMClassifier, WTMRegressor, FuzzyWTMRegressor, partial(ConvolutionalWTMClassifier, patch_shape=(1, 1))],
)
def test_other_estimators_need_a_number(kind):
    X, y = three_classes()
    with pytest.raises(TypeError, match="s must be a number, got 'auto'"):
        kind(s="auto").fit(X, y)


def test_other_words_are_refused():
    with pytest.raises(TypeError, match="s must be a number or 'auto', got 'automatic'"):
        WTMClassifier(s="automatic").fit(*three_classes())


def test_it_is_3_with_many_features():
    X, y = three_classes()
    assert small(s="auto").fit(np.tile(X, MOST_FEATURES // X.shape[1] + 1), y).s_ == 3
