"""Fits of collections: the same model as on one computer, whatever happens to workers, chunks and connections."""

import copy

import dask
import dask.array as da
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

import wtm.dask
from tests.dask.kills import kill_a_worker, needs_kill
from tests.helpers.fits import KINDS, X, Y, assert_same_fit, fitted
from tests.helpers.problems import small, three_classes
from wtm import Booleanizer, ConvolutionalWTMClassifier, WTMRegressor

dd = pytest.importorskip("dask.dataframe")

KINDS_HERE = sorted(KINDS.keys() - {"stopped early"})


def chunked(array, rows=37):
    return da.from_array(np.asarray(array), chunks=(rows, *np.shape(array)[1:]))


def fit_in_chunks(estimator, X, y, client, rows=37, sample_weight=None, **more):
    weights = None if sample_weight is None else chunked(sample_weight, rows)
    return wtm.dask.fit(estimator, chunked(X, rows), chunked(y, rows), weights, client=client, **more)


@pytest.mark.parametrize("kind", KINDS_HERE)
def test_each_kind_of_estimator_is_fitted_as_in_memory(in_process, kind):
    estimator, data, more = KINDS[kind]
    before = copy.deepcopy(vars(estimator))
    assert_same_fit(fit_in_chunks(estimator, *data, in_process, **more), fitted(kind))
    assert vars(estimator) == before


@pytest.mark.parametrize("rows", [1000, 64, 41])
def test_chunks_and_processes_change_nothing(two_processes, rows):
    assert_same_fit(fit_in_chunks(small(), X, Y, two_processes, rows), small().fit(X, Y))


def people(n_rows=400):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows).astype(float),
            "income": rng.lognormal(10, 1, n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "member": rng.random(n_rows) < 0.3,
        }
    )
    frame.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "colour"] = None
    frame["buys"] = np.where((frame["age"] > 40) | frame["member"], "yes", "no")
    return frame


@pytest.mark.parametrize("booleanizer", ["auto", Booleanizer(3), Booleanizer(thresholds={"age": [30, 50]})])
def test_a_data_frame_gets_the_same_conditions_and_model(in_process, booleanizer):
    frame = people()
    far = dd.from_pandas(frame, npartitions=5)
    estimator = small(booleanizer=booleanizer)
    found = wtm.dask.fit(estimator, far.drop(columns="buys"), far["buys"], client=in_process)
    expected = small(booleanizer=booleanizer).fit(frame.drop(columns="buys"), frame["buys"])
    assert found.booleanizer_.to_json() == expected.booleanizer_.to_json()
    assert (found.feature_names_in_ == expected.feature_names_in_).all()
    assert (found.classes_ == expected.classes_).all()
    assert_same_fit(found, expected)


def test_columns_of_parquet_files_are_read_in_the_same_chunks(in_process, tmp_path):
    columns = {f"x{j}": np.arange(300) % (j + 2) for j in range(20)}
    frame = pd.DataFrame(columns | {"y": np.arange(300) % 3})
    for i in range(6):
        frame[i::6].to_parquet(tmp_path / f"{i}.parquet")
    far = dd.read_parquet(tmp_path)
    found = wtm.dask.fit(small(), far.drop(columns="y"), far["y"], far["x1"], client=in_process)
    expected = small().fit(frame.drop(columns="y"), frame["y"], frame["x1"])
    assert_same_fit(found, expected)
    predicted = wtm.dask.predict(found, far.drop(columns="y")).compute(scheduler="sync")
    assert (predicted == expected.predict(pd.concat(frame[i::6] for i in range(6)).drop(columns="y"))).all()


def test_partitions_may_be_empty_or_lack_values(in_process):
    frame = people().sort_values("colour", na_position="first", ignore_index=True)
    far = dd.from_pandas(frame, npartitions=16)
    far = far[far["colour"].isna() | (far["colour"] == "blue")]
    near = [far.partitions[i].compute() for i in range(far.npartitions)]
    assert min(map(len, near)) == 0
    assert any(len(part) and part["colour"].isna().all() for part in near)
    frame = pd.concat(near)
    found = wtm.dask.fit(small(), far.drop(columns="buys"), far["buys"], client=in_process)
    assert_same_fit(found, small().fit(frame.drop(columns="buys"), frame["buys"]))


def test_training_resumes(in_process):
    first = fit_in_chunks(small(warm_start=True), X, Y, in_process)
    before = copy.deepcopy(first)
    second = fit_in_chunks(first, X, Y, in_process)
    assert_same_fit(first, before)
    expected = small(warm_start=True).fit(X, Y).fit(X, Y)
    assert second.n_epochs_ == 6
    assert_same_fit(second, expected)


WEIGHTS = {
    "fractions and zeros": lambda rng: rng.integers(0, 4, 400) / 3,
    "whole": lambda rng: rng.integers(1, 4, 400),
    "shares": lambda rng: (lambda shares: shares / shares.sum())(rng.random(400)),
    "equal shares": lambda rng: np.full(400, 1 / 400),
}


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("regression", [False, True])
def test_sample_weights_count_as_in_memory(in_process, kind, regression):
    frame = people().assign(weight=WEIGHTS[kind](np.random.default_rng(1)))
    far = dd.from_pandas(frame, npartitions=5)
    target, estimator = (
        ("income", WTMRegressor(10, T=8, n_epochs=2, random_state=0)) if regression else ("buys", small())
    )
    learnt = ["age", "colour", "member", *([] if regression else ["income"])]
    found = wtm.dask.fit(estimator, far[learnt], far[target], far["weight"], client=in_process)
    expected = clone(estimator).fit(frame[learnt], frame[target], frame["weight"])
    assert found.booleanizer_.to_json() == expected.booleanizer_.to_json()
    assert_same_fit(found, expected)


def test_a_class_of_weight_0_is_not_learnt(in_process):
    weights = np.where(Y == 1, 0, 2)
    found = fit_in_chunks(small(), X, Y, in_process, sample_weight=weights)
    assert found.classes_.tolist() == [0, 2]
    assert_same_fit(found, small().fit(X, Y, weights))


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 1: 2, 2: 1.25}])
def test_class_weights_multiply_sample_weights(two_processes, class_weight):
    weights = np.arange(len(Y)) % 5 / 3
    found = fit_in_chunks(small(class_weight=class_weight), X, Y, two_processes, sample_weight=weights)
    assert_same_fit(found, small(class_weight=class_weight).fit(X, Y, weights))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (chunked(np.where(Y == 1, -1.0, 1.0)), "sample_weight must not be negative"),
        (chunked(np.zeros(120)), "sample_weight must not be zero for all 120 rows"),
        (chunked(np.full(120, np.nan)), "sample_weight must hold finite numbers"),
        (chunked(np.full(120, "1")), "sample_weight must hold numbers"),
        (chunked(np.ones(119)), "X and sample_weight must have the same rows, got 120 and 119"),
        (chunked(np.ones((120, 2))), "sample_weight must hold a weight for each"),
        (np.ones(120), "sample_weight must be an array or a data frame of Dask, got ndarray"),
    ],
)
def test_wrong_sample_weights_are_refused(in_process, weights, message):
    estimator = small()
    before = copy.deepcopy(vars(estimator))
    with pytest.raises((TypeError, ValueError), match=message):
        wtm.dask.fit(estimator, chunked(X), chunked(Y), weights, client=in_process)
    assert vars(estimator) == before


def test_rows_in_several_blocks_give_the_same_model(in_process, monkeypatch):
    monkeypatch.setattr(wtm.dask.training, "_BLOCK_BYTES", 64 * 50)  # rows of 64 bytes, in chunks of 37
    assert_same_fit(fit_in_chunks(small(n_epochs=12), X, Y, in_process), small(n_epochs=12).fit(X, Y))


def test_class_weights_and_callbacks(in_process):
    numbers = []
    options = {"class_weight": {0: 0.5, 1: 2, 2: 1.25}}
    estimator = small(**options, callbacks=lambda epoch: numbers.append(epoch.estimator().n_epochs_))
    assert_same_fit(fit_in_chunks(estimator, X, Y, in_process), small(**options).fit(X, Y))
    assert numbers == [1, 2, 3]


def test_early_stopping_with_validation_data(in_process):
    data = {"X_val": X[:50], "y_val": Y[:50]}
    options = {"early_stopping": True, "n_iter_no_change": 1}
    assert_same_fit(fit_in_chunks(small(**options), X, Y, in_process, **data), small(**options).fit(X, Y, **data))


# --- Errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "X", "y", "message"),
    [
        (small(), X, chunked(Y), "X must be an array or a data frame of Dask, got ndarray"),
        (small(), chunked(X), Y, "y must be an array"),
        (Booleanizer(), chunked(X), chunked(Y), "estimator must be a classifier or regressor of wtm"),
        (small(), chunked(X), chunked(Y[:-1]), "must have the same rows, got 120 and 119"),
        (small(), chunked(X), chunked(np.zeros(120, int)), "at least two classes"),
        (small(), chunked(X), chunked(np.where(Y == 1, np.nan, Y)), "missing value"),
        (small(n_clauses=3), chunked(X), chunked(Y), "n_clauses"),
        (small(booleanizer="strict"), chunked(X * 2), chunked(Y), "must hold only 0 and 1"),
    ],
)
def test_what_can_not_be_fitted_is_refused(in_process, estimator, X, y, message):
    before = copy.deepcopy(vars(estimator))
    with pytest.raises((TypeError, ValueError), match=message):
        wtm.dask.fit(estimator, X, y, client=in_process)
    assert vars(estimator) == before


def test_rows_in_messages_are_those_of_a_chunk(in_process):
    numbers = np.where(np.arange(120) == 39, np.nan, 1.0)
    with pytest.raises(ValueError, match="A chunk of y must hold finite numbers, but row 2 has nan"):
        fit_in_chunks(WTMRegressor(n_epochs=1), X, numbers, in_process)
    with pytest.raises(ValueError, match="A chunk of sample_weight must hold finite numbers, but row 2 has nan"):
        fit_in_chunks(small(), X, Y, in_process, sample_weight=numbers)
    images = np.ones((120, 2, 2), int)
    images[39] = 7
    model = ConvolutionalWTMClassifier(4, patch_shape=(1, 1), n_epochs=1)
    with pytest.raises(ValueError, match=r"A chunk of X must hold only 0 and 1 .*, but image 2, row 0"):
        fit_in_chunks(model, images, Y, in_process)


@pytest.mark.parametrize("kind", ["array", "frame"])
def test_a_column_of_labels_gives_one_warning(in_process, kind):
    y = chunked(Y[:, np.newaxis])
    y = y if kind == "array" else y.to_dask_dataframe(columns=["y"])
    with pytest.warns(DataConversionWarning, match="column-vector y") as found:
        model = wtm.dask.fit(small(), chunked(X), y, client=in_process)
    columns = [warning for warning in found if warning.category is DataConversionWarning]
    assert [warning.filename for warning in columns] == [__file__]
    assert_same_fit(model, small().fit(X, Y))


def test_splits_are_refused(in_process):
    many = np.random.default_rng(0).random((2100, 2))
    with pytest.raises(ValueError, match="strategy='splits' needs all rows in one memory"):
        fit_in_chunks(small(booleanizer=Booleanizer(strategy="splits")), many, many[:, 0] > 0.5, in_process, 1000)


def test_a_client_is_needed(monkeypatch):
    def get_client():
        raise ValueError("No global client found")

    monkeypatch.setattr("wtm.dask.connection.get_client", get_client)  # a worker in this process would be one
    with pytest.raises(ValueError, match="client is None, and there is no default one"):
        wtm.dask.fit(small(), chunked(X), chunked(Y))


@pytest.mark.parametrize("kind", ["address", "cluster"])
def test_another_object_than_a_client_is_refused(in_process, kind):
    other = {"address": in_process.scheduler.address, "cluster": in_process.cluster}[kind]
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client, got .*Pass Client"):
        wtm.dask.fit(small(), chunked(X), chunked(Y), client=other)


def test_early_stopping_without_validation_data_is_refused_before_rows_are_read(in_process):
    unread = dask.delayed(pytest.fail)("read")
    rows = da.from_delayed(unread, X.shape, X.dtype)
    with pytest.raises(ValueError, match="early_stopping needs X_val and y_val"):
        wtm.dask.fit(small(early_stopping=True), rows, chunked(Y, len(Y)), client=in_process)


# --- Failures -----------------------------------------------------------------------------------------------------


@needs_kill
def test_a_worker_that_is_killed_changes_nothing(two_processes):
    def kill(epoch):
        if epoch.number == 1:
            kill_a_worker(two_processes)

    assert_same_fit(fit_in_chunks(small(callbacks=kill), X, Y, two_processes), small().fit(X, Y))


def test_a_client_that_is_closed_ends_the_fit(in_process):
    import distributed

    client = distributed.Client(in_process.scheduler.address, set_as_default=False)
    estimator = small(callbacks=lambda epoch: client.close())
    before = set(vars(estimator))
    with pytest.raises(ConnectionError, match="connection to Dask's scheduler was lost"):
        fit_in_chunks(estimator, X, Y, client)
    assert set(vars(estimator)) == before


def test_a_scheduler_that_goes_away_ends_the_fit():
    import distributed

    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False, timeout=2) as client,
    ):
        estimator = small(callbacks=lambda epoch: cluster.close())
        with pytest.raises(ConnectionError, match="connection to Dask's scheduler was lost"):
            fit_in_chunks(estimator, X, Y, client)
    assert not hasattr(estimator, "classes_")


def test_rows_that_are_spilled_to_disk_change_nothing():
    import distributed

    X, y = three_classes(3000)
    # By the size of what it holds alone: the memory of this process is far above the limit.
    limits = {f"distributed.worker.memory.{name}": False for name in ("spill", "pause", "terminate")}
    options = {"n_workers": 1, "processes": False, "dashboard_address": ":0", "memory_limit": 200_000}
    spilled = []
    with (
        dask.config.set(limits),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):

        def look(epoch):
            spilled.append(len(cluster.workers[0].data.slow))

        found = fit_in_chunks(small(callbacks=look), X, y, client, 500)
    assert max(spilled) > 0
    assert_same_fit(found, small().fit(X, y))


def test_a_client_that_is_closed_ends_a_fit_through_joblib(in_process):
    import distributed

    client = distributed.Client(in_process.scheduler.address, set_as_default=False)
    estimator = small(callbacks=lambda epoch: client.close())
    before = set(vars(estimator))
    with (
        joblib.parallel_config("dask", client=client),
        pytest.raises(ConnectionError, match="connection to Dask's scheduler was lost"),
    ):
        estimator.fit(X, Y)
    assert set(vars(estimator)) == before
