"""Random streams, and the three samplers of a Bernoulli process over the literals of a clause.

The random state of a machine is an array of 18 words: eight xoroshiro128++ generators of two words that step together
as a vector (words 0 to 7 and 8 to 15), and one more for scalar draws (words 16 and 17).

All samplers take probabilities in fractions of 2**32, `threshold` = round(p * 2**32).
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.bits import has_bit
from wtm.kernels.distribution_tables import BinomialTable
from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ALL_BITS, LOW_32, ONE, ZERO
from wtm.kernels.simd import any_set, load, popcount, rotate_left, shift_left, splat, store

BERNOULLI, BINOMIAL, BITS = 0, 1, 2
CERTAIN = 1 << 32
"""The threshold of probability 1."""

RANDOM_WORDS = 18
_SCALAR = 16  # first word of the scalar generator


class Sampler(NamedTuple):
    """A Bernoulli process and how to draw it.

    Attributes
    ----------
    kind : int
        `BERNOULLI`, `BINOMIAL` or `BITS`.
    threshold : int
        Probability in fractions of 2**32.
    binomial : BinomialTable
        Distribution of the number of successes; used by `BINOMIAL` only.
    """

    kind: int
    threshold: int
    binomial: BinomialTable


@inline
def next_word(random):
    """64 random bits of the scalar stream (xoroshiro128++ of Blackman and Vigna)."""
    a, b = random[_SCALAR], random[_SCALAR + 1]
    total = a + b
    b ^= a
    random[_SCALAR] = ((a << np.uint64(49)) | (a >> np.uint64(15))) ^ b ^ (b << np.uint64(21))
    random[_SCALAR + 1] = (b << np.uint64(28)) | (b >> np.uint64(36))
    return ((total << np.uint64(17)) | (total >> np.uint64(47))) + a


@kernel
def draw_words(random, words):
    """Fill the array `words`, uint64, with random bits of the scalar stream."""
    for i in range(words.size):
        words[i] = next_word(random)


@inline
def next_vector(a, b):
    """512 random bits and the next state: eight generators make one step each."""
    drawn = rotate_left(a + b, 17) + a
    b = b ^ a
    return drawn, rotate_left(a, 49) ^ b ^ shift_left(b, 21), rotate_left(b, 28)


@inline
def bernoulli_vector(random, threshold):
    """512 independent bits, each 1 with probability threshold / 2**32.

    Equal to comparing 32 random binary digits per bit with the threshold. The digits are drawn one at a time, from the
    highest: a comparison is decided by the first digit that differs, and all 512 take about ten digits on average. No
    more digits are drawn once those left in the threshold are all 0.
    """
    less = splat(ZERO)
    if threshold >= CERTAIN:
        return ~less
    equal = ~less
    a = load(random, 0)
    b = load(random, 8)
    remaining = threshold
    digit = np.int64(1) << 31
    while remaining != 0:
        drawn, a, b = next_vector(a, b)
        if remaining & digit:
            less = less | (equal & ~drawn)
            equal = equal & drawn
            remaining ^= digit
        else:
            equal = equal & ~drawn
        if not any_set(equal):
            break
        digit >>= 1
    store(random, 0, a)
    store(random, 8, b)
    return less


@inline
def draw_gap(random, gap_table):
    """Number of failures before the next success of a Bernoulli(p_s) process.

    Compares 32 random bits with P(G > g) for g = 0, 1, ...: the probability of each gap is exact to 2**-32. Beyond
    the end of the table the process starts again, since it is memoryless.
    """
    gap = 0
    while True:
        x = next_word(random) >> np.uint64(32)
        g = np.int64(gap_table.guide[x >> np.uint64(20)])
        while g < gap_table.survival.size and x < np.uint64(gap_table.survival[g]):
            g += 1
        gap += g
        if g < gap_table.survival.size:
            return gap


@inline
def _fill_bernoulli(random, mask, n_literals, threshold):
    """One draw per literal (the paper's baseline)."""
    limit = np.uint64(threshold)
    for start in range(0, n_literals, 64):
        word = ZERO
        for bit in range(min(64, n_literals - start)):
            word |= np.uint64((next_word(random) >> np.uint64(32)) < limit) << np.uint64(bit)
        mask[start >> 6] = word


@inline
def _draw_count(random, binomial):
    """Draw a binomial count: the first k with r < P(S <= k) for 64 random bits r."""
    r = next_word(random)
    k = binomial.guide[r >> np.uint64(56)]
    while r >= binomial.cumulative[k] and k < binomial.cumulative.size - 1:
        k += 1
    return k


@inline
def _fill_binomial(random, mask, n_literals, binomial):
    """Algorithm 1: draw the exact count, then that many distinct positions by rejection.

    If the count is above one half, the positions that stay 0 are drawn: the same distribution, fewer rejections.
    """
    count = _draw_count(random, binomial)
    n_words = (n_literals + 63) >> 6
    complement = 2 * count > n_literals
    if complement:
        count = n_literals - count
    for w in range(n_words):
        mask[w] = ZERO
    size = np.uint64(n_literals)
    # Lemire's method: the high half of the product is uniform if its low half is not among the 2**32 % size lowest.
    rejected = (LOW_32 - size + ONE) % size
    while count > 0:
        r = next_word(random)
        for _ in range(2):
            product = (r & LOW_32) * size
            r >>= np.uint64(32)
            position = product >> np.uint64(32)
            w = position >> np.uint64(6)
            bit = position & np.uint64(63)
            # Without branches, since their outcome is random and the processor would often predict it wrong.
            fresh = np.uint64((product & LOW_32) >= rejected) & np.uint64(count > 0) & ~(mask[w] >> bit)
            mask[w] |= fresh << bit
            count -= np.int64(fresh)
    if complement:
        for w in range(n_words):
            mask[w] = ~mask[w]


@inline
def _fill_bits(random, mask, n_literals, threshold):
    """One `bernoulli_vector` per 512 literals."""
    for w in range(0, (n_literals + 63) >> 6, 8):
        store(mask, w, bernoulli_vector(random, threshold))


@inline
def fill_mask(random, mask, n_literals, sampler):
    """Draw a Bernoulli process over the literals of a clause.

    Parameters
    ----------
    random : ndarray of shape (18,), uint64; IN and OUT
    mask : ndarray, uint64; OUT
        Bit l is the draw of literal l; a multiple of 8 words. Bits from `n_literals` on are undefined.
    n_literals : int
    sampler : Sampler
    """
    if sampler.kind == BITS:
        _fill_bits(random, mask, n_literals, sampler.threshold)
    elif sampler.kind == BINOMIAL:
        _fill_binomial(random, mask, n_literals, sampler.binomial)
    else:
        _fill_bernoulli(random, mask, n_literals, sampler.threshold)


@kernel
def fill_masks(random, mask, n_literals, sampler, n_draws, count_histogram, position_counts):
    """Draw `n_draws` masks; for tests and timing.

    Adds the number of successes of each mask to ``count_histogram`` (int64, shape (n_literals + 1,), OUT), and the
    successes of each literal to ``position_counts`` (int64, OUT; unchanged if it is empty).
    """
    last = (n_literals - 1) >> 6
    tail = ALL_BITS >> np.uint64(63 - ((n_literals - 1) & 63))
    for _ in range(n_draws):
        fill_mask(random, mask, n_literals, sampler)
        mask[last] &= tail
        count = 0
        for w in range(last + 1):
            count += popcount(mask[w])
        for literal in range(position_counts.size):
            position_counts[literal] += np.int64(has_bit(mask, literal))
        count_histogram[count] += 1
