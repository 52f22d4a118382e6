"""An epoch of one machine, event by event: the process of `wtm.kernels.direct`, with work only where something changes.

1. A clause's output depends only on its included literals. The outputs for the next 512 examples are computed at once
   and stay valid until the clause changes; then they are corrected for the rest of the block.
2. Type II feedback to a false clause does nothing. Type I feedback to a false clause takes Bernoulli(p_s) steps down
   from each automaton, whatever the example. For most automata these are only counted (`wtm.kernels.pending`).
3. Only as many included literals are watched as are needed to keep the clause false (`wtm.kernels.watched`). The trials
   of watched automata, of all clauses, form one sequence, of which only the successes need work: the gaps between them
   are drawn (`wtm.kernels.sampling.draw_gap`).
4. Feedback to a true clause changes all its automata: pending and current feedback are applied in one pass.
5. A clause that needs more watched literals than a list can hold is *eager*: it gets feedback as in the direct engine.
6. At the end of the epoch every clause is flushed: between epochs a machine is the same for both engines.
"""

import numpy as np

from wtm.kernels.bits import clear_bit
from wtm.kernels.direct import error_of, move_weight, update_threshold
from wtm.kernels.feedback import N_SATURATED, N_TYPE_I, N_TYPE_II, exceeds_budget, type_i_false
from wtm.kernels.jit import function, inline, kernel, splice
from wtm.kernels.layout import BLOCK, BORDER, ONE, ZERO
from wtm.kernels.lazy_outputs import add_outputs, begin_block, change_outputs, evaluate_block
from wtm.kernels.lazy_state import WATCH_STRIDE
from wtm.kernels.pending import flush, flush_and_update
from wtm.kernels.records import by_reference, far, near
from wtm.kernels.sampling import bernoulli_vector, draw_gap
from wtm.kernels.shard_votes import use_votes
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
from wtm.kernels.vote_sums import add_vote
from wtm.kernels.watched import (
    clause_of,
    clear_watch_list,
    evaluate_clause,
    exclude_dropped,
    flush_clause,
    slot_of,
    update_dropped,
    update_watch_list,
    write_back,
)

_FEW_UPDATES = 1 << 28  # in fractions of 2**32: with a larger probability of feedback, sums of votes are not kept

# --- Sums of votes ------------------------------------------------------------------------------------------


@inline
def decide_on_sums(block, totals, params, targets, start, count):
    """Decide whether the block's sums of votes are kept, or added up again for each example.

    `totals` are the sums that feedback will depend on, those of examples `start` to ``start + count``.

    The corrections of kept sums become more with the feedback that is given; both ways give the same sums.
    """
    total, n_examples = 0, 0
    for example in range(0, count, 8):
        total += update_threshold(error_of(totals[example], params, targets[start + example]), params)
        n_examples += 1
    block.keeps_sums[0] = total <= n_examples * _FEW_UPDATES


@inline
def sum_of_votes(clauses, block, params, example):
    """The weighted sum of the clauses that are true for an example (`reference.clause_sum` in fixed point)."""
    if block.keeps_sums[0]:
        return block.sums[example]
    words = clauses.used.size
    total = np.int64(0)
    if params.fixed_weights.size == 1:  # all weights are 1: counting the clauses of either polarity is enough
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
def _apply_successes(clauses, block, params, n_successes):
    """Take the watched automata in ``block.successes`` one step down."""
    watch_list = clauses.watch_list
    n_dropped = 0
    for i in range(n_successes):
        place = block.successes[i]
        entry = watch_list[place]
        state = entry & 255
        watch_list[place] = entry - (state > params.state_min)
        if state == BORDER:
            clause = place // WATCH_STRIDE
            prefetch(clauses.include, clause * params.n_words + (entry >> 14))
            slot = slot_of(clauses, clause)
            prefetch(block.outputs, slot * 8)
            if n_dropped == 0 or block.dropped[n_dropped - 1] != slot:
                block.dropped[n_dropped] = slot
                n_dropped += 1
    for i in range(n_dropped):
        slot = block.dropped[i]
        clause = clause_of(clauses, slot)
        candidates = exclude_dropped(clauses, block, params, clause, slot)
        add_outputs(clauses, block, params, clause, slot, candidates)


@function
def _update_at_once(clauses, block, params, clause, slot):
    """Type I feedback to a flushed clause as to a false one (`reference.type_i`): nothing stays pending or watched."""
    clauses, block, params = near(clauses), near(block), near(params)
    for w in range(0, params.n_words, 8):
        store(block.drawn, w, bernoulli_vector(clauses.random, params.p_threshold))
    changed = type_i_false(clauses.automata, clauses.include, clause, block.drawn, params)
    if changed != ZERO or clauses.n_watched[slot] > 0:
        clear_watch_list(clauses, slot)
        clear_bit(clauses.eager, slot)
        store(block.result, 0, load(block.later, 0))
        evaluate_clause(far(clauses), far(block), far(params), clause, slot)
        change_outputs(clauses, block, slot, load(block.result, 0))


@inline
def _update_false(clauses, block, params, group, gap):
    """Type I feedback to the false clauses of a group in ``block.false_selected``: pending, or trials if watched.

    The trials of the watched automata are made in order; the first `gap` of them fail before one succeeds. Returns
    the rest of the gap.
    """
    n_successes = 0
    for part in range(8):
        remaining = block.false_selected[part]
        while remaining != ZERO:
            slot = (group * 8 + part) * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            clauses.n_pending[slot] += 1
            n_trials = np.int64(clauses.n_watched[slot])
            if gap >= n_trials:
                gap -= n_trials
                continue
            first = clause_of(clauses, slot) * WATCH_STRIDE
            while gap < n_trials:
                block.successes[n_successes] = first + gap
                n_successes += 1
                prefetch(clauses.watch_list, first + gap)
                gap += 1 + draw_gap(clauses.random, clauses.gap_table)
            gap -= n_trials
    _apply_successes(clauses, block, params, n_successes)
    return gap


# --- True clauses -------------------------------------------------------------------------------------------


@inline
def _is_too_long(clauses, block, params, clause, slot):
    """Whether a clause exceeds its literal budget. Only a clause that may do so is flushed to find out."""
    if not exceeds_budget(clauses.include, clause, params):
        return False  # pending feedback excludes literals, and includes none
    write_back(clauses, block, params, clause, slot)
    flush(far(clauses), far(block), far(params), clause, np.int64(clauses.n_pending[slot]))
    clauses.n_pending[slot] = 0
    return exceeds_budget(clauses.include, clause, params)


@splice
def _update_true(clauses, block, params, clause, slot, row, is_type_i, counts):
    """Type I or Type II feedback to a true clause (`reference.type_i`, `reference.type_ii`)."""
    step = 1 if is_type_i else -1
    vote = clauses.votes[slot]
    counts[N_SATURATED] += move_weight(clauses.exponents, clauses.votes, clause, slot, step, params.fixed_weights)
    vote = clauses.votes[slot] - vote
    if block.keeps_sums[0] and vote != 0:
        add_vote(block.sums, block.changed, load(block.outputs, slot * 8) & load(block.later, 0), vote)
    if is_type_i and _is_too_long(clauses, block, params, clause, slot):
        _update_at_once(far(clauses), far(block), far(params), clause, slot)
        return
    if is_type_i:
        update_dropped(clauses, block, params, clause, slot, row)
        if not params.boost_true_positive:
            for w in range(0, params.n_words, 8):
                store(block.raised, w, ~bernoulli_vector(clauses.random, params.p_threshold))
    write_back(clauses, block, params, clause, slot)
    flush_and_update(clauses, block, params, clause, np.int64(clauses.n_pending[slot]), row, is_type_i)
    clauses.n_pending[slot] = 0
    fires, full = update_watch_list(clauses, block, params, clause, slot)
    if full:
        clear_watch_list(clauses, slot)
        store(block.result, 0, load(block.later, 0))
        evaluate_clause(far(clauses), far(block), far(params), clause, slot)
        fires = load(block.result, 0)
    change_outputs(clauses, block, slot, fires)


@inline
def _list_slots(selected, group, slots, end):
    """Append the slots in the set `selected`, of one group, to the list `slots`; returns the list's new end."""
    for part in range(8):
        remaining = selected[part]
        while remaining != ZERO:
            slots[end] = (group * 8 + part) * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            end += 1
    return end


@inline
def _prefetch_clause(clauses, params, slots, i, end):
    """Prefetch what the clause two places ahead will need: clauses are scattered over memory."""
    if i + 2 < end:
        clause = clause_of(clauses, slots[i + 2])
        prefetch(clauses.watch_list, clause * WATCH_STRIDE)
        for w in range(params.n_words):
            prefetch(clauses.automata, (clause * params.n_words + w) * 64)


# --- Examples -----------------------------------------------------------------------------------------------


@splice
def _give_type_i(clauses, block, params, example, first_group, n_groups, update, counts):
    """Select clauses of one polarity for Type I feedback, and give it to the false ones.

    The true ones are listed in ``block.true_selected``. Returns their number.
    """
    words = clauses.used.size
    n_selected = splat(ZERO)
    gap = clauses.gap[0]
    n_true = 0
    for group in range(first_group, first_group + n_groups):
        selected = bernoulli_vector(clauses.random, update) & load(clauses.used, group * 8)
        n_selected = n_selected + popcount_words(selected)
        fires = load(block.fired, example * words + group * 8)
        store(block.selected, 0, selected & fires)
        n_true = _list_slots(block.selected, group, block.true_selected, n_true)
        eager = selected & ~fires & load(clauses.eager, group * 8)
        store(block.false_selected, 0, selected & ~fires & ~eager)
        store(block.selected, 0, eager)
        gap = _update_false(clauses, block, params, group, gap)
        if any_set(eager):
            n_eager = _list_slots(block.selected, group, block.eager_selected, 0)
            for i in range(n_eager):
                slot = block.eager_selected[i]
                _update_at_once(far(clauses), far(block), far(params), clause_of(clauses, slot), slot)
    clauses.gap[0] = gap
    counts[N_TYPE_I] += sum_words(n_selected)
    return n_true


@splice
def _select_type_ii(clauses, block, example, first_group, n_groups, update, n_listed, counts):
    """Select true clauses of one polarity for Type II feedback: append them to ``block.true_selected``.

    Returns the list's new length.
    """
    words = clauses.used.size
    end = n_listed
    for group in range(first_group, first_group + n_groups):
        fires = load(block.fired, example * words + group * 8)
        if any_set(fires):
            store(block.selected, 0, bernoulli_vector(clauses.random, update) & fires)
            end = _list_slots(block.selected, group, block.true_selected, end)
    counts[N_TYPE_II] += end - n_listed
    return end


@inline
def train_example(clauses, block, params, example, total, target, counts):
    """Give feedback for an example of the block, whose sum of votes is `total`, to the clauses."""
    n_groups = clauses.used.size // 16  # of either polarity
    error = error_of(total, params, target)
    update = update_threshold(error, params)
    if update == 0:
        return
    first = 0 if error > 0 else n_groups  # of the polarity that gets Type I feedback
    n_type_i = _give_type_i(clauses, block, params, example, first, n_groups, update, counts)
    n_true = _select_type_ii(clauses, block, example, n_groups - first, n_groups, update, n_type_i, counts)
    row = block.row_of[example]
    for i in range(n_true):
        _prefetch_clause(clauses, params, block.true_selected, i, n_true)
        slot = block.true_selected[i]
        clause = clause_of(clauses, slot)
        _update_true(clauses, block, params, clause, slot, row, i < n_type_i, counts)


@kernel
def lazy_epoch(rows, targets, params, clauses, block, counts):
    """Train one machine on the examples that it sees, in order (`reference.Machine.train`, in distribution).

    Parameters
    ----------
    rows, targets, params, counts
        See `wtm.kernels.direct.direct_epoch`.
    clauses, block
        See `wtm.kernels.lazy_state`; the machine in `clauses` is changed in place.
    """
    params, clauses, block = by_reference(params), by_reference(clauses), by_reference(block)
    if rows.size > 0:
        clauses.gap[0] = draw_gap(clauses.random, clauses.gap_table)
    for start in range(0, rows.size, BLOCK):
        count = min(BLOCK, rows.size - start)
        begin_block(block, params, rows, start, count)
        evaluate_block(clauses, block, params)
        decide_on_sums(block, block.sums, params, targets, start, count)
        for example in range(count):
            clear_bit(block.later, example)
            total = sum_of_votes(clauses, block, params, example)
            train_example(clauses, block, params, example, total, targets[start + example], counts)
    for clause in range(clauses.exponents.size):
        flush_clause(clauses, block, params, clause, slot_of(clauses, clause))


@kernel
def lazy_shard_block(rows, targets, size, params, clauses, block, votes, counts, start, stop, end):
    """Train a shard on the examples `start` to `stop`, then sum its votes on those from `stop` to `end`.

    Parameters
    ----------
    rows, targets, params, clauses, block, counts
        See `lazy_epoch`; `clauses` are those of the shard.
    size : int
        Examples whose outputs are computed at once: at most 512, and whole blocks of votes.
    votes : wtm.kernels.shard_votes.ShardVotes; IN and OUT
    start, stop, end : int
        See `wtm.machine.shards.bounds_of_blocks`.
    """
    params, clauses, block, votes = (
        by_reference(params),
        by_reference(clauses),
        by_reference(block),
        by_reference(votes),
    )
    if stop == 0 and rows.size > 0:
        clauses.gap[0] = draw_gap(clauses.random, clauses.gap_table)
    first = start % size
    if first == 0:
        decide_on_sums(block, votes.totals, params, targets, start, stop - start)
    for i in range(stop - start):
        clear_bit(block.later, first + i)
        own = sum_of_votes(clauses, block, params, first + i)
        train_example(clauses, block, params, first + i, use_votes(votes, i, own), targets[start + i], counts)
    if stop == rows.size:
        for clause in range(clauses.exponents.size):
            flush_clause(clauses, block, params, clause, slot_of(clauses, clause))
    elif stop % size == 0:
        begin_block(block, params, rows, stop, min(size, rows.size - stop))
        evaluate_block(clauses, block, params)
        block.keeps_sums[0] = True  # until the sums of all shards are known
    for i in range(end - stop):
        votes.at_start[i] = sum_of_votes(clauses, block, params, stop % size + i)
