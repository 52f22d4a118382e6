"""Decrements that are owed to automata: n independent Bernoulli(p_s) steps down, drawn at once when they are needed.

Between two feedbacks to a true clause an excluded automaton receives nothing but such steps, so after n of them its
state a is max(0, a - Binomial(n, p_s)): in distribution exactly what n single steps give. Tables are
`wtm.kernels.distribution_tables.PendingTable`; their rows are 1 .. 255 and 256 * 2**i, and any n is a sum of these.
"""

import numpy as np

from wtm.kernels.feedback import tail_mask
from wtm.kernels.jit import function, inline
from wtm.kernels.sampling import next_vector, next_word
from wtm.kernels.simd import (
    add_saturating,
    any_set,
    bytes_of_mask,
    count_above,
    keep_bytes,
    largest_byte,
    load,
    maximum,
    minimum,
    narrow,
    shorts_of_mask,
    splat_byte,
    splat_short,
    store,
    subtract_saturating,
    top_bits,
)

_FEW_LIMITS = 8  # below it, comparing with all of them costs less than finding out how many matter


@inline
def _largest_row(n):
    """The table's row for the largest part of `n`, and that part."""
    if n < 256:
        return n, n
    row, part = 256, 256
    while part * 2 <= n and row < 275:
        part *= 2
        row += 1
    return row, part


@function
def draw_decrement(random, n, pending_table):
    """One draw of Binomial(n, p_s), at most 255: for a single automaton."""
    total = 0
    while n > 0 and total < 255:
        row, part = _largest_row(n)
        n -= part
        x = next_word(random) >> np.uint64(16)
        first, last = pending_table.min_count[row], pending_table.max_count[row]
        while first < last:  # the number of thresholds that x reaches
            middle = (first + last) >> 1
            threshold = (np.uint64(pending_table.high[row, middle]) << np.uint64(32)) | np.uint64(
                pending_table.low[row, middle]
            )
            if x >= threshold:
                first = middle + 1
            else:
                last = middle
        total += first
    return min(total, 255)


@inline
def _limits(shared, row, pending_table, limits, first):
    """Thresholds of one row (0: of no trial) for draws of 16 bits, in `limits` from `first` on (OUT).

    Returns the number of those before them that every draw reaches, and their number.

    A draw is a signed number, so a threshold t is reached by a draw above t - 1 - 2**15.

    A draw is of 48 bits: 16 of its own, and 32 that all automata of a clause share. Each automaton's draw is uniform,
    so its distribution is exact to 2**-48; two automata's draws are as good as independent (covariance below 2**-34).
    The shared bits only decide whether a threshold's upper 16 bits are reached at equality.
    """
    sure = pending_table.min_count[row]
    n_limits = 0
    for k in range(pending_table.min_count[row], pending_table.max_count[row]):
        limit = np.int64(pending_table.high[row, k]) + (shared < np.uint64(pending_table.low[row, k]))
        if limit > 0xFFFF:
            break
        if limit == 0:
            sure += 1
        else:
            limits[first + n_limits] = limit - 1 - (1 << 15)
            n_limits += 1
    return sure, n_limits


@inline
def _times(count):
    """A count in each of 32 lanes of 16 bits."""
    return splat_short(np.int16(count))


@inline
def _pay_part(automata, include, clause, row, settled, random, params, pending_table, limits):
    """Give every automaton of a clause but the settled ones the steps down of a table's row."""
    floor = splat_byte(np.uint8(params.state_min))
    sure, n_limits = _limits(next_word(random) >> np.uint64(32), row, pending_table, limits, 0)
    a, b = load(random, 0), load(random, 8)
    for w in range(params.n_words):
        at = (clause * params.n_words + w) * 64
        states = load(automata, at)
        above = keep_bytes(subtract_saturating(states, floor), ~settled[w])
        if not any_set(above):
            continue
        # A step more than the highest automaton of the word has to go changes nothing.
        most = n_limits if n_limits <= _FEW_LIMITS else min(n_limits, max(0, largest_byte(above) - sure))
        low = _times(sure)
        high = low
        x, a, b = next_vector(a, b)
        y, a, b = next_vector(a, b)
        for k in range(most):
            limit = splat_short(limits[k])
            low = count_above(low, x, limit)
            high = count_above(high, y, limit)
        steps = keep_bytes(narrow(low, high), ~settled[w])
        states = maximum(subtract_saturating(states, steps), floor)
        store(automata, at, states)
        include[clause * params.n_words + w] = top_bits(states)
    store(random, 0, a)
    store(random, 8, b)


@function
def pay(automata, include, clause, n, settled, random, params, pending_table, limits):
    """Give every automaton of a clause the `n` steps down that it is owed, but for those that `settled` marks.

    Parameters
    ----------
    automata : ndarray of uint8; IN and OUT
    include : ndarray of uint64; IN and OUT
        Top bits of the automata.
    n : int
        Number of feedbacks.
    settled : ndarray of shape (n_words,), uint64; IN
    limits : ndarray of shape (512,), int16
        Working space.
    """
    while n > 0:
        row, part = _largest_row(n)
        n -= part
        _pay_part(automata, include, clause, row, settled, random, params, pending_table, limits)


@function
def pay_and_feed(
    automata, include, clause, n, settled, literals, row, is_type_i, raised, random, params, pending_table, limits
):
    """Give a true clause what it is owed and the feedback at hand: `pay`, then Table 1 or 2 of the paper.

    Type I feedback takes a Bernoulli(p_s) step down from each false literal's automaton: one more than it is owed,
    so both are drawn at once. Settled automata get no step down: the caller has made their trials.

    Parameters
    ----------
    automata, include, clause, n, limits
        See `pay`.
    settled : ndarray of shape (n_words,), uint64; IN and OUT
        Gets the literals that are newly included.
    literals, row
        The example, see `wtm.kernels.direct.direct_epoch`.
    is_type_i : bool
        Type I or Type II.
    raised : ndarray of shape (row_words,), uint64; IN
        With Type I feedback that is not boosted, the literals that go up if they are true.
    """
    while n >= 256:  # n and n + 1 are rows of the table below it
        table_row, part = _largest_row(n)
        n -= part
        _pay_part(automata, include, clause, table_row, settled, random, params, pending_table, limits)
    floor = splat_byte(np.uint8(params.state_min))
    ceiling = splat_byte(np.uint8(params.state_max))
    shared = next_word(random) >> np.uint64(32)
    sure, n_limits = _limits(shared, n, pending_table, limits, 0)
    sure_false, n_false = _limits(shared, n + is_type_i, pending_table, limits, 256)
    n_both = max(n_limits, n_false)
    limits[n_limits:n_both] = 32767  # no draw is above it
    limits[256 + n_false : 256 + n_both] = 32767
    a, b = load(random, 0), load(random, 8)
    for w in range(params.n_words):
        at = (clause * params.n_words + w) * 64
        states = load(automata, at)
        true = literals[row + w]
        above = keep_bytes(subtract_saturating(states, floor), ~settled[w])
        if n_both + sure_false > 0 and any_set(above):
            most = n_both if n_both <= _FEW_LIMITS else min(n_both, max(0, largest_byte(above) - sure))
            x, a, b = next_vector(a, b)
            y, a, b = next_vector(a, b)
            low = _times(sure)
            high = low
            if is_type_i:
                false_low, false_high = shorts_of_mask(~true), shorts_of_mask(~true >> np.uint64(32))
                more = _times(sure ^ sure_false)
                low = low ^ (more & false_low)
                high = high ^ (more & false_high)
                for k in range(most):
                    limit = splat_short(limits[k])
                    change = splat_short(limits[k] ^ limits[256 + k])
                    low = count_above(low, x, limit ^ (change & false_low))
                    high = count_above(high, y, limit ^ (change & false_high))
            else:
                for k in range(most):
                    limit = splat_short(limits[k])
                    low = count_above(low, x, limit)
                    high = count_above(high, y, limit)
            steps = keep_bytes(narrow(low, high), ~settled[w])
            states = maximum(subtract_saturating(states, steps), floor)
        up = true if is_type_i else ~(true | top_bits(states))
        if is_type_i and not params.boost_true_positive:
            up &= raised[w]
        if w == params.n_words - 1:
            up &= tail_mask(params.n_literals)
        states = minimum(add_saturating(states, bytes_of_mask(up)), ceiling)
        store(automata, at, states)
        included = top_bits(states)
        settled[w] = included & ~include[clause * params.n_words + w]
        include[clause * params.n_words + w] = included
    store(random, 0, a)
    store(random, 8, b)
