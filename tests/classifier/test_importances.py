"""How much each column is used, and logarithms of probabilities."""

import re

import numpy as np
import pytest
from sklearn.feature_selection import RFE, SelectFromModel

from tests.helpers.problems import small, table, three_classes, xor
from wtm import WTMClassifier, load_model
from wtm.rules import rules_of


def used_by_rules(clf):
    """Share of the weight of the rules that name each column."""
    shares = np.zeros(clf.n_features_in_)
    for rule in rules_of(clf):
        for column in {int(re.search(r"x(\d+)", literal)[1]) for literal in rule.literals}:
            shares[column] += rule.weight
    return shares / shares.sum()


def numbers_and_words(n_rows=300):
    rng = np.random.default_rng(0)
    age, noise, colour = rng.integers(18, 80, n_rows), rng.normal(size=n_rows), rng.choice(["red", "blue"], n_rows)
    rows = [[int(a), 7, str(c), float(z)] for a, c, z in zip(age, colour, noise, strict=True)]
    return rows, (age > 40) & (colour == "red")


@pytest.mark.parametrize("problem", [three_classes, numbers_and_words])
def test_importances_are_the_shares_of_the_rules(problem, tmp_path):
    X, y = problem()
    clf = small(n_epochs=5).fit(X, y)
    assert np.allclose(clf.feature_importances_, used_by_rules(clf))
    assert np.isclose(clf.feature_importances_.sum(), 1)
    clf.save(tmp_path / "m", prediction_only=True)
    assert (load_model(tmp_path / "m").feature_importances_ == clf.feature_importances_).all()
    if problem is numbers_and_words:
        assert clf.feature_importances_[1] == 0  # a constant column
        assert clf.booleanizer_.n_features_out_ > clf.n_features_in_


def test_importances_of_a_model_without_literals_are_0():
    X, y = xor()
    clf = small().partial_fit(X, y, [0, 1], np.full(len(y), 1e-12))
    assert clf.feature_importances_.tolist() == [0.0] * X.shape[1]


def test_importances_need_a_fitted_model():
    assert not hasattr(WTMClassifier(), "feature_importances_")


def test_selectors_find_the_columns_that_decide():
    X = table(800, 12)
    y = X[:, 2] | X[:, 7]
    clf = small(n_clauses=20, T=10, n_epochs=10)
    assert np.flatnonzero(RFE(clf, n_features_to_select=2).fit(X, y).support_).tolist() == [2, 7]
    chosen = SelectFromModel(clf, max_features=2, threshold=-np.inf).fit(X, y)
    assert np.flatnonzero(chosen.get_support()).tolist() == [2, 7]


@pytest.mark.parametrize("problem", [xor, three_classes])
def test_log_probabilities(problem):
    X, y = problem()
    clf = small().fit(X, y)
    assert np.allclose(clf.predict_log_proba(X), np.log(clf.predict_proba(X)))
    assert (clf.classes_[clf.predict_log_proba(X).argmax(axis=1)] == clf.predict(X)).all()
    clf._model.logit_scale = 1e6
    assert np.isfinite(clf.predict_log_proba(X)).all()
    clf._model.logit_scale = 1e-300
    assert (clf.classes_[clf.predict_log_proba(X).argmax(axis=1)] == clf.predict(X)).all()
    assert clf.predict_log_proba(X[:0]).shape == (0, len(clf.classes_))
