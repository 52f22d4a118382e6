"""The binomial distribution as integer tables, the same on every processor."""

import decimal
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

__all__ = ["PROBABILITY_DIGITS", "BinomialTable", "binomial_table", "threshold"]

PROBABILITY_DIGITS = 32
"""Probabilities are honoured to this many binary digits."""


def threshold(p: float) -> int:
    """Probability `p` in fractions of 2**32, rounded to nearest; at least 1, so that no event is ruled out."""
    return max(1, round(p * (1 << PROBABILITY_DIGITS)))


@dataclass(frozen=True)
class BinomialTable:
    """Distribution of the number of successes S among n trials.

    Attributes
    ----------
    cumulative : ndarray of shape (m,), uint64
        ``cumulative[k]`` is P(S <= k) in fractions of 2**64, rounded down, up to the k where it reaches 1 - 2**-64.
    guide : ndarray of shape (256,), int64
        ``guide[b]`` is the smallest k with ``cumulative[k] > b * 2**56``, where the search for a random word with the
        top byte b begins.
    """

    cumulative: np.ndarray
    guide: np.ndarray


@lru_cache(maxsize=16)
def binomial_table(n_trials: int, p_threshold: int) -> BinomialTable:
    """Table of Binomial(n_trials, p_threshold / 2**32).

    Each outcome's probability is exact to 2**-64: the recurrence runs in 50 decimal digits.
    """
    with decimal.localcontext(prec=50, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX):
        p = decimal.Decimal(p_threshold) / (1 << PROBABILITY_DIGITS)
        cumulative = _cumulative(n_trials, p)
    values = np.array(cumulative, dtype=np.uint64)
    guide = np.searchsorted(values, np.arange(256, dtype=np.uint64) << np.uint64(56), side="right").astype(np.int64)
    return BinomialTable(values, np.minimum(guide, values.size - 1))


def _cumulative(n_trials: int, p: decimal.Decimal) -> list[int]:
    one = 1 << 64
    if p == 1:
        return [0] * n_trials + [one - 1]
    odds = p / (1 - p)
    density = (1 - p) ** n_trials
    total = density
    cumulative = [min(int(total * one), one - 1)]
    for k in range(n_trials):
        if cumulative[-1] == one - 1:
            break
        density = density * (n_trials - k) / (k + 1) * odds
        total += density
        cumulative.append(min(int(total * one), one - 1))
    return cumulative
