"""Rows of files in random order: every row once per epoch, and models like those of `fit`."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from tests.helpers.problems import assert_same_model, small
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
    rows = stream.ArrayRows(X, y, chunk_size=10)
    shares = [part.mean() for seed in range(50) for _, part in stream.batches(rows, batch_size=1000, random_state=seed)]
    # Of 400 chunks, nearly all of which have a single label, a batch draws 100 without replacement.
    sd = np.sqrt(y.mean() * (1 - y.mean()) / 100 * 300 / 399)
    assert len(shares) == 4 * 50
    assert np.abs(shares - y.mean()).max() < 6 * sd  # a correct program fails with a probability below 1e-6
    assert np.std(shares) < 1.3 * sd


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
    rows = stream.ParquetRows(str(folder / "part0.parquet"), target=["price", "age"], columns=["colour"])
    (_, y), *_ = stream.batches(rows, batch_size=1000)
    assert y.shape == (1000, 2)


def test_few_chunks_per_batch_are_warned_of():
    with pytest.warns(UserWarning, match=r"batch_size=100 rows are about 2.0 of the 80 chunks"):
        stream.batches(stream.ArrayRows(*xor(), chunk_size=50), batch_size=100)


class OwnRows:
    """A user's own source of rows, of which attributes can be replaced."""

    def __init__(self, **attributes):
        self.chunk_sizes = [10] * 4
        self.X, self.y = xor(40)
        vars(self).update(attributes)

    def read(self, chunks):
        rows = np.concatenate([np.arange(10 * i, 10 * i + 10) for i in chunks])
        return self.X[rows], self.y[rows]

    def targets(self):
        return [self.y[:0], self.y]


def test_own_sources_may_have_parts_without_targets():
    clf = stream.fit(small(n_epochs=1), OwnRows())
    assert clf.classes_.tolist() == [0, 1]
    assert stream.fit(WTMRegressor(n_epochs=1), OwnRows()).y_range_.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: stream.ArrayRows(*xor(10), chunk_size=0), ValueError, "chunk_size must be at least 1, got 0"),
        (lambda: stream.ArrayRows(*xor(10), chunk_size=2.0), TypeError, "chunk_size must be an integer, got 2.0"),
        (lambda: stream.ArrayRows(xor(10)[0], xor(9)[1]), ValueError, "inconsistent numbers of samples"),
        (lambda: stream.ArrayRows(*xor(0)), ValueError, "X must have at least one row"),
        (lambda: stream.ArrayRows("X.npy", "y.npy"), TypeError, "X must be an array, got a path. Pass numpy.load"),
        (lambda: stream.ArrayRows(sp.eye(3, format="csr"), [0, 1, 0]), TypeError, "X must be an array, got a sparse"),
        (lambda: stream.ParquetRows(3, target="y"), TypeError, "paths must be a path or a list of them, got 3"),
        (lambda: stream.batches("a.parquet", batch_size=5), TypeError, "rows must be a source of rows .*ParquetRows"),
        (lambda: stream.fit(small(), stream.ParquetRows), TypeError, "rows must be a source of rows"),
        (lambda: stream.fit(small(), OwnRows(chunk_sizes=[])), ValueError, "its chunk_sizes add up to 0"),
        (lambda: stream.fit(small(), OwnRows(targets=list)), ValueError, r"its targets\(\) gave none"),
        (lambda: stream.fit(WTMRegressor(), OwnRows(targets=list)), ValueError, r"its targets\(\) gave none"),
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
    twice = pa.table([[True, False]] * 3, names=["x", "x", "buys"])
    pa.parquet.write_table(twice, tmp_path / "twice.parquet")
    with pytest.raises(ValueError, match=r"twice.parquet has more than one column called 'x'"):
        stream.ParquetRows(tmp_path / "twice.parquet", target="buys")
    (tmp_path / "text.parquet").write_text("no table")
    with pytest.raises(ValueError, match=r"text.parquet is not a Parquet file"):
        stream.ParquetRows(tmp_path / "text.parquet", target="buys")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"target": None}, TypeError, "target must be a list of names of columns, got None"),
        ({"target": []}, ValueError, "target must name at least one column"),
        ({"columns": "age"}, TypeError, "columns must be a list of names of columns, got 'age'"),
        ({"columns": []}, ValueError, "columns must name at least one column"),
        ({"columns": ["age", "buys"]}, ValueError, "columns must not hold the target, got 'buys'"),
    ],
)
def test_wrong_names_of_columns_are_refused(people, arguments, error, message):
    with pytest.raises(error, match=message):
        stream.ParquetRows(people[0] / "part0.parquet", **({"target": "buys"} | arguments))


def test_the_index_of_pandas_is_not_learnt_from(people):
    folder, frame = people
    old = frame[frame["age"] > 30].drop(columns="price")
    old.to_parquet(folder / "old.parquet", row_group_size=100)  # with the numbers of the rows
    clf = stream.fit(small(), stream.ParquetRows(folder / "old.parquet", target="buys"))
    assert clf.feature_names_in_.tolist() == ["age", "colour"]
    old.set_index("buys").to_parquet(folder / "indexed.parquet")
    (X, y), *_ = stream.batches(stream.ParquetRows(folder / "indexed.parquet", target="buys"), batch_size=10**6)
    assert (X.column_names, sorted(set(y))) == (["age", "colour"], ["no", "yes"])


def test_categories_of_targets_are_labels_and_missing_ones_are_refused(people):
    folder, frame = people
    frame["buys"] = frame["buys"].astype("category")
    frame.to_parquet(folder / "categories.parquet")
    clf = stream.fit(small(), stream.ParquetRows(folder / "categories.parquet", target="buys", columns=["age"]))
    assert clf.classes_.tolist() == ["no", "yes"]
    frame.loc[7, "buys"] = None
    frame.to_parquet(folder / "categories.parquet")
    with pytest.raises(ValueError, match="y must hold a label for each row, but holds the missing value"):
        stream.fit(small(), stream.ParquetRows(folder / "categories.parquet", target="buys", columns=["age"]))


def test_types_of_several_files_must_agree(people):
    folder, frame = people
    frame.astype({"age": float}).to_parquet(folder / "floats.parquet")
    frame.astype({"age": str}).to_parquet(folder / "text.parquet")
    frame.astype({"age": str})[:0].to_parquet(folder / "empty.parquet")
    first = folder / "part0.parquet"
    rows = stream.ParquetRows([first, folder / "floats.parquet", folder / "empty.parquet"], target="buys")
    assert sum(rows.chunk_sizes) == 4000
    with pytest.raises(ValueError, match=r"can be joined, but .*text.parquet differs .* age .*int64"):
        stream.ParquetRows([first, folder / "text.parquet"], target="buys")
    stream.ParquetRows([first, folder / "text.parquet"], target="buys", columns=["colour"])


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_balanced_classes_get_the_weights_of_fit(share):
    rng = np.random.default_rng(0)
    X = rng.random((300, 5)) < 0.5
    y = np.where(rng.random(300) < share, "rare", "usual")
    found = stream.fit(small(class_weight="balanced"), stream.ArrayRows(X, y, chunk_size=20), batch_size=10**6)
    expected = small(class_weight="balanced").fit(X, y)
    assert_same_model(found, expected)
    assert found.get_params()["class_weight"].keys() == {"rare", "usual"}
    found.partial_fit(X[:50], y[:50])


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_data_frame_keeps_its_columns(kind):
    frame = pd.DataFrame({"age": np.arange(300) % 70, "colour": ["red", "green", None] * 100}, index=range(7, 307))
    y = frame["age"].to_numpy() > 40
    native = {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame), "pyarrow": lambda: pa.table(frame)}[
        kind
    ]()
    found = stream.fit(small(), stream.ArrayRows(native, y, chunk_size=20), batch_size=10**6)
    assert found.feature_names_in_.tolist()[:2] == ["age", "colour"]
    assert_same_model(found, small().fit(native, y))


@pytest.mark.parametrize(
    "as_column", [lambda y: y[:, np.newaxis], lambda y: y.tolist(), lambda y: [[label] for label in y]]
)
def test_labels_may_be_a_column_or_a_list(as_column, recwarn):
    X, y = xor(400, sort=False)
    found = stream.fit(small(), stream.ArrayRows(X, as_column(y), chunk_size=20), batch_size=200)
    assert not [warning for warning in recwarn if issubclass(warning.category, DataConversionWarning)]
    assert_same_model(found, stream.fit(small(), stream.ArrayRows(X, y, chunk_size=20), batch_size=200))


def test_decimal_targets_are_numbers_or_whole_labels(tmp_path):
    X, y = xor(400, sort=False)
    columns = {f"x{j}": X[:, j] for j in range(12)}
    decimals = {
        name: pa.array([Decimal(int(v)) / d for v in y], pa.decimal128(5, 2)) for name, d in (("whole", 1), ("half", 2))
    }
    pa.parquet.write_table(pa.table(columns | decimals), tmp_path / "rows.parquet", row_group_size=50)

    def rows(target):
        return stream.ParquetRows(tmp_path / "rows.parquet", target=target, columns=list(columns))

    clf = stream.fit(small(), rows("whole"), batch_size=10**6)
    assert_same_model(clf, small().fit(X, y.astype(float)))
    reg = WTMRegressor(10, T=5, n_epochs=2, random_state=0)
    assert_same_model(stream.fit(reg, rows("half"), batch_size=10**6), reg.fit(X, y / 2))
    with pytest.raises(ValueError, match=r"got 0\.5"):
        stream.fit(small(), rows("half"), batch_size=10**6)
