"""Fit and predict of the regressor."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score

from tests.helpers.fingerprint import model_digest
from tests.regressor.conftest import small
from wtm import Booleanizer, WTMRegressor
from wtm.machine.machine_parameters import ENGINES


def same(one, other):
    """Whether two models learn and predict the same from here on."""
    return all(
        (a.states == b.states).all() and (a.exponents == b.exponents).all() and (a.random == b.random).all()
        for a, b in zip(one.machines_, other.machines_, strict=True)
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_learns_numbers(bits, engine):
    X, y = bits
    model = small(engine=engine, n_epochs=30, n_clauses=60, T=20).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.97


def test_history_has_the_score_of_the_averaged_votes(bits):
    X, y = bits
    weights = np.random.default_rng(1).integers(1, 3, len(y)).astype(float)
    model = small().fit(X[:400], y[:400], weights[:400], X_val=X[400:], y_val=y[400:])
    last = model.history_[-1]
    assert [entry["epoch"] for entry in model.history_] == [*range(1, 7)]
    assert last["valid_r2"] == pytest.approx(model.score(X[400:], y[400:]))
    predicted = model.predict(X[:400])
    assert last["train_r2"] == pytest.approx(r2_score(y[:400], predicted, sample_weight=weights[:400]))
    assert "train_accuracy" not in last


@pytest.mark.parametrize("average_last", [1, 2, 4])
def test_votes_are_the_mean_of_those_of_the_last_epochs(bits, average_last):
    X, y = bits
    sums = []

    def keep(epoch):
        machines = epoch.estimator().machines_
        alone = small(average_last=1, n_epochs=1).fit(X, y)
        alone._model.machines, alone._voting = machines, None
        sums.append((alone.predict(X) - middle) / half)

    low, high = y.min(), y.max()
    middle, half = (low + high) / 2, (high - low) / 2
    # With a T out of reach nothing is clipped.
    model = small(T=1000, average_last=average_last, callbacks=keep)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    expected = np.mean(sums[-average_last:], axis=0)
    np.testing.assert_allclose((model.predict(X) - middle) / half, expected, atol=1e-12)


def test_several_numbers_are_those_of_a_machine_each(bits):
    X, y = bits
    both = np.stack([y, X[:, 4] * 2.0], axis=1)
    model = small(n_epochs=15).fit(X, both)
    assert model.n_outputs_ == 2
    assert model.predict(X).shape == (600, 2)
    assert model.y_range_.tolist() == [[y.min(), y.max()], [0.0, 2.0]]
    assert r2_score(both, model.predict(X), multioutput="raw_values").min() > 0.9
    assert model.history_[-1]["train_r2"] == pytest.approx(r2_score(both, model.predict(X)))
    column = small().fit(X, y[:, None])
    assert column.predict(X).shape == (600, 1)
    assert (column.predict(X)[:, 0] == small().fit(X, y).predict(X)).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_model_depends_on_neither_threads_nor_the_order_of_rows(bits, engine):
    X, y = bits
    both = np.stack([y, -y * X[:, 3]], axis=1)
    model = small(engine=engine).fit(X, both)
    shuffled = np.random.default_rng(3).permutation(len(y))
    assert same(small(engine=engine, n_jobs=3).fit(X, both), model)
    assert same(small(engine=engine).fit(X[shuffled], both[shuffled]), model)
    assert same(small(engine=engine).fit(sp.csr_array(X), both), model)


def test_a_weight_of_2_is_the_row_twice(bits):
    X, y = bits
    weights = np.where(np.arange(len(y)) % 3, 1, 2)
    twice = np.repeat(np.arange(len(y)), weights)
    assert same(small().fit(X, y, weights), small().fit(X[twice], y[twice]))
    without = weights.copy()
    without[:100] = 0
    assert same(
        small(y_range=(-20, 20)).fit(X, y, without), small(y_range=(-20, 20)).fit(X[100:], y[100:], weights[100:])
    )


@pytest.mark.parametrize("average_last", [1, 3])
def test_training_in_parts_is_training_at_once(bits, average_last, tmp_path):
    X, y = bits
    whole = small(average_last=average_last, warm_start=True).fit(X, y)
    parts = small(average_last=average_last, warm_start=True, n_epochs=4).fit(X, y)
    parts = pickle.loads(pickle.dumps(parts)).partial_fit(X, y)
    parts.set_params(n_epochs=1).fit(X, y)
    assert same(parts, whole)
    assert (parts.predict(X) == whole.predict(X)).all()
    assert [entry["train_r2"] for entry in parts.history_] == [entry["train_r2"] for entry in whole.history_]


def test_early_stopping_keeps_the_best_epoch(bits):
    X, y = bits
    model = small(early_stopping=True, n_epochs=40, n_iter_no_change=4).fit(
        X[:400], y[:400], X_val=X[400:], y_val=y[400:]
    )
    scores = [entry["valid_r2"] for entry in model.history_]
    assert model.best_epoch_ == model.n_epochs_ == 1 + int(np.argmax(scores))
    assert model.score(X[400:], y[400:]) == pytest.approx(max(scores))
    assert len(scores) == min(40, model.best_epoch_ + 4)
    held_out = small(early_stopping=True).fit(X, y)
    assert all(entry["valid_r2"] is not None for entry in held_out.history_)


@pytest.mark.parametrize("y_range", [None, (7.0, 7.0)])
def test_a_constant_target_is_predicted_exactly(bits, y_range):
    X, _ = bits
    with pytest.warns(UserWarning, match="^y is 7.0 in all rows: there is nothing to learn"):
        model = small(y_range=y_range).fit(X, np.full(len(X), 7.0))
    assert (model.predict(X) == 7.0).all()


def test_a_constant_output_among_others_is_named(bits):
    X, y = bits
    with pytest.warns(UserWarning, match="^output 1 of y is 7.0 in all rows"):
        small().fit(X, np.stack([y, np.full(len(y), 7.0)], axis=1))


def test_a_constant_first_batch_is_noted_where_it_decides_the_range(bits):
    X, _ = bits
    with pytest.warns(UserWarning, match="^y is 7.0 in all rows of the first batch, .* Pass y_range"):
        small().partial_fit(X, np.full(len(X), 7.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(y_range=(-20, 20)).partial_fit(X, np.full(len(X), 7.0))


@pytest.mark.parametrize("train", ["partial_fit", "fit"])
def test_the_range_stays(bits, train):
    X, y = bits
    model = small(y_range=(-20, 20), warm_start=True).partial_fit(X, y)
    digest = model_digest(model)
    changed = r"y_range can't change .* was \[\[-20\.0, 20\.0\]\] and is now \[\[0\.0, 9\.0\]\]"
    with pytest.raises(ValueError, match=changed):
        getattr(model.set_params(y_range=(0, 9)), train)(X, y)
    assert model_digest(model) == digest
    getattr(model.set_params(y_range=np.array([[-20, 20]])), train)(X, y)


def test_numbers_of_any_size_are_scaled(bits):
    X, y = bits
    model = small().fit(X, y)
    for factor in (2.0**-1000, 2.0**1000):
        assert (small().fit(X, y * factor).predict(X) == model.predict(X) * factor).all()
    assert np.isfinite(small().fit(X, np.where(X[:, 0], 1.7e308, -1.7e308)).predict(X)).all()


def test_predictions_stay_in_the_range(bits):
    X, y = bits
    model = small(y_range=(-3, 5))
    with pytest.warns(UserWarning, match=r"y holds .* outside y_range \[\[-3\.0, 5\.0\]\]"):
        model.fit(X, y)
    assert model.predict(X).min() >= -3
    assert model.predict(X).max() <= 5


def test_later_batches_outside_the_range_are_noted_once(bits):
    X, y = bits
    model = small(y_range=(-20, 20)).partial_fit(X, y)
    with pytest.warns(UserWarning, match="y holds 30, which is outside"):
        model.partial_fit(X, np.full(len(X), 30.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(X, np.full(len(X), 30.0))


def test_tables_of_any_kind_are_booleanized():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(20, 70, 500), "colour": rng.choice(["red", "blue"], 500)})
    y = frame.age / 10 + np.where(frame.colour == "red", 3, 0)
    model = small(n_clauses=100, T=20, s=8, n_epochs=20, booleanizer=Booleanizer(n_thresholds=20)).fit(frame, y)
    assert model.score(frame, y) > 0.95
    assert model.feature_names_in_.tolist() == ["age", "colour"]


def test_what_was_not_learnt_is_said(bits):
    X, _ = bits
    y = np.random.default_rng(5).normal(size=len(X)) ** 9
    with pytest.warns(ConvergenceWarning, match="R squared on training rows is"):
        small(n_epochs=1, average_last=1).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="T=1000 is too large: sums of votes can't exceed"):
        small(T=1000).fit(X, y)


@pytest.mark.parametrize(
    ("changes", "y", "message"),
    [
        ({"average_last": 0}, None, "average_last must be at least 1, got 0"),
        ({"average_last": 1.5}, None, "average_last must be an integer"),
        ({"y_range": (5, 1)}, None, r"y_range must be the smallest and the largest number .* got \(5, 1\)"),
        ({"y_range": (0, np.inf)}, None, "y_range must be the smallest"),
        ({"y_range": "wide"}, None, "y_range must hold numbers, such as .* got 'wide'"),
        ({"y_range": ("0", "50")}, None, "y_range must hold numbers"),
        ({"y_range": np.array([b"0", 50], object)}, None, "y_range must hold numbers"),
        ({"y_range": (False, True)}, None, "y_range must hold numbers"),
        ({"y_range": (0, 50j)}, None, "y_range must hold numbers"),
        ({"y_range": [(0, 1), (0,)]}, None, "y_range must be the smallest"),
        ({"y_range": [(0, 1), (0, 1)]}, None, "y_range must be the smallest"),
        ({}, np.r_[np.nan, np.zeros(599)], "y must hold finite numbers, but row 0 has nan"),
        ({}, np.r_[np.inf, np.zeros(599)], "y must hold finite numbers, but row 0 has inf"),
        ({}, np.zeros(5), "inconsistent numbers of samples"),
        ({}, np.zeros((600, 2, 2)), r"y must have a number per row, .* shape \(600, 2, 2\)"),
        ({}, np.full(600, "a"), "y must hold numbers, got array.* convert them to float64"),
        ({}, np.full(600, 1j), r"^y must hold numbers, got array.{,130} \(they are complex\)\.$"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(bits, changes, y, message):
    X, good = bits
    model = small()
    with pytest.raises((ValueError, TypeError), match=message):
        model.set_params(**changes).fit(X, good if y is None else y)
    assert vars(model) == small(**changes).get_params()


def test_the_number_of_outputs_stays(bits):
    X, y = bits
    model = small().partial_fit(X, y)
    with pytest.raises(ValueError, match="y must have 1 numbers per row as in fit, got 2"):
        model.partial_fit(X, np.stack([y, y], axis=1))


def test_refit_warns_of_numbers_outside_the_range():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 4))
    y = X[:, 0] + 2.0 * X[:, 1]
    model = WTMRegressor(n_clauses=10, T=10, n_epochs=3, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.refit(X, y)
    with pytest.warns(UserWarning, match="outside y_range"):
        model.refit(X, 3 * y)


def test_the_classifier_alone_chooses_s():
    with pytest.raises(TypeError, match="only WTMClassifier"):
        WTMRegressor(s="auto").fit([[0], [1]], [0.0, 1.0])
