"""Sums of votes on the 512 examples of a block, which are kept while the clauses and their weights change.

The sums of a new block are read from tables: the votes of each eight clauses add up to one of 256 numbers. Then a sum
changes only with the output or the weight of a clause that is true for the example.
"""

import numpy as np

from wtm.kernels.jit import inline
from wtm.kernels.layout import ONE, ZERO
from wtm.kernels.simd import add_where, count_trailing_zeros, load, popcount_words, splat, store, sum_words

TABLE_WORDS = 8 * 256
"""Size of the tables for the 64 clauses of a word."""

TILE_STRIDE = 512 + 8
"""Words from one transposed square to the next: a power of 2 would map all of them to the same few sets of a cache."""

_FEW = 20  # examples for which adding one by one is faster than adding to all 512 by mask


@inline
def clamped(total, params):
    """The value of a sum of votes in fixed point, clamped to T."""
    return min(max(total * params.unit, -params.T), params.T)


@inline
def _fill_tables(votes, first, tables):
    """Fill the tables (OUT): entry ``256 * b + i`` is the sum of the votes of clauses ``first + 8 * b + j``.

    These are the clauses whose bit j of i is 1.
    """
    for table in range(0, TABLE_WORDS, 256):
        tables[table] = 0
        width = 1
        for j in range(8):
            vote = votes[first + (table >> 5) + j]
            if width < 8:
                for i in range(table, table + width):
                    tables[i + width] = tables[i] + vote
            else:
                more = splat(np.uint64(vote))
                for i in range(table, table + width, 8):
                    store(tables, i + width, load(tables, i) + more)
            width *= 2


@inline
def _from_tables(tables, word):
    """The sum of the votes of those of 64 clauses whose bit in `word` is 1."""
    total = np.int64(0)
    for table in range(8):
        total += tables[np.uint64(table * 256) + (word >> np.uint64(8 * table) & np.uint64(255))]
    return total


@inline
def add_votes(sums, votes, first, tile, place, tables):
    """Add the votes of the clauses `first` to ``first + 63`` to the sums of 512 examples.

    Parameters
    ----------
    sums : ndarray of shape (512,), int64; IN and OUT
    votes : ndarray of int64; IN
    first : int
    tile : ndarray of shape (8 * TILE_STRIDE,), uint64; IN
        Transposed outputs, of eight squares: word `place` of each eight has the clauses that are true for the first
        example, one bit each.
    tables : ndarray of shape (TABLE_WORDS,), int64
        Buffer.
    """
    _fill_tables(votes, first, tables)
    for part in range(8):
        for i in range(64):
            sums[part * 64 + i] += _from_tables(tables, tile[part * TILE_STRIDE + i * 8 + place])


@inline
def add_vote(sums, examples, chosen, vote):
    """Add a vote to the sums of the examples in the set `chosen`. `examples` is a buffer of eight words."""
    n = sum_words(popcount_words(chosen))
    if n == 0:
        return
    store(examples, 0, chosen)
    for part in range(8):
        remaining = examples[part]
        if n > _FEW:
            for byte in range(8):
                add_where(sums, part * 64 + byte * 8, np.uint8(remaining >> np.uint64(8 * byte)), vote)
            continue
        while remaining != ZERO:
            sums[part * 64 + count_trailing_zeros(remaining)] += vote
            remaining &= remaining - ONE
