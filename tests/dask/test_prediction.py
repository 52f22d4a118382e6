"""Predictions of collections: lazy, chunk by chunk, and equal to those of tables in memory."""

import subprocess
import sys

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

import wtm.dask
from tests.dask.test_training import chunked, dd, people
from tests.helpers.fits import KINDS, fitted
from tests.helpers.problems import small
from wtm import Booleanizer, WTMClassifier

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "class_sums")


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="sync"):
        yield


@pytest.mark.parametrize("kind", ["strict", "averaged", "fuzzy", "images", "number", "two numbers"])
@pytest.mark.parametrize("method", METHODS)
def test_chunks_are_predicted_as_tables(kind, method):
    model, (X, *_) = fitted(kind), KINDS[kind][1]
    if not hasattr(model, method):
        with pytest.raises(TypeError, match=f"estimator must have the method {method}"):
            getattr(wtm.dask, method)(model, chunked(X))
        return
    found, expected = getattr(wtm.dask, method)(model, chunked(X)), getattr(model, method)(X)
    assert isinstance(found, da.Array)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.chunks[0] == (37, 37, 37, 9)
    assert (found.compute() == expected).all()


def test_data_frames_are_predicted():
    frame = people()
    X = frame.drop(columns="buys")
    model = small().fit(X, frame["buys"])
    far = dd.from_pandas(X, npartitions=3)
    found = wtm.dask.predict(model, far)
    assert found.dtype == model.classes_.dtype
    assert np.isnan(found.shape[0])
    assert (found.compute() == model.predict(X)).all()
    assert (wtm.dask.predict_proba(model, far).compute() == model.predict_proba(X)).all()
    none = far[far["income"] < 0]
    assert wtm.dask.predict(model, none).compute().shape == (0,)


def test_tables_are_transformed():
    frame = people().drop(columns="buys")
    booleanizer = Booleanizer(4).fit(frame)
    found = wtm.dask.transform(booleanizer, dd.from_pandas(frame, npartitions=3))
    assert found.dtype == bool
    assert found.shape[1] == booleanizer.n_features_out_
    assert (found.compute() == booleanizer.transform(frame)).all()
    sparse = wtm.dask.transform(booleanizer.set_params(sparse_output=True), dd.from_pandas(frame, npartitions=2))
    assert sp.issparse(sparse.blocks[0].compute())


def test_text_in_arrays_is_predicted():
    words = np.random.default_rng(0).choice(["a", "b"], (60, 2)).astype(object)
    model = small().fit(words, words[:, 0] == "a")
    assert (wtm.dask.predict(model, chunked(words)).compute() == model.predict(words)).all()


def test_nothing_is_computed_before_it_is_asked_for():
    def fail(block):
        raise AssertionError("computed")

    model = fitted("strict")
    X = chunked(KINDS["strict"][1][0])
    lazy = wtm.dask.predict(model, X.map_blocks(fail, dtype=X.dtype, meta=X._meta))
    with pytest.raises(AssertionError, match="computed"):
        lazy.compute()


def test_other_columns_are_refused_at_once():
    model = fitted("strict")
    with pytest.raises(ValueError, match="features"):
        wtm.dask.predict(model, chunked(np.zeros((10, 3))))
    with pytest.raises(TypeError, match="X must be an array or a data frame of Dask"):
        wtm.dask.predict(model, np.zeros((10, 7)))


def test_the_model_is_in_the_graph_once_and_small():
    model = WTMClassifier(n_clauses=200, T=5, n_epochs=1, random_state=0).fit(*KINDS["strict"][1])
    far = wtm.dask.predict(model, chunked(np.zeros((120, 7)), rows=1))
    held = [getattr(task, "value", None) for task in far.__dask_graph__().values()]
    held = [value for value in held if isinstance(value, WTMClassifier)]
    assert len(held) == 1
    assert not hasattr(held[0]._model, "last_epochs")


def test_the_package_does_not_import_dask():
    program = "import sys, wtm, wtm.cli.main; print([name for name in ('dask', 'distributed') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_package_is_named():
    program = "import sys; sys.modules['distributed'] = None; import wtm.dask"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "pip install 'weighted-tsetlin-machine[dask]'" in done.stderr
