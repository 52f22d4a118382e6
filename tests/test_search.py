"""Search spaces, in the searches that they are for."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterSampler, RandomizedSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from wtm import Booleanizer, WTMClassifier
from wtm.datasets import load, load_connect_4
from wtm.search import GAMMA, N_CLAUSES, S, T, search_space, suggest
from wtm.validation.parameters import check_parameters


@pytest.fixture(scope="module")
def xor():
    X = np.random.default_rng(0).integers(0, 2, (120, 4))
    return X, X[:, 0] ^ X[:, 1]


def in_range(parameters, prefix=""):
    limits = {"T": T, "s": S, "gamma": GAMMA}
    return parameters[f"{prefix}n_clauses"] in N_CLAUSES and all(
        low <= parameters[f"{prefix}{name}"] <= high for name, (low, high) in limits.items()
    )


def test_every_draw_is_a_valid_setting():
    for parameters in ParameterSampler(search_space(), 200, random_state=0):
        assert in_range(parameters)
        check_parameters(WTMClassifier(**parameters).get_params())


def test_class_sums_can_reach_the_largest_threshold():
    assert T[1] <= min(N_CLAUSES)  # half of the clauses vote for the class; `fit` warns below half of T


def noise():
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (400, 12)), rng.integers(0, 2, 400)


def noisy_xor():
    X, _ = noise()
    return X, X[:, 0] ^ X[:, 1] ^ (np.random.default_rng(1).random(len(X)) < 0.4)


def positions():
    data = load_connect_4()
    return data.X_train[::200], data.y_train[::200]


# Where weights change fastest.
CORNERS = [{"n_clauses": min(N_CLAUSES), "T": t, "s": s, "gamma": GAMMA[1]} for t in T for s in S]


def fit_without_warnings(parameters, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return WTMClassifier(**parameters, random_state=0, n_jobs=-1).fit(X, y)


@pytest.mark.parametrize("rows", [noise, noisy_xor, positions, lambda: load_breast_cancer(return_X_y=True)])
def test_no_setting_makes_fit_warn(rows):
    few = [p for p in ParameterSampler(search_space(), 30, random_state=0) if p["n_clauses"] <= 200][:1]
    for parameters in (*few, *CORNERS):
        fit_without_warnings(parameters, *rows())


def test_a_setting_outside_the_space_makes_fit_warn():
    with pytest.raises(ConvergenceWarning, match="did not converge"):
        fit_without_warnings({"n_clauses": 100, "T": 5.0, "s": 1.5, "gamma": 0.3}, *noise())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect-4", "noisy-xor", "mnist"])
@pytest.mark.parametrize("corner", CORNERS, ids=str)
def test_no_setting_makes_fit_warn_on_whole_data_sets(name, corner, real_data):
    data = load(name, real_data(name))
    fit_without_warnings(corner, data.X_train, data.y_train)


def test_a_randomized_search_finds_its_way_through_a_pipeline(xor):
    pipeline = make_pipeline(Booleanizer(), WTMClassifier(n_epochs=3, random_state=0))
    search = RandomizedSearchCV(pipeline, search_space("wtmclassifier__"), n_iter=4, cv=2, random_state=0)
    search.fit(*xor)
    assert in_range(search.best_params_, "wtmclassifier__")
    assert search.best_estimator_.get_params()["wtmclassifier__T"] == search.best_params_["wtmclassifier__T"]
    assert search.best_score_ > 0.6


def test_a_study_of_optuna_draws_from_the_same_ranges(xor):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))

    def objective(trial):
        clf = WTMClassifier(n_epochs=3, random_state=0).set_params(**suggest(trial))
        return cross_val_score(clf, *xor, cv=2).mean()

    study.optimize(objective, n_trials=4)
    assert all(in_range(trial.params) for trial in study.trials)
    assert study.best_value > 0.6
    assert in_range(study.best_params)


def test_rows_and_labels_are_not_a_trial(xor):
    with pytest.raises(
        TypeError, match=r"trial must be an Optuna trial, got an object of type ndarray.*search_space\(\)"
    ):
        suggest(*xor)
    optuna = pytest.importorskip("optuna")
    with pytest.raises(TypeError, match="prefix must be a string, such as 'wtmclassifier__', got None"):
        suggest(optuna.trial.FixedTrial({}), None)


def test_a_prefix_goes_before_every_name():
    optuna = pytest.importorskip("optuna")
    trial = optuna.trial.FixedTrial({"a__n_clauses": 500, "a__T": 30.0, "a__s": 4.0, "a__gamma": 0.01})
    assert suggest(trial, "a__") == {"a__n_clauses": 500, "a__T": 30.0, "a__s": 4.0, "a__gamma": 0.01}
    assert set(search_space("a__")) == {"a__n_clauses", "a__T", "a__s", "a__gamma"}
