"""An epoch of one machine, event by event: the process of `wtm.kernels.direct`, with work only where something can change.

1. A clause's output depends on its included literals alone. Outputs for the next 512 examples are computed at once, and hold
   until the clause changes; then that clause is evaluated again for the rest of the block.
2. Type II feedback to a false clause does nothing. Type I feedback to a false clause takes Bernoulli(p_s) steps down
   from each automaton, whatever the example. An automaton that nobody looks at is only owed them (`wtm.kernels.pending`).
3. Of a false clause only so many included literals are looked at as it takes to make it false for every example of the block. These
   are *followed*: their trials are made when they happen, which a counter knows in advance (`wtm.kernels.countdown`). When more
   must be looked at, one at a time is *settled*, given what it is owed, and followed from then on. A clause that is true for some
   example follows all its included literals.
4. A clause that would follow too many automata is *dense*: it gets its feedback as the direct engine gives it.
5. At the end of the epoch every automaton gets what it is owed: between epochs the state of a machine is the same for both engines.

Clauses have two numbers: `clause`, their row in the machine's arrays, and `slot`, their bit in sets of clauses. Slots of either
polarity begin at a multiple of 512.
"""

import numpy as np

from wtm.kernels.bits import BLOCK, transpose_64x64, transpose_block
from wtm.kernels.countdown import LONGEST_COUNT, count_down, draw_gap, read_counter, write_counter
from wtm.kernels.direct import move_weight, update_threshold
from wtm.kernels.feedback import type_i_false, type_i_true, type_ii
from wtm.kernels.jit import function, inline, kernel
from wtm.kernels.lazy_state import MOST_FOLLOWED
from wtm.kernels.pending import catch_up, draw_decrement
from wtm.kernels.sampling import bernoulli_vector
from wtm.kernels.simd import any_set, count_trailing_zeros, load, popcount_words, splat, store, sum_words

__all__ = ["lazy_epoch"]

_BORDER = 128
_UNKNOWN = -1
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@inline
def _feedbacks_owed(k, planes):
    """Type I feedbacks, given while the clause was false, that its automata but for the followed ones are still owed."""
    return k.owed + k.loaded - read_counter(planes, k.slot)


@function
def _start_counter(k, planes, random, gap_table, gap):
    """Load a clause's counter so that its next event comes after `gap` trials, or _UNKNOWN: after a gap to be drawn."""
    n_followed = np.int64(k.n_followed)
    count = np.int64(LONGEST_COUNT)
    rest = np.int64(_UNKNOWN)
    if k.dense:
        count = np.int64(0)
    elif n_followed > 0:
        limit = n_followed * LONGEST_COUNT
        if gap == _UNKNOWN:
            gap = draw_gap(random, gap_table, limit)
        if gap < limit:
            count = gap // n_followed
            rest = gap - count * n_followed
    k.loaded = count
    k.gap = rest
    write_counter(planes, k.slot, count)


@function
def _pay(automata, include, clause, k, followed, random, rules, pending_table, mask, scratch):
    """Give the automata of a clause that are not followed the feedbacks in ``k.owed``."""
    for w in range(rules.n_words):
        mask[w] = _ZERO
    first = clause * MOST_FOLLOWED
    for i in range(first, first + k.n_followed):
        literal = followed[i]
        mask[literal >> 6] |= _ONE << np.uint64(literal & 63)
    catch_up(automata, include, clause, k.owed, mask, random, rules, pending_table, scratch)
    k.owed = 0


@inline
def _forget_followed(k):
    k.n_included = 0
    k.n_followed = 0
    k.next_literal = 0
    k.dense = 0


@inline
def _settle(automata, include, clause, k, followed, random, rules, pending_table, literal):
    """Give one automaton what it is owed and follow it; returns whether it still includes its literal."""
    at = clause * rules.n_words * 64 + literal
    state = np.int64(automata[at])
    if k.owed > 0:
        state = max(state - draw_decrement(random, k.owed, pending_table), rules.lowest)
        automata[at] = state
    first = clause * MOST_FOLLOWED
    end = first + k.n_followed
    k.n_followed += 1
    if state < _BORDER:
        include[clause * rules.n_words + (literal >> 6)] &= ~(_ONE << np.uint64(literal & 63))
        followed[end] = literal
        return False
    border = first + k.n_included
    followed[end] = followed[border]
    followed[border] = literal
    k.n_included += 1
    return True


@function
def _follow_more(
    automata, include, clause, k, followed, random, rules, pending_table, columns, later, result, mask, scratch
):
    """Go on evaluating a clause whose followed literals do not make it false, with the included ones behind them.

    `result` (IN and OUT) holds the examples that the literals so far leave. Nothing is owed beyond ``k.owed``, and the counter
    is to be started after it.
    """
    fires = load(result, 0)
    literal = np.int64(k.next_literal)
    above = _ALL << np.uint64(literal & 63)
    w = literal >> 6
    k.dense = 0
    while w < rules.n_words:
        remaining = include[clause * rules.n_words + w] & above
        above = _ALL
        while remaining != _ZERO:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - _ONE
            if k.n_followed == MOST_FOLLOWED and not k.dense:
                if k.owed > 0:
                    # Pay all and begin again: those that fell out need not be followed any more.
                    _pay(automata, include, clause, k, followed, random, rules, pending_table, mask, scratch)
                    _forget_followed(k)
                    fires = load(later, 0)
                    w = -1
                    break
                k.dense = 1
            if not k.dense and not _settle(
                automata, include, clause, k, followed, random, rules, pending_table, literal
            ):
                continue
            fires = fires & load(columns, literal * 8)
            if not any_set(fires):
                break
        if w >= 0 and not any_set(fires):
            break
        w += 1
    k.next_literal = literal + 1 if w < rules.n_words else rules.n_words * 64
    if k.dense:
        # Nothing is owed to a dense clause, and nothing of it is followed: each evaluation begins with all its literals.
        _forget_followed(k)
        k.dense = 1
    store(result, 0, fires)


@inline
def _followed_outputs(clause, k, followed, columns, later):
    """The later examples that a clause's followed literals leave."""
    fires = load(later, 0)
    first = clause * MOST_FOLLOWED
    for i in range(first, first + k.n_included):
        fires = fires & load(columns, followed[i] * 8)
        if not any_set(fires):
            break
    return fires


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


@function
def _draw_mask(random, mask, n_words, p_threshold):
    for w in range(0, n_words, 8):
        store(mask, w, bernoulli_vector(random, p_threshold))


@inline
def _part_fallen(include, clause, k, followed, n_words):
    """Move the followed literals that are not included any more behind those that are."""
    first = clause * MOST_FOLLOWED
    for i in range(first + k.n_included - 1, first - 1, -1):
        literal = followed[i]
        if not (include[clause * n_words + (literal >> 6)] >> np.uint64(literal & 63)) & _ONE:
            k.n_included -= 1
            last = first + k.n_included
            followed[i] = followed[last]
            followed[last] = literal


@inline
def _trials(automata, include, clause, k, followed, random, n_words, lowest, gap_table):
    """The trials of a feedback in which some followed automaton takes a step down.

    Returns whether one of them fell out of the clause, and the trials left until the next success.
    """
    n_followed = np.int64(k.n_followed)
    trial = np.int64(k.gap)
    if trial == _UNKNOWN:
        trial = draw_gap(random, gap_table, n_followed)
    first = clause * MOST_FOLLOWED
    fell = False
    while trial < n_followed:
        literal = followed[first + trial]
        at = clause * n_words * 64 + literal
        state = automata[at]
        if state > lowest:
            automata[at] = state - 1
            if state == _BORDER:
                include[clause * n_words + (literal >> 6)] &= ~(_ONE << np.uint64(literal & 63))
                fell = True
        trial += 1 + draw_gap(random, gap_table, n_followed * LONGEST_COUNT)
    if fell:
        _part_fallen(include, clause, k, followed, n_words)
    return fell, trial - n_followed


@inline
def _sum_of_votes(fired, at, words, votes):
    total = np.int64(0)
    for w in range(words):
        remaining = fired[at + w]
        while remaining != _ZERO:
            total += votes[w * 64 + count_trailing_zeros(remaining)]
            remaining &= remaining - _ONE
    return total


@inline
def _list_slots(chosen, group, work, end):
    """Append the slots of a group that `chosen` marks to the list `work`; returns its new end."""
    for part in range(8):
        remaining = chosen[part]
        while remaining != _ZERO:
            work[end] = group * 512 + part * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - _ONE
            end += 1
    return end


@inline
def _all_later(later, count):
    for part in range(8):
        filled = min(64, max(0, count - part * 64))
        later[part] = _ZERO if filled == 0 else _ALL >> np.uint64(64 - filled)


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
    automata, include, exponents, random = clauses.automata, clauses.include, clauses.exponents, clauses.random
    known, followed, planes = clauses.known, clauses.followed, clauses.planes
    votes, clause_of, valid = clauses.votes, clauses.clause_of, clauses.valid
    pending_table, gap_table = clauses.pending_table, clauses.gap_table
    columns, outputs, fired, later, result = block.columns, block.outputs, block.fired, block.later, block.result
    chosen, events, hits, mask, scratch = block.chosen, block.events, block.hits, block.mask, block.scratch
    n_clauses = known.size
    words = valid.size
    n_groups = words // 16  # of either polarity
    for start in range(0, rows.size, BLOCK):
        count = min(BLOCK, rows.size - start)
        transpose_block(literals, rules.row_words, rows, start, count, rules.n_features, block.tile, columns)
        _all_later(later, count)
        for clause in range(n_clauses):
            k = known[clause]
            fires = _followed_outputs(clause, k, followed, columns, later)
            store(outputs, clause * 8, fires)
            if any_set(fires) and k.next_literal < rules.n_words * 64:
                k.owed = _feedbacks_owed(k, planes)
                store(result, 0, fires)
                _follow_more(
                    automata, include, clause, k, followed, random, rules, pending_table, columns, later, result, mask,
                    scratch,
                )  # fmt: skip
                _start_counter(k, planes, random, gap_table, _UNKNOWN)
                store(outputs, clause * 8, load(result, 0))
        _transpose_outputs(outputs, fired, n_clauses, words, block.tile)
        for example in range(count):
            later[example >> 6] &= ~(_ONE << np.uint64(example & 63))
            at = example * words
            target = targets[start + example]
            update = update_threshold(_sum_of_votes(fired, at, words, votes), rules, target)
            if update == 0:
                continue

            # Who gets feedback: of the clauses that vote as they should, any; of the others, those that are true.
            n_events = n_hits = 0
            given = splat(_ZERO)
            first_group = 0 if target else n_groups
            for group in range(first_group, first_group + n_groups):
                selected = bernoulli_vector(random, update) & load(valid, group * 8)
                fires = load(fired, at + group * 8)
                given = given + popcount_words(selected)
                store(chosen, 0, count_down(planes, group, selected & ~fires))
                n_events = _list_slots(chosen, group, events, n_events)
                store(chosen, 0, selected & fires)
                n_hits = _list_slots(chosen, group, hits, n_hits)
            n_type_i = n_hits
            first_group = n_groups - first_group
            for group in range(first_group, first_group + n_groups):
                fires = load(fired, at + group * 8)
                if any_set(fires):
                    store(chosen, 0, bernoulli_vector(random, update) & fires)
                    n_hits = _list_slots(chosen, group, hits, n_hits)
            counts[0] += sum_words(given)
            counts[1] += n_hits - n_type_i

            row = rows[start + example] * rules.row_words
            for i in range(n_events + n_hits):
                slot = np.int64(events[i] if i < n_events else hits[i - n_events])
                clause = clause_of[slot]
                k = known[clause]
                gap = np.int64(_UNKNOWN)
                if i < n_events:
                    # Type I feedback to a false clause whose counter ran out: now it shows LONGEST_COUNT.
                    passed = k.loaded + 1
                    k.loaded = LONGEST_COUNT
                    if k.dense:
                        _draw_mask(random, mask, rules.n_words, rules.p_threshold)
                        changed = type_i_false(automata, include, clause, mask, rules) != _ZERO
                    else:
                        k.owed += passed
                        changed, gap = _trials(
                            automata, include, clause, k, followed, random, rules.n_words, rules.lowest, gap_table
                        )
                else:
                    k.owed = _feedbacks_owed(k, planes)
                    if k.owed > 0 and not k.dense:
                        _pay(automata, include, clause, k, followed, random, rules, pending_table, mask, scratch)
                    k.owed = 0
                    if i - n_events < n_type_i:
                        _draw_mask(random, mask, rules.n_words, rules.p_threshold)
                        changed = type_i_true(automata, include, clause, literals, row, mask, rules) != _ZERO
                        counts[2] += move_weight(exponents, votes, clause, slot, 1, rules.fixed)
                    else:
                        changed = type_ii(automata, include, clause, literals, row, rules) != _ZERO
                        counts[2] += move_weight(exponents, votes, clause, slot, -1, rules.fixed)
                    if changed:
                        _forget_followed(k)
                    else:
                        k.n_followed = k.n_included  # what fell out is as exact as the rest
                if changed:
                    gap = np.int64(_UNKNOWN)
                    fires = _followed_outputs(clause, k, followed, columns, later)
                    store(result, 0, fires)
                    if any_set(fires) and k.next_literal < rules.n_words * 64:
                        _follow_more(
                            automata, include, clause, k, followed, random, rules, pending_table, columns, later,
                            result, mask, scratch,
                        )  # fmt: skip
                    _change_outputs(outputs, fired, clause, slot, words, result, later)
                _start_counter(k, planes, random, gap_table, gap)
    for clause in range(n_clauses):
        k = known[clause]
        k.owed = _feedbacks_owed(k, planes)
        if k.owed > 0:
            _pay(automata, include, clause, k, followed, random, rules, pending_table, mask, scratch)
