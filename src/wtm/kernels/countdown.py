"""Counters of many clauses that count down together, 512 in a vector, until something happens to one of them.

A clause that is followed by f automata makes f Bernoulli(p_s) trials at every Type I feedback while it is false. The
number of trials before the next success is geometric, so nothing happens to these automata for a number of feedbacks
that is known beforehand: it is loaded into the clause's counter, and the feedbacks only count it down.

Counters are kept as bit planes: plane b of a group of 512 clauses holds bit b of their counters. Subtracting 1 from an
arbitrary subset of a group is a borrow that ripples through the planes, some ten vector operations.
"""

import numpy as np

from wtm.kernels.jit import inline
from wtm.kernels.lazy_state import PLANES
from wtm.kernels.sampling import next_word
from wtm.kernels.simd import any_set, load, store

__all__ = ["LONGEST_COUNT", "count_down", "draw_gap", "read_counter", "write_counter"]

LONGEST_COUNT = (1 << PLANES) - 1

_ONE = np.uint64(1)


@inline
def count_down(planes, group, subset):
    """Take 1 from the counters of `subset` (512 bits); returns those that were 0, which are left at all ones."""
    at = group * PLANES * 8
    borrow = subset
    for _ in range(PLANES):
        plane = load(planes, at)
        store(planes, at, plane ^ borrow)
        borrow = borrow & ~plane
        if not any_set(borrow):
            break
        at += 8
    return borrow


@inline
def read_counter(planes, slot):
    """The counter of clause number `slot`, 0 .. LONGEST_COUNT."""
    at = (slot >> 9) * PLANES * 8 + ((slot >> 6) & 7)
    bit = np.uint64(slot & 63)
    count = np.uint64(0)
    for b in range(PLANES):
        count |= ((planes[at + b * 8] >> bit) & _ONE) << np.uint64(b)
    return np.int64(count)


@inline
def write_counter(planes, slot, count):
    """Load the counter of clause number `slot`."""
    at = (slot >> 9) * PLANES * 8 + ((slot >> 6) & 7)
    bit = np.uint64(slot & 63)
    for b in range(PLANES):
        set_bit = ((np.uint64(count) >> np.uint64(b)) & _ONE) << bit
        planes[at + b * 8] = (planes[at + b * 8] & ~(_ONE << bit)) | set_bit


@inline
def draw_gap(random, gap_table, limit):
    """Failures before the next success of a Bernoulli(p_s) process, or any number from `limit` on if there are as many.

    Compares 32 random bits with P(G > g) for g = 0, 1, ...: the probability of each gap is exact to 2**-32. Beyond
    the end of the table the process starts afresh, as it has no memory.
    """
    gap = 0
    while gap < limit:
        x = next_word(random) >> np.uint64(32)
        g = gap_table.guide[x >> np.uint64(24)]
        while g < gap_table.beyond.size and x < np.uint64(gap_table.beyond[g]):
            g += 1
        gap += g
        if g < gap_table.beyond.size:
            break
    return gap
