"""Conditions on columns split the training values, have exact names, and survive JSON and pickle."""

import json
import pickle
from copy import deepcopy
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tests.helpers.feature_names import table_of_truth
from wtm import Booleanizer


def names_of(*columns, **parameters):
    return Booleanizer(**parameters).fit(list(zip(*columns, strict=True))).get_feature_names_out().tolist()


# --- What a column is turned into ---------------------------------------------------------------------------------


def test_a_condition_for_each_kind_of_column():
    X = [
        # age, member, colour, children, income
        [39, True, "red", 0, 10.5],
        [50, False, "blue", 1, None],
        [41, True, "red", 1, 12.5],
    ]
    b = Booleanizer().fit(X)
    assert b.get_feature_names_out(["age", "member", "colour", "children", "income"]).tolist() == [
        "age > 40", "age > 46", "member", "colour = blue", "colour = red", "children", "income > 12",
        "income is missing",
    ]  # fmt: skip
    assert b.get_negated_feature_names_out(["age", "member", "colour", "children", "income"]).tolist() == [
        "age <= 40", "age <= 46", "NOT (member)", "colour != blue", "colour != red", "NOT (children)",
        "income <= 12 or missing", "income is not missing",
    ]  # fmt: skip
    assert b.transform(X).astype(int).tolist() == [
        [0, 0, 1, 0, 1, 0, 0, 0],
        [1, 1, 0, 1, 0, 1, 0, 1],
        [1, 0, 1, 0, 1, 1, 1, 0],
    ]
    assert b.n_features_out_ == 8


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 1, 1], ["x0"]),
        ([0.0, 1.0, 0.0], ["x0"]),
        ([False, True, None], ["x0", "x0 is missing"]),
        ([0, 1, float("nan")], ["x0", "x0 is missing"]),
        ([3, 3, None], ["x0 is missing"]),
        (["a", "a", None], ["x0 is missing"]),
        ([2, 1, 1], ["x0 > 1.5"]),
        ([-1, 1, 1], ["x0 > 0"]),
        ([0, 7, 1], ["x0 > 0", "x0 > 4"]),
        ([0.25, 0.5, 0.5], ["x0 > 0.4"]),
        ([Decimal("0.25"), Decimal("0.5"), None], ["x0 > 0.4", "x0 is missing"]),
        (["yes", "no", "no"], ["x0 = no", "x0 = yes"]),
        (["a", 1, 2.5], ["x0 = 1", "x0 = 2.5", "x0 = a"]),
        (["1", 1, "True"], ["x0 = 1", 'x0 = "1"', 'x0 = "True"']),
        (["a b", 'say "x"', "c=d"], ['x0 = "a b"', 'x0 = "c=d"', 'x0 = "say \\"x\\""']),
        (["красный", "", "синий"], ['x0 = ""', "x0 = красный", "x0 = синий"]),
    ],
)
def test_names(values, expected):
    assert names_of(values) == expected


def test_constant_columns_give_nothing():
    assert names_of([5, 5, 5], [1, 2, 2], ["a"] * 3, [True] * 3, [None] * 3) == ["x1 > 1.5"]


def test_thresholds_divide_the_rows_evenly():
    X = np.random.default_rng(0).permutation(1000)[:, None] * 0.25
    b = Booleanizer(9).fit(X)
    assert np.abs(b.transform(X).sum(0) - np.arange(900, 0, -100)).max() <= 1


def test_a_column_that_is_mostly_one_value_is_still_divided():
    rest = np.arange(1, 201)
    X = np.concatenate([np.zeros(800), rest])[:, None]
    above = Booleanizer(5).fit(X).transform(X).sum(0)
    assert above[0] == 200
    assert np.abs(above - np.arange(5, 0, -1) * 40).max() <= 2


def test_a_threshold_splits_off_a_row_in_a_hundred_if_possible():
    X = np.repeat([1, 2, 3], [990, 1000, 10])[:, None]
    assert Booleanizer().fit(X).get_feature_names_out().tolist() == ["x0 > 1.5"]
    X = np.repeat([0.0, 0.2, 0.3], [1990, 5, 5])[:, None]
    assert Booleanizer().fit(X).get_feature_names_out().tolist() == ["x0 > 0"]


def test_limits_on_thresholds_and_categories():
    X = [[i, f"v{i % 20:02}" if i >= 40 else "often"] for i in range(100)]
    b = Booleanizer(3, max_categories=2).fit(X)
    assert len(b.conditions_[0].thresholds) == 3
    assert b.conditions_[1].values == ("often", "v00")
    assert names_of(range(30), n_thresholds=1) == ["x0 > 14.5"]
    assert len(names_of([str(i) for i in range(100)], max_categories=None)) == 100


def test_given_thresholds():
    X = np.array([[0, 0, 200], [0, 1, 80], [0, 0, 10]], np.uint8)
    b = Booleanizer(thresholds=[76]).fit(X)
    assert (b.transform(X) == (X > 76)).all()
    assert b.get_feature_names_out().tolist() == ["x0 > 76", "x1 > 76", "x2 > 76"]
    b = Booleanizer(thresholds={"x2": [100, 0.5, 100], 0: [3]}).fit(X)
    assert b.get_feature_names_out().tolist() == ["x0 > 3", "x1", "x2 > 0.5", "x2 > 100"]
    mixed = [[True, "a", 5], [False, "b", 7]]
    assert names_of(*zip(*mixed, strict=True), thresholds=[6]) == ["x0", "x1 = a", "x1 = b", "x2 > 6"]


# --- What was not there in fit ------------------------------------------------------------------------------------


def test_values_that_were_never_seen_make_all_features_of_the_column_false():
    b = Booleanizer().fit([[1, "a", True], [2, "b", False]])
    for row in ([None, None, None], [float("nan"), "c", None], [-5, "7", False]):
        assert not b.transform([row]).any()
    assert b.transform([[10**9, "a", 7]]).tolist() == [[True, True, False, True]]


def test_equal_numbers_are_one_value_in_every_dtype():
    """A column of integers in fit and of floats, objects or booleans later, as files and databases make them."""
    X = np.array([[0, 3], [1, 4], [5, 9], [7, 2]])
    b = Booleanizer().fit(X)
    for dtype in ("float64", "float32", "float16", "uint8", "int8", ">i4", ">f8", "O", "longdouble"):
        assert (b.transform(X.astype(dtype)) == b.transform(X)).all()
        assert Booleanizer().fit(X.astype(dtype)).conditions_ == b.conditions_
    categories = Booleanizer().fit([["a", 1], [1, 2], [0, 3]])
    for one in (1, 1.0, True, np.int8(1), np.float32(1)):
        assert (categories.transform([[one, 1]]) == categories.transform([[1, 1]])).all()
    assert categories.transform(np.array([[1.0, 1.0]]))[0, :2].tolist() == [False, True]


def test_float32_is_compared_as_it_is_and_not_rounded():
    low = np.float32(0.1)
    X = np.array([[low], [np.nextafter(low, np.float32(1))]])
    b = Booleanizer().fit(X)
    for dtype in (np.float32, np.float64):
        assert b.transform(X.astype(dtype)).tolist() == [[False], [True]]


def test_a_huge_number_of_thresholds_takes_no_memory():
    X = np.random.default_rng(0).normal(size=(500, 2)).round(2)
    most = Booleanizer(10**15).fit(X)
    assert most.conditions_ == Booleanizer(500).fit(X).conditions_
    assert len(most.get_feature_names_out()) > 150


# --- Names say what is computed -----------------------------------------------------------------------------------

finite = st.floats(allow_nan=False, allow_infinity=False)
number = st.one_of(finite, finite.map(lambda x: float(np.float32(x)) if abs(x) < 1e38 else x), st.integers(-50, 50))
value = st.one_of(
    st.none(), st.booleans(), number, st.text(max_size=6), st.sampled_from(["a = b", "1", "nan", "x > 3"])
)
column = st.one_of(
    st.lists(st.one_of(st.none(), number), min_size=5, max_size=5),
    st.lists(st.sampled_from([0, 1, None]), min_size=5, max_size=5),
    st.lists(value, min_size=5, max_size=5),
)


@settings(max_examples=200)
@given(
    columns=st.lists(column, min_size=1, max_size=3),
    n_thresholds=st.integers(1, 4),
    names=st.lists(st.text(max_size=8), min_size=3, max_size=3, unique=True),
)
def test_names_read_by_their_grammar_give_the_features(columns, n_thresholds, names):
    X = [list(row) for row in zip(*columns, strict=True)]
    names = names[: len(columns)]
    assume(any(len(set(column)) > 1 for column in columns))
    b = Booleanizer(n_thresholds).fit(X)
    rows = [dict(zip(names, row, strict=True)) for row in X]
    features = b.transform(X).tolist()
    assert table_of_truth(b.get_feature_names_out(names), rows) == features
    negated = [[not value for value in row] for row in features]
    assert table_of_truth(b.get_negated_feature_names_out(names), rows) == negated
    restored = Booleanizer.from_json(json.loads(json.dumps(b.to_json())))
    assert restored.conditions_ == b.conditions_
    assert restored.transform(X).tolist() == features


@settings(max_examples=200)
@given(st.lists(finite, min_size=2, max_size=30, unique=True), st.integers(1, 40))
def test_thresholds_lie_between_training_values(values, n_thresholds):
    thresholds = Booleanizer(n_thresholds).fit(np.array(values)[:, None]).conditions_[0].thresholds
    assert 1 <= len(thresholds) <= n_thresholds
    positions = [sum(value <= threshold for value in values) for threshold in thresholds]
    assert positions == sorted(set(positions))
    assert positions[0] > 0
    assert positions[-1] < len(values)
    if n_thresholds >= len(values) - 1:
        assert len(thresholds) == len(values) - 1


# --- Keeping it ---------------------------------------------------------------------------------------------------


def fitted(**parameters):
    return Booleanizer(**parameters).fit([[0.1, "a", True, None], [0.3, "1", False, 2], [7, 1, True, 3.5]])


@pytest.mark.parametrize(
    "parameters", [{}, {"n_thresholds": 2, "thresholds": [0.1, 5]}, {"thresholds": {0: [1], "x3": [2, 3]}}], ids=str
)
def test_json_is_plain_and_brings_everything_back(parameters):
    b = fitted(**parameters)
    text = json.dumps(b.to_json(), allow_nan=False)
    restored = Booleanizer.from_json(json.loads(text))
    assert json.dumps(restored.to_json()) == text
    assert restored.get_feature_names_out().tolist() == b.get_feature_names_out().tolist()
    assert restored.get_params() == b.get_params()
    X = [[0.2, "1", False, 3], [8, "a", None, None]]
    assert (restored.transform(X) == b.transform(X)).all()
    assert pickle.loads(pickle.dumps(restored)).to_json() == b.to_json()
    assert clone(restored).fit(np.arange(8).reshape(2, 4)).n_features_in_ == 4


def changed(path, value, columns=None):
    state = fitted().to_json()
    state["columns"] = state["columns"] if columns is None else deepcopy(columns)
    *way, last = path
    part = state
    for key in way:
        part = part[key]
    part[last] = value
    return state


NUMBERS = {"kind": "numbers", "thresholds": [1.0], "has_missing": False, "is_binary": False}
LIST = [  # as up to version 2 of the model file
    NUMBERS | {"thresholds": [0.2, 4.0]},
    {"kind": "categories", "values": [1, "1", "a"], "has_missing": False},
    NUMBERS | {"thresholds": [0.5], "is_binary": True},
    NUMBERS | {"thresholds": [3.0], "has_missing": True},
]


def test_pickles_of_earlier_versions_hold_a_list():
    b = fitted()
    state = b.__getstate__()
    earlier = Booleanizer.__new__(Booleanizer)
    earlier.__setstate__(state | {"conditions_": list(b.conditions_)})
    assert earlier.conditions_ == b.conditions_


def old(path, value):
    return changed(path, value, LIST)


def numbers(name, value):
    return changed(["columns", "numbers", name], value)


def test_columns_as_a_list_are_read():
    assert Booleanizer.from_json(old(["columns"], LIST)).to_json() == fitted().to_json()


WRONG_STATES = {
    "nothing": None,
    "empty": {},
    "a list": [],
    "unknown key": fitted().to_json() | {"more": 1},
    "no columns": old(["columns"], []),
    "columns": changed(["columns"], {}),
    "a column": old(["columns", 0], "numbers"),
    "unknown kind": old(["columns", 0, "kind"], "text"),
    "missing key": old(["columns", 0], {"kind": "numbers"}),
    "NaN": old(["columns", 0, "thresholds"], [float("nan")]),
    "infinity": old(["columns", 0, "thresholds"], [float("inf")]),
    "huge": old(["columns", 0, "thresholds"], [10**400]),
    "descending": old(["columns", 0, "thresholds"], [2.0, 1.0]),
    "twice the same": old(["columns", 0, "thresholds"], [2.0, 2.0]),
    "a string": old(["columns", 0, "thresholds"], ["1"]),
    "a boolean": old(["columns", 0, "thresholds"], [True]),
    "0/1 with another threshold": old(["columns", 0, "is_binary"], True),
    "has_missing": old(["columns", 0, "has_missing"], 1),
    "values": old(["columns", 1, "values"], "ab"),
    "a list as value": old(["columns", 1, "values"], [[1]]),
    "a value twice": old(["columns", 1, "values"], [1, True]),
    "no feature": old(["columns"], [NUMBERS | {"thresholds": []}]),
    "n_columns": changed(["columns", "n_columns"], 3),
    "negative n_columns": changed(["columns", "n_columns"], -1),
    "n_columns of 65 bits": changed(["columns", "n_columns"], 1 << 64),
    "boolean n_columns": changed(["columns", "n_columns"], True),
    "more in columns": changed(["columns", "more"], 1),
    "more in numbers": numbers("more", 1),
    "columns of numbers": numbers("columns", [0, 2, 4]),
    "a negative column": numbers("columns", [-1, 2, 3]),
    "a column of text": numbers("columns", ["0", 2, 3]),
    "a column of a boolean": numbers("columns", [False, 2, 3]),
    "a column twice": numbers("columns", [2, 2, 3]),
    "a column of both kinds": numbers("columns", [1, 2, 3]),
    "too few columns": numbers("columns", [2, 3]),
    "counts": numbers("n_thresholds", [1, 1, 1]),
    "a negative count": numbers("n_thresholds", [-1, 2, 3]),
    "NaN among all": numbers("thresholds", [0.2, 4.0, 0.5, float("nan")]),
    "huge among all": numbers("thresholds", [0.2, 10**400, 0.5, 3.0]),
    "descending in a column": numbers("thresholds", [4.0, 0.2, 0.5, 3.0]),
    "boolean among all": numbers("thresholds", [0.2, 4.0, 0.5, True]),
    "missing in no column": numbers("has_missing", [1]),
    "two thresholds of 0/1": numbers("is_binary", [0]),
    "another threshold of 0/1": numbers("is_binary", [2, 3]),
    "no list": numbers("is_binary", {"2": 1}),
    "pairs": changed(["columns", "categories"], [[1]]),
    "categories that are numbers": changed(["columns", "categories"], [[1, NUMBERS]]),
    "a column of categories": changed(["columns", "categories"], [[4, LIST[1]]]),
    "a column of categories twice": changed(["columns", "categories"], [[1, LIST[1]], [1, LIST[1]]]),
    "names": changed(["feature_names_in"], "abcd"),
    "too few names": changed(["feature_names_in"], ["a"]),
    "equal names": changed(["feature_names_in"], ["a", "a", "b", "c"]),
    "numbers as names": changed(["feature_names_in"], [1, 2, 3, 4]),
    "n_thresholds": changed(["n_thresholds"], "10"),
    "max_categories": changed(["max_categories"], 0),
    "sparse_output": changed(["sparse_output"], "never"),
    "thresholds": changed(["thresholds"], "10"),
    "thresholds of text": changed(["thresholds"], ["a"]),
    "thresholds by column": changed(["thresholds"], {"columns": [[1.5, [1]]]}),
    "thresholds without column": changed(["thresholds"], {"columns": [[1]]}),
}


@pytest.mark.parametrize("kind", WRONG_STATES)
def test_an_invalid_description_is_refused(kind):
    with pytest.raises(ValueError):  # noqa: PT011 - the messages name many things
        Booleanizer.from_json(WRONG_STATES[kind])


# --- Refusals -----------------------------------------------------------------------------------------------------

GOOD = [[1, "a"], [2, "b"]]
WRONG_INPUT = {
    "inf": ([[1.0], [np.inf]], ValueError, "infinity.*column 0"),
    "-inf": (np.array([[1, -np.inf]]), ValueError, "infinity.*column 1"),
    "huge": ([[1], [10**400]], ValueError, "infinity.*column 0"),
    "inf among strings": ([["a"], [np.inf]], ValueError, "infinity.*column 0"),
    "dates": (np.array([["2020-01-01"], ["2020-01-02"]], "M8[D]"), TypeError, "column 0 holds dates.*days since"),
    "date objects": ([["a"], [np.datetime64("2020-01-01")]], TypeError, "column 0 holds dates"),
    "a list": (np.array([["a"], [None]], object), None, ""),
    "a dict": ([[{"a": 1}], [{}]], TypeError, "column 0 holds {'a': 1} of type dict"),
    "a tuple": ([["a"], [b"b"]], TypeError, "column 0 holds b'b' of type bytes"),
    "bytes": (np.array([["a"], ["b"]], "S1"), TypeError, "X must hold numbers, booleans or strings, got dtype"),
    "constant": ([[1, "a"], [1, "a"]], ValueError, "no column with two different values"),
    "all missing": ([[None], [None]], ValueError, "no column with two different values"),
    "flat": ([1, 2, 3], ValueError, "Reshape your data"),
    "no rows": (np.empty((0, 3)), ValueError, "0 sample"),
    "no columns": (np.empty((3, 0)), ValueError, "0 feature"),
    "complex": (np.array([[1j]]), ValueError, "Complex"),
}


@pytest.mark.parametrize("kind", WRONG_INPUT)
def test_what_cannot_be_is_refused_and_changes_nothing(kind):
    X, error, message = WRONG_INPUT[kind]
    if error is None:
        assert Booleanizer().fit(X).get_feature_names_out().tolist() == ["x0 is missing"]
        return
    b = Booleanizer().fit(GOOD)
    before = b.to_json()
    with pytest.raises(error, match=message):
        b.fit(X)
    assert b.to_json() == before
    assert b.transform(GOOD).tolist() == [[False, True, False], [True, False, True]]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_thresholds": 0}, ValueError, "n_thresholds"),
        ({"n_thresholds": 2.5}, TypeError, "n_thresholds"),
        ({"max_categories": 0}, ValueError, "max_categories"),
        ({"max_categories": "all"}, TypeError, "max_categories"),
        ({"sparse_output": "yes"}, ValueError, "sparse_output .*'yes'"),
        ({"thresholds": []}, ValueError, "thresholds"),
        ({"thresholds": [[1]]}, ValueError, "thresholds"),
        ({"thresholds": [np.nan]}, ValueError, "thresholds"),
        ({"thresholds": "ab"}, TypeError, "thresholds"),
        ({"thresholds": 76}, ValueError, "thresholds must be a non-empty list"),
        ({"thresholds": {"age": [1]}}, ValueError, "key 'age'"),
        ({"thresholds": {2: [1]}}, ValueError, "key 2"),
        ({"thresholds": {"x1": [1]}}, ValueError, "key 'x1'.*not hold numbers"),
        ({"thresholds": {0: [np.inf]}}, ValueError, r"thresholds\[0\]"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        Booleanizer(**parameters).fit(GOOD)


def test_not_fitted_yet():
    for call in (Booleanizer().get_feature_names_out, Booleanizer().to_json, lambda: Booleanizer().transform(GOOD)):
        with pytest.raises(NotFittedError):
            call()
