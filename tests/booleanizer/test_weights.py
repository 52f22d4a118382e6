"""Weights of rows in the Booleanizer: a row of weight w counts as w rows, in every kind of column."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.problems import assert_same_model, small
from wtm import Booleanizer
from wtm.validation.row_weights import integer_weights

VALUES = st.lists(st.tuples(st.integers(-3, 12), st.sampled_from("abcd"), st.integers(0, 4)), min_size=3, max_size=60)


def fitted(X, weights=None):
    try:
        return Booleanizer(3, max_categories=2).fit(X, sample_weight=weights).to_json()
    except ValueError as error:
        return "no column" if "has no column" in str(error) else str(error)


@given(VALUES)
def test_a_whole_weight_counts_as_that_many_rows(rows):
    table = np.array([[number if number > -3 else None, letter] for number, letter, _ in rows], object)
    weights = np.array([weight for *_, weight in rows])
    if weights.any():
        assert fitted(table, weights) == fitted(np.repeat(table, weights, axis=0))
        numbers = np.array([[number, number > 4] for number, *_ in rows])
        for kind in (np.float64, np.float32, np.int64):
            typed = numbers.astype(kind)
            assert fitted(typed, weights) == fitted(np.repeat(typed, weights, axis=0))
        small_numbers = (numbers % 7).astype(np.uint8)
        assert fitted(small_numbers, weights) == fitted(np.repeat(small_numbers, weights, axis=0))
        assert fitted(sp.csr_array(numbers), weights) == fitted(sp.csr_array(np.repeat(numbers, weights, axis=0)))


@given(st.lists(st.floats(0, 1e308, exclude_min=True), min_size=1, max_size=30), st.randoms())
def test_integer_weights_do_not_depend_on_the_order(weights, random):
    times = integer_weights(np.array(weights))
    assert times.dtype == np.int64
    assert times.min() >= 1
    assert sum(times.tolist()) < 2**41
    order = random.sample(range(len(weights)), len(weights))
    np.testing.assert_array_equal(integer_weights(np.array(weights)[order]), times[order])


def test_fractions_count_by_their_size():
    X = np.arange(10.0)[:, None]
    light, heavy = np.full(10, 0.125), np.array([0.125] * 5 + [12.5] * 5)
    thresholds = [Booleanizer(1).fit(X, sample_weight=w).conditions_[0].thresholds for w in (light, heavy)]
    assert thresholds[0] == Booleanizer(1).fit(X).conditions_[0].thresholds
    assert thresholds[1][0] > thresholds[0][0]


def test_invalid_weights_are_refused_and_leave_an_earlier_fit():
    X = [[1], [2], [3]]
    b = Booleanizer().fit(X)
    before = b.to_json()
    for wrong, message in (([1, 1], "for each of the 3 rows"), ([1, -1, 1], "row 1"), ([0, 0, 0], "zero for all")):
        with pytest.raises(ValueError, match=message):
            b.fit(X, sample_weight=wrong)
    assert b.to_json() == before


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_a_classifier_on_numbers_counts_a_weight_as_that_many_rows(make):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 30, (80, 4))
    y, weights = X[:, 0] > 9, rng.integers(0, 4, 80)
    weighted = small().fit(make(X), y, weights)
    repeated = small().fit(make(np.repeat(X, weights, axis=0)), np.repeat(y, weights))
    assert weighted.booleanizer_.to_json() == repeated.booleanizer_.to_json()
    assert_same_model(weighted, repeated)
