"""Votes of fuzzy clauses on 512 examples at once (`reference.clause_votes`).

The false literals of a clause are counted for all examples together: *plane* b, of 512 bits, holds bit b of all counts.
A clause that gains or loses a literal has its counts corrected by that literal's column alone.
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.bit_planes import AT_A_TIME, add_counts, add_to_plane, count_one_more, first_count
from wtm.kernels.bits import transpose_block
from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import BLOCK, VECTOR_WORDS, VOTE_DTYPE, WORD_BITS, ZERO, aligned_words
from wtm.kernels.simd import any_set, bytes_of_mask, load, splat, store

VOTE_BITS = 8
"""Bits of the votes of a clause, which are kept as bytes."""


class FuzzyBuffers(NamedTuple):
    """Buffers of `fuzzy_votes`.

    Attributes
    ----------
    columns, tile
        As in `wtm.kernels.votes.VoteBuffers`.
    planes : ndarray of shape (n_planes * 8,), uint64
        Counts of the false literals of a clause; `planes_for` says how many.
    digits : ndarray of shape (8 * 8,), uint64
        Buffer of `set_votes`.
    votes : ndarray of shape (512,), uint8
        Votes of a clause.
    totals : ndarray of shape (512,), int64
        Sum of each example.
    """

    columns: np.ndarray
    tile: np.ndarray
    planes: np.ndarray
    digits: np.ndarray
    votes: np.ndarray
    totals: np.ndarray


def planes_for(n_literals: int) -> int:
    """Return the number of planes that count up to `n_literals` literals; at least four, which count 15 at a time."""
    return max(4, int(n_literals).bit_length())


def new_fuzzy_buffers(n_features: int) -> FuzzyBuffers:
    """Return buffers for examples of the given size."""
    columns, tile, planes, digits, votes, totals = aligned_words(
        2 * n_features * VECTOR_WORDS,
        BLOCK,
        planes_for(2 * n_features) * VECTOR_WORDS,
        VOTE_BITS * VECTOR_WORDS,
        BLOCK // 8,
        BLOCK,
    )
    return FuzzyBuffers(columns, tile, planes, digits, votes.view(np.uint8), totals.view(VOTE_DTYPE))


# --- Counts of false literals -------------------------------------------------------------------------------


@inline
def false_column(columns, literal, n_features):
    """The examples for which a literal is false: the column of its negation."""
    negation = literal + n_features if literal < n_features else literal - n_features
    return load(columns, np.int64(negation) * VECTOR_WORDS)


@inline
def _count_few(columns, literals, start, stop, n_features):
    """Count, for each example, the false ones of up to 15 literals, in four planes."""
    counts = first_count(false_column(columns, literals[start], n_features))
    for i in range(start + 1, stop):
        counts = count_one_more(counts, false_column(columns, literals[i], n_features))
    return counts


@inline
def count_false(columns, literals, start, stop, n_features, planes, first, n_planes):
    """Count, for each example, the false ones of ``literals[start:stop]``.

    Parameters
    ----------
    columns : ndarray, uint64; IN
        As `wtm.kernels.bits.transpose_block` makes them.
    literals : ndarray of int; IN
    start, stop, n_features : int
    planes : ndarray, uint64; OUT
        From ``planes[first]`` on it gets `n_planes` planes.
    first, n_planes : int
    """
    for b in range(n_planes):
        store(planes, first + b * VECTOR_WORDS, splat(ZERO))
    for i in range(start, stop, AT_A_TIME):
        counts = _count_few(columns, literals, i, min(i + AT_A_TIME, stop), n_features)
        carry = add_counts(planes, first, counts)
        for b in range(4, n_planes):
            if not any_set(carry):
                break
            carry = add_to_plane(planes, first + b * VECTOR_WORDS, splat(ZERO), carry)


@inline
def add_false(planes, first, n_planes, false):
    """Count one more false literal, for the examples in the set `false`."""
    carry = false
    for b in range(n_planes):
        if not any_set(carry):
            break
        place = first + b * VECTOR_WORDS
        plane = load(planes, place)
        store(planes, place, plane ^ carry)
        carry = plane & carry


@inline
def subtract_false(planes, first, n_planes, false):
    """Count one false literal less, for the examples in the set `false`."""
    borrow = false
    for b in range(n_planes):
        if not any_set(borrow):
            break
        place = first + b * VECTOR_WORDS
        plane = load(planes, place)
        store(planes, place, plane ^ borrow)
        borrow = ~plane & borrow


# --- Votes --------------------------------------------------------------------------------------------------


@inline
def most_votes(n_included, failures):
    """The votes of a clause none of whose literals is false, in training; `failures` if it has no literals."""
    return failures if n_included == 0 else min(n_included, failures)


@inline
def set_votes(planes, first, n_planes, most, digits, votes, first_vote):
    """Set 512 bytes from ``votes[first_vote]`` on (OUT) to `most` minus the counts in `planes` (IN), at least 0.

    A subtraction, bit by bit, of all counts from the same number; where it ends with a borrow, the count is larger.
    """
    borrow = splat(ZERO)
    n_digits = 0
    for b in range(max(n_planes, VOTE_BITS)):
        plane = splat(ZERO)
        if b < n_planes:
            plane = load(planes, first + b * VECTOR_WORDS)
        if most >> b & 1:
            digit = ~(plane ^ borrow)
            borrow = plane & borrow
            n_digits = b + 1
        else:
            digit = plane ^ borrow
            borrow = plane | borrow
        if b < VOTE_BITS:
            store(digits, b * VECTOR_WORDS, digit)
    for b in range(n_digits):
        store(digits, b * VECTOR_WORDS, load(digits, b * VECTOR_WORDS) & ~borrow)
    for part in range(VECTOR_WORDS):
        found = splat(ZERO)
        for b in range(n_digits - 1, -1, -1):
            found = found + found  # twice each byte, none of which is above 127 yet
            found = found + bytes_of_mask(digits[b * VECTOR_WORDS + part])
        store(votes, first_vote + part * WORD_BITS, found)


@kernel
def fuzzy_votes(literals, row_words, n_features, rows, first, last, failures, clauses, buffers, sums):
    """Weighted votes of all machines for examples `first` to `last` - 1 (`reference.FuzzyMachine.class_sum`).

    Parameters
    ----------
    literals, row_words, n_features, rows, first, last
        As in `wtm.kernels.votes.votes`.
    failures : int
        LF.
    clauses : tuple of ndarray; IN
        ``clause_ends``, ``literal_list`` and ``clause_votes`` of `wtm.machine.voting.VotingModel`.
    buffers : FuzzyBuffers
    sums : ndarray of shape (n_examples, n_machines), int64; OUT
    """
    ends, literal_list, weights = clauses
    n_clauses = weights.size // sums.shape[1]
    n_planes = buffers.planes.size // VECTOR_WORDS
    for start in range(first, last, BLOCK):
        count = min(BLOCK, last - start)
        transpose_block(literals, row_words, rows, start, count, n_features, buffers.tile, buffers.columns)
        for machine in range(sums.shape[1]):
            buffers.totals[:] = 0
            for clause in range(machine * n_clauses, (machine + 1) * n_clauses):
                i, stop = ends[clause], ends[clause + 1]
                if i == stop:
                    continue
                count_false(buffers.columns, literal_list, i, stop, n_features, buffers.planes, 0, n_planes)
                most = most_votes(stop - i, failures)
                set_votes(buffers.planes, 0, n_planes, most, buffers.digits, buffers.votes, 0)
                weight = weights[clause]
                for i in range(BLOCK):
                    buffers.totals[i] += weight * np.int64(buffers.votes[i])
            for i in range(count):
                sums[start + i, machine] = buffers.totals[i]
