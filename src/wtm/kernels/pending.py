"""Decrements that are owed to automata: n independent Bernoulli(p_s) steps down, drawn at once when they are needed.

Between two feedbacks to a true clause an excluded automaton receives nothing but such steps, so after n of them its state a is
max(0, a - Binomial(n, p_s)): in distribution exactly what n single steps give. Tables are `wtm.binomial.PendingTable`;
their rows are 1 .. 255 and 256 * 2**i, and any n is a sum of these.
"""

import numpy as np

from wtm.kernels.jit import function, inline
from wtm.kernels.sampling import next_vector, next_word
from wtm.kernels.simd import (
    add_saturating,
    any_set,
    count_reached,
    keep_bytes,
    lanes_equal,
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

_ZERO = np.uint64(0)
_LOW32 = np.uint64(0xFFFFFFFF)


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


@function
def _settle_ties(random, row, first, last, pending_table, scratch):
    """Give 32 more bits to the draws that tied: those bits' number of thresholds not reached comes off the count.

    `scratch` (IN and OUT) holds 64 draws of 16 bits (little-endian), 64 counts, and 64 bytes that are not 0 where a draw tied.
    """
    for lane in range(64):
        if scratch[192 + lane]:
            drawn = np.uint16(scratch[2 * lane]) | np.uint16(np.uint16(scratch[2 * lane + 1]) << np.uint16(8))
            more = next_word(random) >> np.uint64(32)
            for k in range(first, last):
                if pending_table.high[row, k] == drawn and more < np.uint64(pending_table.low[row, k]):
                    scratch[128 + lane] -= np.uint8(1)


@inline
def _draw_counts(random, row, most, pending_table, scratch):
    """64 draws of a row's distribution, as bytes; a draw of `most` stands for any number from there on.

    16 random bits settle a comparison with a threshold of 48 bits unless they equal its upper 16; such ties, one in some
    hundred vectors, get 32 bits more.
    """
    first = pending_table.sure[row]
    last = min(pending_table.stop[row], most)
    low = splat(np.uint64(first) * np.uint64(0x0001000100010001))
    high = low
    tied_low = splat(_ZERO)
    tied_high = tied_low
    x = next_vector(random)
    y = next_vector(random)
    for k in range(first, last):
        limit = pending_table.high[row, k]
        low = count_reached(low, x, limit)
        high = count_reached(high, y, limit)
        tied_low = tied_low | lanes_equal(x, limit)
        tied_high = tied_high | lanes_equal(y, limit)
    counts = narrow(low, high)
    if any_set(tied_low | tied_high):
        store(scratch, 0, x)
        store(scratch, 64, y)
        store(scratch, 128, counts)
        store(scratch, 192, narrow(tied_low, tied_high))
        _settle_ties(random, row, first, last, pending_table, scratch)
        counts = load(scratch, 128)
    return counts


@function
def catch_up(automata, include, clause, n, settled, random, rules, pending_table, scratch):
    """Give every automaton of a clause the `n` steps down that it is owed, but for those that `settled` marks.

    Parameters
    ----------
    automata : ndarray of uint8; IN and OUT
    include : ndarray of uint64; IN and OUT
        Top bits of the automata.
    n : int
        Number of feedbacks, at least 1.
    settled : ndarray of shape (n_words,), uint64; IN
    scratch : ndarray of shape (256,), uint8
        Working space.
    """
    floor = splat_byte(np.uint8(rules.lowest))
    for w in range(rules.n_words):
        at = (clause * rules.n_words + w) * 64
        states = load(automata, at)
        owed = ~settled[w]
        above = keep_bytes(subtract_saturating(states, floor), owed)
        if not any_set(above):
            continue
        most = largest_byte(above)
        total = splat(_ZERO)
        rest = n
        sure = 0
        while rest > 0:
            row, part = _largest_row(rest)
            rest -= part
            sure += pending_table.sure[row]
            if sure >= most:
                # Every automaton of the word falls to the floor for certain: no random numbers needed.
                total = splat_byte(np.uint8(255))
                break
            total = add_saturating(total, _draw_counts(random, row, most, pending_table, scratch))
        states = maximum(subtract_saturating(states, keep_bytes(total, owed)), floor)
        store(automata, at, states)
        include[clause * rules.n_words + w] = top_bits(states)
