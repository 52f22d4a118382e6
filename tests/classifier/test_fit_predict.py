"""The classifier: predictions, attributes and messages."""

import contextlib
import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import wtm
from tests.helpers.machines import machine_in, sparse_states
from tests.helpers.problems import assert_same_model, small, table, three_classes, xor
from wtm import reference
from wtm.machine.machine_parameters import ENGINES


@pytest.fixture(scope="module")
def problem():
    return three_classes()


# --- Answers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("gamma", [0.0, 0.02])
def test_learns_xor(engine, gamma):
    X, y = xor(600, 8)
    model = small(n_clauses=20, T=10, s=4.0, gamma=gamma, n_epochs=30, engine=engine).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.9


@pytest.mark.parametrize("engine", ENGINES)
def test_learns_three_classes(engine):
    X, y = three_classes(600, 8)
    model = small(n_clauses=20, T=10, s=4.0, n_epochs=30, engine=engine).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.9


def test_answers_have_their_shapes_and_dtypes(problem):
    X, y = problem
    model = small().fit(X, y)
    sums = model.class_sums(X)
    assert (sums.shape, sums.dtype) == ((len(X), 3), np.float64)
    assert (model.decision_function(X) == sums).all()
    assert (model.predict(X) == model.classes_[sums.argmax(axis=1)]).all()
    assert model.score(X, y) == np.mean(model.predict(X) == y)


def test_two_classes_have_two_machines_and_one_column_of_decisions():
    X, y = xor()
    model = small().fit(X, y)
    sums = model.class_sums(X)
    assert len(model.machines_) == 2
    assert sums.shape == (len(X), 2)
    decisions = model.decision_function(X)
    assert decisions.dtype == np.float64
    np.testing.assert_allclose(decisions, sums[:, 1] - sums[:, 0], rtol=1e-12, atol=1e-12)
    assert (model.predict(X) == (decisions > 0)).all(), "a tie is the first class's"


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_are_the_references(problem, engine):
    X, y = problem
    model = small(engine=engine, T=30, n_epochs=10).fit(X, y)
    for column, machine in zip(model.class_sums(X).T, model.machines_, strict=True):
        truth = reference.Machine(machine.states, 128, 30, 1 / 3, 0.05)
        truth.exponents = machine.exponents
        np.testing.assert_allclose(column, [truth.class_sum(x) for x in X], rtol=1e-10, atol=1e-8)


def test_ties_go_to_the_first_class(problem):
    X, y = problem
    model = small().fit(X, np.array(["b", "c", "a"])[y])
    for i, machine in enumerate(model.machines_):
        model.machines_[i] = machine_in(machine.parameters, np.zeros((10, 14), int))
    model._voting = None
    assert not model.class_sums(X).any()
    assert (model.predict(X) == "a").all()


def test_machines_can_be_read(problem):
    X, y = problem
    model = small().fit(X, y)
    assert len(model.machines_) == 3
    for machine in model.machines_:
        assert machine.n_clauses == 10
        assert machine.states.shape == machine.include.shape == (10, 14)
        assert (machine.include == (machine.states >= 128)).all()
        assert (machine.weights > 0).all()


@pytest.mark.parametrize("n_rows", [1, 31, 63, 64, 65, 512, 1000])
def test_rows_predicted_together_are_as_one_by_one(problem, n_rows):
    model = small(n_epochs=10).fit(*problem)
    Z = table(n_rows, 7)
    together = model.predict(Z)
    assert len(together) == n_rows
    assert (together == np.concatenate([model.predict(z[None]) for z in Z])).all()


def test_no_rows_have_no_answers(problem):
    X, y = problem
    model = small().fit(X, np.array(["a", "b", "c"])[y])
    nothing = model.predict(X[:0])
    assert (len(nothing), nothing.dtype) == (0, model.classes_.dtype)
    for answer in (model.class_sums, model.decision_function, model.predict_proba):
        assert answer(X[:0]).shape == (0, 3)
    assert small().fit(X, y > 0).decision_function(X[:0]).shape == (0,)


def test_a_thousand_classes():
    X, y = table(2000, 40), np.arange(2000) % 1000
    model = small(n_clauses=2, n_epochs=1).fit(X, y)
    assert model.classes_.tolist() == list(range(1000))
    chances = model.predict_proba(X[:50])
    assert chances.shape == (50, 1000)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (model.classes_[chances.argmax(axis=1)] == model.predict(X[:50])).all()
    counts = [entry["type_i"] + entry["type_ii"] for entry in model.history_]
    assert 0 < counts[0] <= 2 * 2 * len(X), "an example concerns two machines, however many there are"


@pytest.mark.parametrize("method", ["predict", "decision_function", "class_sums"])
def test_before_fit_there_are_no_answers(problem, method):
    with pytest.raises(NotFittedError):
        getattr(small(), method)(problem[0])
    assert not hasattr(small(), "machines_")
    assert not hasattr(small(), "classes_")


# --- What it keeps and says -------------------------------------------------------------------------------------


HISTORY = {
    "epoch": int,
    "seconds": float,
    "train_accuracy": float,
    "valid_accuracy": float,
    "type_i": int,
    "type_ii": int,
    "weights_saturated": int,
    "vote_drift": float,
    "literals_per_clause": float,
}


def test_history_has_an_entry_per_epoch(problem):
    X, y = problem
    model = small(n_epochs=4).fit(X[:80], y[:80], X_val=X[80:], y_val=y[80:])
    assert model.n_epochs_ == 4
    assert [entry["epoch"] for entry in model.history_] == [1, 2, 3, 4]
    for entry in model.history_:
        assert {key: type(value) for key, value in entry.items()} == HISTORY
        assert entry["seconds"] > 0
        assert entry["type_i"] > entry["type_ii"] > 0
    last = model.history_[-1]
    assert last["train_accuracy"] == model.score(X[:80], y[:80])
    assert last["valid_accuracy"] == model.score(X[80:], y[80:])
    assert last["literals_per_clause"] == np.mean([m.include.sum(axis=1) for m in model.machines_])


def test_without_validation_data_there_is_no_validation_accuracy(problem):
    assert [entry["valid_accuracy"] for entry in small().fit(*problem).history_] == [None] * 3


def test_of_many_rows_5000_spread_evenly_are_measured():
    X, y = xor(7000, 6)
    y[3500:] = 1 - y[3500:]  # no model is right in both halves
    model = small(n_clauses=20, n_epochs=5, shuffle=False).fit(X, y)
    rows = np.linspace(0, 6999, 5000).astype(int)
    assert model.history_[-1]["train_accuracy"] == np.mean(model.predict(X)[rows] == y[rows])
    assert model.history_[-1]["train_accuracy"] != model.score(X[:5000], y[:5000])


def test_one_line_per_epoch(problem, capsys):
    X, y = problem
    small(verbose=2).fit(X, y, X_val=X[:9], y_val=y[:9])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["epoch 1", "epoch 2", "epoch 3"]
    assert all("valid" in line for line in lines)


@pytest.mark.parametrize("verbose", [0, 1, False])
def test_silence(problem, capfd, caplog, verbose):
    X, y = problem
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = small(verbose=verbose, n_jobs=2).fit(X, y, X_val=X, y_val=y)
        model.partial_fit(X, y).predict(X)
        model.score(X, y)
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def test_weights_at_the_largest_are_told_of_once_and_by_number(problem):
    X, y = problem
    with pytest.warns(RuntimeWarning, match="largest weight, 1e\\+03") as warned:
        model = small(gamma=1000.0, T=5000.0).fit(X, y)
    assert len(warned) == 1
    assert warned[0].filename == __file__
    assert sum(entry["weights_saturated"] for entry in model.history_) > 0
    assert {abs(int(k)) for machine in model.machines_ for k in machine.exponents} <= {0, 1}


# --- Parameters ---------------------------------------------------------------------------------------------------


def test_the_version_is_that_of_the_distribution():
    assert wtm.__version__
    others = ["FuzzyWTMClassifier", "FuzzyWTMRegressor", "ImageBooleanizer", "WTMClassifier", "WTMRegressor"]
    of_images = ["ConvolutionalWTMClassifier", "FuzzyConvolutionalWTMClassifier"]
    assert wtm.__all__ == ["Booleanizer", *of_images, *others, "__version__", "load_model"]
    for name in wtm.__all__:
        assert getattr(wtm, name) is not None


def test_parameters_are_stored_as_given_and_checked_in_fit_alone(problem):
    nonsense = {"n_clauses": "many", "T": None, "s": [3], "gamma": -1, "n_jobs": 0, "verbose": "loud"}
    model = small(**nonsense)
    assert {name: model.get_params()[name] for name in nonsense} == nonsense
    assert model.get_params()["s"] is nonsense["s"]
    with pytest.raises((TypeError, ValueError)):
        model.fit(*problem)


def test_clone_and_set_params(problem):
    X, y = problem
    model = small().fit(X, y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "classes_")
    assert_same_model(twin.fit(X, y), model)
    assert twin.set_params(s=7.0, n_clauses=4) is twin
    assert len(twin.fit(X, y).machines_[0].exponents) == 4
    with pytest.raises(ValueError, match="specificity"):
        twin.set_params(specificity=3)


def test_parameters_as_numpy_scalars(problem):
    plain = small(n_states=100, n_jobs=1, boost_true_positive=False, shuffle=False, warm_start=False, verbose=0)
    kinds = {bool: np.bool_, int: np.int64, float: np.float64, str: np.str_}
    changed = {k: kinds[type(v)](v) for k, v in plain.get_params().items() if v is not None}
    assert_same_model(small(**changed).fit(*problem), plain.fit(*problem))
    narrow = {"T": np.float32(8), "s": np.float16(3), "n_clauses": np.uint8(10), "n_epochs": np.int16(3)}
    assert_same_model(small(**narrow).fit(*problem), small().fit(*problem))


EXTREMES = [
    {"T": 2**31 - 1},
    {"T": 0.01},
    {"s": 1.0},
    {"s": 1e9},
    {"n_states": 2},
    {"n_clauses": 2},
    {"n_jobs": 10_000},
    {"n_jobs": -1},
    {"n_jobs": -2},
    {"gamma": 1e-300},
    {"gamma": 1e-310},
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("changes", EXTREMES, ids=str)
def test_the_ends_of_the_parameters_work(problem, changes, engine):
    X, y = problem
    model = small(engine=engine, **changes).fit(X, y)
    assert sum(entry["type_i"] for entry in model.history_) > 0
    assert np.isfinite(model.class_sums(X)).all()
    if "n_jobs" in changes:
        assert_same_model(model, small(engine=engine).fit(X, y))


@pytest.mark.parametrize("T", [1e15, 1e300, 1e308])
def test_a_threshold_out_of_all_proportion_is_refused_or_trained_toward(problem, T):
    with contextlib.suppress(ValueError):
        assert small(T=T).fit(*problem).history_[-1]["type_i"] > 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_literal_budget_shortens_rules_only_where_they_are_longer(engine):
    X, y = load_breast_cancer(return_X_y=True)
    models = {b: small(engine=engine, n_clauses=40, n_epochs=5, max_literals=b).fit(X, y) for b in (None, 10**30, 2)}
    lengths = {b: np.concatenate([m.include.sum(axis=1) for m in model.machines_]) for b, model in models.items()}
    assert_same_model(models[10**30], models[None])
    assert lengths[2].mean() < 2.5 < lengths[None].mean()
    assert lengths[2].max() < lengths[None].max()
    assert models[2].score(X, y) > 0.9


# --- Among scikit-learn's ---------------------------------------------------------------------------------------


def test_is_a_classifier_of_scikit_learn(problem):
    X, y = problem
    assert is_classifier(small())
    pipeline = make_pipeline(FunctionTransformer(), small())
    assert_same_model(pipeline.fit(X, y)[-1], small().fit(X, y))
    search = GridSearchCV(small(), {"s": [2.0, 4.0], "T": [4, 8]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"s", "T"}
    scores = [cross_val_score(small(n_jobs=2), X, y, cv=3, n_jobs=n).tolist() for n in (1, 2)]
    assert scores[0] == scores[1]


def test_repr_shows_what_was_changed():
    assert "T=8" in repr(small())
    assert "n_states" not in repr(small())


def test_a_model_in_chosen_states_predicts_by_them(problem):
    """The face hands out what the machines say, for other than trained states too."""
    X, y = problem
    model = small().fit(X, y)
    rng = np.random.default_rng(0)
    for i, machine in enumerate(model.machines_):
        p = machine.parameters
        model.machines_[i] = machine_in(p, sparse_states(rng, p, X), rng.integers(-9, 9, 10))
    model._voting = None
    truths = [reference.Machine(m.states, 128, 8, 1 / 3, 0.05) for m in model.machines_]
    for truth, machine in zip(truths, model.machines_, strict=True):
        truth.exponents = machine.exponents
    assert (model.predict(X) == reference.MultiClassMachine(truths).predict(X)).all()
