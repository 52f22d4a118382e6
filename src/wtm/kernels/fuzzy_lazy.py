"""An epoch of a machine of fuzzy clauses, event by event: the process of `wtm.kernels.fuzzy_direct`.

As in `wtm.kernels.lazy`, the votes on the next 512 examples are computed at once and stay valid until a clause changes;
Type I feedback to a clause without votes is only counted for its excluded automata (`wtm.kernels.pending`); and the
trials of the automata that are *watched* form one sequence, of which only the successes need work.

Every included literal changes the votes of a fuzzy clause, so all are watched, and none needs to be searched for: they
are a set of bits, which a clause of any length has room for (`wtm.kernels.watched_bits`).
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.direct import error_of, move_weight, update_threshold
from wtm.kernels.distribution_tables import GapTable, PendingTable
from wtm.kernels.feedback import N_SATURATED, N_TYPE_I, N_TYPE_II, type_ii
from wtm.kernels.fuzzy_feedback import count_included, type_i_fuzzy
from wtm.kernels.fuzzy_votes import (
    VOTE_BITS,
    add_false,
    count_false,
    false_column,
    most_votes,
    planes_for,
    set_votes,
    subtract_false,
)
from wtm.kernels.jit import function, inline, kernel
from wtm.kernels.layout import BLOCK, ONE, VECTOR_WORDS, WORD_DTYPE, ZERO
from wtm.kernels.lazy_outputs import begin_block
from wtm.kernels.lazy_state import slot_arrays
from wtm.kernels.records import by_reference, far, near
from wtm.kernels.sampling import bernoulli_vector, draw_gap
from wtm.kernels.shard_votes import use_votes
from wtm.kernels.simd import count_trailing_zeros, load, store
from wtm.kernels.watched import clause_of, slot_of
from wtm.kernels.watched_bits import flush_watched, step_watched_down, watched_literal


class FuzzyClauses(NamedTuple):
    """The machine, and the engine's state of each clause: as `wtm.kernels.lazy_state.Clauses`.

    Attributes
    ----------
    n_watched : ndarray of shape (n_slots,), int32
        Number of watched literals.
    n_included : ndarray of shape (n_slots,), int32
        Number of included literals.
    watched : ndarray of shape (n_clauses * n_words + 8,), uint64
        Set of the watched literals of each clause. All other automata are out of date while feedback is pending.
    planes : ndarray of shape (n_clauses * n_planes * 8,), uint64
        Counts of the false literals of each clause, see `wtm.kernels.fuzzy_votes`.
    counts : ndarray of shape (n_clauses * 512,), uint8
        Votes of each clause on the examples of the block, from 0 to LF.
    """

    automata: np.ndarray
    include: np.ndarray
    exponents: np.ndarray
    random: np.ndarray
    votes: np.ndarray
    used: np.ndarray
    n_pending: np.ndarray
    n_watched: np.ndarray
    n_included: np.ndarray
    watched: np.ndarray
    planes: np.ndarray
    counts: np.ndarray
    gap: np.ndarray
    pending_table: PendingTable
    gap_table: GapTable


class FuzzyBlock(NamedTuple):
    """The current block of up to 512 examples, and buffers: as `wtm.kernels.lazy_state.Block`.

    Attributes
    ----------
    watched : ndarray of shape (row_words,), uint64
        Set of the literals of a clause whose automata a flush leaves as they are.
    before : ndarray of shape (row_words,), uint64
        Set of the literals that a clause included before a feedback.
    literal_list : ndarray of shape (n_literals,), int32
        Literals that a clause includes.
    digits : ndarray of shape (8 * 8,), uint64
        Buffer of `wtm.kernels.fuzzy_votes.set_votes`.
    limits_if_false : ndarray of shape (0,), int16
        Not used: a flush and the feedback that follows it are two passes.
    """

    literals: np.ndarray
    row_of: np.ndarray
    columns: np.ndarray
    later: np.ndarray
    selected: np.ndarray
    tile: np.ndarray
    watched: np.ndarray
    before: np.ndarray
    literal_list: np.ndarray
    digits: np.ndarray
    limits: np.ndarray
    limits_if_false: np.ndarray


# --- Votes --------------------------------------------------------------------------------------------------


@inline
def _n_planes(clauses):
    return clauses.planes.size // (clauses.exponents.size * VECTOR_WORDS)


@inline
def _set_votes(clauses, block, fuzzy, clause, slot):
    """Set the votes of a clause whose counts of false literals are right."""
    n_planes = _n_planes(clauses)
    most = most_votes(np.int64(clauses.n_included[slot]), fuzzy.failures)
    set_votes(
        clauses.planes, clause * n_planes * VECTOR_WORDS, n_planes, most, block.digits, clauses.counts, clause * BLOCK
    )


@function
def _evaluate(clauses, block, params, fuzzy, clause, slot):
    """Count the false literals of a clause for a new block, and set its votes (`reference.clause_votes`)."""
    clauses, block, params = near(clauses), near(block), near(params)
    n_listed = 0
    for w in range(params.n_words):
        remaining = clauses.include[clause * params.n_words + w]
        while remaining != ZERO:
            block.literal_list[n_listed] = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            n_listed += 1
    n_planes = _n_planes(clauses)
    first = clause * n_planes * VECTOR_WORDS
    count_false(block.columns, block.literal_list, 0, n_listed, params.n_features, clauses.planes, first, n_planes)
    _set_votes(clauses, block, fuzzy, clause, slot)


@inline
def _total(clauses, example):
    """The weighted sum of the votes on an example (`reference.FuzzyMachine`, in fixed point)."""
    n_clauses = clauses.exponents.size
    half, half_slots = n_clauses // 2, clauses.votes.size // 2
    total = np.int64(0)
    for i in range(half):
        total += clauses.votes[i] * np.int64(clauses.counts[i * BLOCK + example])
        total += clauses.votes[half_slots + i] * np.int64(clauses.counts[(half + i) * BLOCK + example])
    return total


# --- Clauses without votes ----------------------------------------------------------------------------------


@function
def _step_down(clauses, block, params, fuzzy, clause, slot, k):
    """Take a watched automaton one step down, and correct the votes if it drops its literal."""
    clauses, block, params = near(clauses), near(block), near(params)
    literal = watched_literal(clauses, params, clause, k)
    if not step_watched_down(clauses, params, clause, literal):
        return
    clauses.n_included[slot] -= 1
    n_planes = _n_planes(clauses)
    false = false_column(block.columns, literal, params.n_features)
    subtract_false(clauses.planes, clause * n_planes * VECTOR_WORDS, n_planes, false)
    _set_votes(clauses, block, fuzzy, clause, slot)


@inline
def _update_without_votes(clauses, block, params, fuzzy, clause, slot):
    """Type I feedback to a clause without votes (`reference.type_i`): pending, or trials of watched automata."""
    clauses.n_pending[slot] += 1
    n_trials = np.int64(clauses.n_watched[slot])
    gap = clauses.gap[0]
    while gap < n_trials:
        _step_down(far(clauses), far(block), far(params), fuzzy, clause, slot, gap)
        gap += 1 + draw_gap(clauses.random, clauses.gap_table)
    clauses.gap[0] = gap - n_trials


# --- Clauses with votes -------------------------------------------------------------------------------------


@function
def _update_with_votes(clauses, block, params, fuzzy, clause, slot, row, is_type_i):
    """Type I or Type II feedback to a clause with votes (`reference.type_i_fuzzy`, `reference.type_ii`)."""
    clauses, block, params = near(clauses), near(block), near(params)
    flush_watched(clauses, block, params, clause, slot)
    first = clause * params.n_words
    for w in range(params.n_words):
        block.before[w] = clauses.include[first + w]
    if is_type_i:
        has_room = clauses.n_included[slot] < fuzzy.budget
        type_i_fuzzy(clauses.automata, clauses.include, clause, block.literals, row, has_room, params)
    else:
        type_ii(clauses.automata, clauses.include, clause, block.literals, row, params)
    n_planes = _n_planes(clauses)
    n_new = 0
    for w in range(params.n_words):
        new = clauses.include[first + w] & ~block.before[w]
        clauses.watched[first + w] |= new
        while new != ZERO:
            literal = w * 64 + count_trailing_zeros(new)
            new &= new - ONE
            n_new += 1
            false = false_column(block.columns, literal, params.n_features)
            add_false(clauses.planes, clause * n_planes * VECTOR_WORDS, n_planes, false)
    if n_new > 0:
        clauses.n_included[slot] += n_new
        clauses.n_watched[slot] += n_new
        _set_votes(clauses, block, fuzzy, clause, slot)


@inline
def _give_feedback(clauses, block, params, fuzzy, example, first_group, n_groups, update, is_type_i, counts):
    """Select clauses of one polarity, and give them feedback of one type."""
    row = block.row_of[example]
    for group in range(first_group, first_group + n_groups):
        store(block.selected, 0, bernoulli_vector(clauses.random, update) & load(clauses.used, group * 8))
        for part in range(8):
            remaining = block.selected[part]
            while remaining != ZERO:
                slot = (group * 8 + part) * 64 + count_trailing_zeros(remaining)
                remaining &= remaining - ONE
                clause = clause_of(clauses, slot)
                if clauses.counts[clause * BLOCK + example] == 0:
                    if is_type_i:
                        counts[N_TYPE_I] += 1
                        _update_without_votes(clauses, block, params, fuzzy, clause, slot)
                    continue
                counts[N_TYPE_I if is_type_i else N_TYPE_II] += 1
                _update_with_votes(far(clauses), far(block), far(params), fuzzy, clause, slot, row, is_type_i)
                if fuzzy.moves_weights:
                    step = 1 if is_type_i else -1
                    counts[N_SATURATED] += move_weight(
                        clauses.exponents, clauses.votes, clause, slot, step, params.fixed_weights
                    )


@inline
def _begin_epoch(rows, params, clauses, block):
    """Draw the first gap, and watch the included literals of all clauses."""
    if rows.size > 0:
        clauses.gap[0] = draw_gap(clauses.random, clauses.gap_table)
    for clause in range(clauses.exponents.size):
        slot = slot_of(clauses, clause)
        clauses.n_included[slot] = count_included(clauses.include, clause, params.n_words)
        flush_watched(clauses, block, params, clause, slot)


@inline
def _begin_block(rows, start, count, params, fuzzy, clauses, block):
    begin_block(block, params, rows, start, count)
    for clause in range(clauses.exponents.size):
        _evaluate(far(clauses), far(block), far(params), fuzzy, clause, slot_of(clauses, clause))


@inline
def _train_example(clauses, block, params, fuzzy, example, total, target, counts):
    """Give feedback for an example of the block, whose sum of votes is `total`, to the clauses."""
    n_groups = clauses.used.size // 16  # of either polarity
    error = error_of(total, params, target)
    update = update_threshold(error, params)
    if update == 0:
        return
    first = 0 if error > 0 else n_groups  # of the polarity that gets Type I feedback
    _give_feedback(clauses, block, params, fuzzy, example, first, n_groups, update, True, counts)
    _give_feedback(clauses, block, params, fuzzy, example, n_groups - first, n_groups, update, False, counts)


@inline
def _end_epoch(params, clauses, block):
    for clause in range(clauses.exponents.size):
        flush_watched(clauses, block, params, clause, slot_of(clauses, clause))


@kernel
def fuzzy_lazy_epoch(rows, targets, params, fuzzy, clauses, block, counts):
    """Train one machine on the examples that it sees, in order (`reference.FuzzyMachine.train`, in distribution).

    Parameters
    ----------
    rows, targets, params, fuzzy, counts
        See `wtm.kernels.fuzzy_direct.fuzzy_direct_epoch`.
    clauses : FuzzyClauses; IN and OUT
    block : FuzzyBlock
    """
    params, clauses, block = by_reference(params), by_reference(clauses), by_reference(block)
    _begin_epoch(rows, params, clauses, block)
    for start in range(0, rows.size, BLOCK):
        count = min(BLOCK, rows.size - start)
        _begin_block(rows, start, count, params, fuzzy, clauses, block)
        for example in range(count):
            total = _total(clauses, example)
            _train_example(clauses, block, params, fuzzy, example, total, targets[start + example], counts)
    _end_epoch(params, clauses, block)


@kernel
def fuzzy_lazy_shard_block(rows, targets, size, params, fuzzy, clauses, block, votes, counts, start, stop, end):
    """Train a shard on the examples `start` to `stop`, then sum its votes on those from `stop` to `end`.

    Parameters
    ----------
    rows, targets, params, fuzzy, clauses, block, counts
        See `fuzzy_lazy_epoch`; `clauses` are those of the shard.
    size, votes, start, stop, end
        See `wtm.kernels.lazy.lazy_shard_block`.
    """
    params, clauses, block, votes = (
        by_reference(params),
        by_reference(clauses),
        by_reference(block),
        by_reference(votes),
    )
    if stop == 0:
        _begin_epoch(rows, params, clauses, block)
    first = start % size
    for i in range(stop - start):
        total = use_votes(votes, i, _total(clauses, first + i))
        _train_example(clauses, block, params, fuzzy, first + i, total, targets[start + i], counts)
    if stop == rows.size:
        _end_epoch(params, clauses, block)
    elif stop % size == 0:
        _begin_block(rows, stop, min(size, rows.size - stop), params, fuzzy, clauses, block)
    for i in range(end - stop):
        votes.at_start[i] = _total(clauses, stop % size + i)


def new_fuzzy_clauses(
    automata: np.ndarray,
    include: np.ndarray,
    exponents: np.ndarray,
    random: np.ndarray,
    weights: np.ndarray,
    n_literals: int,
    pending_table: PendingTable,
    gap_table: GapTable,
) -> FuzzyClauses:
    """Return the state at the start of an epoch."""
    n_clauses, slots = len(exponents), slot_arrays(weights)
    return FuzzyClauses(
        automata=automata,
        include=include,
        exponents=exponents,
        random=random,
        **slots,
        n_watched=np.zeros_like(slots["n_included"]),
        watched=np.zeros(len(include), WORD_DTYPE),
        planes=np.empty(n_clauses * planes_for(n_literals) * VECTOR_WORDS, WORD_DTYPE),
        counts=np.empty(n_clauses * BLOCK, np.uint8),
        pending_table=pending_table,
        gap_table=gap_table,
    )


def new_fuzzy_block(literals: np.ndarray, n_literals: int, row_words: int) -> FuzzyBlock:
    """Return buffers for a machine of the given sizes."""

    def words(n: int) -> np.ndarray:
        return np.empty(n, WORD_DTYPE)

    return FuzzyBlock(
        literals=literals,
        row_of=np.empty(BLOCK, np.int64),
        columns=words(n_literals * VECTOR_WORDS),
        later=words(VECTOR_WORDS),
        selected=words(VECTOR_WORDS),
        tile=words(BLOCK),
        watched=words(row_words),
        before=words(row_words),
        literal_list=np.empty(n_literals, np.int32),
        digits=words(VOTE_BITS * VECTOR_WORDS),
        limits=np.empty(256, np.int16),
        limits_if_false=np.empty(0, np.int16),
    )
