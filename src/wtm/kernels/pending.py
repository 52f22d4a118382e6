"""Pending decrements: n independent Bernoulli(p_s) steps down, drawn at once when the automata are needed.

Between two feedbacks to a true clause, an excluded automaton receives only such steps, so after n of them its state a
is max(0, a - Binomial(n, p_s)): exactly the distribution of n single steps (`reference.type_i` of a false clause). To
*flush* a clause is to apply its pending decrements.

The rows of `wtm.kernels.distribution_tables.PendingTable` are for 1 .. 255 and 256 * 2**i trials; any n is a sum of
these. Functions take the engine's state as `clauses` and `block` (`wtm.kernels.lazy_state`).
"""

import numpy as np

from wtm.kernels.feedback import tail_mask
from wtm.kernels.jit import function, inline
from wtm.kernels.layout import ZERO
from wtm.kernels.records import near
from wtm.kernels.sampling import next_vector, next_word
from wtm.kernels.simd import (
    add_saturating,
    any_set,
    bytes_of_mask,
    count_above,
    keep_bytes,
    largest_byte,
    load,
    minimum,
    narrow,
    shorts_of_mask,
    splat_byte,
    splat_short,
    store,
    subtract_saturating,
    top_bits,
)

_FEW_LIMITS = 8  # up to this many, comparing with all limits is faster than finding how many matter
_NEVER = 32767  # a limit that no draw exceeds


@inline
def _largest_row(n):
    """Row of the table for the largest part of `n`, and that part."""
    if n < 256:
        return n, n
    row, part = 256, 256
    while part * 2 <= n and row < 275:
        part *= 2
        row += 1
    return row, part


@function
def draw_decrement(random, n, pending_table):
    """Draw from Binomial(n, p_s), capped at 255, for a single automaton."""
    total = 0
    while n > 0 and total < 255:
        row, part = _largest_row(n)
        n -= part
        x = next_word(random) >> np.uint64(16)
        first, last = pending_table.min_count[row], pending_table.max_count[row]
        while first < last:  # binary search for the number of thresholds that x reaches
            middle = (first + last) >> 1
            high, low = np.uint64(pending_table.high[row, middle]), np.uint64(pending_table.low[row, middle])
            if x >= (high << np.uint64(32)) | low:
                first = middle + 1
            else:
                last = middle
        total += first
    return min(total, 255)


@inline
def _set_limits(shared, row, pending_table, limits):
    """Turn the thresholds of a row of the table into `limits` (OUT) for 16-bit draws.

    Returns the number of thresholds that every draw reaches, and the number of limits, one for each of those after
    them that a draw can reach. Row 0 is of no trials.
    """
    # A draw has 48 bits: 16 of its own, and 32 that all automata of a clause share. Each automaton's draw is uniform,
    # so its distribution is exact to 2**-48; the draws of two automata are nearly independent (covariance below
    # 2**-34). The shared bits only decide whether a draw whose 16 bits equal the upper ones of a threshold reaches it.
    # A vector compares signed numbers, so a draw reaches threshold t if it exceeds t - 1 - 2**15.
    min_count = pending_table.min_count[row]
    n_limits = 0
    for k in range(pending_table.min_count[row], pending_table.max_count[row]):
        limit = np.int64(pending_table.high[row, k]) + (shared < np.uint64(pending_table.low[row, k]))
        if limit > 0xFFFF:
            break
        if limit == 0:
            min_count += 1
        else:
            limits[n_limits] = limit - 1 - (1 << 15)
            n_limits += 1
    return min_count, n_limits


@inline
def _in_each_lane(count):
    """A vector with `count` in each of its 32 lanes of 16 bits."""
    return splat_short(np.int16(count))


@inline
def _step_down(states, pending, a, b, block, n_limits, min_count, by_value, min_count_if_false, false):
    """Draw the steps down of 64 automata and apply them.

    An automaton takes `min_count` steps, plus one per limit in ``block.limits`` that its draw exceeds. If `by_value`,
    automata of the literals in `false` take `min_count_if_false` and ``block.limits_if_false`` instead.

    Parameters
    ----------
    states, pending : u64x8
        States of the automata, and how far each can step down: 0 for those that don't.
    a, b : u64x8
        State of the random stream.
    block : wtm.kernels.lazy_state.Block
    n_limits, min_count, min_count_if_false : int
    by_value : bool
    false : uint64

    Returns
    -------
    states, a, b : u64x8
    """
    # Limits beyond the steps that the highest automaton can take change nothing.
    if n_limits > _FEW_LIMITS:
        n_limits = min(n_limits, max(0, largest_byte(pending) - min_count))
    x, a, b = next_vector(a, b)
    y, a, b = next_vector(a, b)
    low = _in_each_lane(min_count)
    high = low
    if by_value:
        # Selects either of two numbers without a branch: p ^ ((p ^ q) & mask) is q where the mask is set, else p.
        false_low, false_high = shorts_of_mask(false), shorts_of_mask(false >> np.uint64(32))
        change = _in_each_lane(min_count ^ min_count_if_false)
        low = low ^ (change & false_low)
        high = high ^ (change & false_high)
        for k in range(n_limits):
            limit = splat_short(block.limits[k])
            change = splat_short(block.limits[k] ^ block.limits_if_false[k])
            low = count_above(low, x, limit ^ (change & false_low))
            high = count_above(high, y, limit ^ (change & false_high))
    else:
        for k in range(n_limits):
            limit = splat_short(block.limits[k])
            low = count_above(low, x, limit)
            high = count_above(high, y, limit)
    return subtract_saturating(states, minimum(narrow(low, high), pending)), a, b


@inline
def _flush_row(clauses, block, params, clause, table_row):
    """Apply the decrements of one row of the table to the unwatched automata of a clause."""
    floor = splat_byte(np.uint8(params.state_min))
    random = clauses.random
    shared = next_word(random) >> np.uint64(32)
    min_count, n_limits = _set_limits(shared, table_row, clauses.pending_table, block.limits)
    a, b = load(random, 0), load(random, 8)
    for w in range(params.n_words):
        word = clause * params.n_words + w
        states = load(clauses.automata, word * 64)
        pending = keep_bytes(subtract_saturating(states, floor), ~block.watched[w])
        if any_set(pending):
            states, a, b = _step_down(states, pending, a, b, block, n_limits, min_count, False, min_count, ZERO)
            store(clauses.automata, word * 64, states)
            clauses.include[word] = top_bits(states)
    store(random, 0, a)
    store(random, 8, b)


@function
def flush(clauses, block, params, clause, n):
    """Apply `n` pending feedbacks to the automata of a clause, except those in ``block.watched``."""
    clauses, block, params = near(clauses), near(block), near(params)
    while n > 0:
        table_row, part = _largest_row(n)
        n -= part
        _flush_row(clauses, block, params, clause, table_row)


@inline
def flush_and_update(clauses, block, params, clause, n, row, is_type_i):
    """Apply `n` pending feedbacks and the current one to a true clause, in one pass over its automata.

    The same process as `flush`, followed by Type I (`reference.type_i`) or Type II feedback (`reference.type_ii`) on
    the example at `row`. Automata in ``block.watched`` don't step down: the caller has made their trials.
    ``block.newly_included`` gets the literals that the clause now includes and did not before (OUT).
    """
    while n >= 256:  # both n and n + 1 are rows of the table below that
        table_row, part = _largest_row(n)
        n -= part
        _flush_row(clauses, block, params, clause, table_row)
    floor = splat_byte(np.uint8(params.state_min))
    ceiling = splat_byte(np.uint8(params.state_max))
    random = clauses.random
    # Type I feedback gives the automata of false literals a Bernoulli(p_s) step down: one more than those pending.
    shared = next_word(random) >> np.uint64(32)
    min_count, n_limits = _set_limits(shared, n, clauses.pending_table, block.limits)
    min_if_false, n_if_false = _set_limits(shared, n + is_type_i, clauses.pending_table, block.limits_if_false)
    n_either = max(n_limits, n_if_false)
    for i in range(n_limits, n_either):
        block.limits[i] = _NEVER
    for i in range(n_if_false, n_either):
        block.limits_if_false[i] = _NEVER
    a, b = load(random, 0), load(random, 8)
    for w in range(params.n_words):
        word = clause * params.n_words + w
        states = load(clauses.automata, word * 64)
        included_before = top_bits(states)  # not loaded from `include`, which may lie beyond the caches
        true = block.literals[row + w]
        pending = keep_bytes(subtract_saturating(states, floor), ~block.watched[w])
        if n_either + min_if_false > 0 and any_set(pending):
            states, a, b = _step_down(states, pending, a, b, block, n_either, min_count, is_type_i, min_if_false, ~true)
        up = true if is_type_i else ~(true | top_bits(states))
        if is_type_i and not params.boost_true_positive:
            up &= block.raised[w]
        if w == params.n_words - 1:
            up &= tail_mask(params.n_literals)
        states = minimum(add_saturating(states, bytes_of_mask(up)), ceiling)
        store(clauses.automata, word * 64, states)
        included = top_bits(states)
        block.newly_included[w] = included & ~included_before
        clauses.include[word] = included
    store(random, 0, a)
    store(random, 8, b)
