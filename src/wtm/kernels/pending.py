"""Decrements that are owed to automata: n independent Bernoulli(p_s) steps down, drawn at once when they are needed.

Between two feedbacks to a true clause an excluded automaton receives nothing but such steps, so after n of them its
state a is max(0, a - Binomial(n, p_s)): in distribution exactly what n single steps give. Tables are
`wtm.kernels.tables.PendingTable`; their rows are 1 .. 255 and 256 * 2**i, and any n is a sum of these.
"""

import numpy as np

from wtm.kernels.jit import function, inline
from wtm.kernels.sampling import next_vector, next_word
from wtm.kernels.simd import (
    any_set,
    count_above,
    keep_bytes,
    largest_byte,
    load,
    maximum,
    narrow,
    splat,
    splat_byte,
    store,
    subtract_saturating,
    top_bits,
)

__all__ = ["catch_up", "draw_decrement"]

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
        first, last = pending_table.sure[row], pending_table.stop[row]
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
def _limits(random, row, pending_table, limits):
    """Thresholds of one row for draws of 16 bits, in `limits` (OUT).

    Returns the number of those before them that every draw reaches, and their number.

    A draw is a signed number, so a threshold t is reached by a draw above t - 1 - 2**15.

    A draw is of 48 bits: 16 of its own, and 32 that all automata of a clause share. Each automaton's draw is uniform,
    so its distribution is exact to 2**-48; two automata's draws are as good as independent (covariance below 2**-34).
    The shared bits only decide whether a threshold's upper 16 bits are reached at equality.
    """
    shared = next_word(random) >> np.uint64(32)
    sure = pending_table.sure[row]
    n_limits = 0
    for k in range(pending_table.sure[row], pending_table.stop[row]):
        limit = np.int64(pending_table.high[row, k]) + (shared < np.uint64(pending_table.low[row, k]))
        if limit > 0xFFFF:
            break
        if limit == 0:
            sure += 1
        else:
            limits[n_limits] = limit - 1 - (1 << 15)
            n_limits += 1
    return sure, n_limits


@function
def catch_up(automata, include, clause, n, settled, random, rules, pending_table, limits):
    """Give every automaton of a clause the `n` steps down that it is owed, but for those that `settled` marks.

    Parameters
    ----------
    automata : ndarray of uint8; IN and OUT
    include : ndarray of uint64; IN and OUT
        Top bits of the automata.
    n : int
        Number of feedbacks, at least 1.
    settled : ndarray of shape (n_words,), uint64; IN
    limits : ndarray of shape (256,), int16
        Working space.
    """
    floor = splat_byte(np.uint8(rules.lowest))
    while n > 0:
        row, part = _largest_row(n)
        n -= part
        sure, n_limits = _limits(random, row, pending_table, limits)
        a, b = load(random, 0), load(random, 8)
        for w in range(rules.n_words):
            at = (clause * rules.n_words + w) * 64
            states = load(automata, at)
            owed = ~settled[w]
            above = keep_bytes(subtract_saturating(states, floor), owed)
            if not any_set(above):
                continue
            # A step more than the highest automaton of the word has to go changes nothing.
            most = n_limits if n_limits <= _FEW_LIMITS and sure == 0 else largest_byte(above) - sure
            low = splat(np.uint64(min(sure, 255)) * np.uint64(0x0001000100010001))
            high = low
            if most > 0:
                x, a, b = next_vector(a, b)
                y, a, b = next_vector(a, b)
                for k in range(min(n_limits, most)):
                    low = count_above(low, x, limits[k])
                    high = count_above(high, y, limits[k])
            steps = keep_bytes(narrow(low, high), owed)
            states = maximum(subtract_saturating(states, steps), floor)
            store(automata, at, states)
            include[clause * rules.n_words + w] = top_bits(states)
        store(random, 0, a)
        store(random, 8, b)
