"""The layout of literals, automata and weights in memory, which all kernels share.

A row of bits is an array of 64-bit words: bit i is bit i % 64 of word i // 64. Kernels read words eight at a time, as
vectors of 512 bits. An automaton is a byte: its state 0 .. 2N - 1 plus `BORDER` - N, so that it includes its literal
exactly when the top bit of the byte is set, whatever N is.
"""

import numpy as np

WORD_BITS = 64
"""Bits of a word; a clause has this many automata, one byte each, per word of its include bits."""

VECTOR_WORDS = 8
"""Words of a vector. Rows of literals are padded to whole vectors."""

BLOCK = WORD_BITS * VECTOR_WORDS
"""Number of examples that are evaluated at once, one per bit of a vector."""

BORDER = 128
"""The lowest byte of an automaton that includes its literal."""

WORD_DTYPE = np.uint64
STATE_DTYPE = np.uint8  # up to 256 states; the top bit of a byte, 64 at a time, is a vector instruction
EXPONENT_DTYPE = np.int32  # the largest exponent is 2**20, and files stay small
VOTE_DTYPE = np.int64  # weights in fixed point: integer sums don't depend on the order, and none overflows

# Typed, since Numba turns an operation on a word and a plain integer into one on floats.
ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
LOW_32 = np.uint64(0xFFFFFFFF)


def words_for(n_bits: int) -> int:
    """Number of words that hold `n_bits` bits."""
    return -(-n_bits // WORD_BITS)


def padded_words_for(n_bits: int) -> int:
    """Number of words that hold `n_bits` bits, padded to whole vectors."""
    return -(-n_bits // BLOCK) * VECTOR_WORDS


def slots_for(n_clauses: int) -> int:
    """Number of slots of a lazy engine: for either half of the clauses, whole vectors of bits."""
    return 2 * (-(-(n_clauses // 2) // BLOCK) * BLOCK)


def aligned_words(*sizes: int) -> list[np.ndarray]:
    """Return uninitialized uint64 arrays of these sizes, all of them whole vectors, at multiples of 64 bytes.

    Each vector then lies in one line of the cache; those that lie in two take twice as long to read.
    """
    words = np.empty(sum(sizes) + VECTOR_WORDS, WORD_DTYPE)
    start = -words.ctypes.data // 8 % VECTOR_WORDS
    arrays = []
    for size in sizes:
        arrays.append(words[start : start + size])
        start += size
    return arrays
