"""Predictions are made some rows at a time, which saves memory and changes nothing else."""

import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from tests.helpers.problems import small, table
from wtm import estimator
from wtm.tables import feature_blocks

ANSWERS = ("predict", "predict_proba", "decision_function", "class_sums")
N_ROWS = 1300  # two whole parts of 512 rows, and a piece


@pytest.fixture
def few_rows_per_part(monkeypatch):
    """Parts of 512 rows, and features worked out 64 rows at a time."""
    monkeypatch.setattr(estimator, "_BYTES_PER_PART", 1)
    monkeypatch.setattr(feature_blocks, "_BLOCK_CELLS", 1)


def answers(model, X):
    return {name: getattr(model, name)(X) for name in ANSWERS}


def assert_equal(found, expected):
    for name in ANSWERS:
        assert found[name].dtype == expected[name].dtype
        assert found[name].shape == expected[name].shape
        assert (found[name] == expected[name]).all(), name


def classes_of(X, n_classes):
    """Labels that the features tell, as strings."""
    return np.array([f"class {i}" for i in range(n_classes)])[(X[:, 0] + 2 * X[:, 1] + 4 * X[:, 2]) % n_classes]


@pytest.mark.parametrize("n_classes", [2, 3, 8])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_bits_are_answered_alike_in_one_part_and_in_many(tmp_path, request, n_classes, n_jobs):
    X = table(N_ROWS, 70)
    model = small(n_jobs=n_jobs).fit(X[:300], classes_of(X[:300], n_classes))
    expected = answers(model, X)
    request.getfixturevalue("few_rows_per_part")
    np.save(tmp_path / "X.npy", X.astype(np.bool_))
    tables = {
        "bytes": X,
        "by columns": np.asfortranarray(X),
        "floats": X.astype(np.float32),
        "mapped": np.load(tmp_path / "X.npy", mmap_mode="r"),
        "sparse": sp.csr_array(X),
    }
    for X in tables.values():
        assert_equal(answers(model, X), expected)
        for n_rows in (0, 1, 511, 512, 513, 1024):
            assert_equal(answers(model, X[:n_rows]), {name: found[:n_rows] for name, found in expected.items()})


@pytest.mark.parametrize("kind", ["numbers", "sparse", "frame"])
def test_columns_of_any_kind_are_answered_alike_in_one_part_and_in_many(request, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 5)) * (rng.random((N_ROWS, 5)) < 0.5)
    y = X[:, 0] > 0
    if kind == "sparse":
        X = sp.csr_array(X)
    if kind == "frame":
        pd = pytest.importorskip("pandas")
        X[::7, 1] = np.nan
        X = pd.DataFrame(X, columns=list("abcde")).assign(word=rng.choice(["red", "blue", None], N_ROWS))
    model = small().fit(X[:300], y[:300])
    expected = answers(model, X)
    request.getfixturevalue("few_rows_per_part")
    assert_equal(answers(model, X), expected)


@pytest.mark.usefixtures("few_rows_per_part")
@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sp.csr_array])
def test_the_first_wrong_column_of_all_rows_is_named(convert):
    X = table(N_ROWS, 7).astype(np.float64)
    model = small(booleanizer="strict").fit(X[:100], X[:100, 0] == 1)
    X[600, 5], X[1200, 2], X[1250, 2] = 3, 7, 8
    for name in ANSWERS:
        with pytest.raises(ValueError, match=r"^X must hold only 0 and 1 .* row 1200, column 2 holds 7\.0\."):
            getattr(model, name)(convert(X))


@pytest.mark.usefixtures("few_rows_per_part")
def test_what_a_booleanizer_refuses_in_the_last_row_is_refused():
    X = np.random.default_rng(0).normal(size=(N_ROWS, 3))
    model = small().fit(X[:300], X[:300, 0] > 0)
    X[-1, 1] = np.inf
    with pytest.raises(ValueError, match="infinity, or a number too large for float64, in column 1"):
        model.predict(X)


@pytest.mark.usefixtures("few_rows_per_part")
def test_new_values_are_judged_by_all_rows(recwarn):
    rows = [["red"], ["blue"]] * 60
    model = small(n_epochs=30, T=2).fit(rows, [1, 0] * 60)
    recwarn.clear()
    model.predict([["green"]] * 1200 + [["red"]])
    assert not recwarn.list
    with pytest.warns(UserWarning, match="holds no value seen in fit") as caught:
        model.predict([["green"]] * 1200)
    assert len(caught) == 1


def peak_of(function):
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("dtype", [np.uint8, np.bool_, np.float32])
@pytest.mark.parametrize("name", ["predict", "predict_proba"])
def test_memory_does_not_grow_with_the_rows_of_a_mapped_file(tmp_path, monkeypatch, dtype, name):
    monkeypatch.setattr(estimator, "_BYTES_PER_PART", 1 << 19)
    monkeypatch.setattr(feature_blocks, "_BLOCK_CELLS", 1 << 19)
    n_rows, n_features = 80_000, 100
    sample = np.random.default_rng(0).random((200, n_features))
    X = sample.astype(dtype) if dtype is np.float32 else (sample > 0.5).astype(dtype)
    model = small().fit(X, sample[:, 0] > 0.5)
    assert (model.booleanizer_ is None) == (dtype is not np.float32)
    with (tmp_path / "zeros").open("wb") as file:
        file.truncate(n_rows * n_features * X.itemsize)  # no block of the disk is written
    mapped = np.memmap(tmp_path / "zeros", dtype, "r", shape=(n_rows, n_features))
    half = peak_of(lambda: getattr(model, name)(mapped[: n_rows // 2]))
    whole = peak_of(lambda: getattr(model, name)(mapped))
    packed = n_rows * 2 * model.machines_[0].parameters.n_features / 8
    assert whole - half < 2 * 8 * n_rows / 2 + packed / 20, "besides the answers, at most 16 bytes per row"
    assert whole < 3e6 + 2 * 8 * n_rows < mapped.nbytes


PROGRAM = textwrap.dedent(
    """
    import resource, sys
    from pathlib import Path
    import numpy as np
    from wtm import Booleanizer, WTMClassifier

    path, dtype, n_rows, n_features = sys.argv[1], np.dtype(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    sample = np.random.default_rng(0).random((1000, n_features))
    X = sample.astype(dtype) if dtype.kind == "f" else (sample > 0.5).astype(dtype)
    choice = Booleanizer(n_thresholds=2) if dtype.kind == "f" else "strict"
    model = WTMClassifier(n_clauses=10, n_epochs=2, booleanizer=choice, random_state=0).fit(X, X[:, 0] > 0.5)
    model.predict_proba(np.tile(X, (100, 1)))
    mapped = np.memmap(path, dtype, "r", shape=(n_rows, n_features))
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    limit = int(status["VmData"].split()[0]) * 1024 + int(sys.argv[5])
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))  # what is allocated counts, what is mapped does not
    labels = model.predict(mapped)
    assert (labels == model.predict(mapped[:1])).all(), "all rows are zeros"
    probabilities = model.predict_proba(mapped)
    assert (probabilities == model.predict_proba(mapped[:1])).all()
    print(len(labels))
    """
)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this system does not limit what a process allocates")
@pytest.mark.parametrize(("dtype", "n_rows"), [("bool", 2_000_000), ("uint8", 2_000_000), ("float32", 400_000)])
def test_gigabytes_are_predicted_where_little_can_be_allocated(tmp_path, dtype, n_rows):
    n_features, allowed = 1000, 128 << 20
    with (tmp_path / "zeros").open("wb") as file:
        file.truncate(n_rows * n_features * np.dtype(dtype).itemsize)
    command = [sys.executable, "-c", PROGRAM, tmp_path / "zeros", dtype, n_rows, n_features, allowed]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{n_rows}\n"
