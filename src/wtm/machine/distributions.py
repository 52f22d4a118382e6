"""Compute distributions as integer tables, which are the same on every processor."""

import decimal
from functools import lru_cache

import numpy as np

from wtm.kernels.distribution_tables import BinomialTable, GapTable, PendingTable

PROBABILITY_DIGITS = 32
"""Number of binary digits of a probability."""

_DOUBLINGS = 20
_LONGEST_GAP_TABLE = 4096


def threshold(p: float) -> int:
    """Probability `p` in units of 2**-32, rounded to nearest; at least 1, so that no event becomes impossible."""
    return max(1, round(p * (1 << PROBABILITY_DIGITS)))


@lru_cache(maxsize=16)
def binomial_table(n_trials: int, p_threshold: int) -> BinomialTable:
    """Table of Binomial(n_trials, p_threshold / 2**32).

    Each outcome's probability is exact to 2**-64: the recurrence runs in 50 decimal digits.
    """
    with decimal.localcontext(prec=50, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX):
        p = decimal.Decimal(p_threshold) / (1 << PROBABILITY_DIGITS)
        cumulative = _cumulative(n_trials, p, 64, n_trials)
    values = np.array(cumulative, dtype=np.uint64)
    guide = np.searchsorted(values, np.arange(256, dtype=np.uint64) << np.uint64(56), side="right").astype(np.int64)
    return BinomialTable(values, np.minimum(guide, values.size - 1))


def _cumulative(n_trials: int, p: decimal.Decimal, digits: int, longest: int) -> list[int]:
    """P(S <= k) in units of 2**-digits, rounded down, for k = 0 .. longest or until it is 1 to this precision."""
    top = (1 << digits) - 1
    if p == 1:
        return ([0] * min(n_trials, longest + 1) + [top])[: longest + 1]
    odds = p / (1 - p)
    density = (1 - p) ** n_trials
    total = density
    cumulative = [min(int(total * (top + 1)), top)]
    for k in range(min(n_trials, longest)):
        if cumulative[-1] == top:
            break
        density = density * (n_trials - k) / (k + 1) * odds
        total += density
        cumulative.append(min(int(total * (top + 1)), top))
    return cumulative


@lru_cache(maxsize=8)
def pending_table(p_threshold: int) -> PendingTable:
    """Tables for p = p_threshold / 2**32; each outcome's probability is exact to 2**-48."""
    n_trials = [*range(1, 256), *(256 << i for i in range(_DOUBLINGS))]
    full = 1 << 48
    high = np.full((len(n_trials) + 1, 256), 0xFFFF, np.uint16)
    low = np.full(high.shape, 0xFFFFFFFF, np.uint32)
    min_count = np.zeros(len(high), np.int64)
    max_count = np.zeros(len(high), np.int64)
    with decimal.localcontext(prec=28, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX):
        p = decimal.Decimal(p_threshold) / (1 << PROBABILITY_DIGITS)
        for row, n in enumerate(n_trials, start=1):
            thresholds = np.array(_cumulative(n, p, 48, 255), np.uint64)
            thresholds = thresholds[thresholds < full - 1]
            high[row, : len(thresholds)] = thresholds >> np.uint64(32)
            low[row, : len(thresholds)] = thresholds & np.uint64(0xFFFFFFFF)
            min_count[row] = np.count_nonzero(thresholds == 0)
            max_count[row] = len(thresholds)
    return PendingTable(high, low, min_count, max_count)


@lru_cache(maxsize=8)
def gap_table(p_threshold: int) -> GapTable:
    """Table for p = p_threshold / 2**32; each gap's probability is exact to 2**-32."""
    keep = 1 - decimal.Decimal(p_threshold) / (1 << PROBABILITY_DIGITS)
    entries: list[int] = []
    with decimal.localcontext(prec=28):
        power = keep
        while len(entries) < _LONGEST_GAP_TABLE:
            entries.append(min(round(power * (1 << 32)), (1 << 32) - 1))
            if entries[-1] == 0:
                break
            power *= keep
    survival = np.array(entries, np.uint32)
    tops = np.arange(1, 4097, dtype=np.int64) << 20  # one past the largest bits with each upper 12
    guide = np.searchsorted(-survival.astype(np.int64), -tops, side="right").astype(np.int16)
    return GapTable(survival, guide)
