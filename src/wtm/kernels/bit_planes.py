"""Counts of bits, for 512 examples at once: *plane* b, a vector, holds bit b of the counts of all examples."""

from wtm.kernels.jit import inline
from wtm.kernels.layout import VECTOR_WORDS, ZERO
from wtm.kernels.simd import load, splat, store

AT_A_TIME = 15
"""Bits of an example that four planes can count."""


@inline
def first_count(bits):
    """Four planes that count one bit of each example."""
    return bits, splat(ZERO), splat(ZERO), splat(ZERO)


@inline
def count_one_more(counts, bits):
    """Four planes that count one bit more; at most `AT_A_TIME` in all."""
    ones, twos, fours, eights = counts
    carry_twos = ones & bits
    carry_fours = twos & carry_twos
    return ones ^ bits, twos ^ carry_twos, fours ^ carry_fours, eights ^ (fours & carry_fours)


@inline
def store_counts(planes, first, counts):
    """Store four planes from ``planes[first]`` on (OUT)."""
    ones, twos, fours, eights = counts
    store(planes, first, ones)
    store(planes, first + VECTOR_WORDS, twos)
    store(planes, first + 2 * VECTOR_WORDS, fours)
    store(planes, first + 3 * VECTOR_WORDS, eights)


@inline
def add_to_plane(planes, place, bits, carry):
    """Add two bits of each example to the plane at ``planes[place]`` (IN and OUT); returns the carries."""
    plane = load(planes, place)
    either = plane ^ bits
    store(planes, place, either ^ carry)
    return (plane & bits) | (either & carry)


@inline
def add_counts(planes, first, counts):
    """Add four planes to those from ``planes[first]`` on (IN and OUT); returns the carries to the fifth."""
    ones, twos, fours, eights = counts
    carry = add_to_plane(planes, first, ones, splat(ZERO))
    carry = add_to_plane(planes, first + VECTOR_WORDS, twos, carry)
    carry = add_to_plane(planes, first + 2 * VECTOR_WORDS, fours, carry)
    return add_to_plane(planes, first + 3 * VECTOR_WORDS, eights, carry)
