"""Clause outputs and votes: of one example in training, of 512 examples at once in prediction."""

import numpy as np

from wtm.kernels.bits import BLOCK, transpose_block
from wtm.kernels.jit import inline, kernel
from wtm.kernels.simd import any_set, count_trailing_zeros, load, popcount, splat, store

__all__ = ["clause_fires", "list_literals", "votes"]

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@inline
def clause_fires(include, clause, literals, row, n_words):
    """Whether an example satisfies every literal that a clause includes (`reference.clause_outputs`, in training).

    Vectors may reach into the next clause's words: there the example's bits are 1, and so nothing is missed.
    """
    start = clause * n_words
    for w in range(0, n_words, 8):
        if any_set(load(include, start + w) & ~load(literals, row + w)):
            return False
    return True


@inline
def _block_outputs(literal_list, start, stop, columns):
    """Outputs of one clause for 512 examples: the AND of its literals' columns, until no example is left."""
    fires = splat(_ALL)
    for i in range(start, stop):
        fires = fires & load(columns, literal_list[i] * 8)
        if not any_set(fires):
            break
    return fires


@kernel
def votes(
    literals, row_words, rows, first, last, n_features, clause_ends, literal_list, clause_votes, n_clauses, columns,
    tile, fired, totals, sums,
):  # fmt: skip
    """Weighted votes of all machines for examples `first` to `last` - 1 (`reference.Machine.class_sum` in fixed point).

    Parameters
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
    rows : ndarray of shape (n_examples,), int64; IN
        Row of `literals` of each example.
    clause_ends : ndarray of shape (n_machines * n_clauses + 1,), int64; IN
        Clause c includes ``literal_list[clause_ends[c]:clause_ends[c + 1]]``.
    literal_list : ndarray of int32; IN
    clause_votes : ndarray of shape (n_machines * n_clauses,), int64; IN
        Signed weights.
    columns, tile, fired, totals : ndarray of shape (2 * n_features * 8,), (512,) and (8,), uint64, and (512,), int64
        Working space.
    sums : ndarray of shape (n_examples, n_machines), int64; OUT
    """
    for start in range(first, last, BLOCK):
        count = min(BLOCK, last - start)
        transpose_block(literals, row_words, rows, start, count, n_features, tile, columns)
        for machine in range(sums.shape[1]):
            totals[:] = 0
            for clause in range(machine * n_clauses, (machine + 1) * n_clauses):
                if clause_ends[clause] == clause_ends[clause + 1]:  # without literals: no vote
                    continue
                fires = _block_outputs(literal_list, clause_ends[clause], clause_ends[clause + 1], columns)
                if not any_set(fires):
                    continue
                store(fired, 0, fires)
                vote = clause_votes[clause]
                for part in range(8):
                    remaining = fired[part]
                    while remaining != _ZERO:
                        totals[part * 64 + count_trailing_zeros(remaining)] += vote
                        remaining &= remaining - _ONE
            for i in range(count):
                sums[start + i, machine] = totals[i]


@kernel
def list_literals(include, n_clauses, n_words, clause_ends, literal_list):
    """Write the included literals of every clause in a row.

    `include` (uint64, n_clauses * n_words words or more, IN); ``clause_ends`` (int64, shape (n_clauses + 1,), OUT)
    gets each clause's end, from ``clause_ends[0]`` (IN) on; `literal_list` (int32, OUT) the literals, and may be
    empty to count alone.
    """
    end = clause_ends[0]
    for clause in range(n_clauses):
        for w in range(n_words):
            remaining = include[clause * n_words + w]
            if literal_list.size == 0:
                end += popcount(remaining)
                continue
            while remaining != _ZERO:
                literal_list[end] = w * 64 + count_trailing_zeros(remaining)
                remaining &= remaining - _ONE
                end += 1
        clause_ends[clause + 1] = end
