"""The same columns in any container give the same features."""

import csv
import gzip
import io
import subprocess
import sys
import warnings
from collections import Counter
from importlib import import_module

import narwhals as nw
import numpy as np
import pytest
import scipy.sparse as sp

from tests.helpers.layouts import layouts
from wtm import Booleanizer, WTMClassifier
from wtm.encoding import table_to_examples
from wtm.machine.examples import pack_examples
from wtm.tables.reading import read_table

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


def as_long_polars():
    pl = pytest.importorskip("polars", "1.18")
    return as_polars().cast({"age": pl.Int128, "wealth": pl.Int128})


def as_arrow_batch():
    return as_arrow().combine_chunks().to_batches()[0]


def as_arrow_pandas():
    pytest.importorskip("pyarrow")
    frame = as_pandas().convert_dtypes(dtype_backend="pyarrow")
    assert str(frame["член"].dtype) == "bool[pyarrow]"
    return frame


def as_masked():
    is_missing = np.equal(as_objects(), None)
    values = as_objects()
    values[is_missing] = "behind the mask"
    return np.ma.masked_array(values, is_missing)


CONTAINERS = [
    as_list, as_objects, as_masked, as_pandas, as_nullable_pandas, as_categorical_pandas, as_mixed_pandas,
    as_arrow_pandas, as_polars, as_categorical_polars, as_long_polars, as_arrow, as_arrow_batch,
]  # fmt: skip
FRAMES = CONTAINERS[3:]


@pytest.mark.parametrize("make", CONTAINERS)
def test_any_container_gives_the_same_features(make):
    X = make()
    expected = Booleanizer().fit(as_list())
    b = Booleanizer().fit(X)
    assert b.conditions_ == expected.conditions_
    assert (b.transform(X) == expected.transform(as_list())).all()
    examples = table_to_examples(read_table(X), b)
    assert (examples.literals == pack_examples(b.transform(X)).literals).all()
    if make in FRAMES:
        assert b.feature_names_in_.tolist() == COLUMNS
        assert b.get_feature_names_out().tolist() == [
            "age > 40", "age > 46", "income [€] > 4", "income [€] > 12", "income [€] is missing", "член",
            "член is missing", 'the colour = "blue, dark"', "the colour = red", "the colour is missing", "wealth",
        ]  # fmt: skip
    else:
        assert not hasattr(b, "feature_names_in_")


def test_large_integers_in_lists_are_those_of_arrays():
    """NumPy rounds integers of 2**63 and more next to smaller ones."""
    for value in (2**64 - 1, 2**63 + 1, 2**70 + 1, -(2**70) + 1):
        for X in ([[value, 1], [2, 3]], np.array([[value, 1], [2, 3]], object)):
            with pytest.raises(ValueError, match=f"column 0 holds the integer {value}, but float64"):
                Booleanizer().fit(X)
    for value in (2**63, -(2**63), 2**64, 1e300):
        assert Booleanizer(thresholds=[5]).fit_transform([[value], [2]]).tolist() == [[value > 5], [False]]


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


@pytest.mark.parametrize("dtype", ["float64", "int64", "bool"])
def test_masked_numbers_are_missing(dtype):
    X = np.array([[3, 1], [0, 0], [2, 1]], dtype)
    masked = np.ma.masked_array(X, [[0, 0], [0, 0], [0, 1]])
    b = Booleanizer().fit(masked)
    assert b.get_feature_names_out().tolist()[-2:] == ["x1", "x1 is missing"]
    missing = [[0, 0], [0, 0], [0, 1]]
    assert b.transform(masked)[:, -1:].tolist() == [[False], [False], [True]]
    assert (b.transform(np.ma.masked_array(X, missing)) == b.transform(masked)).all()
    assert masked.mask.tolist() == missing
    unmasked = np.ma.masked_array(X)
    assert (Booleanizer().fit(unmasked).transform(unmasked) == Booleanizer().fit(X).transform(X)).all()


def test_the_columns_of_a_record_batch_go_by_name():
    batch = as_arrow_batch()
    b = Booleanizer().fit(as_pandas())
    with pytest.raises(ValueError, match="same order"):
        b.transform(batch.select(COLUMNS[::-1]))


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
    b = Booleanizer().fit(pd.DataFrame({"a": [1, 3], "a > 2": [0, 1]}))
    assert b.get_feature_names_out().tolist() == ["a > 2", '"a > 2"']


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
    with pytest.raises(TypeError, match="column 'a' must hold numbers, booleans or strings, got dtype"):
        Booleanizer().fit(pl.DataFrame({"a": [[1], [2]]}))
    for kind in (pl.Date, pl.Datetime, pl.Duration):
        with pytest.raises(TypeError, match=r"column 'day' holds dates, times or durations\. Replace"):
            Booleanizer().fit(pl.DataFrame({"day": [1, 2]}).cast(kind))


@pytest.mark.parametrize("make", [as_pandas, as_polars, as_arrow])
def test_reading_asks_a_frame_for_its_names_a_fixed_number_of_times(make, monkeypatch):
    """They are a new list each time, and asking once a column would make wide frames slow."""
    asked = Counter()

    def counted(name):
        original = getattr(nw.DataFrame, name)
        read = original.fget if isinstance(original, property) else original

        def wrapper(*arguments):
            asked[name] += 1
            return read(*arguments)

        return property(wrapper) if isinstance(original, property) else wrapper

    for name in ("columns", "schema", "__getitem__", "get_column", "iter_columns"):
        monkeypatch.setattr(nw.DataFrame, name, counted(name))
    frame = make()
    read_table(frame)
    few = Counter(asked)
    wide = nw.from_native(make()).select(nw.all(), *(nw.all().name.suffix(f" {i}") for i in range(20))).to_native()
    asked.clear()
    assert read_table(wide).n_columns == 21 * len(COLUMNS)
    assert asked == few
    assert sum(few.values()) > 0


LAZY = {
    "polars": (lambda frame: frame.lazy(), "polars.LazyFrame", "collect"),
    "narwhals": (lambda frame: nw.from_native(frame).lazy(), "narwhals.LazyFrame", "collect"),
    "dask.dataframe": (lambda frame: dask_frame(frame), "dask.DataFrame", "compute"),
    "duckdb": (lambda frame: import_module("duckdb").from_arrow(frame.to_arrow()), "duckdb.DuckDBPyRelation", "df"),
    "ibis": (lambda frame: import_module("ibis").memtable(frame.to_arrow()), "ibis.Table", "to_pandas"),
}  # fmt: skip


def dask_frame(frame):
    return import_module("dask.dataframe").from_pandas(frame.to_pandas(), npartitions=1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("library", LAZY)
def test_a_lazy_table_is_refused_with_the_remedy_of_its_library(library):
    pytest.importorskip(library)
    make, kind, method = LAZY[library]
    frame, labels = as_polars(), [0, 1, 0, 1]
    lazy = make(frame)
    clf = WTMClassifier(2, 2, 2, n_epochs=1, random_state=0)
    calls = {
        "X": [
            lambda: Booleanizer().fit(lazy),
            lambda: Booleanizer().fit(frame).transform(lazy),
            lambda: clf.fit(lazy, labels),
        ],
        "X_val": [lambda: clf.fit(frame, labels, X_val=lazy, y_val=labels)],
        "y": [lambda: clf.fit(frame, lazy)],
        "y_val": [lambda: clf.fit(frame, labels, X_val=frame, y_val=lazy)],
        "sample_weight": [lambda: clf.fit(frame, labels, lazy), lambda: Booleanizer().fit(frame, None, lazy)],
        "classes": [lambda: clf.partial_fit(frame, labels, classes=lazy)],
    }
    other = ", or train and predict with wtm.dask.fit and wtm.dask.predict" if library == "dask.dataframe" else ""
    for name, calls_with in calls.items():
        message = rf"^{name} must be in memory, got the lazy table {kind}\. Pass {name}\.{method}\(\){other}\.$"
        for call in calls_with:
            with pytest.raises(TypeError, match=message):
                call()


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


def test_any_layout_of_memory_gives_the_same(tmp_path):
    X = np.random.default_rng(0).normal(size=(300, 5)).round(1)
    b = Booleanizer(5).fit(X)
    before = X.copy()
    others = {"list of lists": X.tolist(), "objects": X.astype(object), "big-endian": X.astype(">f8")}
    for name, Z in (layouts(X, tmp_path) | others).items():
        assert Booleanizer(5).fit(Z).conditions_ == b.conditions_, name
        assert (b.transform(Z) == b.transform(X)).all(), name
    assert (before == X).all()


@pytest.mark.parametrize("n_features", [1, 7, 8, 9, 63, 64, 65, 500])
def test_packed_features_are_those_of_transform(n_features):
    X = np.random.default_rng(1).normal(size=(200, n_features))
    b = Booleanizer(1).fit(X)
    greater = [conditions.thresholds[0] for conditions in b.conditions_] < X
    for Z in (X, X[:0], X[:1], sp.csr_array(X)):
        assert (
            table_to_examples(read_table(Z, min_rows=0), b).literals == pack_examples(greater[: Z.shape[0]]).literals
        ).all()


def test_tables_longer_than_what_is_worked_out_at_a_time(monkeypatch):
    X = np.random.default_rng(2).integers(-3, 9, (1000, 7))
    expected = Booleanizer().fit(X).transform(X)
    monkeypatch.setattr("wtm.tables.feature_blocks._BLOCK_CELLS", 1)
    b = Booleanizer().fit(X)
    for Z in (X, sp.csr_array(X)):
        assert (np.asarray(sp.csr_array(b.transform(Z)).toarray()) == expected).all()
        assert (table_to_examples(read_table(Z), b).literals == pack_examples(expected).literals).all()


# --- Real data ----------------------------------------------------------------------------------------------------


def read_csv(path):
    with gzip.open(path, "rt") as file:
        return [row for row in csv.reader(io.StringIO(file.read()), skipinitialspace=True) if row]


def test_mushroom_is_one_feature_per_value(real_data):
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
