"""Clause outputs and votes: of one example in training, of 512 examples at once in prediction."""

import numpy as np

from wtm.kernels.bits import transpose_block
from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ALL_BITS, BLOCK, ONE, ZERO
from wtm.kernels.simd import any_set, count_trailing_zeros, load, popcount, splat, store


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
    fires = splat(ALL_BITS)
    for part in range(start, stop, 16):  # most clauses are true for some example: to look at each literal costs more
        for i in range(part, min(part + 16, stop)):
            fires = fires & load(columns, np.int64(literal_list[i]) * 8)
        if not any_set(fires):
            break
    return fires


@inline
def _add_vote(totals, fires, vote, scratch):
    """Add a vote to the totals of the examples of `fires`."""
    store(scratch, 0, fires)
    for part in range(8):
        remaining = scratch[part]
        while remaining != ZERO:
            totals[part * 64 + count_trailing_zeros(remaining)] += vote
            remaining &= remaining - ONE


@inline
def _count_one_more(planes, n_planes, fires):
    """Add `fires` to 512 counters, bit b of which is in plane b; returns the number of planes that are in use."""
    carry = fires
    b = 0
    while any_set(carry):
        if b == n_planes:
            store(planes, b * 8, carry)
            return n_planes + 1
        plane = load(planes, b * 8)
        store(planes, b * 8, plane ^ carry)
        carry = plane & carry
        b += 1
    return n_planes


@kernel
def votes(
    literals, row_words, rows, first, last, n_features, clause_ends, literal_list, clause_votes, clause_order,
    n_clauses, columns, tile, planes, totals, sums,
):  # fmt: skip
    """Weighted votes of all machines for examples `first` to `last` - 1 (`reference.Machine.class_sum` in fixed point).

    Clauses that have the same vote are counted, in bit planes, before the counts are multiplied by the vote.

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
    clause_order : ndarray of shape (n_machines * n_clauses,), int64; IN
        Clauses of each machine by their vote.
    columns, tile, planes, totals : ndarray of shape (2 * n_features * 8,), (512,), (200,), uint64, and (512,), int64
        Working space.
    sums : ndarray of shape (n_examples, n_machines), int64; OUT
    """
    scratch = 24 * 8  # behind the planes: there are below 2**24 clauses
    for start in range(first, last, BLOCK):
        count = min(BLOCK, last - start)
        transpose_block(literals, row_words, rows, start, count, n_features, tile, columns)
        for machine in range(sums.shape[1]):
            totals[:] = 0
            n_planes = 0
            end = (machine + 1) * n_clauses
            for i in range(machine * n_clauses, end):
                clause = clause_order[i]
                vote = clause_votes[clause]
                if clause_ends[clause] < clause_ends[clause + 1]:  # without literals there is no vote
                    fires = _block_outputs(literal_list, clause_ends[clause], clause_ends[clause + 1], columns)
                    n_planes = _count_one_more(planes, n_planes, fires)
                if i + 1 == end or clause_votes[clause_order[i + 1]] != vote:
                    for b in range(n_planes):
                        _add_vote(totals, load(planes, b * 8), vote << b, planes[scratch:])
                    n_planes = 0
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
            while remaining != ZERO:
                literal_list[end] = w * 64 + count_trailing_zeros(remaining)
                remaining &= remaining - ONE
                end += 1
        clause_ends[clause + 1] = end
