"""Distributions as integer tables, as kernels take them; `wtm.machine.distributions` makes them."""

from typing import NamedTuple

import numpy as np

__all__ = ["BinomialTable", "GapTable", "PendingTable"]


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


class PendingTable(NamedTuple):
    """Distributions of the number of successes among n trials, for the n that every number of trials is made of.

    Row n holds Binomial(n, p) for 1 <= n < 256, row 256 + i that for n = 256 * 2**i. Thresholds are in fractions of
    2**48, in two parts: x >= threshold k of 48 random bits x, for k = 0, 1, ..., is true as often as there are
    successes.

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
    """

    high: np.ndarray
    low: np.ndarray
    sure: np.ndarray
    stop: np.ndarray


class GapTable(NamedTuple):
    """Distribution of the number of failures G before a success.

    Attributes
    ----------
    beyond : ndarray of shape (m,), uint32
        ``beyond[g]`` is P(G > g) in fractions of 2**32: 32 random bits x below it say that G is greater than g. Where
        no entry is 0, a G beyond the table is its length and a new draw, as the process has no memory.
    guide : ndarray of shape (4096,), int16
        ``guide[b]`` is the smallest G that random bits with the upper 12 equal to b can mean, where the search begins.
    """

    beyond: np.ndarray
    guide: np.ndarray
