"""Probabilities have the right shape and sum, are largest for the predicted class, and are near the truth."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import softmax
from sklearn.metrics import log_loss

from tests.helpers.problems import small, table, three_classes, xor
from wtm.machine.calibration import PRIOR_SCALE, fit_logit_scale, probabilities

LARGEST = 2**62 - 1
sums = hnp.arrays(
    np.int64,
    st.tuples(st.integers(1, 6), st.integers(2, 5)),
    elements=st.one_of(st.integers(-LARGEST, LARGEST), st.integers(-3, 3), st.integers(LARGEST - 3, LARGEST)),
)


@given(sums, st.floats(1e-30, 1e30))
def test_rows_add_up_to_one_and_the_largest_is_the_first_of_the_largest_sums(sums, scale):
    found = probabilities(sums, scale)
    assert found.shape == sums.shape
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert (found.argmax(axis=1) == sums.argmax(axis=1)).all()


def test_ordinary_sums_are_a_softmax():
    values = np.random.default_rng(0).integers(-(2**40), 2**40, (50, 4))
    np.testing.assert_allclose(probabilities(values, 2.0**-38), softmax(values * 2.0**-38, axis=1), rtol=1e-12)


def test_equal_sums_share():
    assert probabilities(np.zeros((2, 4), np.int64), 1.0).tolist() == [[0.25] * 4] * 2


# --- The factor ----------------------------------------------------------------------------------------------------


def drawn(scale, n_rows, n_classes=3, T=20.0, seed=0):
    """Sums, and labels with the probabilities softmax(scale * sums)."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, n_classes)) * T / 2
    p = softmax(values * scale, axis=1)
    return values, (p.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1), T


@pytest.mark.parametrize("scale", [0.05, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_the_factor_that_labels_were_drawn_with_is_found(scale, n_classes):
    values, labels, T = drawn(scale, 5000, n_classes)
    assert fit_logit_scale(values, labels, None, T) == pytest.approx(scale, rel=0.35)


def test_few_rows_and_rows_all_right_do_not_lead_to_certainty():
    values = np.array([[3.0, -3.0], [-3.0, 3.0]])
    none = fit_logit_scale(values[:0], np.zeros(0, int), None, 10.0)
    assert none == PRIOR_SCALE / 10
    two = fit_logit_scale(values, np.array([0, 1]), None, 10.0)
    many = fit_logit_scale(np.tile(values, (1000, 1)), np.arange(2000) % 2, None, 10.0)
    assert none <= two < many < 20 / 3
    assert 0 < fit_logit_scale(np.tile(values, (1000, 1)), 1 - np.arange(2000) % 2, None, 10.0) < none


def test_weights_are_repeated_rows():
    values, labels, T = drawn(0.3, 400)
    weights = np.arange(400) % 3
    rows = np.repeat(np.arange(400), weights)
    assert fit_logit_scale(values, labels, weights.astype(float), T) == fit_logit_scale(
        values[rows], labels[rows], None, T
    )


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e12, 1e300])
def test_sums_of_any_size(size):
    values, labels, T = drawn(0.3, 100)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        found = fit_logit_scale(values * size, labels, None, T)
    assert np.isfinite(found)
    assert found > 0


# --- The classifier's ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [xor, three_classes])
def test_a_classifier_is_as_sure_as_it_is_right(make):
    X, y = make(800, 8)
    y = np.where(table(800, 16)[:, 8:10].sum(axis=1) == 2, 0, y)  # a quarter of the labels is 0 for any features
    model = small(n_clauses=20, n_epochs=10).fit(X[:400], y[:400])
    found = model.predict_proba(X[400:])
    assert found.shape == (400, len(model.classes_))
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert (model.classes_[found.argmax(axis=1)] == model.predict(X[400:])).all()
    assert abs(found.max(axis=1).mean() - model.score(X[400:], y[400:])) < 0.1
    shares = np.bincount(y[:400]) / 400
    assert log_loss(y[400:], found) < log_loss(y[400:], np.tile(shares, (400, 1))) - 0.05


def test_of_two_classes_the_probability_rises_with_the_decision():
    X, y = xor()
    model = small().fit(X, y)
    order = model.decision_function(X).argsort(kind="stable")
    assert (np.diff(model.predict_proba(X)[order, 1]) >= 0).all()


def test_probabilities_go_with_the_model():
    X, y = three_classes()
    model = small().fit(X, y)
    expected = model.predict_proba(X)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), small(n_jobs=2).fit(X, y)):
        assert (twin.predict_proba(X) == expected).all()
    model.set_params(T=100)
    assert (model.predict_proba(X) == expected).all(), "the factor is the trained model's"


def test_held_out_rows_calibrate_where_there_are_some():
    X, y = table(300, 12), table(300, 13)[:, 12].astype(int)  # nothing to learn, much to remember
    kept = small(n_clauses=60, n_epochs=30).fit(X, y)
    held_out = small(n_clauses=60, n_epochs=30, early_stopping=True, validation_fraction=0.5).fit(X, y)
    assert kept._model.logit_scale > 1.4 * held_out._model.logit_scale
