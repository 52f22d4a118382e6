"""The same columns in any container give the same features; wide and long tables take little memory."""

import csv
import gzip
import io
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from wtm import Booleanizer
from wtm.features import pack_examples
from wtm.reading import read_table

ROWS = [
    # name, age, income, member, colour, wealth
    (39, 10.5, True, "red", 0),
    (50, None, False, "blue, dark", 1),
    (41, 12.5, None, "red", 1),
    (41, -3.0, True, None, 0),
]
COLUMNS = ["age", "income [€]", "член", "the colour", "wealth"]


def as_list():
    return [list(row) for row in ROWS]


def as_objects():
    return np.array(ROWS, object)


def as_pandas():
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(ROWS, columns=COLUMNS)


def as_nullable_pandas():
    frame = as_pandas().convert_dtypes()
    assert str(frame["член"].dtype) == "boolean"
    return frame


def as_categorical_pandas():
    pd = pytest.importorskip("pandas")
    colours = pd.CategoricalDtype(["unused", "red", "blue, dark"])
    return as_pandas().astype({"the colour": colours, "wealth": bool, "income [€]": "float32", "age": "int8"})


def as_mixed_pandas():
    pd = pytest.importorskip("pandas")
    frame = as_pandas().astype(object)
    frame.iloc[1, 1], frame.iloc[2, 2], frame.iloc[3, 3] = pd.NaT, pd.NA, np.nan
    return frame


def as_polars():
    pl = pytest.importorskip("polars")
    return pl.DataFrame(ROWS, schema=COLUMNS, orient="row")


def as_categorical_polars():
    pl = pytest.importorskip("polars")
    dtypes = {"the colour": pl.Enum(["unused", "blue, dark", "red"]), "wealth": pl.Boolean, "income [€]": pl.Float32}
    return as_polars().cast(dtypes)


def as_arrow():
    pytest.importorskip("pyarrow")
    return as_polars().to_arrow()


CONTAINERS = [
    as_list, as_objects, as_pandas, as_nullable_pandas, as_categorical_pandas, as_mixed_pandas, as_polars,
    as_categorical_polars, as_arrow,
]  # fmt: skip
FRAMES = CONTAINERS[2:]


@pytest.mark.parametrize("make", CONTAINERS)
def test_any_container_gives_the_same_features(make):
    X = make()
    expected = Booleanizer().fit(as_list())
    b = Booleanizer().fit(X)
    assert b.conditions_ == expected.conditions_
    assert (b.transform(X) == expected.transform(as_list())).all()
    examples = b._pack(read_table(X))
    assert (examples.literals == pack_examples(b.transform(X)).literals).all()
    if make in FRAMES:
        assert b.feature_names_in_.tolist() == COLUMNS
        assert b.get_feature_names_out().tolist() == [
            "age > 40", "age > 46", "income [€] > 4", "income [€] > 12", "income [€] is missing", "член",
            "член is missing", 'the colour = "blue, dark"', "the colour = red", "the colour is missing", "wealth",
        ]  # fmt: skip
    else:
        assert not hasattr(b, "feature_names_in_")


@pytest.mark.parametrize("fit_on", FRAMES)
@pytest.mark.parametrize("transform", FRAMES)
def test_fit_on_one_kind_of_frame_and_transform_another(fit_on, transform):
    b = Booleanizer().fit(fit_on())
    assert (b.transform(transform()) == b.transform(fit_on())).all()


def test_frames_and_arrays_mixed_warn_and_are_taken_by_position():
    frame = as_pandas()
    b = Booleanizer().fit(frame)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert (b.transform(as_list()) == b.transform(frame)).all()
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        Booleanizer().fit(as_list()).transform(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Booleanizer().fit(as_list()).transform(as_objects())
        b.transform(frame)


@pytest.mark.parametrize("make", [as_pandas, as_polars])
def test_other_columns_are_refused(make):
    X = make()
    b = Booleanizer().fit(X)
    with pytest.raises(ValueError, match="same order"):
        b.transform(X[COLUMNS[::-1]])
    with pytest.raises(ValueError, match="yet now missing:\n- wealth"):
        b.transform(X[COLUMNS[:-1]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- money"):
        b.transform(X.rename(columns={"wealth": "money"}) if make is as_pandas else X.rename({"wealth": "money"}))
    with pytest.raises(ValueError, match="X has 3 features, but Booleanizer is expecting 5"):
        Booleanizer().fit(as_list()).transform(np.ones((2, 3)))


def test_names_of_columns():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="unique, but 'a' occurs more than once"):
        Booleanizer().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))
    with pytest.raises(TypeError, match="string names"):
        Booleanizer().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", 1]))
    b = Booleanizer().fit(pd.DataFrame([[1, 2], [3, 4]], columns=[7, 8]))
    assert b.get_feature_names_out().tolist() == ["x0 > 2", "x1 > 3"]
    with pytest.raises(ValueError, match="Two features would be called 'a > 2': rename"):
        Booleanizer().fit(pd.DataFrame({"a": [1, 3], "a > 2": [0, 1]}))


def test_kinds_of_columns_that_frames_alone_have():
    pd = pytest.importorskip("pandas")
    coded = pd.DataFrame({"grade": pd.Categorical([3, 1, 3], categories=[1, 2, 3])})
    b = Booleanizer().fit(coded)
    assert b.get_feature_names_out().tolist() == ["grade = 1", "grade = 3"]
    assert b.transform(pd.DataFrame({"grade": [3.0, 1.0, 2.0]})).tolist() == [[0, 1], [1, 0], [0, 0]]
    numbers = Booleanizer().fit(pd.DataFrame({"grade": [3, 1, 3]}))
    assert numbers.transform(coded).tolist() == [[True], [False], [True]]
    with pytest.raises(TypeError, match=r"column 'day' holds dates.*days since"):
        Booleanizer().fit(pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"])}))
    for empty in (pd.DataFrame({"a": []}), pd.DataFrame(index=[0, 1])):
        with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
            Booleanizer().fit(empty)
    pl = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="column 'a' has the dtype"):
        Booleanizer().fit(pl.DataFrame({"a": [[1], [2]]}))
    with pytest.raises(TypeError, match="column 'day' holds dates"):
        Booleanizer().fit(pl.DataFrame({"day": [1, 2]}).cast(pl.Date))


def test_frames_out():
    pytest.importorskip("pandas")
    b = Booleanizer().fit(as_pandas()).set_output(transform="pandas")
    frame = b.transform(as_pandas())
    assert list(frame.columns) == b.get_feature_names_out().tolist()
    assert (frame.dtypes == "bool").all()
    pytest.importorskip("polars")
    assert b.set_output(transform="polars").transform(as_pandas()).columns == b.get_feature_names_out().tolist()


def test_libraries_of_frames_are_needed_by_nobody_else():
    code = """if True:
        import sys

        class Absent:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in ("pandas", "polars", "pyarrow"):
                    raise ModuleNotFoundError(name)

        sys.meta_path.insert(0, Absent())
        import numpy as np, wtm
        wtm.Booleanizer().fit([[1, "a"], [2, None]]).transform(np.array([[1, 2]]))
    """
    subprocess.run([sys.executable, "-c", code], check=True)


# --- Arrays -------------------------------------------------------------------------------------------------------


def layouts(X, folder):
    twice = np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)
    read_only = X.copy()
    read_only.flags.writeable = False
    mapped = np.memmap(folder / "X.bin", X.dtype, "w+", shape=X.shape)
    mapped[:] = X
    mapped.flush()
    return {
        "list of lists": X.tolist(),
        "objects": X.astype(object),
        "by columns": np.asfortranarray(X),
        "sliced": twice[::2, ::2],
        "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": read_only,
        "memory-mapped": np.memmap(folder / "X.bin", X.dtype, "r", shape=X.shape),
        "big-endian": X.astype(">f8"),
    }


def test_any_layout_of_memory_gives_the_same(tmp_path):
    X = np.random.default_rng(0).normal(size=(300, 5)).round(1)
    b = Booleanizer(5).fit(X)
    before = X.copy()
    for name, Z in layouts(X, tmp_path).items():
        assert Booleanizer(5).fit(Z).conditions_ == b.conditions_, name
        assert (b.transform(Z) == b.transform(X)).all(), name
    assert (before == X).all()


@pytest.mark.parametrize("n_features", [1, 7, 8, 9, 63, 64, 65, 500])
def test_packed_features_are_those_of_transform(n_features):
    X = np.random.default_rng(1).normal(size=(200, n_features))
    b = Booleanizer(1).fit(X)
    greater = [conditions.thresholds[0] for conditions in b.conditions_] < X
    for Z in (X, X[:0], X[:1], sp.csr_array(X)):
        assert (b._pack(read_table(Z, min_rows=0)).literals == pack_examples(greater[: Z.shape[0]]).literals).all()


def test_tables_longer_than_what_is_worked_out_at_a_time(monkeypatch):
    X = np.random.default_rng(2).integers(-3, 9, (1000, 7))
    expected = Booleanizer().fit(X).transform(X)
    monkeypatch.setattr("wtm.booleanizer._CELLS", 1)
    b = Booleanizer().fit(X)
    for Z in (X, sp.csr_array(X)):
        assert (np.asarray(sp.csr_array(b.transform(Z)).toarray()) == expected).all()
        assert (b._pack(read_table(Z)).literals == pack_examples(expected).literals).all()


# --- Sparse tables ------------------------------------------------------------------------------------------------


def unsorted(csr):
    csr = csr.copy()
    for row in range(csr.shape[0]):
        part = slice(csr.indptr[row], csr.indptr[row + 1])
        csr.indices[part], csr.data[part] = csr.indices[part][::-1], csr.data[part][::-1]
    csr.has_sorted_indices = False
    return csr


def with_stored_zeros(X):
    rows, columns = np.indices(X.shape)
    return sp.coo_array((X.ravel(), (rows.ravel(), columns.ravel())), X.shape)


def with_long_indices(csr):
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


def with_duplicates(X):
    once = sp.coo_array(X)
    return sp.coo_array((np.tile(once.data / 2, 2), tuple(np.tile(c, 2) for c in once.coords)), X.shape)


SPARSE = {
    "CSR": sp.csr_matrix,
    "CSC": sp.csc_matrix,
    "COO": sp.coo_matrix,
    "CSR array": sp.csr_array,
    "LIL array": sp.lil_array,
    "unsorted": lambda X: unsorted(sp.csr_array(X)),
    "stored zeros": with_stored_zeros,
    "long indices": lambda X: with_long_indices(sp.csr_array(X)),
    "duplicates": with_duplicates,
}


@pytest.mark.parametrize("kind", SPARSE)
def test_any_sparse_table_gives_what_the_dense_one_gives(kind):
    rng = np.random.default_rng(3)
    X = rng.integers(-2, 6, (200, 9)) * (rng.random((200, 9)) < 0.3) * 0.5
    X[:, 0] = X[:, 0] > 0
    Z = SPARSE[kind](X)
    dense, b = Booleanizer(3).fit(X), Booleanizer(3).fit(Z)
    assert b.conditions_ == dense.conditions_
    assert b.conditions_[0].is_binary
    for features in (b.transform(Z), b.set_params(sparse_output=True).transform(X)):
        assert features.format == "csr"
        assert features.dtype == np.bool_
        assert (features.toarray() == dense.transform(X)).all()
    assert (b.set_params(sparse_output=False).transform(Z) == dense.transform(X)).all()
    assert (b._pack(read_table(Z)).literals == pack_examples(dense.transform(X)).literals).all()


number = st.one_of(st.just(0.0), st.just(np.nan), st.floats(-5, 5, width=16), st.sampled_from([1.0, -1.0]))


@settings(max_examples=100, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=number), st.integers(1, 3))
def test_sparse_and_dense_agree_on_everything(X, n_thresholds):
    X[:, 0] = np.arange(len(X))  # one column that is not constant
    dense, b = Booleanizer(n_thresholds).fit(X), Booleanizer(n_thresholds).fit(sp.csr_array(X))
    assert b.conditions_ == dense.conditions_
    other = sp.csc_array(X[::-1] - 1)
    for Z in (sp.csr_array(X), other):
        assert (b.transform(Z).toarray() == dense.transform(Z.toarray())).all()
        packed = pack_examples(dense.transform(Z.toarray()))
        assert (b._pack(read_table(Z)).literals == packed.literals).all()


def test_sparse_is_refused_where_there_were_categories():
    b = Booleanizer().fit([["a", 1], ["b", 2]])
    with pytest.raises(ValueError, match=r"sparse.*categories"):
        b.transform(sp.csr_array(np.ones((2, 2))))


def test_a_callers_sparse_matrix_stays_as_it_is():
    csr = unsorted(sp.csr_array(np.arange(20.0).reshape(4, 5)))
    before = [a.copy() for a in (csr.data, csr.indices, csr.indptr)]
    Booleanizer().fit(csr).transform(csr)
    assert all((a == b).all() for a, b in zip(before, (csr.data, csr.indices, csr.indptr), strict=True))


# --- Memory -------------------------------------------------------------------------------------------------------


def peak_memory(call):
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_wide_sparse_table_is_never_made_dense():
    n_rows, n_columns = 20_000, 2_000
    X = sp.random_array((n_rows, n_columns), density=0.0005, rng=np.random.default_rng(0), format="csr")
    dense_bytes = n_rows * n_columns
    b = Booleanizer().fit(X)
    assert peak_memory(lambda: Booleanizer().fit(X)) < dense_bytes / 2
    assert peak_memory(lambda: b.transform(X)) < dense_bytes / 10
    packed = b._pack(read_table(X))
    assert peak_memory(lambda: b._pack(read_table(X))) < 2 * packed.literals.nbytes


def test_a_long_table_is_packed_without_a_byte_for_each_feature():
    X = np.random.default_rng(0).normal(size=(200_000, 8))
    b = Booleanizer(20).fit(X)
    assert b.n_features_out_ == 160
    packed = b._pack(read_table(X)).literals.nbytes
    assert peak_memory(lambda: b._pack(read_table(X))) < packed + len(X) * b.n_features_out_ / 3


# --- Real data ----------------------------------------------------------------------------------------------------


def read_csv(path):
    with gzip.open(path, "rt") as file:
        return [row for row in csv.reader(io.StringIO(file.read()), skipinitialspace=True) if row]


def test_mushroom_is_one_feature_a_value(real_data):
    rows = read_csv(real_data("mushroom") / "mushroom" / "agaricus-lepiota.data.gz")
    X = [[None if value == "?" else value for value in row[1:]] for row in rows]
    b = Booleanizer().fit(X)
    features = b.transform(X)
    of_a_row = features.sum(axis=1)
    n_constant = sum(len(set(column)) == 1 for column in zip(*X, strict=True))
    assert (of_a_row == len(X[0]) - n_constant).all()  # a row has one value, or none, in each column
    assert b.n_features_out_ == sum(n for column in zip(*X, strict=True) if (n := len(set(column))) > 1)
    assert "x10 is missing" in b.get_feature_names_out()


def test_adult_from_pandas_and_polars(real_data):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    path = real_data("adult") / "adult" / "adult.data.gz"
    frame = pd.read_csv(path, header=None, skipinitialspace=True, na_values="?").iloc[:, :-1]
    frame.columns = [f"c{i}" for i in range(frame.shape[1])]
    b = Booleanizer().fit(frame)
    other = pl.DataFrame({name: [None if v != v else v for v in frame[name].tolist()] for name in frame})
    assert Booleanizer().fit(other).conditions_ == b.conditions_
    features = b.transform(frame)
    assert (b.transform(other) == features).all()
    assert (features.sum(axis=0) > 0).all()
    assert not features.all(axis=0).any()
    ages = [name for name in b.get_feature_names_out() if name.startswith("c0 > ")]
    for place, name in enumerate(ages):
        assert (features[:, place] == (frame["c0"] > float(name.removeprefix("c0 > ")))).all()
