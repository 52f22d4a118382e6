"""Intervals of differences, against SciPy's tests, and the rule of verdicts."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp, ttest_ind

from wtm.paper.intervals import (
    Claimed,
    Difference,
    against_one_run,
    between,
    deviation_interval,
    half_width,
    mean_text,
)

values = st.lists(st.integers(-1000, 1000).map(lambda x: x / 10), min_size=3, max_size=9).filter(
    lambda x: len(set(x)) > 1
)


@given(values)
def test_the_interval_of_a_mean_is_scipys(x):
    low, high = ttest_1samp(x, 0.0).confidence_interval(0.95)
    assert half_width(x) == pytest.approx((high - low) / 2)


@given(values, values)
def test_the_interval_of_a_difference_is_welchs(a, b):
    low, high = ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    found = between(a, b)
    assert found.value == pytest.approx((low + high) / 2, abs=1e-9)
    assert found.half == pytest.approx((high - low) / 2)


def test_one_more_run_is_in_its_interval_as_often_as_it_says():
    rng = np.random.default_rng(0)
    draws = rng.normal(5.0, 2.0, (4_000, 6))
    inside = [
        abs(found.value) <= found.half
        for *ours, theirs in draws.tolist()
        if (found := against_one_run(ours, theirs)).half is not None
    ]
    assert np.mean(inside) == pytest.approx(0.95, abs=5 * math.sqrt(0.95 * 0.05 / len(draws)))


def test_a_deviation_is_in_its_interval_as_often_as_it_says():
    rng = np.random.default_rng(1)
    inside = []
    for x in rng.normal(0.0, 2.0, (4_000, 5)).tolist():
        low, high = deviation_interval(x)
        assert low < statistics.stdev(x) < high
        inside.append(low <= 2.0 <= high)
    assert np.mean(inside) == pytest.approx(0.95, abs=5 * math.sqrt(0.95 * 0.05 / 4_000))


def test_two_seeds_have_no_interval_and_no_verdict():
    assert half_width([1.0, 2.0]) is None
    assert deviation_interval([1.0, 2.0]) is None
    assert between([1.0, 2.0], [5.0, 5.1, 5.2]) == Difference(pytest.approx(-3.6), None)
    for claimed in Claimed:
        assert Difference(-9.0, None).verdict(claimed, 0.1) == "undecided"


def test_equal_values_have_an_interval_of_no_width():
    assert between([2.0] * 3, [1.0] * 4) == Difference(1.0, 0.0)


@pytest.mark.parametrize(("value", "half", "better", "reaches", "equals"), [
    (0.5, 0.2, "yes", "yes", "no"),
    (-0.5, 0.2, "no", "no", "no"),
    (0.05, 0.01, "yes", "yes", "yes"),  # better, by less than matters
    (-0.05, 0.01, "no", "yes", "yes"),
    (0.0, 0.05, "undecided", "yes", "yes"),
    (0.0, 0.2, "undecided", "undecided", "undecided"),
    (-0.15, 0.2, "undecided", "undecided", "undecided"),
    (-0.15, 0.1, "no", "undecided", "undecided"),  # worse, but perhaps by less than matters
    (-0.15, 0.04, "no", "no", "no"),
    (0.15, 0.2, "undecided", "yes", "undecided"),
])  # fmt: skip
def test_verdicts_at_a_margin_of_a_tenth(value, half, better, reaches, equals):
    found = [Difference(value, half).verdict(claimed, 0.1) for claimed in Claimed]
    assert found == [better, reaches, equals]


def test_what_is_said_of_means():
    assert mean_text([98.0]) == "98.00 (1 seed)"
    assert mean_text([98.0, 98.1]) == "98.05 (2 seeds)"
    assert mean_text([98.0, 98.1, 98.2]) == "98.10 ± 0.25 (3 seeds)"
    assert str(Difference(-0.001, None)) == "+0.00"
    assert str(Difference(0.5, 0.25)) == "+0.50 ± 0.25"
