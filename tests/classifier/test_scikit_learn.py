"""Inside scikit-learn's searches, pipelines, ensembles, calibration and routing, and in joblib's kinds of workers."""

import gc
import os
import pickle
import tracemalloc

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from tests.helpers.problems import assert_same_model, small, three_classes, xor
from wtm import WTMClassifier


@pytest.fixture(scope="module")
def problem():
    return three_classes(240)


# --- Inside other estimators ---------------------------------------------------------------------------------------


def test_tags():
    tags = get_tags(WTMClassifier())
    assert is_classifier(WTMClassifier())
    assert tags.input_tags.sparse
    assert tags.target_tags.required
    assert tags.classifier_tags.multi_class
    assert not tags.non_deterministic


def test_a_pipeline_gives_the_same_model(problem):
    X, y = problem
    pipeline = make_pipeline(FunctionTransformer(), small())
    pipeline.fit(X, y, wtmclassifier__sample_weight=np.arange(len(y)) % 3)
    alone = small().fit(X, y, np.arange(len(y)) % 3)
    assert_same_model(pipeline[-1], alone)
    assert (pipeline.predict_proba(X) == alone.predict_proba(X)).all()


GRID = {"s": [2.0, 4.0], "T": [4, 8], "gamma": [0.0, 0.05]}


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_search_in_many_workers_is_one_in_one(problem, backend):
    X, y = problem
    serial = GridSearchCV(small(n_epochs=2), GRID, cv=2).fit(X, y)
    with joblib.parallel_config(backend, n_jobs=2):
        parallel = GridSearchCV(small(n_epochs=2, n_jobs=2), GRID, cv=2).fit(X, y)
    for key in ("mean_test_score", "split0_test_score"):
        assert serial.cv_results_[key].tolist() == parallel.cv_results_[key].tolist()
    assert serial.best_params_ == parallel.best_params_
    assert_same_model(serial.best_estimator_, parallel.best_estimator_)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(problem, method):
    X, y = problem
    model = CalibratedClassifierCV(small(), cv=2, method=method).fit(X, y, sample_weight=np.ones(len(y)))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("kind", [OneVsRestClassifier, OneVsOneClassifier, BaggingClassifier])
def test_ensembles(problem, kind):
    X, y = problem
    model = kind(small(n_clauses=20, n_epochs=8)).fit(X, np.array(["a", "b", "c"])[y])
    assert model.score(X, np.array(["a", "b", "c"])[y]) > 0.8


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_votes_of_several(problem, voting):
    X, y = problem
    model = VotingClassifier([("wtm", small()), ("linear", LogisticRegression())], voting=voting).fit(X, y)
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr", "balanced_accuracy"])
def test_scores_that_need_probabilities(problem, scoring):
    X, y = problem
    scores = [cross_val_score(small(n_jobs=2), X, y, cv=3, n_jobs=n, scoring=scoring).tolist() for n in (1, 2)]
    assert scores[0] == scores[1]
    assert np.isfinite(scores[0]).all()
    assert cross_val_predict(small(), X, y, cv=3, method="predict_proba").shape == (len(y), 3)


def test_metadata_are_routed(problem):
    X, y = problem
    weights = np.arange(len(y)) % 3 + 0.0
    seen = []
    with sklearn.config_context(enable_metadata_routing=True):
        model = small(callbacks=lambda epoch: seen.append(epoch.entry["train_accuracy"]))
        with pytest.raises(ValueError, match="sample_weight"):
            cross_validate(model, X, y, params={"sample_weight": weights}, error_score="raise")
        asked = model.set_fit_request(sample_weight=True, X_val=False, y_val=False).set_score_request(
            sample_weight=False
        )
        asked.set_partial_fit_request(sample_weight=True, classes=True)
        found = cross_validate(asked, X, y, params={"sample_weight": weights}, return_estimator=True, cv=2)
        plain = cross_validate(clone(model), X, y, params={}, return_estimator=True, cv=2)  # 1.6.0 needs the {}
    assert found["test_score"].shape == (2,)
    pairs = zip(found["estimator"], plain["estimator"], strict=True)
    assert all((a.class_sums(X) != b.class_sums(X)).any() for a, b in pairs)
    assert seen


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function", "class_sums", "score"])
def test_before_fit_there_is_nothing_to_say(problem, method):
    X, y = problem
    with pytest.raises(NotFittedError):
        getattr(small(), method)(X, *[y] * (method == "score"))


# --- Workers ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_forked_after_a_threaded_fit_fits_and_predicts(problem):
    X, y = problem
    expected = small(n_jobs=2).fit(X, y).class_sums(X)
    receive, send = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(send, pickle.dumps(bool((small(n_jobs=2).fit(X, y).class_sums(X) == expected).all())))
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as answer:
        assert pickle.loads(answer.read())
    os.waitpid(child, 0)


@pytest.mark.usefixtures("without_coverage")
@pytest.mark.filterwarnings("ignore")  # a warning that was issued is kept
def test_many_fits_take_no_more_memory_than_one():
    X, y = xor(40, 4)

    def work(times):
        for seed in range(times):
            small(n_clauses=4, n_epochs=1, random_state=seed, T=2).fit(X, y).predict_proba(X)
        gc.collect()

    tracemalloc.start()
    work(50)  # fills what Python keeps of freed objects
    before = tracemalloc.get_traced_memory()[0]
    work(50)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 50 * 1500, "a model of this size has several times as many bytes"
