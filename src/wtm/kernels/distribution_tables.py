"""Distributions as integer tables, in the form that kernels take; `wtm.machine.distributions` computes them."""

from typing import NamedTuple

import numpy as np


class BinomialTable(NamedTuple):
    """Distribution of the number of successes S in n trials.

    Attributes
    ----------
    cumulative : ndarray of shape (m,), uint64
        ``cumulative[k]`` is P(S <= k) in fractions of 2**64, rounded down, up to the k where it reaches 1 - 2**-64.
    guide : ndarray of shape (256,), int64
        ``guide[b]`` is the smallest k with ``cumulative[k] > b * 2**56``: the search for a random word whose top byte
        is b starts there.
    """

    cumulative: np.ndarray
    guide: np.ndarray


class PendingTable(NamedTuple):
    """Distributions of the number of successes S in n trials, for a set of n from which every number can be added up.

    Row n holds Binomial(n, p) for 1 <= n < 256, row 256 + i holds it for n = 256 * 2**i. For 48 random bits x, the
    number of thresholds P(S <= k), k = 0, 1, ..., that x reaches has the distribution of S. The thresholds are in
    fractions of 2**48, split in two.

    Attributes
    ----------
    high : ndarray of shape (n_rows, 256), uint16
        Upper 16 bits of the thresholds; 65535 from `max_count` on.
    low : ndarray of shape (n_rows, 256), uint32
        Lower 32 bits of the thresholds.
    min_count : ndarray of shape (n_rows,), int64
        Smallest number of successes: the number of thresholds that are 0.
    max_count : ndarray of shape (n_rows,), int64
        Largest number of successes, at most 255: an automaton can't step down more often.
    """

    high: np.ndarray
    low: np.ndarray
    min_count: np.ndarray
    max_count: np.ndarray


class GapTable(NamedTuple):
    """Distribution of the number of failures G before a success.

    Attributes
    ----------
    survival : ndarray of shape (m,), uint32
        ``survival[g]`` is P(G > g) in fractions of 2**32: 32 random bits x mean that G > g if they are below it. If
        no entry is 0, the table is too short for some G: they are its length plus another draw, since the process is
        memoryless.
    guide : ndarray of shape (4096,), int16
        ``guide[b]`` is the smallest G that random bits with the upper 12 equal to b can mean: the search starts there.
    """

    survival: np.ndarray
    guide: np.ndarray
