"""The model file loses nothing."""

import copy
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import wtm
from tests.helpers.modelfiles import contents, through_a_file
from tests.helpers.problems import assert_same_model, small, table, three_classes
from wtm import WTMClassifier, load_model, reference
from wtm.kernels.kernel_cache import cache_folder
from wtm.machine.class_machine import Machine
from wtm.machine.machine_parameters import ENGINES
from wtm.rules import rules_of
from wtm.utils.revision import git_revision

DATA = Path(__file__).parents[1] / "data"
NAMES = ["age > 40", 'the "b"', "в, г", "[d]", "e\nf", "g\\", "h"]


# --- Nothing is lost ----------------------------------------------------------------------------------------------


def test_a_loaded_model_is_the_model(trained, path):
    X, _ = three_classes()
    loaded = through_a_file(trained, path)
    assert type(loaded) is WTMClassifier
    assert_same_model(loaded, trained)
    assert loaded.get_params() == trained.get_params()
    assert loaded.history_ == trained.history_
    assert loaded.n_features_in_ == 7
    assert not hasattr(loaded, "feature_names_in_")
    assert loaded.classes_.dtype == trained.classes_.dtype
    assert (loaded.predict(X) == trained.predict(X)).all()
    assert (loaded.class_sums(X) == trained.class_sums(X)).all()
    assert [str(rule) for rule in rules_of(loaded)] == [str(rule) for rule in rules_of(trained)]
    public = {name for name in vars(trained) if not name.startswith("_")}
    assert {name for name in vars(loaded) if not name.startswith("_")} == public


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n_features", [1, 31, 32, 33, 63, 64, 65])
def test_every_size_resumes_bit_for_bit(n_features, engine, path):
    X, y = table(60, n_features), three_classes(60)[1]
    settings = {"engine": engine, "init": "random", "n_states": 100, "boost_true_positive": False, "max_literals": 4}
    whole = small(n_epochs=4, **settings).fit(X, y)
    model = small(**settings).partial_fit(X, y, classes=[0, 1, 2])
    for _ in range(3):
        model = through_a_file(model, path).partial_fit(X, y)
    assert_same_model(model, whole)
    assert (model.class_sums(X) == whole.class_sums(X)).all()
    keys = set(model.history_[0]) - {"seconds"}
    assert [{k: e[k] for k in keys} for e in model.history_] == [{k: e[k] for k in keys} for e in whole.history_]


def test_parameters_changed_after_fit_hold_from_the_next_epoch_on(path):
    X, y = three_classes()
    model = small().fit(X, y).set_params(s=5.0, T=3, engine="direct", warm_start=True, n_epochs=2)
    loaded = through_a_file(model, path)
    assert loaded.machines_[0].parameters == model.machines_[0].parameters
    assert loaded.machines_[0].parameters.engine == "lazy"
    assert_same_model(loaded.fit(X, y), model.fit(X, y))


LABELS = [
    *(np.array([0, 1, 200 if kind[1] == "u" else 100], kind) for kind in ("<i1", "<u1", "<i2", "<u4", ">i4", "<i8")),
    np.array([0, 2**63, 2**64 - 1], np.uint64),
    np.array([-(2**63), -1, 2**63 - 1]),
    *(np.array([-1, 0, 2048], kind) for kind in ("<f2", "<f4", "<f8", ">f8")),
    np.array([0.0, 2.0**53, 2.0**53 + 2]),
    np.array(["", "a", "ζ"], "<U9"),
    np.array(["a", "b, c", '"\\'], object),
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels.dtype.str)
def test_labels_of_every_kind(labels, path):
    X, y = three_classes()
    model = small(n_epochs=1).fit(X, labels[y])
    loaded = through_a_file(model, path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert [*map(type, loaded.classes_.tolist())] == [*map(type, model.classes_.tolist())]
    assert (loaded.classes_ == model.classes_).all()
    answers = loaded.predict(X)
    assert answers.dtype == model.predict(X).dtype
    assert (answers == model.predict(X)).all()
    assert_same_model(loaded.partial_fit(X, labels[y]), model.partial_fit(X, labels[y]))


def test_labels_true_and_false(path):
    X, y = three_classes()
    assert through_a_file(small(n_epochs=1).fit(X, y > 1), path).classes_.tolist() == [False, True]


@pytest.mark.parametrize("kind", ["M8[D]", "g"])
def test_labels_that_no_file_can_hold_are_refused_before_anything_is_written(kind, path):
    if np.dtype(kind) == np.float64:
        pytest.skip("long double is double on this platform")
    X, y = three_classes()
    model = small(n_epochs=1).fit(X, y)
    model.classes_ = model.classes_.astype(kind)  # fit refuses dates itself
    with pytest.raises(TypeError, match=r"Labels of dtype .* pickled"):
        model.save(path)
    assert not any(path.parent.iterdir())


def test_names_of_every_kind(path):
    pd = pytest.importorskip("pandas")
    X, y = three_classes()
    model = small(n_epochs=1).fit(pd.DataFrame(X, columns=NAMES), y)
    loaded = through_a_file(model, path)
    assert loaded.feature_names_in_.dtype == object
    assert loaded.feature_names_in_.tolist() == NAMES
    assert (loaded.predict(pd.DataFrame(X, columns=NAMES)) == model.predict(pd.DataFrame(X, columns=NAMES))).all()
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(pd.DataFrame(X, columns=NAMES[::-1]))


def test_parameters_are_kept_as_plain_values(path):
    X, y = three_classes()
    model = small(T=np.float32(8), n_clauses=np.int64(10), shuffle=np.bool_(True), engine=np.str_("lazy"), n_jobs=2)
    params = through_a_file(model.fit(X, y), path).get_params()
    assert params == model.get_params()
    kinds = {name: type(params[name]) for name in ("T", "n_clauses", "shuffle", "engine")}
    assert kinds == {"T": float, "n_clauses": int, "shuffle": bool, "engine": str}


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_a_generator_is_not_kept_but_what_was_drawn_from_it_is(make, path):
    X, y = three_classes()
    model = small(random_state=make(3)).fit(X, y)
    loaded = through_a_file(model, path)
    assert loaded.random_state is None
    assert_same_model(loaded.partial_fit(X, y), model.partial_fit(X, y))


def test_no_generator_at_all(path):
    X, y = three_classes()
    model = small(random_state=None).fit(X, y)
    assert_same_model(through_a_file(model, path).partial_fit(X, y), model.partial_fit(X, y))


def test_parameters_that_are_not_plain_data_are_named(trained, path):
    with pytest.raises(TypeError, match=r"parameter n_jobs .*object"):
        copy.deepcopy(trained).set_params(n_jobs=object()).save(path)
    model = copy.deepcopy(trained)
    model.history_ = [{"epoch": object()}]
    with pytest.raises(TypeError, match="history_"):
        model.save(path)
    assert not path.exists()


def test_further_scalar_attributes_are_kept(trained, path):
    model = copy.deepcopy(trained)
    model.rank_, model.share_, model.note_, model.limit_ = np.int64(5), 0.25, None, float("inf")
    model.not_kept_, model._private_ = object(), 3
    loaded = through_a_file(model, path)
    assert (loaded.rank_, loaded.share_, loaded.note_, loaded.limit_) == (5, 0.25, None, float("inf"))
    assert not hasattr(loaded, "not_kept_")
    assert not hasattr(loaded, "_private_")


def test_equal_models_are_equal_files_and_a_later_one_differs(path):
    X, y = three_classes()
    model = small().fit(X, y)
    model.save(path)
    first = path.read_bytes()
    load_model(path).save(path)
    assert path.read_bytes() == first
    model.partial_fit(X, y).save(path)
    assert path.read_bytes() != first
    assert_same_model(load_model(path), model)


def test_the_size_does_not_depend_on_the_rows(path):
    X, y = three_classes()
    sizes = []
    for repeats in (1, 100):
        model = small(n_epochs=1).fit(np.tile(X, (repeats, 1)), np.tile(y, repeats))
        model.history_[0]["seconds"] = 1.0
        model.save(path)
        sizes.append(path.stat().st_size)
    assert abs(sizes[0] - sizes[1]) < 100  # digits of the counts in history_


def test_other_programs_can_read_it(trained, path):
    """The votes come out of the arrays alone, as docs/model-file.md describes them."""
    trained.save(path)
    header, arrays = contents(path)
    X, _ = three_classes()
    expected = trained.class_sums(X)
    for i in range(3):
        truth = reference.Machine(arrays["states"][i], 128, 8, 1 / 3, header["machine"]["gamma"])
        truth.exponents = arrays["exponents"][i]
        np.testing.assert_allclose(expected[:, i], [truth.class_sum(x) for x in X], rtol=1e-10, atol=1e-8)


CONTINUE = """
import sys
from tests.helpers.problems import three_classes
from wtm import load_model
X, y = three_classes()
for path in sys.argv[1:]:
    model = load_model(path)
    model.predict(X)
    model.partial_fit(X, y).set_params(warm_start=True, n_epochs=2).fit(X, y).save(path)
"""


@pytest.mark.parametrize("processor", ["", pytest.param("generic", marks=pytest.mark.slow)])
def test_a_fresh_process_resumes_it(processor, tmp_path):
    X, y = three_classes()
    paths = {engine: tmp_path / f"{engine}.safetensors" for engine in ENGINES}
    for engine, file in paths.items():
        small(engine=engine, n_epochs=1).fit(X, y).save(file)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parents[2])])}
    environment |= {"NUMBA_CPU_NAME": processor} if processor else {}
    subprocess.run([sys.executable, "-c", CONTINUE, *paths.values()], env=environment, check=True, timeout=600)
    for engine, file in paths.items():
        whole = small(engine=engine, n_epochs=4).fit(X, y)
        loaded = load_model(file)
        assert_same_model(loaded, whole)
        assert (loaded.class_sums(X) == whole.class_sums(X)).all()


@pytest.mark.parametrize("prediction_only", [False, True])
def test_the_scale_of_probabilities_is_kept(trained, path, prediction_only):
    model = copy.deepcopy(trained)
    model._model.logit_scale = 0.1 + 0.2
    loaded = through_a_file(model, path, prediction_only=prediction_only)
    assert through_a_file(loaded, path, prediction_only=prediction_only)._model.logit_scale == 0.1 + 0.2


# --- For prediction only ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_features", [1, 31, 32, 33, 63, 64, 65])
@pytest.mark.parametrize("gamma", [0.0, 0.5])
def test_prediction_only_predicts_the_same(n_features, gamma, path):
    X, y = table(130, n_features), three_classes(130)[1]
    model = small(gamma=gamma, init="random").fit(X, y)
    loaded = through_a_file(model, path, prediction_only=True)
    assert (loaded.class_sums(X) == model.class_sums(X)).all()
    assert (loaded.decision_function(X) == model.decision_function(X)).all()
    assert (loaded.predict(X) == model.predict(X)).all()
    assert loaded.score(X, y) == model.score(X, y)
    assert loaded.get_params() == model.get_params()
    assert (loaded.history_, loaded.n_epochs_) == (model.history_, model.n_epochs_)


def test_prediction_only_with_no_literal_at_all(path):
    X, y = three_classes()
    model = small(n_epochs=1).fit(X, y)
    model.machines_[:] = [Machine.new(machine.parameters, 0, 0) for machine in model.machines_]
    model._voting = None
    loaded = through_a_file(model, path, prediction_only=True)
    assert (loaded.class_sums(X) == 0).all()
    assert (loaded.predict(X) == model.predict(X)).all()


def test_prediction_only_with_more_literals_than_16_bits_can_name(path):
    X = np.random.default_rng(0).integers(0, 2, (20, 33_000), np.uint8)
    model = small(n_epochs=1, n_clauses=2).fit(X, np.arange(20) % 2)
    loaded = through_a_file(model, path, prediction_only=True)
    assert max(machine.include.nonzero()[1].max() for machine in model.machines_) >= 1 << 16
    assert (loaded.class_sums(X) == model.class_sums(X)).all()


def test_prediction_only_as_numpy_says_true(trained, path):
    assert not hasattr(through_a_file(trained, path, prediction_only=np.bool_(True)), "machines_")


def test_prediction_only_is_smaller(path):
    X, y = table(200, 400), three_classes(200)[1]
    model = small(n_epochs=5).fit(X, y)
    model.save(path)
    whole = path.stat().st_size
    model.save(path, prediction_only=True)
    assert path.stat().st_size < whole / 2


def test_prediction_only_keeps_the_rules(trained, path):
    assert rules_of(through_a_file(trained, path, prediction_only=True)) == rules_of(trained)


@pytest.mark.parametrize("wrong", ["no", 1, None])
def test_what_is_kept_is_not_guessed(trained, path, wrong):
    with pytest.raises(TypeError, match="prediction_only must be True or False, got"):
        trained.save(path, prediction_only=wrong)
    assert not path.exists()


def test_prediction_only_says_what_it_can_not_do(trained, path):
    X, _ = three_classes()
    labels = trained.predict(X)
    model = through_a_file(trained, path, prediction_only=True)
    state = path.read_bytes()
    with pytest.raises(AttributeError, match="no automata"):
        _ = model.machines_
    with pytest.raises(ValueError, match="no automata"):
        model.partial_fit(X, labels)
    with pytest.raises(ValueError, match="no automata"):
        model.set_params(warm_start=True).fit(X, labels)
    with pytest.raises(ValueError, match="prediction_only must be True"):
        model.set_params(warm_start=False).save(path)
    assert path.read_bytes() == state
    model.save(path, prediction_only=True)
    assert path.read_bytes() == state
    y = np.searchsorted(trained.classes_, labels)
    assert_same_model(model.fit(X, y), clone(trained).fit(X, y))


# --- Files of earlier versions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2, 3])
def test_files_of_every_version_are_read(version):
    file = DATA / f"model-v{version}.safetensors"
    header, arrays = contents(file)
    assert header["schema_version"] == version
    assert ("weights_at_edge" in header["history"][0]) == (version == 1)
    model = load_model(file)
    X, y = three_classes()
    labels = np.array(["no", "yes", "ω"])[y]
    assert model.classes_.tolist() == ["no", "yes", "ω"]
    assert model.feature_names_in_.tolist() == [f"feature {i}" for i in range(7)]
    assert {name: model.get_params()[name] for name in header["parameters"]} == header["parameters"]
    assert [entry["epoch"] for entry in model.history_] == [*range(1, model.n_epochs_ + 1)]
    for machine, states, exponents in zip(model.machines_, arrays["states"], arrays["exponents"], strict=True):
        assert (machine.states == states).all()
        assert (machine.exponents == exponents).all()
    X = named(X)
    assert model.score(X, labels) == model.history_[-1]["train_accuracy"]
    small_one = load_model(DATA / f"model-v{version}-prediction-only.safetensors")
    assert (small_one.class_sums(X) == model.class_sums(X)).all()
    assert model.partial_fit(X, labels).n_epochs_ == header["attributes"]["n_epochs_"] + 1
    assert len({tuple(entry) for entry in model.history_}) == 1, "the names of all epochs are those of the last"


def test_a_file_names_the_code_that_wrote_it(trained, path):
    trained.save(path)
    header, _ = contents(path)
    assert header["schema_version"] == 4
    assert header["revision"] == git_revision()
    assert header["kernel_digest"] == cache_folder().name.removeprefix("wtm-kernels-")


def named(X):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(X, columns=[f"feature {i}" for i in range(X.shape[1])])


def test_load_model_is_a_public_name():
    assert wtm.load_model is load_model
    assert "load_model" in dir(wtm)
