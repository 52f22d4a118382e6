"""Clause outputs and votes: of one example in training, of 512 examples at once in prediction."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.bits import transpose_block
from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ALL_BITS, BLOCK, ONE, VECTOR_WORDS, VOTE_DTYPE, WORD_DTYPE, ZERO
from wtm.kernels.simd import any_set, count_trailing_zeros, load, popcount, splat, store

_MAX_PLANES = 24  # bits of a count of clauses: there are fewer than 2**24


class ClauseLists(NamedTuple):
    """Compiled clauses of all machines.

    Attributes
    ----------
    ends : ndarray of shape (n_machines * n_clauses + 1,), int64
        Clause c includes ``literals[ends[c]:ends[c + 1]]``.
    literals : ndarray of int32
    votes : ndarray of shape (n_machines * n_clauses,), int64
        Signed weights in fixed point.
    order : ndarray of shape (n_machines * n_clauses,), int64
        The clauses of each machine, ordered by vote.
    """

    ends: np.ndarray
    literals: np.ndarray
    votes: np.ndarray
    order: np.ndarray


class VoteBuffers(NamedTuple):
    """Buffers of `votes`.

    Attributes
    ----------
    columns : ndarray of shape (2 * n_features * 8,), uint64
        Literal columns of the current block, as of `wtm.kernels.bits.transpose_block`.
    tile : ndarray of shape (512,), uint64
        Buffer of a transpose.
    planes : ndarray of shape (24 * 8,), uint64
        Counts of the true clauses of each example: plane b, of 512 bits, holds bit b of all counts.
    plane : ndarray of shape (8,), uint64
        One of them.
    totals : ndarray of shape (512,), int64
        Sum of each example.
    """

    columns: np.ndarray
    tile: np.ndarray
    planes: np.ndarray
    plane: np.ndarray
    totals: np.ndarray


def new_vote_buffers(n_features: int) -> VoteBuffers:
    """Return buffers for examples of the given number of features."""
    return VoteBuffers(
        columns=np.empty(2 * n_features * VECTOR_WORDS, WORD_DTYPE),
        tile=np.empty(BLOCK, WORD_DTYPE),
        planes=np.empty(_MAX_PLANES * VECTOR_WORDS, WORD_DTYPE),
        plane=np.empty(VECTOR_WORDS, WORD_DTYPE),
        totals=np.empty(BLOCK, VOTE_DTYPE),
    )


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


@inline
def _add_vote(totals, fires, vote):
    """Add a vote to the totals of the examples in the set `fires`."""
    for part in range(8):
        remaining = fires[part]
        while remaining != ZERO:
            totals[part * 64 + count_trailing_zeros(remaining)] += vote
            remaining &= remaining - ONE


@inline
def _increment(planes, n_planes, fires):
    """Add 1 to the counts of the examples in `fires`; returns the number of planes in use.

    A ripple-carry adder on 512 counts at once.
    """
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
def votes(literals, row_words, n_features, rows, first, last, clauses, buffers, sums):
    """Weighted votes of all machines for examples `first` to `last` - 1 (`reference.Machine.class_sum` in fixed point).

    Parameters
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
    row_words, n_features : int
    rows : ndarray of shape (n_examples,), int64; IN
        Row of `literals` of each example.
    first, last : int
    clauses : ClauseLists; IN
    buffers : VoteBuffers
    sums : ndarray of shape (n_examples, n_machines), int64; OUT
    """
    n_clauses = clauses.votes.size // sums.shape[1]
    for start in range(first, last, BLOCK):
        count = min(BLOCK, last - start)
        transpose_block(literals, row_words, rows, start, count, n_features, buffers.tile, buffers.columns)
        for machine in range(sums.shape[1]):
            buffers.totals[:] = 0
            n_planes = 0
            end = (machine + 1) * n_clauses
            for i in range(machine * n_clauses, end):
                clause = clauses.order[i]
                vote = clauses.votes[clause]
                if clauses.ends[clause] < clauses.ends[clause + 1]:  # a clause without literals doesn't vote
                    fires = block_outputs(
                        clauses.literals, clauses.ends[clause], clauses.ends[clause + 1], buffers.columns
                    )
                    n_planes = _increment(buffers.planes, n_planes, fires)
                # Clauses of the same vote are counted first, and each plane of their counts is added at once.
                if i + 1 == end or clauses.votes[clauses.order[i + 1]] != vote:
                    for b in range(n_planes):
                        store(buffers.plane, 0, load(buffers.planes, b * 8))
                        _add_vote(buffers.totals, buffers.plane, vote << b)
                    n_planes = 0
            for i in range(count):
                sums[start + i, machine] = buffers.totals[i]


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
