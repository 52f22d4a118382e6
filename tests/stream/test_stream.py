"""Rows of files in random order: every row once per epoch, and models like those of `fit`."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.problems import small
from wtm import WTMRegressor, stream


def xor(n=4000, *, sort=True, seed=0):
    """Rows whose label is the exclusive or of two bits; sorted by label, which is hardest for batches."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 12)) < 0.5
    y = (X[:, 0] ^ X[:, 1]).astype(int)
    order = np.argsort(y, kind="stable") if sort else slice(None)
    return X[order], y[order]


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 3000), "colour": rng.choice(["red", "green"], 3000)})
    frame["buys"] = np.where((frame["age"] > 40) & (frame["colour"] == "red"), "yes", "no")
    frame["price"] = frame["age"] / 2.0
    frame = frame.sort_values("buys", ignore_index=True)
    for i, part in enumerate((frame[:1000], frame[1000:2500], frame[2500:])):
        part.to_parquet(tmp_path / f"part{i}.parquet", row_group_size=100, index=False)
    return tmp_path, frame


@given(n=st.integers(1, 60), chunk=st.integers(1, 70), batch=st.integers(1, 70), seed=st.integers(0, 2**63 - 1))
@pytest.mark.filterwarnings("ignore:batch_size")
def test_batches_hold_each_row_once(n, chunk, batch, seed):
    X, y = np.arange(2 * n).reshape(n, 2), np.arange(n)
    found = list(stream.batches(stream.ArrayRows(X, y, chunk_size=chunk), batch_size=batch, random_state=seed))
    assert sorted(np.concatenate([of_batch for _, of_batch in found]).tolist()) == list(range(n))
    assert all((rows[:, 0] == 2 * of_batch).all() for rows, of_batch in found)
    assert len(found) <= max(1, round(n / batch))


def test_batches_depend_on_the_seed_alone():
    rows = stream.ArrayRows(*xor(), chunk_size=16)

    def labels(seed):
        return [y.tolist() for _, y in stream.batches(rows, batch_size=500, random_state=seed)]

    assert labels(0) == labels(0) != labels(1)


def test_batches_of_sorted_rows_resemble_the_whole():
    X, y = xor()
    shares = [part.mean() for _, part in stream.batches(stream.ArrayRows(X, y, chunk_size=10), batch_size=1000)]
    assert np.ptp([*shares, y.mean()]) < 0.2


def test_rows_sorted_by_label_train_as_well_as_in_memory(tmp_path):
    X, y = xor()
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "Xy"]
    model = small(n_clauses=20, n_epochs=4, random_state=3)
    clf = stream.fit(model, stream.ArrayRows(*mapped, chunk_size=16), batch_size=500)
    assert not hasattr(model, "classes_")
    assert clf.score(X, y) == 1.0
    again = stream.fit(model, stream.ArrayRows(X, y, chunk_size=16), batch_size=500)
    assert (again.class_sums(X) == clf.class_sums(X)).all()


def test_one_batch_is_partial_fit():
    X, y = xor(300)
    clf = stream.fit(small(random_state=5), stream.ArrayRows(X, y, chunk_size=50), n_epochs=2)
    other = small(random_state=5)
    for _ in range(2):
        other.partial_fit(X, y, [0, 1])
    assert (clf.class_sums(X) == other.class_sums(X)).all()  # whatever the order of chunks


def test_parquet_files_are_read_group_by_group(people):
    folder, frame = people
    rows = stream.ParquetRows(folder / "part*.parquet", target="buys", columns=["colour", "age"])
    assert list(rows.chunk_sizes) == [100] * 30
    clf = stream.fit(small(n_clauses=20, n_epochs=5, random_state=0), rows, batch_size=1000)
    assert clf.feature_names_in_.tolist() == ["colour", "age"]
    assert clf.score(frame[["colour", "age"]], frame["buys"]) > 0.95


def test_regressors_learn_the_range_of_all_rows(people):
    folder, frame = people
    paths = sorted(folder.glob("*.parquet"))
    rows = stream.ParquetRows(paths, target="price", columns=["age"])
    model = WTMRegressor(n_clauses=40, T=20, n_epochs=15, random_state=0)
    regressor = stream.fit(model, rows, batch_size=1000)
    assert regressor.y_range_.tolist() == [[frame["price"].min(), frame["price"].max()]]
    in_memory = model.fit(frame[["age"]], frame["price"])
    scores = [fitted.score(frame[["age"]], frame["price"]) for fitted in (regressor, in_memory)]
    assert scores[0] > scores[1] - 0.05 > 0.8


def test_several_targets_are_read_together(people):
    folder, _ = people
    rows = stream.ParquetRows(str(folder / "part0.parquet"), target=["price", "age"], columns=["age"])
    (_, y), *_ = stream.batches(rows, batch_size=1000)
    assert y.shape == (1000, 2)


def test_few_chunks_per_batch_are_warned_of():
    with pytest.warns(UserWarning, match=r"batch_size=100 rows are about 2.0 of the 80 chunks"):
        stream.batches(stream.ArrayRows(*xor(), chunk_size=50), batch_size=100)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: stream.ArrayRows(*xor(10), chunk_size=0), ValueError, "chunk_size must be at least 1, got 0"),
        (lambda: stream.ArrayRows(*xor(10), chunk_size=2.0), TypeError, "chunk_size must be an integer, got 2.0"),
        (lambda: stream.ArrayRows(xor(10)[0], xor(9)[1]), ValueError, "inconsistent numbers of samples"),
        (lambda: stream.ArrayRows(*xor(0)), ValueError, "X must have at least one row"),
        (lambda: stream.ParquetRows("none*.parquet", target="y"), FileNotFoundError, "no such file"),
        (lambda: stream.ParquetRows([], target="y"), ValueError, "at least one file"),
        (lambda: stream.fit(object(), stream.ArrayRows(*xor(10))), TypeError, "must be an estimator of wtm"),
        (
            lambda: stream.fit(small(early_stopping=True), stream.ArrayRows(*xor(10))),
            ValueError,
            "early_stopping=True needs all rows at once",
        ),
        (
            lambda: stream.fit(small(), stream.ArrayRows(xor(10)[0], np.zeros(10, int))),
            ValueError,
            "at least two classes",
        ),
    ],
)
def test_wrong_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_wrong_columns_and_files_are_refused(people, tmp_path):
    folder, _ = people
    path = folder / "part0.parquet"
    with pytest.raises(ValueError, match=r"target names 'none', which .*part0.parquet doesn't have"):
        stream.ParquetRows(path, target="none")
    with pytest.raises(ValueError, match=r"columns names 'none'"):
        stream.ParquetRows(path, target="buys", columns=["none"])
    (tmp_path / "text.parquet").write_text("no table")
    with pytest.raises(ValueError, match=r"text.parquet can't be read"):
        stream.ParquetRows(tmp_path / "text.parquet", target="buys")
