"""What the lazy engine knows of a clause: its list of literals, whose automata are followed, and what the rest is owed.

A clause's list begins with included literals that are *safe*: they cannot fall out before the clause's deadline. Behind
them are the *followed* automata, whose trials are made when they happen: first those that are included, then those that
fell out since the clause was paid. All automata that are not followed are *owed* the Type I feedbacks that were given
to the clause while it was false. To *pay* a clause is to make all its automata exact.

Functions take the engine's state as `clauses` and `block` (`wtm.kernels.lazy_state`), and `k`, the record of one
clause.
"""

import numpy as np

from wtm.kernels.countdown import LONGEST_COUNT, draw_gap, read_counter, write_counter
from wtm.kernels.jit import function, inline
from wtm.kernels.lazy_state import MOST_LISTED
from wtm.kernels.pending import catch_up, draw_decrement
from wtm.kernels.sampling import bernoulli_vector
from wtm.kernels.simd import (
    any_set,
    bytes_of_mask,
    count_leading_zeros,
    count_trailing_zeros,
    load,
    maximum,
    splat_byte,
    store,
    subtract_saturating,
    top_bits,
)

__all__ = [
    "UNKNOWN", "add_literals", "await_event", "draw_mask", "feedbacks_owed", "follow_more", "forget_list",
    "listed_outputs", "pay", "step_down", "step_down_until",
]  # fmt: skip

UNKNOWN = -1
"""A gap that is still to be drawn."""

_BORDER = 128
_NEVER = 1 << 30
_WORTH_A_DEADLINE = 32  # feedbacks: paying a clause more often than that costs more than following its automata
_EAGER = 1 << 31  # successes a feedback, in fractions of 2**32, above which waiting for the next is not worth it
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@inline
def feedbacks_owed(k, planes):
    """Type I feedbacks that the automata of a clause, but for the followed ones, are owed."""
    if k.eager:
        return np.int64(k.owed)
    return k.owed + k.loaded - read_counter(planes, k.slot)


@function
def await_event(k, planes, eager, random, p_threshold, gap_table, gap):
    """Arrange for a clause's next event: at the next feedback, or after `gap` trials (UNKNOWN: a gap to be drawn)."""
    n_followed = np.int64(k.n_listed - k.n_safe)
    bit = _ONE << np.uint64(k.slot & 63)
    if k.dense or n_followed * p_threshold > _EAGER:
        k.eager = 1
        eager[k.slot >> 6] |= bit
        return
    k.eager = 0
    eager[k.slot >> 6] &= ~bit
    count = min(np.int64(LONGEST_COUNT), k.deadline - k.owed - 1)
    rest = np.int64(UNKNOWN)
    if n_followed > 0:
        limit = n_followed * LONGEST_COUNT
        if gap == UNKNOWN:
            gap = draw_gap(random, gap_table, limit)
        if gap < limit:
            count = min(count, np.int64(np.uint32(gap) // np.uint32(n_followed)))
            rest = gap - count * n_followed
    k.loaded = count
    k.gap = rest
    write_counter(planes, k.slot, count)


# --- The list -----------------------------------------------------------------------------------------------


@inline
def forget_list(k):
    """Empty the list of a clause that was paid."""
    k.n_safe = 0
    k.n_included = 0
    k.n_listed = 0
    k.next_literal = 0
    k.dense = 0
    k.deadline = _NEVER


@inline
def _move_entry(listed, states, source, target):
    listed[target] = listed[source]
    states[target] = states[source]


@inline
def _list_safe(listed, states, clause, k, literal, deadline):
    first = clause * MOST_LISTED
    _move_entry(listed, states, first + k.n_included, first + k.n_listed)
    _move_entry(listed, states, first + k.n_safe, first + k.n_included)
    listed[first + k.n_safe] = literal
    k.n_safe += 1
    k.n_included += 1
    k.n_listed += 1
    k.deadline = min(np.int64(k.deadline), deadline)


@inline
def _list_followed(listed, states, clause, k, literal, state):
    """Follow an automaton from here on, which is exact in the byte `state`."""
    first = clause * MOST_LISTED
    place = first + k.n_listed
    if state >= _BORDER:
        _move_entry(listed, states, first + k.n_included, place)
        place = first + k.n_included
        k.n_included += 1
    listed[place] = literal
    states[place] = state
    k.n_listed += 1


@inline
def _exclude(include, n_words, clause, literal):
    include[clause * n_words + (literal >> 6)] &= ~(_ONE << np.uint64(literal & 63))


@inline
def _look_at(clauses, rules, clause, k, literal):
    """Put a literal that was included when the clause was paid on the list; returns whether it still is."""
    state = np.int64(clauses.automata[clause * rules.n_words * 64 + literal])
    deadline = clauses.pending_table.safe[state - _BORDER + 1]
    if deadline >= k.owed + _WORTH_A_DEADLINE:
        _list_safe(clauses.listed, clauses.states, clause, k, literal, deadline)
        return True
    if k.owed > 0:
        state = max(state - draw_decrement(clauses.random, k.owed, clauses.pending_table), rules.lowest)
        if state < _BORDER:
            _exclude(clauses.include, rules.n_words, clause, literal)
    _list_followed(clauses.listed, clauses.states, clause, k, literal, state)
    return state >= _BORDER


@inline
def _list_again(clauses, rules, clause, k):
    """Sort the included literals of a clause that was paid by the states that their automata have now."""
    first = clause * MOST_LISTED
    n_included = k.n_included
    k.n_safe = 0
    k.n_included = 0
    k.n_listed = 0
    k.deadline = _NEVER
    for i in range(first, first + n_included):  # entry i is read before it is written over
        literal = clauses.listed[i]
        state = np.int64(clauses.automata[clause * rules.n_words * 64 + literal])
        deadline = clauses.pending_table.safe[state - _BORDER + 1]
        if deadline >= _WORTH_A_DEADLINE:
            _list_safe(clauses.listed, clauses.states, clause, k, literal, deadline)
        else:
            _list_followed(clauses.listed, clauses.states, clause, k, literal, state)


# --- Paying -------------------------------------------------------------------------------------------------


@function
def pay(clauses, block, rules, clause):
    """Make all automata of a clause exact: give those that are not followed the feedbacks in ``k.owed``."""
    k = clauses.known[clause]
    mask = block.mask
    for w in range(rules.n_words):
        mask[w] = _ZERO
    first = clause * MOST_LISTED
    for i in range(first + k.n_safe, first + k.n_listed):
        literal = np.uint64(clauses.listed[i])
        clauses.automata[clause * rules.n_words * 64 + literal] = clauses.states[i]
        mask[literal >> np.uint64(6)] |= _ONE << (literal & np.uint64(63))
    if k.owed > 0:
        catch_up(
            clauses.automata, clauses.include, clause, k.owed, mask, clauses.random, rules, clauses.pending_table,
            block.limits,
        )  # fmt: skip
        k.owed = 0


# --- Outputs ------------------------------------------------------------------------------------------------


@inline
def listed_outputs(clauses, block, clause, k):
    """The later examples that a clause's listed literals leave."""
    fires = load(block.later, 0)
    first = clause * MOST_LISTED
    for i in range(first, first + k.n_included):
        fires = fires & load(block.columns, np.int64(clauses.listed[i]) * 8)
        if not any_set(fires):
            break
    return fires


@function
def follow_more(clauses, block, rules, clause):
    """Go on evaluating a clause whose listed literals do not make it false, with the included ones behind them.

    ``block.result`` (IN and OUT) holds the examples that the literals so far leave. Nothing is owed beyond
    ``k.owed``, and the next event is to be arranged after it.
    """
    k = clauses.known[clause]
    fires = load(block.result, 0)
    literal = np.int64(k.next_literal)
    above = _ALL << np.uint64(literal & 63)
    w = literal >> 6
    k.dense = 0
    while w < rules.n_words:
        remaining = clauses.include[clause * rules.n_words + w] & above
        above = _ALL
        while remaining != _ZERO:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - _ONE
            if k.n_listed == MOST_LISTED and not k.dense:
                if k.owed > 0:
                    # Pay all and begin again: those that fell out need not be followed any more.
                    pay(clauses, block, rules, clause)
                    forget_list(k)
                    fires = load(block.later, 0)
                    w = -1
                    break
                k.dense = 1
            if not k.dense and not _look_at(clauses, rules, clause, k, literal):
                continue
            fires = fires & load(block.columns, literal * 8)
            if not any_set(fires):
                break
        if w >= 0 and not any_set(fires):
            break
        w += 1
    k.next_literal = literal + 1 if w < rules.n_words else rules.n_words * 64
    if k.dense:
        # Nothing is owed to a dense clause, and none of it is listed: each evaluation begins with all its literals.
        forget_list(k)
        k.dense = 1
    store(block.result, 0, fires)


@inline
def add_literals(clauses, block, rules, clause, k, fires):
    """List the included literals of a clause that got feedback while it was true anew, and those that are new.

    ``block.mask`` (IN) marks the new ones, all just at the border. Returns the examples of `fires` that they leave.
    """
    if not k.dense:
        _list_again(clauses, rules, clause, k)
    for w in range(rules.n_words):
        remaining = block.mask[w]
        while remaining != _ZERO:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - _ONE
            fires = fires & load(block.columns, literal * 8)
            if not k.dense:
                if k.n_listed == MOST_LISTED:
                    forget_list(k)
                    k.dense = 1
                else:
                    _list_followed(clauses.listed, clauses.states, clause, k, literal, _BORDER)
    return fires


# --- Trials -------------------------------------------------------------------------------------------------


@inline
def _next_trials(random, trials, p_threshold):
    """64 Bernoulli(p_s) trials; `trials` (IN and OUT) keeps 512 at a time, and how many words of them are left."""
    if trials[8] == _ZERO:
        store(trials, 0, bernoulli_vector(random, p_threshold))
        trials[8] = np.uint64(8)
    trials[8] -= _ONE
    return trials[trials[8]]


@inline
def draw_mask(clauses, block, rules):
    """A Bernoulli(p_s) trial for each literal of a clause, in ``block.mask``."""
    for w in range(rules.n_words):
        block.mask[w] = _next_trials(clauses.random, block.trials, rules.p_threshold)


@inline
def _part_fallen(include, n_words, listed, states, clause, k, fell, start):
    """Exclude the literals that fell out, and move them behind those that are included; the last of them first.

    Bit b of `fell` is entry ``start + b`` of the list.
    """
    first = clause * MOST_LISTED
    while fell != _ZERO:
        bit = 63 - count_leading_zeros(fell)
        fell ^= _ONE << np.uint64(bit)
        i = first + start + bit
        literal, state = listed[i], states[i]
        _exclude(include, n_words, clause, literal)
        k.n_included -= 1
        last = first + k.n_included
        _move_entry(listed, states, last, i)
        listed[last] = literal
        states[last] = state


@inline
def step_down(clauses, block, rules, clause, k):
    """One feedback to all the followed automata of a clause, in vectors; returns whether an included one fell out."""
    first = clause * MOST_LISTED + k.n_safe
    n_followed = k.n_listed - k.n_safe
    floor = splat_byte(np.uint8(rules.lowest))
    fell = _ZERO
    fell_behind = _ZERO
    for start in range(0, n_followed, 64):
        # Bytes beyond the list belong to another clause or to nobody: they get no step.
        own = _ALL >> np.uint64(64 - min(64, n_followed - start))
        drawn = _next_trials(clauses.random, block.trials, rules.p_threshold) & own
        before = load(clauses.states, first + start)
        after = maximum(subtract_saturating(before, bytes_of_mask(drawn)), floor)
        store(clauses.states, first + start, after)
        if start == 0:
            fell = top_bits(before) & ~top_bits(after)
        else:
            fell_behind = top_bits(before) & ~top_bits(after)
    include, listed, states = clauses.include, clauses.listed, clauses.states
    _part_fallen(include, rules.n_words, listed, states, clause, k, fell_behind, k.n_safe + 64)
    _part_fallen(include, rules.n_words, listed, states, clause, k, fell, k.n_safe)
    return (fell | fell_behind) != _ZERO


@inline
def step_down_until(clauses, rules, clause, k):
    """The trials of a feedback of which it is known that some succeed (or the counter's end was reached).

    Returns whether an included automaton fell out, and the trials left until the next success.
    """
    n_followed = np.int64(k.n_listed - k.n_safe)
    trial = np.int64(k.gap)
    if trial == UNKNOWN:
        trial = draw_gap(clauses.random, clauses.gap_table, n_followed)
    first = clause * MOST_LISTED + k.n_safe
    fell = _ZERO
    fell_behind = _ZERO
    while trial < n_followed:
        state = clauses.states[first + trial]
        if state > rules.lowest:
            clauses.states[first + trial] = state - 1
            if state == _BORDER:
                bit = _ONE << np.uint64(trial & 63)
                if trial < 64:
                    fell |= bit
                else:
                    fell_behind |= bit
        trial += 1 + draw_gap(clauses.random, clauses.gap_table, n_followed * LONGEST_COUNT)
    include, listed, states = clauses.include, clauses.listed, clauses.states
    _part_fallen(include, rules.n_words, listed, states, clause, k, fell_behind, k.n_safe + 64)
    _part_fallen(include, rules.n_words, listed, states, clause, k, fell, k.n_safe)
    return (fell | fell_behind) != _ZERO, trial - n_followed
