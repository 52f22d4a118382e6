"""An epoch of one machine, event by event: the process of `wtm.kernels.direct`, with work only where something changes.

1. A clause's output depends on its included literals alone. Outputs for the next 512 examples are computed at once, and
   hold until the clause changes; then they are corrected for the rest of the block.
2. Type II feedback to a false clause does nothing. Type I feedback to a false clause takes Bernoulli(p_s) steps down
   from each automaton, whatever the example. Automata that nobody looks at are only owed them (`wtm.kernels.pending`).
3. Of a false clause only so many included literals are looked at as it takes to make it false for every example of the
   block; a clause that is true for some example is looked at whole (`wtm.kernels.following`). When the next of the
   followed automata takes a step is known in advance, and a counter waits for it (`wtm.kernels.countdown`); a clause
   with so many of them that one steps at almost every feedback is *eager* and does not wait.
4. A clause with more included literals than its list has room for is *dense*, and is fed as in the direct engine.
5. At the end of the epoch every clause is paid: between epochs a machine is the same for both engines.

Clauses have two numbers: `clause`, their place in the machine's arrays, and `slot`, their bit in sets of clauses.
"""

import numpy as np

from wtm.kernels.bits import BLOCK, transpose_64x64, transpose_block
from wtm.kernels.countdown import LONGEST_COUNT, count_down
from wtm.kernels.direct import move_weight, update_threshold
from wtm.kernels.feedback import type_i_false, type_i_true, type_ii
from wtm.kernels.following import (
    UNKNOWN,
    add_literals,
    await_event,
    draw_mask,
    feedbacks_owed,
    follow_more,
    forget_list,
    listed_outputs,
    pay,
    step_down,
    step_down_until,
)
from wtm.kernels.jit import function, inline, kernel
from wtm.kernels.lazy_state import MOST_LISTED
from wtm.kernels.sampling import bernoulli_vector
from wtm.kernels.simd import any_set, count_trailing_zeros, load, popcount_words, prefetch, splat, store, sum_words

__all__ = ["lazy_epoch"]

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


# --- Outputs ------------------------------------------------------------------------------------------------


@inline
def _all_later(later, count):
    for part in range(8):
        filled = min(64, max(0, count - part * 64))
        later[part] = _ZERO if filled == 0 else _ALL >> np.uint64(64 - filled)


@function
def _transpose_outputs(outputs, fired, n_clauses, words, tile):
    """From the outputs of each clause (`outputs`, IN) to the set of true clauses of each example (`fired`, OUT)."""
    half = n_clauses // 2
    for w in range(words):
        negative = w >= words // 2
        first = half + (w - words // 2) * 64 if negative else w * 64
        filled = min(64, (n_clauses if negative else half) - first)
        for part in range(8):
            for i in range(64):
                tile[i] = outputs[(first + i) * 8 + part] if i < filled else _ZERO
            transpose_64x64(tile)
            for i in range(64):
                fired[(part * 64 + i) * words + w] = tile[i]


@inline
def _await_event(clauses, rules, k, gap):
    await_event(k, clauses.planes, clauses.eager, clauses.random, rules.p_threshold, clauses.gap_table, gap)


@inline
def _evaluate_block(clauses, block, rules):
    """Outputs of all clauses for a new block, and from them the set of true clauses of each example."""
    for clause in range(clauses.known.size):
        k = clauses.known[clause]
        fires = listed_outputs(clauses, block, clause, k)
        store(block.outputs, clause * 8, fires)
        if any_set(fires) and k.next_literal < rules.n_words * 64:
            k.owed = feedbacks_owed(k, clauses.planes)
            store(block.result, 0, fires)
            follow_more(clauses, block, rules, clause)
            _await_event(clauses, rules, k, UNKNOWN)
            store(block.outputs, clause * 8, load(block.result, 0))
    _transpose_outputs(block.outputs, block.fired, clauses.known.size, clauses.valid.size, block.tile)


@function
def _change_outputs(outputs, fired, clause, slot, words, result, later):
    """Correct a clause's outputs for the later examples, and the sets of true clauses that it joins or leaves."""
    bit = _ONE << np.uint64(slot & 63)
    for part in range(8):
        changed = (outputs[clause * 8 + part] ^ result[part]) & later[part]
        outputs[clause * 8 + part] = result[part]
        while changed != _ZERO:
            example = part * 64 + count_trailing_zeros(changed)
            changed &= changed - _ONE
            fired[example * words + (slot >> 6)] ^= bit


@inline
def _set_outputs(clauses, block, clause, k, fires):
    store(block.result, 0, fires)
    _change_outputs(block.outputs, block.fired, clause, k.slot, clauses.valid.size, block.result, block.later)


@inline
def _sum_of_votes(clauses, block, example):
    """The weighted sum of the clauses that are true for an example."""
    words = clauses.valid.size
    total = np.int64(0)
    for w in range(words):
        remaining = block.fired[example * words + w]
        while remaining != _ZERO:
            total += clauses.votes[w * 64 + count_trailing_zeros(remaining)]
            remaining &= remaining - _ONE
    return total


# --- Selection ----------------------------------------------------------------------------------------------


@inline
def _list_slots(chosen, group, slots, end):
    """Append the slots of a group that `chosen` marks to the list `slots`; returns its new end."""
    for part in range(8):
        remaining = chosen[part]
        while remaining != _ZERO:
            slots[end] = group * 512 + part * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - _ONE
            end += 1
    return end


@inline
def _select_type_i(clauses, block, example, first_group, n_groups, update, counts):
    """Type I feedback to a random part of the clauses of one polarity.

    Returns the numbers of false clauses to which something happens (``block.events``) and of true ones
    (``block.hits``).
    """
    words = clauses.valid.size
    given = splat(_ZERO)
    n_events = n_hits = 0
    for group in range(first_group, first_group + n_groups):
        selected = bernoulli_vector(clauses.random, update) & load(clauses.valid, group * 8)
        given = given + popcount_words(selected)
        fires = load(block.fired, example * words + group * 8)
        eager = load(clauses.eager, group * 8)
        ready = count_down(clauses.planes, group, selected & ~fires & ~eager)
        store(block.chosen, 0, ready | (selected & ~fires & eager))
        n_events = _list_slots(block.chosen, group, block.events, n_events)
        store(block.chosen, 0, selected & fires)
        n_hits = _list_slots(block.chosen, group, block.hits, n_hits)
    counts[0] += sum_words(given)
    return n_events, n_hits


@inline
def _select_type_ii(clauses, block, example, first_group, n_groups, update, n_hits, counts):
    """Type II feedback to a random part of the true clauses of one polarity: appended to ``block.hits``."""
    words = clauses.valid.size
    end = n_hits
    for group in range(first_group, first_group + n_groups):
        fires = load(block.fired, example * words + group * 8)
        if any_set(fires):
            store(block.chosen, 0, bernoulli_vector(clauses.random, update) & fires)
            end = _list_slots(block.chosen, group, block.hits, end)
    counts[1] += end - n_hits
    return end


# --- Feedback -----------------------------------------------------------------------------------------------


@inline
def _feed_false(clauses, block, rules, clause, k):
    """Type I feedback to a false clause to which something happens."""
    gap = np.int64(UNKNOWN)
    if k.dense:
        draw_mask(clauses, block, rules)
        changed = type_i_false(clauses.automata, clauses.include, clause, block.mask, rules) != _ZERO
    elif k.eager:
        k.owed += 1
        changed = step_down(clauses, block, rules, clause, k)
    else:
        k.owed += k.loaded + 1
        k.loaded = LONGEST_COUNT  # what the counter shows now that it has run out
        changed, gap = step_down_until(clauses, rules, clause, k)
    if k.owed >= k.deadline:
        pay(clauses, block, rules, clause)
        forget_list(k)
        changed = True
    if changed:
        fires = listed_outputs(clauses, block, clause, k)
        if any_set(fires) and k.next_literal < rules.n_words * 64:
            store(block.result, 0, fires)
            follow_more(clauses, block, rules, clause)
            fires = load(block.result, 0)
        _set_outputs(clauses, block, clause, k, fires)
        _await_event(clauses, rules, k, UNKNOWN)
    elif not k.eager:
        _await_event(clauses, rules, k, gap)


@inline
def _feed_true(clauses, block, rules, clause, k, literals, row, is_type_i, counts):
    """Type I or Type II feedback to a true clause."""
    k.owed = feedbacks_owed(k, clauses.planes)
    if not k.dense:
        pay(clauses, block, rules, clause)
    if is_type_i:
        draw_mask(clauses, block, rules)
        type_i_true(clauses.automata, clauses.include, clause, literals, row, block.mask, rules)
    else:
        type_ii(clauses.automata, clauses.include, clause, literals, row, block.mask, rules)
    step = 1 if is_type_i else -1
    counts[2] += move_weight(clauses.exponents, clauses.votes, clause, k.slot, step, rules.fixed)
    # What was included still is, and what is new can only take examples away.
    fires = load(block.outputs, clause * 8) & load(block.later, 0)
    fires = add_literals(clauses, block, rules, clause, k, fires)
    _set_outputs(clauses, block, clause, k, fires)
    _await_event(clauses, rules, k, UNKNOWN)


@inline
def _prefetch(clauses, rules, slots, i, end, with_automata):
    """Ask for what the clauses a few places further on will need: they are scattered over memory."""
    if i + 4 < end:
        clause = clauses.clause_of[slots[i + 4]]
        prefetch(clauses.known, clause)
        prefetch(clauses.listed, clause * MOST_LISTED)
        prefetch(clauses.listed, clause * MOST_LISTED + 16)
        prefetch(clauses.states, clause * MOST_LISTED)
    if with_automata and i + 2 < end:
        clause = clauses.clause_of[slots[i + 2]]
        for w in range(rules.n_words):
            prefetch(clauses.automata, (clause * rules.n_words + w) * 64)


@kernel
def lazy_epoch(literals, rows, targets, rules, clauses, block, counts):
    """Train one machine on the examples that it sees, in their order.

    Parameters
    ----------
    literals, rows, targets, rules, counts
        See `wtm.kernels.direct.direct_epoch`.
    clauses, block
        See `wtm.kernels.lazy_state`; the machine in `clauses` is changed in place.
    """
    n_groups = clauses.valid.size // 16  # of either polarity
    for start in range(0, rows.size, BLOCK):
        count = min(BLOCK, rows.size - start)
        transpose_block(literals, rules.row_words, rows, start, count, rules.n_features, block.tile, block.columns)
        _all_later(block.later, count)
        _evaluate_block(clauses, block, rules)
        for example in range(count):
            block.later[example >> 6] &= ~(_ONE << np.uint64(example & 63))
            target = targets[start + example]
            update = update_threshold(_sum_of_votes(clauses, block, example), rules, target)
            if update == 0:
                continue
            rightly = 0 if target else n_groups  # the first group of the clauses that vote as they should
            n_events, n_type_i = _select_type_i(clauses, block, example, rightly, n_groups, update, counts)
            n_hits = _select_type_ii(clauses, block, example, n_groups - rightly, n_groups, update, n_type_i, counts)
            for i in range(n_events):
                _prefetch(clauses, rules, block.events, i, n_events, False)
                clause = clauses.clause_of[block.events[i]]
                _feed_false(clauses, block, rules, clause, clauses.known[clause])
            row = rows[start + example] * rules.row_words
            for i in range(n_hits):
                _prefetch(clauses, rules, block.hits, i, n_hits, True)
                clause = clauses.clause_of[block.hits[i]]
                k = clauses.known[clause]
                _feed_true(clauses, block, rules, clause, k, literals, row, i < n_type_i, counts)
    for clause in range(clauses.known.size):
        k = clauses.known[clause]
        k.owed = feedbacks_owed(k, clauses.planes)
        if not k.dense:
            pay(clauses, block, rules, clause)
