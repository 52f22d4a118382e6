"""Votes of all clauses on 512 examples at once, and the order in which clauses are taken for it."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.bit_planes import AT_A_TIME, add_counts, add_to_plane, count_one_more, first_count, store_counts
from wtm.kernels.bits import transpose_block
from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import BLOCK, ONE, VECTOR_WORDS, VOTE_DTYPE, ZERO, aligned_words
from wtm.kernels.simd import any_set, load, splat, store
from wtm.kernels.vote_sums import add_vote

_MAX_PLANES = 24  # bits of a count of clauses: there are fewer than 2**24
_LITERALS_PER_STEP = 4
_STEPS_PER_CHECK = 8
_LITERALS_PER_VECTOR = 16
_NO_GROUP = -1
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: it spreads votes over the table


class VotePlan(NamedTuple):
    """Compiled clauses of all machines, without those that have no literals.

    Clauses are evaluated in the order of their lengths, since a processor predicts loops of equal length, and counted
    in groups with the same vote, which is added to the sums after its clauses are counted. Their literals are copied
    in the order of evaluation, which a processor can fetch ahead.

    Attributes
    ----------
    machine_ends : ndarray of shape (n_machines + 1,), int64
        Machine m has the clauses ``machine_ends[m]`` to ``machine_ends[m + 1] - 1``, by length.
    ends : ndarray of shape (n_planned + 1,), int64
        Clause i includes ``literals[ends[i]:ends[i + 1]]``.
    literals : ndarray of int32
        The last literal of a clause is repeated up to a multiple of four. A few entries behind the last are not used.
    places : ndarray of shape (n_planned,), int64
        Place of a clause among those of its machine, by group.
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


class _PlanBuffers(NamedTuple):
    """Buffers of `_fill_plan`.

    Attributes
    ----------
    place_of_length : ndarray of shape (largest number of steps + 1,), int64
        Where the next clause with this number of steps goes.
    group_of : ndarray of shape (n_clauses,), int32
        Group of each clause of a machine.
    clause_of : ndarray of shape (n_planned,), int64
        The clauses in the order of the plan.
    table : ndarray, int32
        A hash table of the groups of a machine by their votes; its size is a power of 2.
    """

    place_of_length: np.ndarray
    group_of: np.ndarray
    clause_of: np.ndarray
    table: np.ndarray


class VoteBuffers(NamedTuple):
    """Buffers of `votes`.

    Attributes
    ----------
    columns : ndarray of shape (2 * n_features * 8,), uint64
        Literal columns of the current block, as of `wtm.kernels.bits.transpose_block`.
    tile : ndarray of shape (512,), uint64
        Buffer of a transpose.
    outputs : ndarray of shape (n_clauses * 8,), uint64
        The outputs of the clauses of a machine, by group.
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
    n_machines, n_clauses = clause_votes.shape
    steps = (np.diff(clause_ends) + (_LITERALS_PER_STEP - 1)) // _LITERALS_PER_STEP
    n_planned = np.count_nonzero(steps)
    plan = VotePlan(
        machine_ends=np.zeros(n_machines + 1, np.int64),
        ends=np.zeros(n_planned + 1, np.int64),
        literals=np.empty(steps.sum() * _LITERALS_PER_STEP + _LITERALS_PER_VECTOR, np.int32),
        places=np.empty(n_planned, np.int64),
        machine_groups=np.zeros(n_machines + 1, np.int64),
        group_ends=np.empty(n_planned, np.int64),
        group_votes=np.empty(n_planned, np.int64),
    )
    buffers = _PlanBuffers(
        place_of_length=np.empty(steps.max() + 1, np.int64),
        group_of=np.empty(n_clauses, np.int32),
        clause_of=np.empty(n_planned, np.int64),
        table=np.empty(1 << (2 * n_clauses).bit_length(), np.int32),
    )
    _fill_plan(clause_ends, literal_list, clause_votes, buffers, plan)
    return plan


def new_vote_buffers(n_features: int, n_clauses: int = 0) -> VoteBuffers:
    """Return buffers for examples and machines of the given sizes; without clauses for their outputs alone."""
    columns, tile, outputs, planes, plane, totals = aligned_words(
        2 * n_features * VECTOR_WORDS, BLOCK, n_clauses * VECTOR_WORDS, _MAX_PLANES * VECTOR_WORDS, VECTOR_WORDS, BLOCK
    )
    return VoteBuffers(columns, tile, outputs, planes, plane, totals.view(VOTE_DTYPE))


# --- The plan -----------------------------------------------------------------------------------------------


@kernel
def _fill_plan(clause_ends, literal_list, clause_votes, buffers, plan):
    """Fill `plan` (OUT); see `plan_votes`."""
    n_planned, n_groups = 0, 0
    for machine in range(clause_votes.shape[0]):
        plan.machine_groups[machine + 1] = _set_groups(clause_ends, clause_votes, machine, n_groups, buffers, plan)
        n_groups = plan.machine_groups[machine + 1]
        plan.machine_ends[machine + 1] = _set_order(clause_ends, clause_votes, machine, n_planned, buffers, plan)
        for i in range(n_planned, plan.machine_ends[machine + 1]):
            start, end = clause_ends[buffers.clause_of[i]], clause_ends[buffers.clause_of[i] + 1]
            plan.ends[i + 1] = _copy_padded(literal_list, start, end - start, plan.literals, plan.ends[i])
        n_planned = plan.machine_ends[machine + 1]


@inline
def _steps(clause_ends, clause):
    """Steps in which the literals of a clause are taken."""
    return (clause_ends[clause + 1] - clause_ends[clause] + _LITERALS_PER_STEP - 1) // _LITERALS_PER_STEP


@inline
def _set_groups(clause_ends, clause_votes, machine, first_group, buffers, plan):
    """Assign the clauses of a machine to groups, the places of which begin at ``plan.group_ends`` (OUT) for now.

    Returns the number behind the last group.
    """
    n_clauses, end = clause_votes.shape[1], first_group
    buffers.table[:] = _NO_GROUP
    for c in range(n_clauses):
        if _steps(clause_ends, machine * n_clauses + c) > 0:
            vote = clause_votes[machine, c]
            slot = _slot(vote, buffers.table, plan.group_votes)
            if buffers.table[slot] == _NO_GROUP:
                buffers.table[slot], plan.group_votes[end], plan.group_ends[end] = end, vote, 0
                end += 1
            buffers.group_of[c] = buffers.table[slot]
            plan.group_ends[buffers.table[slot]] += 1
    place = 0
    for group in range(first_group, end):
        place += plan.group_ends[group]
        plan.group_ends[group] = place - plan.group_ends[group]
    return end


@inline
def _slot(vote, table, group_votes):
    """Slot of the group with this vote, or the free one for it. At least half of all slots are free."""
    mask = np.uint64(table.size - 1)
    slot = (np.uint64(vote) * _HASH_FACTOR) >> np.uint64(32)
    while table[slot & mask] != _NO_GROUP and group_votes[table[slot & mask]] != vote:
        slot += ONE
    return slot & mask


@inline
def _set_order(clause_ends, clause_votes, machine, first, buffers, plan):
    """Order the clauses of a machine by their lengths, from clause `first` of the plan on; returns where they end."""
    n_clauses, place_of_length, end = clause_votes.shape[1], buffers.place_of_length, first
    place_of_length[:] = 0
    for clause in range(machine * n_clauses, (machine + 1) * n_clauses):
        place_of_length[_steps(clause_ends, clause)] += 1
    for length in range(1, place_of_length.size):
        end += place_of_length[length]
        place_of_length[length] = end - place_of_length[length]
    for c in range(n_clauses):
        length = _steps(clause_ends, machine * n_clauses + c)
        if length > 0:
            i, group = place_of_length[length], buffers.group_of[c]
            place_of_length[length] += 1
            buffers.clause_of[i] = machine * n_clauses + c
            plan.places[i] = plan.group_ends[group]
            plan.group_ends[group] += 1
    return end


@inline
def _copy_padded(source, start, n, target, to):
    """Copy `n` literals and repeat the last one up to a multiple of four; returns where they end.

    Copies whole vectors where it can. What it writes too much is overwritten by the next clause.
    """
    if start + n + _LITERALS_PER_VECTOR <= source.size:
        for k in range(0, n, _LITERALS_PER_VECTOR):
            store(target, to + k, load(source, start + k))
    else:
        for k in range(n):
            target[to + k] = source[start + k]
    for k in range(n, n + _LITERALS_PER_STEP - 1):
        target[np.uint64(to + k)] = source[np.uint64(start + n - 1)]
    return to + (n + _LITERALS_PER_STEP - 1) // _LITERALS_PER_STEP * _LITERALS_PER_STEP


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
def _count_few(outputs, start, stop):
    """Count, for each example, up to 15 outputs that are true, in four planes."""
    counts = first_count(load(outputs, start * VECTOR_WORDS))
    for i in range(start + 1, stop):
        counts = count_one_more(counts, load(outputs, i * VECTOR_WORDS))
    return counts


@inline
def _count(outputs, start, stop, planes):
    """Count the outputs `start` to `stop` - 1 that are true, for each example, in `planes`; returns their number."""
    n = min(stop - start, AT_A_TIME)
    store_counts(planes, 0, _count_few(outputs, start, start + n))
    n_planes = 1 if n == 1 else 2 if n < 4 else 3 if n < 8 else 4
    for first in range(start + n, stop, AT_A_TIME):
        carry = add_counts(planes, 0, _count_few(outputs, first, min(first + AT_A_TIME, stop)))
        for b in range(4, n_planes):
            carry = add_to_plane(planes, b * VECTOR_WORDS, splat(ZERO), carry)
        if any_set(carry):
            store(planes, n_planes * VECTOR_WORDS, carry)
            n_planes += 1
    return n_planes


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
                    add_vote(buffers.totals, buffers.plane, fires, plan.group_votes[group] << b)
            for i in range(count):
                sums[start + i, machine] = buffers.totals[i]
