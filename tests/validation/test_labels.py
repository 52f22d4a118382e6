"""Labels in any container become NumPy arrays, and missing labels are refused."""

import datetime
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from tests.helpers.problems import assert_same_model, small, three_classes
from wtm.validation.labels import check_classes, check_labels, class_indices, unique_labels

WORDS = ["b", "a", "c", "a", "b", "b"]
NUMBERS = [3, 1, 7, 1, 3, 3]
TRUTHS = [True, False, False, True, True, False]


def pandas(dtype=None, **options):
    return lambda values: pytest.importorskip("pandas").Series(values, dtype=dtype, **options)


def pandas_category(values):
    """Labels of a categorical dtype that knows one more, where there is one more."""
    pd = pytest.importorskip("pandas")
    unused = {str: ["z"], int: [99], bool: []}[type(values[0])]
    return pd.Series(pd.Categorical(values, categories=[*unused, *sorted(set(values), reverse=True)]))


def pandas_arrow(values):
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(values)))


def pandas_values(dtype):
    return lambda values: pytest.importorskip("pandas").array(values, dtype=dtype)


def pandas_index(values):
    return pytest.importorskip("pandas").Index(values)


def shuffled_index(values):
    pd = pytest.importorskip("pandas")
    return pd.Series(values, index=range(len(values))[::-1])


def polars(dtype=None):
    def make(values):
        pl = pytest.importorskip("polars")
        return pl.Series(values, dtype=getattr(pl, dtype)(sorted(set(values))) if dtype == "Enum" else None)

    return make


def polars_categorical(values):
    pl = pytest.importorskip("polars")
    return pl.Series(values).cast(pl.Categorical)


def arrow(values):
    return pytest.importorskip("pyarrow").array(values)


def arrow_chunks(values):
    pa = pytest.importorskip("pyarrow")
    return pa.chunked_array([values[:2], values[2:]], type=pa.array(values).type)


EVERY_KIND = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "unmasked": np.ma.masked_array,
    "pandas": pandas(),
    "shuffled index": shuffled_index,
    "pandas category": pandas_category,
    "pandas arrow": pandas_arrow,
    "pandas index": pandas_index,
    "polars": polars(),
    "arrow": arrow,
    "arrow in chunks": arrow_chunks,
}
OF_WORDS = {
    "pandas string": pandas("string"),
    "pandas object": pandas("object"),
    "pandas string values": pandas_values("string"),
    "polars enum": polars("Enum"),
    "polars categorical": polars_categorical,
    "objects": lambda values: np.array(values, object),
}
OF_NUMBERS = {name: pandas(name) for name in ("Int64", "Int8", "UInt16")} | {"pandas values": pandas_values("Int64")}
OF_TRUTHS = {"pandas boolean": pandas("boolean"), "pandas boolean values": pandas_values("boolean")}
MADE = [
    *[(make, values) for make in EVERY_KIND.items() for values in (WORDS, NUMBERS, TRUTHS)],
    *[(make, WORDS) for make in OF_WORDS.items()],
    *[(make, NUMBERS) for make in OF_NUMBERS.items()],
    *[(make, TRUTHS) for make in OF_TRUTHS.items()],
]


@pytest.mark.parametrize(("make", "values"), [(m, v) for (_, m), v in MADE], ids=[f"{n}-{v[0]}" for (n, _), v in MADE])
def test_labels_in_any_container_are_as_in_an_array(make, values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = check_labels(make(values), "y")
    assert labels.tolist() == values
    assert [type(label) for label in labels.tolist()] == [type(value) for value in values]
    assert unique_labels(labels, "y").tolist() == sorted(set(values)), "no class of its own for an unused category"
    classes = check_classes(make(sorted(set(values))[::-1]), "classes")
    assert classes.tolist() == sorted(set(values))
    assert classes[class_indices(labels, classes, "y")].tolist() == values


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "category", "string"])
def test_a_model_is_the_same_whatever_its_labels_came_in(dtype):
    pd = pytest.importorskip("pandas")
    X, y = three_classes()
    names = {"boolean": [False, True, True], "string": ["a", "b", "c"]}.get(dtype, [1, 2, 3])
    y = np.array(names)[y]
    plain, other = small().fit(X, y), small()
    column = pd.Series(y).astype(dtype)
    other.partial_fit(X[:9], column[:9], classes=column.unique())
    assert (other.classes_ == plain.classes_).all()
    assert_same_model(other.fit(X, column, X_val=X, y_val=column), plain)
    assert other.predict(X).tolist() == plain.predict(X).tolist()
    assert other.predict(X).tolist()[0] in y.tolist()
    assert other.score(X, column) == plain.score(X, y) == other.history_[-1]["valid_accuracy"]
    assert [type(label) for label in other.classes_.tolist()] == [type(label) for label in plain.classes_.tolist()]


@pytest.mark.parametrize(("dtype", "values"), [("Int64", NUMBERS), ("boolean", TRUTHS), ("category", WORDS)])
def test_a_column_of_a_frame_is_flattened_with_a_warning(dtype, values):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y": pd.Series(values).astype(dtype)})
    with pytest.warns(DataConversionWarning):
        labels = check_labels(frame, "y")
    assert labels.tolist() == values
    assert type(labels.tolist()[0]) is type(values[0])
    with pytest.raises(ValueError, match="1d array"):
        check_labels(frame.assign(z=frame.y), "y")


MISSING = {
    "None among numbers": lambda: [1, None, 2],
    "None among words": lambda: ["a", None, "b"],
    "NaN": lambda: np.array([1, np.nan, 2]),
    "NaN among objects": lambda: np.array(["a", np.nan, "b"], object),
    "masked": lambda: np.ma.masked_array([1, 5, 2], mask=[0, 1, 0]),
    "masked words": lambda: np.ma.masked_array(["a", "z", "b"], mask=[0, 1, 0]),
    "pandas.NA among objects": lambda: np.array(["a", pytest.importorskip("pandas").NA, "b"], object),
    "pandas.NA in a list": lambda: [1, pytest.importorskip("pandas").NA, 2],
    "Int64": lambda: pandas("Int64")([1, None, 2]),
    "boolean": lambda: pandas("boolean")([True, None, False]),
    "string": lambda: pandas("string")(["a", None, "b"]),
    "object": lambda: pandas("object")(["a", None, "b"]),
    "category": lambda: pandas("category")(["a", None, "b"]),
    "dates": lambda: pandas("datetime64[ns]")(["2020-01-01", None, "2020-01-02"]),
    "arrow in pandas": lambda: pandas_arrow([1, None, 2]),
    "arrow": lambda: arrow(["a", None, "b"]),
    "polars": lambda: polars()([1, None, 2]),
    "polars words": lambda: polars()(["a", None, "b"]),
    "a frame": lambda: pytest.importorskip("pandas").DataFrame({"y": pandas("Int64")([1, None, 2])}),
}


@pytest.mark.parametrize("make", MISSING.values(), ids=MISSING)
def test_a_missing_label_is_refused_by_name(make):
    with pytest.raises(ValueError, match=r"^y_val must hold a label for each row, but holds the missing value"):
        check_labels(make(), "y_val")


def test_a_missing_label_leaves_a_fitted_model_alone():
    X, y = three_classes()
    model = small().fit(X, y)
    for labels in (pandas("Int64")(y).where(y != 1), np.where(y == 1, None, y), np.ma.masked_array(y, y == 1)):
        with pytest.raises(ValueError, match=r"^y must hold a label for each row"):
            model.partial_fit(X, labels)
    assert_same_model(model, small().fit(X, y))


OTHER_KINDS = {
    "bytes": (np.array([b"a", b"b"]), r"dtype \|S1: decode them"),
    "bytes in a list": ([b"a", b"b"], r"dtype \|S1: decode them"),
    "records": (np.array([(1,), (2,)], [("a", int)]), "labels of dtype"),
    "integers as objects": (np.array([1, 2], object), r"1 and others of dtype object: .*\.astype\(int\)"),
    "truths as objects": (np.array([True, False], object), r"True and others of dtype object: .*\.astype"),
    "integers that no dtype holds": ([10**30, 5], "1000.* and others of dtype object"),
    "words and bytes": (["a", b"b"], "strings and b'b'"),
    "dates as objects": (np.array([datetime.date(2020, 1, 1)] * 2, object), "datetime.date.*dtype object"),
    "halves": (np.array([0.5, 1], np.float32), "0.5.* continuous numbers of dtype float32"),
    "infinity": (np.array([0, np.inf]), "inf.* continuous"),
    "floats too large to be whole": ([0.0, 1e300], r"1e\+300, which is too large: convert the labels to strings"),
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_other_kinds_are_refused_with_the_remedy(kind):
    labels, message = OTHER_KINDS[kind]
    for check, name in ((check_labels, "y"), (check_classes, "classes")):
        with pytest.raises(ValueError, match=f"^Unknown label type: {name} must hold .*{message}"):
            check(labels, name)


def test_dates_with_a_time_zone_are_refused():
    pd = pytest.importorskip("pandas")
    dates = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"]).tz_localize("Europe/Berlin"))
    with pytest.raises(ValueError, match=r"Unknown label type: y .*dates or times"):
        check_labels(dates, "y")


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="this NumPy has no strings of any length")
def test_strings_of_numpy_2():
    dtype = np.dtypes.StringDType
    assert check_labels(np.array(WORDS, dtype()), "y").tolist() == WORDS
    with pytest.raises(ValueError, match="missing value None"):
        check_labels(np.array(["a", None], dtype(na_object=None)), "y")


def test_labels_that_are_mostly_different_give_a_warning():
    with pytest.warns(UserWarning, match="unique classes is greater") as found:
        unique_labels(np.arange(100), "y")
    assert [warning.filename for warning in found] == [__file__]


ONE_KIND = [
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.text(max_size=3).filter(lambda text: not text.endswith("\0")),  # which NumPy strips
    st.integers(-(2**53), 2**53).map(float),
]


@given(st.one_of(*[st.lists(kind, min_size=2, unique=True) for kind in ONE_KIND]), st.data())
def test_every_label_has_the_place_of_its_class(labels, data):
    classes = check_classes(labels, "classes")
    assert classes.tolist() == sorted(labels)
    y = data.draw(st.lists(st.sampled_from(labels), min_size=1))
    assert classes[class_indices(check_labels(y, "y"), classes, "y")].tolist() == y
