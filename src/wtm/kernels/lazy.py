"""An epoch of one machine, event by event: the process of `wtm.kernels.direct`, with work only where something changes.

1. A clause's output depends on its included literals alone. Outputs for the next 512 examples are computed at once, and
   hold until the clause changes; then they are corrected for the rest of the block.
2. Type II feedback to a false clause does nothing. Type I feedback to a false clause takes Bernoulli(p_s) steps down
   from each automaton, whatever the example. Automata that nobody looks at are only owed them (`wtm.kernels.pending`).
3. Only so many included literals of a clause are followed as make it false where it is (`wtm.kernels.watched`). The
   trials of their automata, of all clauses, are one sequence, of which only the successes are acted on: the gaps
   between them are drawn (`wtm.kernels.sampling.draw_gap`).
4. Feedback to a true clause touches all its automata: they are paid and fed in one pass.
5. A clause for which more automata would have to be followed than a list has room for is *dense*, and is fed as in the
   direct engine.
6. At the end of the epoch every clause is paid: between epochs a machine is the same for both engines.
"""

import numpy as np

from wtm.kernels.bits import transpose_block, transpose_tile
from wtm.kernels.direct import move_weight, update_threshold
from wtm.kernels.feedback import type_i_false
from wtm.kernels.jit import function, inline, kernel, splice
from wtm.kernels.layout import ALL_BITS, BLOCK, BORDER, ONE, ZERO
from wtm.kernels.lazy_state import LIST_STRIDE
from wtm.kernels.pending import pay_and_feed
from wtm.kernels.sampling import bernoulli_vector, draw_gap
from wtm.kernels.simd import (
    any_set,
    count_trailing_zeros,
    load,
    popcount,
    popcount_words,
    prefetch,
    splat,
    store,
    sum_words,
)
from wtm.kernels.watched import (
    clause_of,
    drop_fallen,
    evaluate,
    feed_fallen,
    forget_list,
    list_after_feedback,
    listed_outputs,
    pay_clause,
    settle,
    slot_of,
)

# --- Outputs ------------------------------------------------------------------------------------------------


@inline
def _begin_block(block, params, rows, start, count):
    """Take the examples ``rows[start:start + count]``: their rows, the columns of their literals, and all as later."""
    for example in range(count):
        block.row_of[example] = rows[start + example] * params.row_words
    transpose_block(block.literals, params.row_words, rows, start, count, params.n_features, block.tile, block.columns)
    for part in range(8):
        filled = min(64, max(0, count - part * 64))
        block.later[part] = ZERO if filled == 0 else ALL_BITS >> np.uint64(64 - filled)


@function
def _transpose_outputs(outputs, fired, n_clauses, words, tile):
    """From the outputs of each clause (`outputs`, IN) to the set of true clauses of each example (`fired`, OUT)."""
    half = n_clauses // 2
    for w in range(words):
        negative = w >= words // 2
        first = half + (w - words // 2) * 64 if negative else w * 64
        filled = min(64, (n_clauses if negative else half) - first)
        for i in range(filled):
            store(tile, i * 8, load(outputs, (first + i) * 8))
        for i in range(max(0, filled), 64):
            store(tile, i * 8, splat(ZERO))
        transpose_tile(tile)
        for i in range(64):
            for part in range(8):
                fired[(part * 64 + i) * words + w] = tile[i * 8 + part]


@splice
def _evaluate_block(clauses, block, params):
    """Outputs of all clauses for a new block, and from them the set of true clauses of each example."""
    for clause in range(clauses.exponents.size):
        slot = slot_of(clauses, clause)
        ahead = min(clause + 4, clauses.exponents.size - 1) * LIST_STRIDE
        prefetch(clauses.listed, ahead)
        prefetch(clauses.listed, ahead + 16)
        clauses.dense[slot >> 6] &= ~(ONE << np.uint64(slot & 63))
        fires = listed_outputs(clauses, block, clause, slot)
        if any_set(fires) and not clauses.short[slot]:
            store(block.result, 0, fires)
            evaluate(clauses, block, params, clause, slot)
            fires = load(block.result, 0)
        store(block.outputs, clause * 8, fires)
    _transpose_outputs(block.outputs, block.fired, clauses.exponents.size, clauses.valid.size, block.tile)


@inline
def _change_outputs(clauses, block, clause, slot, fires):
    """Correct a clause's outputs for the later examples, and the sets of true clauses that it joins or leaves."""
    changed = (load(block.outputs, clause * 8) ^ fires) & load(block.later, 0)
    store(block.outputs, clause * 8, fires)
    if not any_set(changed):
        return
    store(block.chosen, 16, changed)
    place, bit = slot >> 6, ONE << np.uint64(slot & 63)
    for part in range(8):
        remaining = block.chosen[16 + part]
        while remaining != ZERO:
            example = part * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            block.fired[example * clauses.valid.size + place] ^= bit


@inline
def _find_outputs(clauses, block, params, clause, slot, candidates):
    """Set the outputs of a false clause that has become true for no other examples than `candidates`."""
    fires = load(block.outputs, clause * 8) & load(block.later, 0)
    candidates = candidates & ~fires
    if clauses.short[slot]:
        fires = fires | candidates
    elif any_set(candidates):
        store(block.result, 0, candidates)
        evaluate(clauses, block, params, clause, slot)
        fires = fires | load(block.result, 0)
    _change_outputs(clauses, block, clause, slot, fires)


@inline
def _sum_of_votes(clauses, block, params, example):
    """The weighted sum of the clauses that are true for an example."""
    words = clauses.valid.size
    total = np.int64(0)
    if params.fixed_weights.size == 1:  # all weights are 1: what counts is how many clauses vote for and against
        for w in range(words // 2):
            total += popcount(block.fired[example * words + w])
            total -= popcount(block.fired[example * words + words // 2 + w])
        return total * params.fixed_weights[0]
    for w in range(words):
        remaining = block.fired[example * words + w]
        while remaining != ZERO:
            total += clauses.votes[w * 64 + count_trailing_zeros(remaining)]
            remaining &= remaining - ONE
    return total


# --- False clauses ------------------------------------------------------------------------------------------


@inline
def _step_down(clauses, block, params, n_successes):
    """Act on the successes of followed automata that were collected."""
    listed = clauses.listed
    n_fallen = 0
    for i in range(n_successes):
        place = block.successes[i]
        entry = listed[place]
        state = entry & 255
        listed[place] = entry - (state > params.state_min)
        if state == BORDER:
            slot = slot_of(clauses, place // LIST_STRIDE)
            if n_fallen == 0 or block.fallen[n_fallen - 1] != slot:
                block.fallen[n_fallen] = slot
                n_fallen += 1
    for i in range(n_fallen):
        slot = block.fallen[i]
        clause = clause_of(clauses, slot)
        candidates = drop_fallen(clauses, block, params, clause, slot)
        _find_outputs(clauses, block, params, clause, slot, candidates)


@inline
def _feed_dense(clauses, block, params, clause, slot):
    """Type I feedback to a false clause that is dense."""
    for w in range(0, params.n_words, 8):
        store(block.mask, w, bernoulli_vector(clauses.random, params.p_threshold))
    if type_i_false(clauses.automata, clauses.include, clause, block.mask, params) != ZERO:
        clauses.dense[slot >> 6] &= ~(ONE << np.uint64(slot & 63))
        store(block.result, 0, load(block.later, 0))
        evaluate(clauses, block, params, clause, slot)
        _change_outputs(clauses, block, clause, slot, load(block.result, 0))


@inline
def _feed_false(clauses, block, params, group, gap):
    """Type I feedback to the false clauses of a group that ``block.chosen`` marks, none of them dense.

    Their followed automata make their trials, one after the other; `gap` of them fail before one succeeds. Returns
    the gap that is left.
    """
    n_successes = 0
    for part in range(8):
        remaining = block.chosen[part]
        while remaining != ZERO:
            slot = (group * 8 + part) * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            clauses.owed[slot] += 1
            n_trials = np.int64(clauses.n_listed[slot])
            if gap >= n_trials:
                gap -= n_trials
                continue
            first = clause_of(clauses, slot) * LIST_STRIDE
            while gap < n_trials:
                block.successes[n_successes] = first + gap
                n_successes += 1
                prefetch(clauses.listed, first + gap)
                gap += 1 + draw_gap(clauses.random, clauses.gap_table)
            gap -= n_trials
    _step_down(clauses, block, params, n_successes)
    return gap


# --- True clauses -------------------------------------------------------------------------------------------


@splice
def _feed_true(clauses, block, params, clause, slot, row, is_type_i, counts):
    """Type I or Type II feedback to a true clause."""
    if is_type_i:
        feed_fallen(clauses, clause, slot, block.literals, row, params.state_min)
        if not params.boost_true_positive:
            for w in range(0, params.n_words, 8):
                store(block.raised, w, ~bernoulli_vector(clauses.random, params.p_threshold))
    settle(clauses.automata, clauses.listed, clause, clauses.n_listed[slot], params.n_words, block.mask)
    pay_and_feed(
        clauses.automata, clauses.include, clause, np.int64(clauses.owed[slot]), block.mask, block.literals, row,
        is_type_i, block.raised, clauses.random, params, clauses.pending_table, block.limits,
    )  # fmt: skip
    clauses.owed[slot] = 0
    step = 1 if is_type_i else -1
    counts[2] += move_weight(clauses.exponents, clauses.votes, clause, slot, step, params.fixed_weights)
    fires, full = list_after_feedback(clauses, block, params, clause, slot)
    if full:
        forget_list(clauses, slot)
        store(block.result, 0, load(block.later, 0))
        evaluate(clauses, block, params, clause, slot)
        fires = load(block.result, 0)
    _change_outputs(clauses, block, clause, slot, fires)


@inline
def _list_slots(chosen, first, group, slots, end):
    """Append the slots of a group that ``chosen[first:first + 8]`` marks to the list `slots`; returns its new end."""
    for part in range(8):
        remaining = chosen[first + part]
        while remaining != ZERO:
            slots[end] = (group * 8 + part) * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            end += 1
    return end


@inline
def _prefetch(clauses, params, slots, i, end):
    """Ask for what the clauses a few places further on will need: they are scattered over memory."""
    if i + 2 < end:
        clause = clause_of(clauses, slots[i + 2])
        prefetch(clauses.listed, clause * LIST_STRIDE)
        for w in range(params.n_words):
            prefetch(clauses.automata, (clause * params.n_words + w) * 64)


# --- Examples -----------------------------------------------------------------------------------------------


@splice
def _give_type_i(clauses, block, params, example, first_group, n_groups, update, counts):
    """Type I feedback to a random part of the clauses of one polarity.

    The false ones get it; the true ones are listed in ``block.hits``. Returns the number of these.
    """
    words = clauses.valid.size
    given = splat(ZERO)
    gap = clauses.gap[0]
    n_hits = 0
    for group in range(first_group, first_group + n_groups):
        selected = bernoulli_vector(clauses.random, update) & load(clauses.valid, group * 8)
        given = given + popcount_words(selected)
        fires = load(block.fired, example * words + group * 8)
        store(block.chosen, 8, selected & fires)
        n_hits = _list_slots(block.chosen, 8, group, block.hits, n_hits)
        dense = selected & ~fires & load(clauses.dense, group * 8)
        store(block.chosen, 0, selected & ~fires & ~dense)
        store(block.chosen, 8, dense)
        gap = _feed_false(clauses, block, params, group, gap)
        if any_set(dense):
            n_dense = _list_slots(block.chosen, 8, group, block.fallen, 0)
            for i in range(n_dense):
                slot = block.fallen[i]
                _feed_dense(clauses, block, params, clause_of(clauses, slot), slot)
    clauses.gap[0] = gap
    counts[0] += sum_words(given)
    return n_hits


@splice
def _select_type_ii(clauses, block, example, first_group, n_groups, update, n_hits, counts):
    """Type II feedback to a random part of the true clauses of one polarity: appended to ``block.hits``."""
    words = clauses.valid.size
    end = n_hits
    for group in range(first_group, first_group + n_groups):
        fires = load(block.fired, example * words + group * 8)
        if any_set(fires):
            store(block.chosen, 0, bernoulli_vector(clauses.random, update) & fires)
            end = _list_slots(block.chosen, 0, group, block.hits, end)
    counts[1] += end - n_hits
    return end


@kernel
def lazy_epoch(rows, targets, params, clauses, block, counts):
    """Train one machine on the examples that it sees, in their order.

    Parameters
    ----------
    rows, targets, params, counts
        See `wtm.kernels.direct.direct_epoch`.
    clauses, block
        See `wtm.kernels.lazy_state`; the machine in `clauses` is changed in place.
    """
    n_groups = clauses.valid.size // 16  # of either polarity
    if rows.size > 0:
        clauses.gap[0] = draw_gap(clauses.random, clauses.gap_table)
    for start in range(0, rows.size, BLOCK):
        count = min(BLOCK, rows.size - start)
        _begin_block(block, params, rows, start, count)
        _evaluate_block(clauses, block, params)
        for example in range(count):
            block.later[example >> 6] &= ~(ONE << np.uint64(example & 63))
            target = targets[start + example]
            update = update_threshold(_sum_of_votes(clauses, block, params, example), params, target)
            if update == 0:
                continue
            first = 0 if target else n_groups  # of the clauses that vote as they should
            n_type_i = _give_type_i(clauses, block, params, example, first, n_groups, update, counts)
            n_hits = _select_type_ii(clauses, block, example, n_groups - first, n_groups, update, n_type_i, counts)
            row = block.row_of[example]
            for i in range(n_hits):
                _prefetch(clauses, params, block.hits, i, n_hits)
                slot = block.hits[i]
                clause = clause_of(clauses, slot)
                _feed_true(clauses, block, params, clause, slot, row, i < n_type_i, counts)
    for clause in range(clauses.exponents.size):
        pay_clause(clauses, block, params, clause, slot_of(clauses, clause))
