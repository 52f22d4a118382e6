"""Refitted weights are the coefficients of scikit-learn's logistic regression on the outputs of the rules."""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from tests.helpers.problems import small, three_classes, xor
from tests.helpers.tables import mixed_frame, mixed_model
from wtm import WTMClassifier, load_model
from wtm.export import to_json
from wtm.rules import parse_rule
from wtm.rules.refitting import choose_strength


@pytest.fixture(scope="module")
def data():
    X, y = mixed_frame()
    return X, {"two": y == "yes", "three": y}


def distinct_outputs(clf, X):
    """The outputs of the different rules, whatever they vote for."""
    table = clf.rules(one_sided=False)
    conditions = {rule.conditions: rule for rule in table}
    return np.stack([rule.holds(X) for rule in conditions.values()], axis=1)


@pytest.mark.parametrize("model", ["two", "three"])
def test_l2_gives_the_probabilities_of_logistic_regression(model, data, request):
    clf, X, y = request.getfixturevalue(model), data[0], data[1][model]
    refitted = clf.refit(X, y, "l2", C=0.5)
    outputs = distinct_outputs(clf, X)
    expected = LogisticRegression(C=0.5, max_iter=1000).fit(outputs, y)
    np.testing.assert_allclose(refitted.predict_proba(X), expected.predict_proba(outputs), atol=5e-3)
    if model == "two":
        np.testing.assert_allclose(refitted.decision_function(X), expected.decision_function(outputs), atol=2e-2)


@pytest.mark.parametrize("model", ["two", "three"])
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_a_refitted_model_is_an_ordinary_classifier(model, penalty, data, request, tmp_path):
    clf, X, y = request.getfixturevalue(model), data[0], data[1][model]
    before = clf.class_sums(X)
    refitted = clf.refit(X, y, penalty)
    assert refitted.score(X, y) > clf.score(X, y) - 0.02
    assert refitted.predict_proba(X).max() < 1
    table = refitted.rules(X, y)
    assert len(table) > 0
    found = {rule.conditions for rule in table if len(rule.conditions) > 1}
    assert found <= {rule.conditions for rule in clf.rules(one_sided=False)}
    read = [parse_rule(f"{rule:.17g}") for rule in table]
    sums = np.zeros((len(X), len(clf.classes_)))
    for rule in read:
        sums[:, clf.classes_.tolist().index(rule.label)] += rule.vote * rule.holds(X)
    expected = refitted.decision_function(X)
    assert (expected == (sums[:, 1] if model == "two" else sums)).all()
    for e, row in zip(refitted.explain(X[:5]), expected[:5], strict=True):
        assert list(e.class_sums.values()) == np.atleast_1d(row).tolist()
    refitted.save(tmp_path / "model", prediction_only=True)
    loaded = load_model(tmp_path / "model")
    assert (loaded.predict_proba(X) == refitted.predict_proba(X)).all()
    assert to_json(loaded) == to_json(refitted)
    assert (refitted.feature_importances_ >= 0).all()
    assert (clf.class_sums(X) == before).all()
    assert clf.machines_
    with pytest.raises(ValueError, match="it was simplified, pruned or refitted"):
        refitted.partial_fit(X, y)
    pruned = refitted.prune(X, y, max_accuracy_loss=0)
    assert len(pruned.rules()) < len(table)
    assert pruned.score(X, y) >= refitted.score(X, y)


def test_l1_removes_more_rules_the_stronger_the_penalty(two, data):
    X, y = data[0], data[1]["two"]
    n_rules = [len(two.refit(X, y, C=C).rules()) for C in (0.003, 0.03, 0.3)]
    assert n_rules == sorted(n_rules)
    assert n_rules[0] < n_rules[-1] < len(two.rules())


def test_cross_validation_takes_the_strongest_penalty_that_is_as_good():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 12))
    y = X[:, 0] ^ (rng.random(300) < 0.1)  # all rules but those on x0 fit noise
    clf = small(n_clauses=40, T=20, n_epochs=10).fit(X, y)
    refitted = clf.refit(X, y)
    assert len(refitted.rules()) < len(clf.rules()) / 2
    X_new = rng.integers(0, 2, (2000, 12))
    assert refitted.score(X_new, X_new[:, 0]) > 0.95


@pytest.mark.parametrize(("losses", "tried", "chosen"), [
    ([1.00, 1.01, 1.02, 0.7, 0.2, 0.9, 0.1], 6, 4),  # it wavers while no rule has a coefficient, falls, and rises
    ([1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06], 7, 0),  # it never falls
    ([0.5, 0.4, 0.3, 0.2, 0.3, 0.1, 0.0], 5, 3),
])  # fmt: skip
def test_the_search_for_a_strength_ends_where_the_loss_rises_after_a_fall(losses, tried, chosen):
    strengths, asked = np.arange(1.0, 8.0), []

    def losses_of(C):
        asked.append(C)
        return [losses[int(C) - 1]] * 3

    assert choose_strength(strengths, "l1", losses_of) == strengths[chosen]
    assert len(asked) == tried


def test_refitting_a_small_table_of_three_classes_keeps_rules():
    X, y = load_wine(return_X_y=True)
    shuffled = np.random.default_rng(2).permutation(len(X))
    X, y = X[shuffled], y[shuffled]
    clf = WTMClassifier.readable(n_clauses=60, random_state=0).fit(X[:130], y[:130])
    refitted = clf.refit(X[:130], y[:130])
    assert refitted.score(X[130:], y[130:]) > clf.score(X[130:], y[130:]) - 0.05


def test_weights_of_rows_count_them(two, data):
    X, y = data[0], data[1]["two"]
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    for penalty in ("l1", "l2"):
        weighted = two.refit(X, y, penalty, C=0.2, sample_weight=weights)
        repeated = two.refit(X.iloc[rows], y[rows], penalty, C=0.2)
        np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=0.02)
        whole = two.refit(X, y, penalty, C=0.2)
        assert abs(weighted.predict_proba(X) - whole.predict_proba(X)).max() > 0.03
    present = np.flatnonzero(weights)
    of_present = two.refit(X.iloc[present], y[present], sample_weight=weights[present])
    assert (two.refit(X, y, sample_weight=weights).class_sums(X) == of_present.class_sums(X)).all()


@pytest.mark.parametrize(
    ("model", "penalty", "C"),
    [("two", "l1", None), ("two", "l2", None), ("three", "l1", 0.3), ("three", "l2", 0.3)],
)
def test_equal_weights_of_rows_change_nothing_whatever_shares_they_are(model, penalty, C, data, request):
    clf, X, y = request.getfixturevalue(model), data[0], data[1][model]
    without, *others = (
        clf.refit(X, y, penalty, C=C, sample_weight=weights)
        for weights in (None, np.ones(len(y)) / len(y), np.full(len(y), 1e-12))
    )
    for other in others:
        np.testing.assert_allclose(other.class_sums(X), without.class_sums(X), atol=0.02)


@pytest.mark.parametrize("model", ["two", "three"])
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_without_rules_the_base_rates_are_left(model, penalty, data, request):
    clf, X, y = request.getfixturevalue(model), data[0], data[1][model]
    weights = np.where(y == y[0], 2.0, 1.0)
    if penalty == "l1":
        with pytest.warns(UserWarning, match="refit left no rules but the intercept"):
            refitted = clf.refit(X, y, penalty, C=1e-9, sample_weight=weights)
    else:
        refitted = clf.refit(X, y, penalty, C=1e-9, sample_weight=weights)
    share = [weights[y == label].sum() / weights.sum() for label in clf.classes_]
    np.testing.assert_allclose(refitted.predict_proba(X[:1])[0], share, atol=0.03)


def test_models_of_whole_votes_and_a_large_target_can_be_refitted_and_saved(tmp_path):
    X, y = three_classes()
    clf = small(gamma=0, T=1000, n_clauses=4, n_epochs=2).fit(X, y)
    refitted = clf.refit(X, y, C=1)
    refitted.save(tmp_path / "m", prediction_only=True)
    assert (load_model(tmp_path / "m").class_sums(X) == refitted.class_sums(X)).all()
    assert clf.get_params() == refitted.get_params()


def test_a_base_rate_is_the_votes_of_two_rules_of_which_one_holds():
    X, y = xor()
    y[:] = np.arange(len(y)) % 4 == 0  # independent of X
    refitted = small().fit(X, y).refit(X, y, C=3e-3)
    table = refitted.rules()
    assert len(table) == 2
    assert (refitted.decision_function(X) == refitted.decision_function(X[:1])).all()
    assert refitted.predict_proba(X)[0, 1] == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("model", ["two", "three"])
def test_the_bits_depend_neither_on_threads_nor_on_the_order_of_rows(model, penalty, data, request):
    clf, X, y = request.getfixturevalue(model), data[0], data[1][model]
    weights = np.random.default_rng(0).integers(0, 3, len(y)) / 3
    expected = clf.refit(X, y, penalty, sample_weight=weights)
    order = np.random.default_rng(1).permutation(len(y))
    threaded = copy.copy(clf).set_params(n_jobs=2)
    with threadpool_limits(limits=2):
        other = threaded.refit(X.iloc[order], y[order], penalty, sample_weight=weights[order])
    assert to_json(other) == to_json(expected)


def test_refits_at_the_same_time_do_not_disturb_each_other(data):
    X, y = data[0], data[1]["two"]
    clf = mixed_model(2, n_jobs=2)
    expected = to_json(clf.refit(X, y))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: to_json(clf.refit(X, y)), range(4)))
    assert found == [expected] * 4


def test_a_row_of_weight_n_is_the_row_n_times(two, data):
    X, y = data[0], data[1]["two"]
    rows = np.repeat(np.arange(len(y)), 1 + np.arange(len(y)) % 3)
    for penalty in ("l1", "l2"):
        weighted = two.refit(X, y, penalty, C=0.2, sample_weight=1 + np.arange(len(y)) % 3)
        assert to_json(weighted) == to_json(two.refit(X.iloc[rows], y[rows], penalty, C=0.2))


def test_errors_say_what_is_wrong(two, three, data):
    X, y = data[0], data[1]["two"]
    with pytest.raises(NotFittedError):
        WTMClassifier().refit(X, y)
    for wrong in ("L1", None, 1):
        with pytest.raises(ValueError, match="penalty must be 'l1' or 'l2', got"):
            two.refit(X, y, wrong)
    for wrong in (0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="C must be a number greater than 0, got"):
            two.refit(X, y, C=wrong)
    with pytest.raises(TypeError, match="C must be a number"):
        two.refit(X, y, C="1")
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        two.refit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="True does not occur"):
        two.refit(X[~y], y[~y])
    one = np.concatenate([np.flatnonzero(~y), np.flatnonzero(y)[:1]])
    with pytest.raises(ValueError, match="True occurs only once in y"):
        two.refit(X.iloc[one], y[one])
    assert two.refit(X.iloc[one], y[one], C=1).predict(X[:0]).shape == (0,)
    with pytest.raises(ValueError, match="y"):
        two.refit(X, np.full(len(y), "new"))
    X, y = xor()
    clf = small().fit(X, y)
    for machine in clf.machines_:
        machine.include_bits[:] = 0
    clf._voting = None
    with pytest.raises(ValueError, match="no rules to refit"):
        clf.refit(X, y)
