"""Class sums averaged over the last epochs."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.problems import assert_same_model, three_classes
from wtm import FuzzyWTMClassifier, WTMClassifier, load_model
from wtm.rules import rules_of

KINDS = [WTMClassifier, FuzzyWTMClassifier]
X, Y = three_classes(600)
SMALL = {"n_clauses": 10, "T": 4, "gamma": 0.05, "n_epochs": 6, "random_state": 1}


@pytest.fixture(params=KINDS)
def new(request):
    return lambda **changes: request.param(**SMALL | changes)


def averaged(**changes):
    return WTMClassifier(**SMALL | {"average_last": 3} | changes)


@pytest.mark.parametrize("average_last", [1, 2, 4, 6, 9])
def test_sums_are_the_mean_of_those_of_the_last_epochs(new, average_last):
    sums, means = [], []
    alone = new(callbacks=lambda epoch: sums.append(epoch.estimator().class_sums(X))).fit(X, Y)
    keep = lambda epoch: means.append(epoch.estimator().class_sums(X))  # noqa: E731
    model = new(average_last=average_last, callbacks=keep).fit(X, Y)
    assert_same_model(model, alone)  # training is the same
    for n_epochs in range(1, 7):
        expected = np.mean(sums[max(0, n_epochs - average_last) : n_epochs], axis=0)
        np.testing.assert_allclose(means[n_epochs - 1], expected, atol=1e-9)
    np.testing.assert_array_equal(model.class_sums(X), means[-1])


def test_predictions_follow_from_the_averaged_sums(new):
    model = new(average_last=3).fit(X, Y)
    assert (model.predict(X) == model.class_sums(X).argmax(axis=1)).all()
    assert (model.predict_proba(X).argmax(axis=1) == model.predict(X)).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    two = new(average_last=3).fit(X, Y > 0)
    np.testing.assert_allclose(two.decision_function(X), two.class_sums(X) @ [-1, 1], atol=1e-9)


def test_probabilities_are_calibrated_on_the_averaged_sums(new):
    last, mean = (new(average_last=k).fit(X, Y)._model.logit_scale for k in (1, 6))
    assert last != mean


def test_history_has_the_accuracy_of_the_averaged_sums(new):
    model = new(average_last=4).fit(X[:400], Y[:400], X_val=X[400:], y_val=Y[400:])
    assert model.history_[-1]["train_accuracy"] == model.score(X[:400], Y[:400])
    assert model.history_[-1]["valid_accuracy"] == model.score(X[400:], Y[400:])


def test_early_stopping_keeps_the_best_average(new):
    model = new(average_last=3, early_stopping=True, n_epochs=15, n_iter_no_change=4)
    model.fit(X[:400], Y[:400], X_val=X[400:], y_val=Y[400:])
    scores = [entry["valid_accuracy"] for entry in model.history_]
    assert model.best_epoch_ == 1 + int(np.argmax(scores))
    assert model.score(X[400:], Y[400:]) == max(scores)


def test_training_in_parts_is_training_at_once(new, tmp_path):
    whole = new(average_last=3).fit(X, Y)
    parts = new(average_last=3, warm_start=True, n_epochs=2).fit(X, Y)
    parts = pickle.loads(pickle.dumps(parts)).partial_fit(X, Y)
    parts.save(tmp_path / "model")
    parts = load_model(tmp_path / "model").set_params(n_epochs=3).fit(X, Y)
    assert_same_model(parts, whole)
    for method in ("class_sums", "predict_proba"):
        assert (getattr(parts, method)(X) == getattr(whole, method)(X)).all()


def test_the_number_can_change_when_training_resumes(new):
    model = new(average_last=3, warm_start=True).fit(X, Y)
    model.set_params(average_last=1, n_epochs=1).fit(X, Y)
    alone = new(n_epochs=7).fit(X, Y)
    assert (model.class_sums(X) == alone.class_sums(X)).all()
    later = model.set_params(average_last=2).fit(X, Y).class_sums(X)
    both = (alone.class_sums(X) + new(n_epochs=8).fit(X, Y).class_sums(X)) / 2
    np.testing.assert_allclose(later, both, atol=1e-9)


@pytest.mark.parametrize("prediction_only", [False, True])
def test_files_keep_the_average(new, tmp_path, prediction_only):
    model = new(average_last=3).fit(X, Y)
    model.save(tmp_path / "model", prediction_only=prediction_only)
    read = load_model(tmp_path / "model")
    assert read.get_params() == model.get_params()
    assert (read.class_sums(X) == model.class_sums(X)).all()
    assert (read.predict_proba(X) == model.predict_proba(X)).all()
    assert list(map(str, read.rules())) == list(map(str, model.rules()))
    read.save(tmp_path / "again", prediction_only=True)
    assert (load_model(tmp_path / "again").class_sums(X) == model.class_sums(X)).all()


def test_a_file_of_wtm_0_1_has_no_average(new):
    model = new().fit(X, Y)
    state = model.__getstate__()
    if isinstance(model, WTMClassifier):
        del state["average_last"]
    old = type(model).__new__(type(model))
    old.__setstate__(state)
    assert old.average_last == 1
    assert (old.partial_fit(X, Y).predict(X) == model.partial_fit(X, Y).predict(X)).all()


@pytest.mark.parametrize(
    ("value", "message"),
    [(0, "average_last must be at least 1, got 0"), (1.5, "must be an integer"), (1 << 24, "must be at most")],
)
def test_other_numbers_are_refused(new, value, message):
    with pytest.raises((ValueError, TypeError), match=message):
        new(average_last=value).fit(X, Y)


# --- Rules ----------------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 5), st.integers(0, 100))
def test_rules_add_up_to_the_averaged_sums(average_last, seed):
    model = averaged(average_last=average_last, random_state=seed).fit(X, Y)
    sums = np.zeros((len(X), 3))
    for rule in rules_of(model):
        sums[:, rule.label] += rule.polarity * rule.weight * holds(rule, X)
    np.testing.assert_allclose(sums, model.class_sums(X), atol=1e-9)


def holds(rule, rows):
    found = np.ones(len(rows), bool)
    for condition in rule.conditions:
        values = rows[:, int(condition.column.removeprefix("x"))]
        found &= (values > condition.low) & (values <= condition.high)
    return found


def test_explanations_add_up(new):
    model = new(average_last=3).fit(X, Y)
    assert str(model.explain(X[:1])[0])
    assert np.isclose(model.feature_importances_.sum(), 1)


def test_a_model_can_be_simplified():
    model = averaged().fit(X, Y)
    np.testing.assert_array_equal(model.simplify(X).class_sums(X), model.class_sums(X))


def test_a_model_can_be_pruned_and_refitted(new):
    model = new(average_last=3).fit(X, Y)
    n_rules = len(model.rules())
    np.testing.assert_allclose(model.prune(n_rules=n_rules).class_sums(X), model.class_sums(X), atol=1e-9)
    assert len(model.prune(X, Y, n_rules=5).rules()) <= 5
    assert model.refit(X, Y).score(X, Y) > 0.9
    with pytest.raises(ValueError, match="can't be trained further"):
        model.prune(n_rules=5).partial_fit(X, Y)


def test_reduced_models_are_kept_in_files(tmp_path):
    reduced = averaged().fit(X, Y).simplify(X)
    reduced.save(tmp_path / "model", prediction_only=True)
    assert (load_model(tmp_path / "model").class_sums(X) == reduced.class_sums(X)).all()
