"""Clause outputs, of one example or of 512 at once, and the literals of clauses as lists."""

import numpy as np

from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ALL_BITS, ONE, ZERO
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
def list_literals(include, n_clauses, n_words, ends, literals):
    """List the included literals of every clause, one clause after another.

    Parameters
    ----------
    include : ndarray of shape (n_clauses * n_words,) or longer, uint64; IN
    n_clauses, n_words : int
    ends : ndarray of shape (n_clauses + 1,), int64; IN and OUT
        Gets the end of each clause, from ``ends[0]`` (IN) on.
    literals : ndarray of int32; OUT
        Gets the literals; only `ends` is written if it is empty.
    """
    end = ends[0]
    for clause in range(n_clauses):
        for w in range(n_words):
            remaining = include[clause * n_words + w]
            if literals.size == 0:
                end += popcount(remaining)
                continue
            while remaining != ZERO:
                literals[end] = w * 64 + count_trailing_zeros(remaining)
                remaining &= remaining - ONE
                end += 1
        ends[clause + 1] = end
