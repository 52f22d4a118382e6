"""Votes of all clauses on 512 examples at once, and the order in which clauses are taken for it."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.bits import transpose_block
from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import BLOCK, ONE, VECTOR_WORDS, VOTE_DTYPE, WORD_DTYPE, ZERO
from wtm.kernels.simd import add_where, any_set, count_trailing_zeros, load, popcount_words, splat, store, sum_words

_MAX_PLANES = 24  # bits of a count of clauses: there are fewer than 2**24
_AT_A_TIME = 15  # outputs that four planes can count
_LITERALS_PER_STEP = 4
_STEPS_PER_CHECK = 8
_FEW = 20  # examples for which adding one by one is faster than adding to all 512 by mask


class VotePlan(NamedTuple):
    """Compiled clauses of all machines, without those that have no literals.

    Clauses are evaluated in the order of their lengths, since a processor predicts loops of equal length, and counted
    in the order of their votes, since clauses with the same vote are counted before the vote is added.

    Attributes
    ----------
    machine_ends : ndarray of shape (n_machines + 1,), int64
        Machine m has the clauses ``machine_ends[m]`` to ``machine_ends[m + 1] - 1``, by length.
    ends : ndarray of shape (n_planned + 1,), int64
        Clause i includes ``literals[ends[i]:ends[i + 1]]``.
    literals : ndarray of int32
        The last literal of a clause is repeated up to a multiple of four.
    places : ndarray of shape (n_planned,), int64
        Place of a clause among those of its machine, by vote.
    machine_groups : ndarray of shape (n_machines + 1,), int64
        Machine m has the groups ``machine_groups[m]`` to ``machine_groups[m + 1] - 1``.
    group_ends : ndarray of shape (n_planned,), int64
        Place behind the last clause of a group.
    group_votes : ndarray of shape (n_planned,), int64
        The vote of the clauses of a group.
    """

    machine_ends: np.ndarray
    ends: np.ndarray
    literals: np.ndarray
    places: np.ndarray
    machine_groups: np.ndarray
    group_ends: np.ndarray
    group_votes: np.ndarray


class VoteBuffers(NamedTuple):
    """Buffers of `votes`.

    Attributes
    ----------
    columns : ndarray of shape (2 * n_features * 8,), uint64
        Literal columns of the current block, as of `wtm.kernels.bits.transpose_block`.
    tile : ndarray of shape (512,), uint64
        Buffer of a transpose.
    outputs : ndarray of shape (n_clauses * 8,), uint64
        The outputs of the clauses of a machine, by vote.
    planes : ndarray of shape (24 * 8,), uint64
        Counts of the true clauses of each example: plane b, of 512 bits, holds bit b of all counts.
    plane : ndarray of shape (8,), uint64
        One of them.
    totals : ndarray of shape (512,), int64
        Sum of each example.
    """

    columns: np.ndarray
    tile: np.ndarray
    outputs: np.ndarray
    planes: np.ndarray
    plane: np.ndarray
    totals: np.ndarray


def plan_votes(clause_ends: np.ndarray, literal_list: np.ndarray, clause_votes: np.ndarray) -> VotePlan:
    """Return the plan for clauses with signed votes, int64 of shape (n_machines, n_clauses).

    Clause c, of all machines, includes ``literal_list[clause_ends[c]:clause_ends[c + 1]]``.
    """
    n_machines = len(clause_votes)
    steps = -(-np.diff(clause_ends) // _LITERALS_PER_STEP)
    n_planned = np.count_nonzero(steps)
    plan = VotePlan(
        machine_ends=np.zeros(n_machines + 1, np.int64),
        ends=np.zeros(n_planned + 1, np.int64),
        literals=np.empty(steps.sum() * _LITERALS_PER_STEP, np.int32),
        places=np.empty(n_planned, np.int64),
        machine_groups=np.zeros(n_machines + 1, np.int64),
        group_ends=np.empty(n_planned, np.int64),
        group_votes=np.empty(n_planned, np.int64),
    )
    buffer = np.empty(steps.max() + 1, np.int64)
    clause_of = np.empty(n_planned, np.int64)
    _fill_plan(clause_ends, literal_list, clause_votes, clause_votes.argsort(axis=1), buffer, clause_of, plan)
    return plan


def new_vote_buffers(n_features: int, n_clauses: int = 0) -> VoteBuffers:
    """Return buffers for examples and machines of the given sizes; without clauses for their outputs alone."""
    return VoteBuffers(
        columns=np.empty(2 * n_features * VECTOR_WORDS, WORD_DTYPE),
        tile=np.empty(BLOCK, WORD_DTYPE),
        outputs=np.empty(n_clauses * VECTOR_WORDS, WORD_DTYPE),
        planes=np.empty(_MAX_PLANES * VECTOR_WORDS, WORD_DTYPE),
        plane=np.empty(VECTOR_WORDS, WORD_DTYPE),
        totals=np.empty(BLOCK, VOTE_DTYPE),
    )


# --- The plan -----------------------------------------------------------------------------------------------


@kernel
def _fill_plan(clause_ends, literal_list, clause_votes, by_vote, place_of, clause_of, plan):
    """Fill `plan` (OUT). `by_vote` (IN) has the clauses of each machine ordered by vote, `place_of` is a buffer."""
    n_clauses = clause_votes.shape[1]
    n_planned, n_groups = 0, 0
    for machine in range(clause_votes.shape[0]):
        first = n_planned
        # A counting sort by length: first the place behind the clauses of each length, then where the next one goes.
        place_of[:] = 0
        for clause in range(machine * n_clauses, (machine + 1) * n_clauses):
            place_of[_steps(clause_ends, clause)] += 1
        place_of[0] = 0
        for length in range(1, place_of.size):
            n_planned += place_of[length]
            place_of[length] = n_planned - place_of[length]
        rank = 0
        for i in range(n_clauses):
            clause, vote = machine * n_clauses + by_vote[machine, i], clause_votes[machine, by_vote[machine, i]]
            length = _steps(clause_ends, clause)
            if length == 0:
                continue
            clause_of[place_of[length]] = clause
            plan.places[place_of[length]] = rank
            place_of[length] += 1
            if rank == 0 or vote != plan.group_votes[n_groups - 1]:
                plan.group_votes[n_groups] = vote
                n_groups += 1
            rank += 1
            plan.group_ends[n_groups - 1] = rank
        for i in range(first, n_planned):
            start, stop, end = clause_ends[clause_of[i]], clause_ends[clause_of[i] + 1], plan.ends[i]
            for k in range(stop - start):
                plan.literals[np.uint64(end + k)] = literal_list[np.uint64(start + k)]
            end += stop - start
            while end % _LITERALS_PER_STEP > 0:
                plan.literals[end] = literal_list[stop - 1]
                end += 1
            plan.ends[i + 1] = end
        plan.machine_ends[machine + 1] = n_planned
        plan.machine_groups[machine + 1] = n_groups


@inline
def _steps(clause_ends, clause):
    """Steps in which the literals of a clause are taken."""
    return (clause_ends[clause + 1] - clause_ends[clause] + _LITERALS_PER_STEP - 1) // _LITERALS_PER_STEP


# --- Votes --------------------------------------------------------------------------------------------------


@inline
def _column(columns, literals, i):
    # Unsigned: Numba adds a branch to each signed index.
    return load(columns, np.int64(literals[np.uint64(i)]) * VECTOR_WORDS)


@inline
def _step(columns, literals, i):
    """The AND of the columns of the next four literals."""
    first = _column(columns, literals, i) & _column(columns, literals, i + 1)
    return first & _column(columns, literals, i + 2) & _column(columns, literals, i + 3)


@inline
def _evaluate(plan, machine, buffers):
    """Set ``buffers.outputs`` (OUT) to the outputs of a machine's clauses: the AND of the columns of their literals."""
    columns, literals = buffers.columns, plan.literals
    for clause in range(plan.machine_ends[machine], plan.machine_ends[machine + 1]):
        i, stop = plan.ends[clause], plan.ends[clause + 1]
        fires = _step(columns, literals, i)
        i += _LITERALS_PER_STEP
        while i < stop:
            # Stops when no example is left, but seldom checks: most clauses are true for some example.
            part = min(i + _LITERALS_PER_STEP * _STEPS_PER_CHECK, stop)
            while i < part:
                fires = fires & _step(columns, literals, i)
                i += _LITERALS_PER_STEP
            if not any_set(fires):
                break
        store(buffers.outputs, plan.places[clause] * VECTOR_WORDS, fires)


@inline
def _add_bits(a, b, c):
    """Sum and carry of three bits, 512 times at once: a full adder."""
    either = a ^ b
    return either ^ c, (a & b) | (either & c)


@inline
def _count_few(outputs, start, stop):
    """Count, for each example, up to 15 outputs that are true; returns the four planes of the counts."""
    ones = load(outputs, start * VECTOR_WORDS)
    twos = splat(ZERO)
    fours = twos
    eights = twos
    for i in range(start + 1, stop):
        fires = load(outputs, i * VECTOR_WORDS)
        carry = ones & fires
        ones = ones ^ fires
        carry_fours = twos & carry
        twos = twos ^ carry
        eights = eights ^ (fours & carry_fours)
        fours = fours ^ carry_fours
    return ones, twos, fours, eights


@inline
def _add_to_plane(planes, b, bits, carry):
    """Add two bits of each example to plane `b`; returns the carries."""
    total, carry = _add_bits(load(planes, b * VECTOR_WORDS), bits, carry)
    store(planes, b * VECTOR_WORDS, total)
    return carry


@inline
def _count(outputs, start, stop, planes):
    """Count the outputs `start` to `stop` - 1 that are true, for each example, in `planes`; returns their number."""
    n = min(stop - start, _AT_A_TIME)
    ones, twos, fours, eights = _count_few(outputs, start, start + n)
    store(planes, 0, ones)
    store(planes, VECTOR_WORDS, twos)
    store(planes, 2 * VECTOR_WORDS, fours)
    store(planes, 3 * VECTOR_WORDS, eights)
    n_planes = 1 if n == 1 else 2 if n < 4 else 3 if n < 8 else 4
    for first in range(start + n, stop, _AT_A_TIME):
        ones, twos, fours, eights = _count_few(outputs, first, min(first + _AT_A_TIME, stop))
        carry = _add_to_plane(planes, 0, ones, splat(ZERO))
        carry = _add_to_plane(planes, 1, twos, carry)
        carry = _add_to_plane(planes, 2, fours, carry)
        carry = _add_to_plane(planes, 3, eights, carry)
        for b in range(4, n_planes):
            carry = _add_to_plane(planes, b, splat(ZERO), carry)
        if any_set(carry):
            store(planes, n_planes * VECTOR_WORDS, carry)
            n_planes += 1
    return n_planes


@inline
def _add_vote(totals, plane, fires, vote):
    """Add a vote to the totals of the examples in the set `fires`. `plane` is a buffer."""
    n = sum_words(popcount_words(fires))
    if n == 0:
        return
    store(plane, 0, fires)
    for part in range(VECTOR_WORDS):
        remaining = plane[part]
        if n > _FEW:
            for byte in range(8):
                some = np.uint8(remaining >> np.uint64(8 * byte))
                add_where(totals, part * 64 + byte * 8, some, vote)
            continue
        while remaining != ZERO:
            totals[part * 64 + count_trailing_zeros(remaining)] += vote
            remaining &= remaining - ONE


@kernel
def votes(literals, row_words, n_features, rows, first, last, plan, buffers, sums):
    """Weighted votes of all machines for examples `first` to `last` - 1 (`reference.Machine.class_sum` in fixed point).

    Parameters
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
    row_words, n_features : int
    rows : ndarray of shape (n_examples,), int64; IN
        Row of `literals` of each example.
    first, last : int
    plan : VotePlan; IN
    buffers : VoteBuffers
    sums : ndarray of shape (n_examples, n_machines), int64; OUT
    """
    for start in range(first, last, BLOCK):
        count = min(BLOCK, last - start)
        transpose_block(literals, row_words, rows, start, count, n_features, buffers.tile, buffers.columns)
        for machine in range(sums.shape[1]):
            _evaluate(plan, machine, buffers)
            buffers.totals[:] = 0
            place = np.int64(0)
            for group in range(plan.machine_groups[machine], plan.machine_groups[machine + 1]):
                n_planes = _count(buffers.outputs, place, plan.group_ends[group], buffers.planes)
                place = plan.group_ends[group]
                for b in range(n_planes):
                    fires = load(buffers.planes, b * VECTOR_WORDS)
                    _add_vote(buffers.totals, buffers.plane, fires, plan.group_votes[group] << b)
            for i in range(count):
                sums[start + i, machine] = buffers.totals[i]
