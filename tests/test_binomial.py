"""The tables of the binomial distribution against exact fractions and SciPy."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from wtm.binomial import binomial_table, threshold

ONE = 2**64


@pytest.mark.parametrize(
    ("p", "expected"),
    [(1.0, 2**32), (0.5, 2**31), (0.25, 2**30), (1 / 3, 1431655765), (0.00049, 2104534), (1e-9, 4), (1e-12, 1)],
)
def test_threshold_rounds_to_32_digits(p, expected):
    assert threshold(p) == expected


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("limit", [1, 3, 2**20 + 1, 2**31, 2**32 - 1, 2**32])
def test_cumulative_is_exact(n, limit):
    table = binomial_table(n, limit)
    p, total = Fraction(limit, 2**32), Fraction(0)
    for k, value in enumerate(table.cumulative.tolist()):
        total += math.comb(n, k) * p**k * (1 - p) ** (n - k)
        assert value == min(math.floor(total * ONE), ONE - 1)
    assert table.cumulative[-1] == ONE - 1
    assert len(table.cumulative) == n + 1 or table.cumulative[-2] < ONE - 1


@pytest.mark.parametrize("n", [5, 26, 130, 168, 1568, 10_000])
@pytest.mark.parametrize("p", [0.0005, 0.0065, 0.037, 0.1, 0.25, 0.5, 0.9])
def test_cumulative_agrees_with_scipy(n, p):
    table = binomial_table(n, threshold(p))
    k = np.arange(len(table.cumulative))
    expected = stats.binom.cdf(k, n, threshold(p) / 2**32)
    np.testing.assert_allclose(table.cumulative / ONE, expected, rtol=1e-9, atol=1e-12)
    # Where the table ends nothing is left.
    assert stats.binom.sf(k[-1], n, threshold(p) / 2**32) < 1e-18


@pytest.mark.parametrize("n", [1, 5, 130, 1568, 10_000])
@pytest.mark.parametrize("p", [1e-9, 0.0005, 0.1, 0.5, 0.9, 1.0])
def test_guide_is_where_the_search_of_a_word_begins(n, p):
    table = binomial_table(n, threshold(p))
    cumulative = table.cumulative.tolist()
    assert len(table.guide) == 256
    for top_byte, start in enumerate(table.guide.tolist()):
        lowest_word = top_byte << 56
        assert cumulative[start] > lowest_word
        assert start == 0 or cumulative[start - 1] <= lowest_word
