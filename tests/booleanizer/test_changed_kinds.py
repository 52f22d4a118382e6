"""Columns whose kind of values differs from fit, and integers that float64 can't hold."""

import json
import pickle
import warnings
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from wtm import Booleanizer, WTMClassifier

# --- Text and numbers ---------------------------------------------------------------------------------------------


def test_strings_where_numbers_were():
    b = Booleanizer().fit([[1, "a"], [2, "b"]])
    with pytest.raises(ValueError, match="column 0 held numbers in fit, but now holds the string 'x'"):
        b.transform([["x", "a"]])


@pytest.mark.parametrize("now", [[0, 1], [0.5, None], [True, False], np.array([1, 2], object)], ids=str)
def test_numbers_where_text_was(now):
    X = [[1, "0"], [2, "1"], [3, "2"]]
    b = Booleanizer().fit(X)
    Z = [[1, value] for value in now]
    with pytest.raises(ValueError, match="column 1 held text in fit, such as '0', but now holds only numbers"):
        b.transform(Z)
    clf = WTMClassifier(2, 2, 2, n_epochs=1, random_state=0).fit(X, [0, 1, 0])
    with pytest.raises(ValueError, match="column 1 held text"):
        clf.predict(Z)


def test_text_where_categories_that_are_numbers_were():
    pd = pytest.importorskip("pandas")
    b = Booleanizer().fit(pd.DataFrame({"a": pd.Categorical([1, 2, 3])}))
    with pytest.raises(ValueError, match="held numbers or booleans in fit, such as 1, but now holds only text"):
        b.transform(pd.DataFrame({"a": ["1", "2"]}))


def test_text_and_numbers_in_one_column_take_either():
    b = Booleanizer().fit([["a"], [1], ["b"]])
    for Z in ([["a"], ["b"]], [[1], [1]]):
        assert b.transform(Z).any(axis=1).all()


def test_a_column_without_any_known_value_gives_one_warning():
    b = Booleanizer().fit([[1, "a", "u"], [2, "b", "v"]])
    with pytest.warns(UserWarning, match="column 1 holds no value seen in fit, such as 'a'") as caught:
        b.transform([[1, "A", "u"], [1, "B", None]])
    assert len(caught) == 1
    quiet = [
        (b, [[1, "A", "u"], [1, "b", "w"]]),  # one is known
        (b, [[1, "A", "u"]]),  # said before
        (Booleanizer().fit([["a"], ["b"], [None]]), [[None]]),  # as some in fit
        (Booleanizer(max_categories=1).fit([["a"], ["b"], ["a"]]), [["b"]]),  # fit has seen it
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for fitted, Z in quiet:
            fitted.transform(Z)


# --- Many values of both kinds ------------------------------------------------------------------------------------


def places(values, most):
    """Counts of the distinct values, the most frequent first; on a tie numbers before text, each in its order."""
    counts = Counter(value for value in values if value is not None)
    return sorted(counts, key=lambda value: (-counts[value], isinstance(value, str), value))[:most]


@given(
    st.lists(st.sampled_from(["a", "b", "1", "True", 0, 1, 1.5, 2, True, None]), max_size=30).map(
        lambda values: ["text", "text", 7, *values]
    ),
    st.integers(1, 12) | st.none(),
)
def test_a_column_of_both_kinds_keeps_its_most_frequent_values(values, most):
    X = np.array(values, object)[:, None]
    b = Booleanizer(max_categories=most, n_thresholds=1).fit(X)
    (conditions,) = b.conditions_
    kept = places(values, most)
    assert len(conditions.values) == len(kept) <= (most or 12)
    assert set(conditions.values) == set(kept)
    assert b.n_features_out_ == len(kept) + (None in values)
    features = b.transform(X)
    for value, row in zip(values, features, strict=True):  # values beyond the limit count as unseen
        assert row.sum() == (value is None or value in kept)
        if value in kept:
            assert row[conditions.values.index(value)]
    for rows in X[:, None]:  # one row at a time, and so one kind at a time
        b.transform(rows)


@pytest.mark.parametrize("make", ["array", "pandas", "categorical", "polars"])
def test_the_limit_holds_in_every_container(make):
    values = ["a"] * 9 + ["b"] * 8 + [1] * 7 + [2.5] * 6
    if make == "array":
        X = np.array(values, object)[:, None]
    elif make == "polars":
        X = pytest.importorskip("polars").DataFrame({"x0": values}, schema={"x0": pytest.importorskip("polars").Object})
    else:
        pd = pytest.importorskip("pandas")
        X = pd.DataFrame({"x0": pd.Categorical(values) if make == "categorical" else values})
    for most, names in ((1, ["a"]), (2, ["a", "b"]), (3, ["1", "a", "b"]), (64, ["1", "2.5", "a", "b"])):
        b = Booleanizer(max_categories=most).fit(X)
        assert b.get_feature_names_out().tolist() == [f"x0 = {name}" for name in names]


def test_a_kind_beyond_the_limit_is_accepted_later():
    b = Booleanizer(max_categories=2).fit([["a"], ["a"], ["b"], ["b"], [1]])
    assert b.conditions_[0].values == ("a", "b")
    for fitted in (b, Booleanizer.from_json(json.loads(json.dumps(b.to_json()))), pickle.loads(pickle.dumps(b))):
        assert fitted.conditions_ == b.conditions_
        assert not fitted.transform([[1], [2]]).any()
    text = Booleanizer(max_categories=2).fit([["a"], ["a"], ["b"], ["b"], ["1"]])
    with pytest.raises(ValueError, match="held text in fit"):
        text.transform([[1], [2]])
    assert "is_mixed" not in str(text.to_json())


# --- Large integers -----------------------------------------------------------------------------------------------

BIG = 2**60
BEYOND_FLOAT64 = {
    "int64": lambda: np.array([[BIG], [BIG + 1]]),
    "uint64": lambda: np.array([[2**63], [2**64 - 1]], np.uint64),
    "negative": lambda: np.array([[-(2**53) - 1], [0]]),
    "list": lambda: [[BIG], [BIG + 1]],
    "among strings": lambda: [["a"], [BIG + 1]],
    "sparse": lambda: sp.csr_array(np.array([[0], [BIG + 1]])),
    "pandas": lambda: pytest.importorskip("pandas").DataFrame({"a": [BIG + 1, None]}, dtype="Int64"),
    "polars": lambda: pytest.importorskip("polars").DataFrame({"a": [BIG + 1, None]}),
    "arrow": lambda: pytest.importorskip("pyarrow").table({"a": [BIG + 1, None]}),
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("kind", BEYOND_FLOAT64)
def test_integers_that_float64_does_not_hold_are_refused(kind):
    """Neighbours would become one value, and a column of them be called constant."""
    X = BEYOND_FLOAT64[kind]()
    message = "column (0|'a') holds the integer -?[0-9]{16,}, but float64, .*to strings.*subtract"
    with pytest.raises(ValueError, match=message):
        Booleanizer().fit(X)
    b = Booleanizer().fit([[1], [2]])
    with pytest.raises(ValueError, match=message):
        b.transform(X)


def test_large_integers_that_float64_holds_are_compared():
    X = [[BIG], [BIG + 1024]]
    for Z in (X, np.array(X), sp.csr_array(np.array(X))):
        b = Booleanizer(sparse_output=False).fit(Z)
        assert b.transform([[BIG], [float(BIG + 1024)]]).tolist() == [[False], [True]]


@given(
    st.lists(
        st.integers(-(2**63), 2**63 - 1).map(lambda n: n >> 10 << 10) | st.integers(-(2**54), 2**54),
        min_size=2,
        max_size=6,
        unique=True,
    )
)
def test_different_integers_get_different_features_or_are_refused(values):
    X = np.array(values)[:, None]
    if all(int(float(value)) == value for value in values):
        assert len(np.unique(Booleanizer(100).fit_transform(X), axis=0)) == len(values)
    else:
        with pytest.raises(ValueError, match=r"float64, in which numbers are compared, can't represent it"):
            Booleanizer().fit(X)
