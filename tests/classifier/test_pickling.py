"""Copies of a classifier at every stage of its life: pickle, joblib, copy and skops."""

import copy
import io
import pickle
import re
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from tests.helpers.modelfiles import through_a_file
from tests.helpers.problems import assert_same_model, small, three_classes
from wtm import Booleanizer, load_model
from wtm.machine.machine_parameters import ENGINES

DATA = Path(__file__).resolve().parents[1] / "data"


def _joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def _skops(model):
    skops = pytest.importorskip("skops.io", reason="needs skops, which is among the extras for tests")
    data = skops.dumps(model)
    unknown = skops.get_untrusted_types(data=data)
    assert all(name.startswith("wtm.") for name in unknown)
    return skops.loads(data, trusted=unknown)


WAYS = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "deepcopy": copy.deepcopy,
    "joblib": _joblib,
    "skops": _skops,
}


@pytest.fixture(scope="module")
def problem():
    X, y = three_classes()
    return X, np.array(["no", "yes", "maybe so"])[y]


@pytest.mark.parametrize("way", WAYS)
def test_unfitted(problem, way):
    twin = WAYS[way](small(s=5.0))
    assert twin.get_params() == small(s=5.0).get_params()
    with pytest.raises(NotFittedError):
        twin.predict(problem[0])
    assert_same_model(twin.fit(*problem), small(s=5.0).fit(*problem))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("engine", ENGINES)
def test_between_epochs_and_after_predicting(problem, engine, way):
    X, y = problem
    model = small(engine=engine)
    for _ in range(3):
        model = WAYS[way](model).partial_fit(X, y, classes=["maybe so", "no", "yes"])
        model.predict(X)
    whole = small(engine=engine).fit(X, y)
    assert_same_model(model, whole)
    assert (WAYS[way](model).class_sums(X) == whole.class_sums(X)).all()
    twin = WAYS[way](model).set_params(warm_start=True, n_epochs=2).fit(X, y)
    assert_same_model(twin, small(engine=engine, n_epochs=5).fit(X, y))


@pytest.mark.parametrize("way", WAYS)
def test_for_prediction_only(problem, way, tmp_path):
    X, y = problem
    model = small().fit(X, y)
    for predicted_before in (False, True):
        loaded = through_a_file(model, tmp_path / "model", prediction_only=True)
        if predicted_before:
            loaded.predict(X)
        twin = WAYS[way](WAYS[way](loaded))
        assert (twin.class_sums(X) == model.class_sums(X)).all()
        assert (twin.predict(X) == model.predict(X)).all()
        with pytest.raises(ValueError, match="no automata"):
            twin.partial_fit(X, y)
        assert_same_model(clone(twin).fit(X, y), model)


@pytest.fixture(scope="module")
def table():
    """A frame with a column of each kind, and labels."""
    pd = pytest.importorskip("pandas")
    X, y = three_classes()
    columns = {
        "number": np.where(X[:, 0] == 1, X[:, 2] - 7.5, np.nan),
        "category": pd.Categorical(np.array(["red", "blue"])[X[:, 1]]),
        "text": np.array(["a", "b", "c"])[X[:, 2] + X[:, 3]],
        "boolean": X[:, 4] == 1,
    }
    return pd.DataFrame(columns), y


@pytest.mark.parametrize("way", WAYS)
def test_tables_and_pipelines(table, way):
    X, y = table
    for model in (
        small(), small(booleanizer=Booleanizer(3), early_stopping=True, class_weight="balanced"),
        make_pipeline(Booleanizer(), small()),
    ):  # fmt: skip
        fitted = clone(WAYS[way](model)).fit(X, y)
        twin = WAYS[way](fitted)
        assert (twin.predict_proba(X) == clone(model).fit(X, y).predict_proba(X)).all()
        assert twin.feature_names_in_.tolist() == list(X)


def test_skops_has_to_trust_the_types_that_are_documented(problem, table, tmp_path):
    skops = pytest.importorskip("skops.io", reason="needs skops, which is among the extras for tests")
    page = Path(__file__).resolve().parents[2] / "docs" / "model-file.md"
    documented = re.findall(r"^    (wtm\.[\w.]+)$", page.read_text("utf-8"), re.MULTILINE)
    X, y = table
    models = (
        small(), small().fit(*problem), small().fit(X, y), Booleanizer().fit(X),
        make_pipeline(Booleanizer(), small(early_stopping=True)).fit(X, y),
        through_a_file(small().fit(X, y), tmp_path / "model", prediction_only=True),
    )  # fmt: skip
    needed = {name for model in models for name in skops.get_untrusted_types(data=skops.dumps(model))}
    assert needed == set(documented)


@pytest.mark.parametrize("way", WAYS)
def test_from_a_model_file(problem, way, tmp_path):
    X, y = problem
    model = small().fit(X, y)
    twin = WAYS[way](through_a_file(WAYS[way](model), tmp_path / "model"))
    assert_same_model(twin.partial_fit(X, y), model.partial_fit(X, y))


@pytest.mark.parametrize("kind", ["model-v1", "model-v1-prediction-only"])
def test_pickles_of_the_first_version_are_as_its_files(kind):
    pd = pytest.importorskip("pandas")
    model = pickle.loads((DATA / f"{kind}.pickle").read_bytes())
    expected = load_model(DATA / f"{kind}.safetensors")
    assert model.get_params() == expected.get_params()
    assert model.history_ == expected.history_
    X, y = three_classes()
    X, y = pd.DataFrame(X, columns=[f"feature {i}" for i in range(7)]), np.array(["no", "yes", "ω"])[y]
    assert (model.predict_proba(X) == expected.predict_proba(X)).all()
    assert (pickle.loads(pickle.dumps(model)).class_sums(X) == expected.class_sums(X)).all()
    if "prediction" in kind:
        with pytest.raises(ValueError, match="no automata"):
            model.partial_fit(X, y)
    else:
        for clf in (model, expected):
            clf.partial_fit(X, y).set_params(warm_start=True, n_epochs=2).fit(X, y)
        assert_same_model(model, expected)


def test_a_pickle_of_the_first_version_is_read_by_a_process_that_imports_nothing_else():
    program = f"import pickle; print(pickle.load(open({str(DATA / 'model-v1.pickle')!r}, 'rb')).n_epochs_)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 0
