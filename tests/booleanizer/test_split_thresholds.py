"""Thresholds by splits: where the targets change, whatever the form and the order of the rows."""

import json
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.helpers.problems import assert_same_model, small
from wtm import Booleanizer, FuzzyWTMClassifier, WTMClassifier, WTMRegressor, booleanizer, load_model
from wtm.tables.split_thresholds import MIN_ROWS

N_ROWS = 3000


@pytest.fixture
def few_rows(monkeypatch):
    """Let splits be chosen from any number of rows."""
    monkeypatch.setattr(booleanizer, "MIN_ROWS", 0)


def numbers(n_rows=N_ROWS, n_columns=3, seed=0):
    return np.random.default_rng(seed).random((n_rows, n_columns))


def thresholds(b, j=0):
    return b.conditions_[j].thresholds


def by_splits(X, y, weights=None, n_thresholds=10, **parameters):
    return Booleanizer(n_thresholds, strategy="splits", **parameters).fit(X, y, weights)


# --- Where thresholds are ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target", [lambda x: x > 0.97, lambda x: np.where(x > 0.97, "b", "a"), lambda x: 9.5 * (x > 0.97)]
)
def test_a_threshold_is_where_the_target_changes(target):
    X = numbers()
    b = by_splits(X, target(X[:, 1]), n_thresholds=1)
    (found,) = thresholds(b, 1)
    assert ((X[:, 1] > found) == (X[:, 1] > 0.97)).all()
    assert b.strategy_ == "splits"


def test_targets_that_change_with_two_columns_together_are_found():
    """Each column alone says nothing of the target, so trees of single columns would find nothing."""
    X = numbers()
    b = by_splits(X, (X[:, 0] > 0.31) ^ (X[:, 1] > 0.83), n_thresholds=4)
    for j, change in ((0, 0.31), (1, 0.83)):
        assert min(abs(np.array(thresholds(b, j)) - change)) < 0.005


def test_several_classes_and_several_outputs():
    X = numbers()
    steps = np.digitize(X[:, 0], [0.2, 0.5, 0.9])
    outputs = np.stack([X[:, 0] > 0.2, 1000 * (X[:, 0] > 0.5)], axis=1) + 0.5
    for y, changes in ((steps, [0.2, 0.5, 0.9]), (outputs, [0.2, 0.5])):
        np.testing.assert_allclose(thresholds(by_splits(X, y, n_thresholds=3)), changes, atol=0.005)


def test_many_whole_numbers_are_numbers_and_few_are_labels():
    X = numbers()
    of_counts, of_numbers = (by_splits(X, np.rint(X[:, 0] ** 8 * 500) + shift) for shift in (0, 0.5))
    assert of_counts.conditions_ == of_numbers.conditions_


def test_limits_are_kept():
    X = numbers(n_columns=2)
    X[:, 1] = X[:, 0] ** 2
    for n_thresholds in (1, 2, 7, 30):
        b = by_splits(X, np.sin(40 * X[:, 0]), n_thresholds=n_thresholds)
        assert 1 <= max(len(c.thresholds) for c in b.conditions_) <= n_thresholds
        for j in range(2):
            assert list(thresholds(b, j)) == sorted(set(thresholds(b, j)))


def test_what_is_not_chosen_is_as_with_quantiles():
    """0/1 columns, few values, categories, missing values, the caller's thresholds, and columns of no use."""
    rng = np.random.default_rng(0)
    X = np.empty((N_ROWS, 6), object)
    X[:, 0], X[:, 1], X[:, 2] = rng.integers(0, 2, N_ROWS), rng.integers(0, 5, N_ROWS), rng.choice(["a", "b"], N_ROWS)
    X[:, 3], X[:, 4] = rng.random(N_ROWS), rng.random(N_ROWS)
    X[:, 5] = np.where(rng.random(N_ROWS) < 0.2, None, X[:, 4])
    y = X[:, 4].astype(float) > 0.44
    b = by_splits(X, y, thresholds={3: [0.5]})
    by_quantiles = Booleanizer(thresholds={3: [0.5]}).fit(X)
    assert b.conditions_[:4] == by_quantiles.conditions_[:4]
    assert b.conditions_[5].has_missing
    assert b.conditions_[4] != by_quantiles.conditions_[4]
    assert by_splits(X, np.zeros(N_ROWS)).conditions_ == Booleanizer().fit(X).conditions_  # nothing to separate


def test_thresholds_of_numbers_that_float32_can_not_tell_apart():
    X = 1e9 + np.arange(N_ROWS, dtype=np.float64)[:, None]
    (found,) = thresholds(by_splits(X, np.arange(N_ROWS) >= 1234, n_thresholds=1))
    assert 1e9 + 1233 <= found < 1e9 + 1234


@pytest.mark.parametrize("strategy", ["quantile", "splits"])
def test_the_callers_thresholds_win(strategy):
    X = numbers()
    y, plain = X[:, 0] > 0.3, Booleanizer(strategy=strategy).fit(X, X[:, 0] > 0.3)
    b = Booleanizer(strategy=strategy, thresholds={0: [5.0], 2: [0.5, 0.25]}).fit(X, y)
    assert (thresholds(b, 0), thresholds(b, 2)) == ((5.0,), (0.25, 0.5))
    assert len(thresholds(b, 1)) == len(thresholds(plain, 1))
    b = Booleanizer(strategy=strategy, thresholds=[5.0]).fit(X, y)
    assert [thresholds(b, j) for j in range(3)] == [(5.0,)] * 3


def test_many_labels_are_no_reason_to_warn():
    X, labels = numbers(MIN_ROWS), np.arange(MIN_ROWS).astype(str)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_splits(X, labels)
        by_splits(X[:100], np.arange(100), np.full(100, 30))


def test_few_rows_get_quantiles():
    X = numbers(MIN_ROWS)
    y = X[:, 0] > 0.42
    assert by_splits(X, y).strategy_ == "splits"
    few = by_splits(X[1:], y[1:])
    assert few.strategy_ == "quantile"
    assert few.conditions_ == Booleanizer().fit(X[1:]).conditions_
    assert by_splits(X[1:], y[1:], np.full(MIN_ROWS - 1, 2)).strategy_ == "splits"  # rows count by their weights


# --- Forms and orders of the rows -----------------------------------------------------------------------------------

CELLS = st.tuples(
    st.integers(0, 20), st.one_of(st.none(), st.integers(-9, 9)), st.integers(0, 3), st.sampled_from(range(3))
)


@settings(max_examples=60)
@given(
    rows=st.lists(CELLS, min_size=8, max_size=60), random=st.randoms(use_true_random=False), as_numbers=st.booleans()
)
def test_neither_order_nor_form_nor_repetition_matters(rows, random, as_numbers):
    table = np.array([[a, np.nan if b is None else b] for a, b, *_ in rows])
    weights = np.array([weight for *_, weight, _ in rows])
    y = np.array([target for *_, target in rows]) * (0.37 if as_numbers else 1)
    if len(set(table[weights > 0, 0])) < 2:
        return
    order = np.array(random.sample(range(len(rows)), len(rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(booleanizer, "MIN_ROWS", 0)
        weighted = by_splits(table, y, weights, 3).conditions_
        assert by_splits(table[order], y[order], weights[order], 3).conditions_ == weighted
        repeated = np.repeat(table, weights, axis=0), np.repeat(y, weights)
        assert by_splits(*repeated, n_thresholds=3).conditions_ == weighted
        assert by_splits(repeated[0].astype(object), repeated[1], n_thresholds=3).conditions_ == weighted
        dense = by_splits(table[:, :1], y, weights, 3).conditions_
        assert by_splits(sp.csr_array(table[:, :1]), y, weights, 3).conditions_ == dense


def test_the_callers_random_state_and_threads_do_not_matter():
    X = numbers()
    y = np.digitize(X[:, 0] * X[:, 1], [0.2, 0.6])
    models = [
        WTMClassifier(10, 8, n_epochs=1, booleanizer=Booleanizer(strategy="splits"), random_state=seed, n_jobs=n_jobs)
        for seed, n_jobs in ((0, 1), (1, 2))
    ]
    first, second = (model.fit(X, y).booleanizer_.conditions_ for model in models)
    assert first == second == by_splits(X, y).conditions_


# --- In estimators --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [WTMClassifier, FuzzyWTMClassifier, WTMRegressor])
def test_estimators_pass_their_targets(kind, tmp_path):
    X = numbers()
    y = np.digitize(X[:, 0] * X[:, 1], [0.2, 0.6])
    y = y.astype(float).reshape(-1, 1) * [1, -3.5] if kind is WTMRegressor else np.array(["low", "mid", "top"])[y]
    model = kind(10, 4, n_epochs=2, booleanizer=Booleanizer(strategy="splits"), random_state=0)
    assert model.fit(X, y).booleanizer_.conditions_ == by_splits(X, y).conditions_
    assert not hasattr(model.booleanizer, "conditions_")  # the parameter is cloned
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.booleanizer_.to_json() == model.booleanizer_.to_json()
    assert loaded.booleanizer.strategy == loaded.booleanizer_.strategy_ == "splits"
    assert (loaded.predict(X) == model.predict(X)).all()
    assert clone(model).booleanizer.strategy == "splits"


def test_partial_fit_keeps_the_thresholds_of_the_first_batch():
    X = numbers()
    y = X[:, 0] > 0.77
    clf = small(booleanizer=Booleanizer(2, strategy="splits"))
    clf.partial_fit(X[:2500], y[:2500], classes=[False, True])
    first = clf.booleanizer_.conditions_
    assert first == by_splits(X[:2500], y[:2500], n_thresholds=2).conditions_
    assert clf.partial_fit(X[2500:], ~y[2500:]).booleanizer_.conditions_ == first


def test_thresholds_come_from_the_rows_of_the_fit_alone():
    """So that cross-validation stays honest."""
    X = numbers()
    y = X[:, 0] > 0.77
    clf = make_pipeline(Booleanizer(2, strategy="splits"), small()).fit(X[:2500], y[:2500])
    alone = small(booleanizer=Booleanizer(2, strategy="splits")).fit(X[:2500], y[:2500])
    assert_same_model(clf[-1], alone)


def test_a_row_without_weight_does_not_count(few_rows):
    X = numbers(200)
    y = X[:, 0] > 0.5
    weights = (X[:, 0] < 0.9).astype(int)
    kept = weights > 0
    assert by_splits(X, y, weights).conditions_ == by_splits(X[kept], y[kept]).conditions_


# --- Errors and copies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "Pass y, or use strategy='quantile'"),
        ([0, 1], "y must have a target for each of the 2100 rows, got 2"),
        ([np.nan] * 2100, "y must hold finite numbers"),
        (["a", None] * 1050, "missing value"),
    ],
)
def test_targets_that_can_not_be_used_are_refused(y, message):
    X = numbers(2100)
    b = Booleanizer().fit(X)
    before = b.to_json()
    with pytest.raises(ValueError, match=message):
        b.set_params(strategy="splits").fit(X, y)
    assert b.set_params(strategy="quantile").to_json() == before


@pytest.mark.parametrize("strategy", ["kmeans", None, ["splits"]])
def test_an_unknown_strategy_is_refused(strategy):
    with pytest.raises(ValueError, match="strategy must be one of 'quantile', 'splits'; got"):
        Booleanizer(strategy=strategy).fit([[1], [2]], [0, 1])


def test_quantiles_ignore_the_targets():
    X = numbers(50)
    assert Booleanizer().fit(X, object()).conditions_ == Booleanizer().fit(X).conditions_


def test_copies_keep_the_strategy_and_old_ones_get_it():
    X = numbers()
    b = by_splits(X, X[:, 0] > 0.5)
    state = b.to_json()
    for copied in (pickle.loads(pickle.dumps(b)), Booleanizer.from_json(json.loads(json.dumps(state)))):
        assert (copied.strategy, copied.strategy_) == ("splits", "splits")
        assert copied.to_json() == state
    old = {name: value for name, value in state.items() if "strategy" not in name}
    assert Booleanizer.from_json(old).strategy_ == "quantile"
    for wrong in ({"fitted_strategy": "x"}, {"strategy": "x"}, {"strategy": "quantile"}):
        with pytest.raises(ValueError, match="strategy"):
            Booleanizer.from_json(state | wrong)


@parametrize_with_checks([Booleanizer(strategy="splits")])
def test_scikit_learns_checks_pass(few_rows, estimator, check):
    check(estimator)
