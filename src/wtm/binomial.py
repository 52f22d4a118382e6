"""The binomial distribution as integer tables, the same on every processor."""

import decimal
from functools import lru_cache
from typing import NamedTuple

import numpy as np

__all__ = [
    "PROBABILITY_DIGITS", "BinomialTable", "GapTable", "PendingTable", "binomial_table", "gap_table", "pending_table", "threshold",
]  # fmt: skip

PROBABILITY_DIGITS = 32
"""Probabilities are honoured to this many binary digits."""

_DOUBLINGS = 20
_LONGEST_GAP_TABLE = 4096


def threshold(p: float) -> int:
    """Probability `p` in fractions of 2**32, rounded to nearest; at least 1, so that no event is ruled out."""
    return max(1, round(p * (1 << PROBABILITY_DIGITS)))


class BinomialTable(NamedTuple):
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
        cumulative = _cumulative(n_trials, p, 64, n_trials)
    values = np.array(cumulative, dtype=np.uint64)
    guide = np.searchsorted(values, np.arange(256, dtype=np.uint64) << np.uint64(56), side="right").astype(np.int64)
    return BinomialTable(values, np.minimum(guide, values.size - 1))


def _cumulative(n_trials: int, p: decimal.Decimal, digits: int, longest: int) -> list[int]:
    """P(S <= k) in fractions of 2**digits, rounded down, for k = 0 .. longest or until it can't be told from 1."""
    top = (1 << digits) - 1
    if p == 1:
        return ([0] * n_trials + [top])[: longest + 1]
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


class PendingTable(NamedTuple):
    """Distributions of the number of successes among n trials, for the n that every number of trials is made of.

    Row n holds Binomial(n, p) for 1 <= n < 256, row 256 + i that for n = 256 * 2**i. Thresholds are in fractions of 2**48, in
    two parts: x >= threshold k of 48 random bits x, for k = 0, 1, ..., is true as often as there are successes.

    Attributes
    ----------
    high : ndarray of shape (n_rows, 256), uint16
        The upper 16 bits of P(S <= k); 65535 from `stop` on.
    low : ndarray of shape (n_rows, 256), uint32
        The lower 32 bits.
    sure : ndarray of shape (n_rows,), int64
        So many successes at least: their thresholds are 0.
    stop : ndarray of shape (n_rows,), int64
        So many successes at most, or 255: an automaton has no more steps to go.
    safe : ndarray of shape (129,), int64
        ``safe[m]`` is a number of trials of which m succeed with a probability below 2**-50.
    """

    high: np.ndarray
    low: np.ndarray
    sure: np.ndarray
    stop: np.ndarray
    safe: np.ndarray


@lru_cache(maxsize=8)
def pending_table(p_threshold: int) -> PendingTable:
    """Tables for p = p_threshold / 2**32; each outcome's probability is exact to 2**-48."""
    n_trials = [*range(1, 256), *(256 << i for i in range(_DOUBLINGS))]
    full = 1 << 48
    high = np.full((len(n_trials) + 1, 256), 0xFFFF, np.uint16)
    low = np.full(high.shape, 0xFFFFFFFF, np.uint32)
    sure = np.zeros(len(high), np.int64)
    stop = np.zeros(len(high), np.int64)
    with decimal.localcontext(prec=28, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX):
        p = decimal.Decimal(p_threshold) / (1 << PROBABILITY_DIGITS)
        for row, n in enumerate(n_trials, start=1):
            thresholds = np.array(_cumulative(n, p, 48, 255), np.uint64)
            thresholds = thresholds[thresholds < full - 1]
            high[row, : len(thresholds)] = thresholds >> np.uint64(32)
            low[row, : len(thresholds)] = thresholds & np.uint64(0xFFFFFFFF)
            sure[row] = np.count_nonzero(thresholds == 0)
            stop[row] = len(thresholds)
    return PendingTable(high, low, sure, stop, _safe_trials(p_threshold / (1 << PROBABILITY_DIGITS)))


def _safe_trials(p: float) -> np.ndarray:
    """For m = 0 .. 128 the largest n below 2**20 with (n over m) p**m < 2**-50, which bounds P(S >= m) from above."""
    m = np.arange(129)
    safe = np.zeros(129, np.int64)
    for bit in reversed(range(20)):
        n = safe + (1 << bit)
        bound = np.ones(129)
        for i in range(128):  # only IEEE products and quotients: the same on every processor
            bound[i + 1 :] = np.minimum(bound[i + 1 :] * (np.maximum(n[i + 1 :] - i, 0) / (i + 1) * p), 1e250)
        safe[bound < 2.0**-50] = n[bound < 2.0**-50]
    return np.where(m > 0, np.maximum(safe, m - 1), 0)


class GapTable(NamedTuple):
    """Distribution of the number of failures G before a success.

    Attributes
    ----------
    beyond : ndarray of shape (m,), uint32
        ``beyond[g]`` is P(G > g) in fractions of 2**32: 32 random bits x below it say that G is greater than g. Where no entry
        is 0, a G beyond the table is its length and a new draw, as the process has no memory.
    guide : ndarray of shape (256,), int64
        ``guide[b]`` is the smallest G that random bits with the top byte b can mean, where the search begins.
    """

    beyond: np.ndarray
    guide: np.ndarray


@lru_cache(maxsize=8)
def gap_table(p_threshold: int) -> GapTable:
    """Table for p = p_threshold / 2**32; each gap's probability is exact to 2**-32."""
    keep = 1 - decimal.Decimal(p_threshold) / (1 << PROBABILITY_DIGITS)
    entries = []
    with decimal.localcontext(prec=28):
        power = keep
        while len(entries) < _LONGEST_GAP_TABLE:
            entries.append(min(round(power * (1 << 32)), (1 << 32) - 1))
            if entries[-1] == 0:
                break
            power *= keep
    beyond = np.array(entries, np.uint32)
    tops = np.arange(1, 257, dtype=np.int64) << 24  # one past the largest bits with each top byte
    guide = np.searchsorted(-beyond.astype(np.int64), -tops, side="right").astype(np.int64)
    return GapTable(beyond, guide)
