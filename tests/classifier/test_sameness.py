"""The same seed gives the same model, bit for bit, for any threads and way of resuming."""

import copy
import io
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest

from tests.helpers import fingerprint
from tests.helpers.problems import assert_same_model, is_same_model, small, three_classes, xor
from wtm.machine.machine_parameters import ENGINES, SAMPLERS

# Digests of the models of tests/helpers/fingerprint.py. They change only if a change of the code changes fitted models;
# CONTRIBUTING.md describes what to do then.
FINGERPRINTS = {
    "lazy, boosted": "137080fc27fd152ee4de84b3e61620c2e80ca7672cb87cbfd5cbe74bd029933f",
    "direct, boosted": "6998a028bdbb3a925656c4356d6e4cb253af6e2de761c4cbcf507f0599ceffd6",
    "lazy, unboosted from a random start": "37175e689ed3aafd5a288ed79c5d8be76ec2eab8f573128c45df45ac6ba06549",
    "direct, unboosted from a random start": "1045575da2ce8c753f93d7a229742fc73831ed2a0fd5be54aa41ffa193a4cc71",
    "direct, binomial": "c1edbcd83a49d8d7da56f7fee01b0e6bac965bb997a29743478b5a39a076e0de",
    "direct, bernoulli": "7fc328e02da64940706f984bcd827a07e63657f550bb7ba1e927444ac11197aa",
    "lazy, with a budget": "4d0f397969079c93e2492a91fb2936c651771fd11c13890f834231e80197b100",
    "direct, with a budget": "1ceffeaeb6bd7a4c56adfa1a9f999383298789671f4e478b3075befa054bb191",
}


@pytest.fixture(scope="module")
def digests():
    return fingerprint.digests(n_jobs=1)


@pytest.mark.parametrize("way", fingerprint.WAYS)
def test_models_are_those_of_other_machines_and_versions(digests, way):
    assert digests[way]["model"] == FINGERPRINTS.get(way, "not stored yet")


@pytest.mark.parametrize("n_jobs", [2, 8, -1])
def test_number_of_threads_changes_nothing(digests, n_jobs):
    assert fingerprint.digests(n_jobs) == digests


@pytest.mark.parametrize("engine", ENGINES)
def test_fit_again_is_the_same_and_another_seed_is_not(engine):
    X, y = three_classes()
    model = small(engine=engine).fit(X, y)
    assert_same_model(model, small(engine=engine).fit(X, y))
    once = copy.deepcopy(model)
    assert_same_model(model.fit(X, y), once)
    assert not is_same_model(model, small(engine=engine, random_state=2).fit(X, y))


def test_samplers_and_inits_are_different_ways_to_draw():
    X, y = three_classes()
    models = [small(engine="direct", sampler=s, init=i).fit(X, y) for s in SAMPLERS for i in ("border", "random")]
    for i, model in enumerate(models):
        assert not any(is_same_model(model, other) for other in models[:i])


@pytest.mark.parametrize("engine", ENGINES)
def test_without_learning_rate_weights_are_one_and_automata_as_if_there_were_none(engine):
    X, y = three_classes()
    classic = small(gamma=0.0, engine=engine).fit(X, y)
    assert all(machine.weights.tolist() == [1.0] * 10 for machine in classic.machines_)
    # So small a rate moves exponents, but no weight by as much as the last digit of the votes.
    idle = small(gamma=1e-19, engine=engine).fit(X, y)
    for one, other in zip(classic.machines_, idle.machines_, strict=True):
        assert other.exponents.any()
        assert not one.exponents.any()
        assert (one.states == other.states).all()
    assert (classic.class_sums(X) == idle.class_sums(X)).all()
    assert not is_same_model(classic, small(gamma=0.05, engine=engine).fit(X, y))


def named_numbers(X):
    """The table as a frame of numbers, which needs a booleanizer."""
    return pytest.importorskip("pandas").DataFrame(X + 0.25, columns=[f"n{j}" for j in range(X.shape[1])])


@pytest.mark.parametrize("as_table", [np.asarray, named_numbers])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_nothing_is_left_of_an_earlier_fit(as_table, early_stopping):
    X, y = three_classes()
    Z, t = xor(50, 3)
    model = small(early_stopping=early_stopping).fit(as_table(Z), np.array(["a", "b"])[t])
    model.set_params(early_stopping=False).fit(X, y)
    alone = small().fit(X, y)
    assert_same_model(model, alone)
    assert vars(model).keys() == vars(alone).keys()
    assert model.n_features_in_ == 7
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.booleanizer_ is None
    assert [entry["epoch"] for entry in model.history_] == [1, 2, 3]


@pytest.mark.parametrize("engine", ENGINES)
def test_how_the_rows_are_sorted_changes_nothing(engine):
    X, y = three_classes()
    order = np.random.default_rng(0).permutation(len(y))
    for changes in ({}, {"early_stopping": True, "n_epochs": 9}, {"class_weight": "balanced"}):
        assert_same_model(
            small(engine=engine, **changes).fit(X[order], y[order]), small(engine=engine, **changes).fit(X, y)
        )
    weights = np.arange(len(y)) % 3
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weights))
    assert_same_model(small(engine=engine).fit(X[rows], y[rows]), small(engine=engine).fit(X, y, weights))


# --- Continuing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("engine", ENGINES)
def test_ten_epochs_are_four_and_then_six(engine, shuffle):
    X, y = three_classes()
    whole = small(n_epochs=10, shuffle=shuffle, engine=engine).fit(X, y)

    by_partial_fit = small(n_epochs=4, shuffle=shuffle, engine=engine).fit(X, y)
    for _ in range(6):
        by_partial_fit.partial_fit(X, y)
    assert_same_model(by_partial_fit, whole)

    by_warm_start = small(n_epochs=4, shuffle=shuffle, engine=engine, warm_start=True).fit(X, y)
    by_warm_start.set_params(n_epochs=6).fit(X, y)
    assert_same_model(by_warm_start, whole)

    from_nothing = small(shuffle=shuffle, engine=engine)
    for _ in range(10):
        from_nothing.partial_fit(X, y, classes=[0, 1, 2])
    assert_same_model(from_nothing, whole)

    def metrics(model):
        return [{key: value for key, value in entry.items() if key != "seconds"} for entry in model.history_]

    assert metrics(by_partial_fit) == metrics(by_warm_start) == metrics(from_nothing) == metrics(whole)


def _through_a_file(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


COPIES = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "deepcopy": copy.deepcopy,
    "joblib": _through_a_file,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_copy_resumes_as_the_original_would(engine, way):
    X, y = three_classes()
    whole = small(n_epochs=4, engine=engine).fit(X, y)
    model = COPIES[way](small(engine=engine)).partial_fit(X, y, classes=[0, 1, 2])
    for _ in range(3):
        model.predict(X)
        twin = COPIES[way](model)
        assert (twin.class_sums(X) == model.class_sums(X)).all()
        twin.partial_fit(X, y)
        assert model.n_epochs_ + 1 == twin.n_epochs_, "the original is not touched"
        model = twin
    assert_same_model(model, whole)
    assert (model.class_sums(X) == whole.class_sums(X)).all()


def test_a_pickle_holds_no_table_of_weights():
    sizes = [len(pickle.dumps(small(gamma=gamma).fit(*three_classes()))) for gamma in (0.0, 1e-6, 0.0025)]
    assert max(sizes) - min(sizes) < 100


def test_a_pickle_does_not_grow_with_the_rows_or_by_predicting():
    model, larger = (small(n_epochs=1).fit(*three_classes(n)) for n in (100, 10_000))
    assert abs(len(pickle.dumps(model)) - len(pickle.dumps(larger))) < 100
    before = len(pickle.dumps(model))
    model.predict(three_classes()[0])
    assert len(pickle.dumps(model)) == before


@pytest.mark.parametrize("engine", ENGINES)
def test_predicting_between_epochs_changes_nothing(engine):
    X, y = three_classes()
    model = small(engine=engine)
    for _ in range(3):
        model.partial_fit(X, y, classes=[0, 1, 2])
        model.predict(X)
        model.class_sums(X[:5])
        model.score(X, y)
    assert_same_model(model, small(engine=engine).fit(X, y))
    assert (model.predict(X) == small(engine=engine).fit(X, y).predict(X)).all()


def test_validation_data_change_nothing():
    X, y = three_classes()
    assert_same_model(small().fit(X, y, X_val=X[:50], y_val=y[:50]), small().fit(X, y))


@pytest.mark.parametrize("engine", ENGINES)
def test_models_trained_in_turns_are_each_as_if_alone(engine):
    (X, y), (Z, t) = three_classes(), xor(80, 5)
    a, b = small(engine=engine), small(engine=engine, random_state=7, s=2.0)
    for _ in range(3):
        a.partial_fit(X, y, classes=[0, 1, 2])
        b.partial_fit(Z, t, classes=[0, 1])
    assert_same_model(a, small(engine=engine).fit(X, y))
    assert_same_model(b, small(engine=engine, random_state=7, s=2.0).fit(Z, t))


def test_models_trained_in_threads_are_each_as_if_alone():
    X, y = three_classes(1000)
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda seed: small(random_state=seed, n_jobs=2).fit(X, y), range(8)))
    for seed, model in enumerate(together):
        assert_same_model(model, small(random_state=seed).fit(X, y))


def test_one_model_predicts_in_many_threads():
    X, y = three_classes(3000)
    model = small(n_jobs=2).fit(X, y)
    expected = copy.deepcopy(model).class_sums(X)
    start = threading.Barrier(8)

    def sums(_):
        start.wait()
        return model.class_sums(X)

    with ThreadPoolExecutor(8) as threads:
        assert all((found == expected).all() for found in threads.map(sums, range(8)))


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_where_the_classes_are_trained_changes_nothing(backend):
    X, y = three_classes()
    with joblib.parallel_config(backend, n_jobs=2):
        model = small().fit(X, y)
        sums = model.class_sums(X)
    assert_same_model(model, small().fit(X, y))
    assert (sums == small().fit(X, y).class_sums(X)).all()


@pytest.mark.parametrize("engine", ["direct"])
def test_rows_one_at_a_time_are_an_unshuffled_epoch(engine):
    X, y = three_classes()
    model = small(shuffle=False, engine=engine)
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1, 2])
    epoch = small(shuffle=False, n_epochs=1, engine=engine).fit(X, y)
    assert is_same_model(model, epoch)
    assert (model.class_sums(X) == epoch.class_sums(X)).all()
    assert (model.n_epochs_, epoch.n_epochs_) == (len(X), 1)


# --- What randomness comes from -----------------------------------------------------------------------------------


def test_every_kind_of_random_state():
    X, y = three_classes()
    assert not is_same_model(small(random_state=None).fit(X, y), small(random_state=None).fit(X, y))
    assert_same_model(small(random_state=np.int32(5)).fit(X, y), small(random_state=5).fit(X, y))
    for make in (np.random.RandomState, np.random.default_rng):
        a, b = (small(random_state=make(3)).fit(X, y) for _ in range(2))
        assert_same_model(a, b)
        assert not is_same_model(copy.deepcopy(a), b.fit(X, y)), "the generator has moved on"


def test_numpys_global_generator_is_neither_read_nor_moved():
    X, y = three_classes()
    models = []
    for seed in (1, 2):
        np.random.seed(seed)
        state = np.random.get_state()
        models.append(small().fit(X, y))
        small(random_state=None, init="random").fit(X, y).predict(X)
        after = np.random.get_state()
        assert (after[1] == state[1]).all()
        assert after[2:] == state[2:]
    assert_same_model(*models)
