"""Search spaces, in the searches that they are for."""

import numpy as np
import pytest
from sklearn.model_selection import ParameterSampler, RandomizedSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from wtm import Booleanizer, WTMClassifier
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


def test_a_prefix_goes_before_every_name():
    optuna = pytest.importorskip("optuna")
    trial = optuna.trial.FixedTrial({"a__n_clauses": 500, "a__T": 10.0, "a__s": 3.0, "a__gamma": 0.1})
    assert suggest(trial, "a__") == {"a__n_clauses": 500, "a__T": 10.0, "a__s": 3.0, "a__gamma": 0.1}
    assert set(search_space("a__")) == {"a__n_clauses", "a__T", "a__s", "a__gamma"}
