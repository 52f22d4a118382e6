"""Gaps between the successes of a Bernoulli(p_s) process: the trials that fail need no work."""

import numpy as np

from wtm.kernels.jit import inline
from wtm.kernels.sampling import next_word

__all__ = ["draw_gap"]


@inline
def draw_gap(random, gap_table):
    """Failures before the next success of a Bernoulli(p_s) process.

    Compares 32 random bits with P(G > g) for g = 0, 1, ...: the probability of each gap is exact to 2**-32. Beyond
    the end of the table the process starts afresh, as it has no memory.
    """
    gap = 0
    while True:
        x = next_word(random) >> np.uint64(32)
        g = np.int64(gap_table.guide[x >> np.uint64(20)])
        while g < gap_table.beyond.size and x < np.uint64(gap_table.beyond[g]):
            g += 1
        gap += g
        if g < gap_table.beyond.size:
            return gap
