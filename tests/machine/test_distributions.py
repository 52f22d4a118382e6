"""The tables of the binomial distribution against exact fractions and SciPy."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from wtm.machine.distributions import binomial_table, gap_table, pending_table, threshold

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


def pending_thresholds(table, row):
    """The thresholds of a row in fractions of 2**48."""
    return [int(high) << 32 | int(low) for high, low in zip(table.high[row], table.low[row], strict=True)]


@pytest.mark.parametrize("limit", [1, 2**22 + 1, 2**31, 2**32 - 2**20, 2**32])
@pytest.mark.parametrize("n", [1, 2, 7, 40, 255])
def test_pending_rows_are_exact_to_48_digits(n, limit):
    table, p = pending_table(limit), Fraction(limit, 2**32)
    total, expected = Fraction(0), []
    for k in range(256):
        if k <= n:
            total += math.comb(n, k) * p**k * (1 - p) ** (n - k)
        expected.append(min(math.floor(total * 2**48), 2**48 - 1))
    found = pending_thresholds(table, n)
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) <= 1
    assert table.min_count[n] == found.count(0)
    assert table.max_count[n] == sum(value < 2**48 - 1 for value in found)


@pytest.mark.parametrize("p", [1e-6, 0.0005, 0.02, 0.3, 0.9])
@pytest.mark.parametrize("doubling", [0, 1, 5, 12, 19])
def test_pending_rows_of_many_trials_agree_with_scipy(doubling, p):
    table = pending_table(threshold(p))
    expected = stats.binom.cdf(np.arange(256), 256 << doubling, threshold(p) / 2**32)
    found = np.array(pending_thresholds(table, 256 + doubling)) / 2**48
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)


def test_a_table_of_certain_trials_takes_no_more_memory_than_others():
    tracemalloc.start()
    pending_table.__wrapped__(2**32)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


@pytest.mark.parametrize("limit", [1, 2**22 + 1, threshold(0.1), 2**31, 2**32 - 2**20, 2**32])
def test_gaps_are_exact(limit):
    table, keep = gap_table(limit), 1 - Fraction(limit, 2**32)
    beyond = table.survival.tolist()
    for g in range(0, len(beyond), max(1, len(beyond) // 60)):
        assert abs(beyond[g] - min(keep ** (g + 1) * 2**32, 2**32 - 1)) <= Fraction(1, 2) + Fraction(1, 2**20)
    assert beyond[-1] == 0 or len(beyond) >= 4096, "to the end, or long"
    # Random bits x mean a gap of as many entries as are above x; the largest with the same upper 12, the smallest gap.
    assert len(table.guide) == 4096
    for upper, start in enumerate(table.guide.tolist()):
        assert start == np.count_nonzero(table.survival > (upper + 1 << 20) - 1)
