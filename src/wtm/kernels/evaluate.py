"""Clause outputs, of one example or of 512 at once, and the literals of clauses as lists."""

import numpy as np

from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ALL_BITS, ONE, WORD_BITS, ZERO
from wtm.kernels.simd import any_set, count_trailing_zeros, load, popcount, splat


@inline
def clause_fires(include, clause, literals, row, n_words):
    """Whether an example satisfies all literals of a clause (`reference.clause_outputs` in training).

    The last vector may extend into the words of the next clause. The bits of the example there are 1, so these
    literals are never missed.
    """
    start = clause * n_words
    for w in range(0, n_words, 8):
        if any_set(load(include, start + w) & ~load(literals, row + w)):
            return False
    return True


@inline
def block_outputs(literals, start, stop, columns):
    """Outputs of one clause for 512 examples: the AND of the columns of its literals."""
    fires = splat(ALL_BITS)
    # Stops when no example is left, but checks only every 16 literals: most clauses are true for some example.
    for part in range(start, stop, 16):
        for i in range(part, min(part + 16, stop)):
            fires = fires & load(columns, np.int64(literals[i]) * 8)
        if not any_set(fires):
            break
    return fires


@kernel
def list_literals(include, n_clauses, n_words, ends, literals, nonzero):
    """List the included literals of every clause, one clause after another.

    Parameters
    ----------
    include : ndarray of shape (n_clauses * n_words,) or longer, uint64; IN
    n_clauses, n_words : int
    ends : ndarray of shape (n_clauses + 1,), int64; IN and OUT
        Gets the end of each clause, from ``ends[0]`` (IN) on.
    literals : ndarray of int32; OUT
        Gets the literals; only `ends` is written if it is empty.
    nonzero : ndarray of shape (n_words,), int64
        Buffer.
    """
    end = ends[0]
    for clause in range(n_clauses):
        first = clause * n_words
        if literals.size == 0:
            for w in range(n_words):
                end += popcount(include[first + w])
        else:
            for i in range(_nonzero_words(include, first, n_words, nonzero)):
                end = _list_bits(include[np.uint64(first + nonzero[i])], nonzero[i] * WORD_BITS, literals, end)
        ends[clause + 1] = end


@inline
def _nonzero_words(words, first, n_words, nonzero):
    """Set `nonzero` (OUT) to the words that are not 0, counted from `first`, without a branch; returns their number."""
    n = 0
    for w in range(n_words):
        nonzero[np.uint64(n)] = w
        n += words[np.uint64(first + w)] != ZERO
    return n


@inline
def _list_bits(word, number, literals, end):
    """List the bits of a word, the first of which has this number, from ``literals[end]`` on; returns the new end."""
    remaining, stop = word, end + popcount(word)
    while end < stop and end + 4 <= literals.size:  # four at a time: what is too much is overwritten by the next word
        for i in range(4):
            literals[np.uint64(end + i)] = number + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
        end += 4
    while end < stop:
        literals[np.uint64(end)] = number + count_trailing_zeros(remaining)
        remaining &= remaining - ONE
        end += 1
    return stop
