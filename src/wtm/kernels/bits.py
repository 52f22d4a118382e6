"""Rows of bits: literals of examples as 64-bit words, and 64 x 64 transposes.

Layout of an example with o features: bit l of its row is literal l, which is x_l for l < o and NOT x_(l-o) for
o <= l < 2o; the bits from 2o to the end of the row are 1. Bit l is bit l % 64 of word l // 64.
"""

import numpy as np

from wtm.kernels.jit import inline, kernel

__all__ = ["BLOCK", "complete_literals", "pack_csr_rows", "transpose_64x64", "transpose_block"]

BLOCK = 512
"""Examples that are evaluated at once: a bit of a vector each."""

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def complete_literals(literals, n_features):
    """Write the negated features and the row's tail of ones behind the features.

    Parameters
    ----------
    literals : ndarray of shape (n_rows, n_words), uint64; IN and OUT
        Bits 0 to `n_features` - 1 of each row hold the features, all other bits are 0.
    n_features : int
        Number of features o; a row has at least 2o bits.
    """
    n_rows, n_words = literals.shape
    full, rest = n_features // 64, n_features % 64
    for row in range(n_rows):
        # From the back, so that the features' own words are read before they are written.
        for w in range(n_words - 1, full - 1, -1):
            word = _negated_word(literals[row], w - full, n_features)
            if rest:
                word = word << np.uint64(rest)
                if w > full:
                    word |= _negated_word(literals[row], w - full - 1, n_features) >> np.uint64(64 - rest)
            if w == full:
                word |= literals[row, w]
            literals[row, w] = word


@inline
def _negated_word(row, w, n_features):
    """Word `w` of the complement of the features, continued with ones."""
    if w * 64 >= n_features:
        return _ALL
    word = row[w]
    if (w + 1) * 64 > n_features:
        word &= (_ONE << np.uint64(n_features % 64)) - _ONE
    return ~word


@kernel
def pack_csr_rows(row_ends, columns, values, literals):
    """Set the bits of the nonzero entries of a CSR matrix; `literals` is all 0 before. IN, IN, IN, OUT."""
    for row in range(row_ends.size - 1):
        for entry in range(row_ends[row], row_ends[row + 1]):
            if values[entry]:
                column = columns[entry]
                literals[row, column >> 6] |= _ONE << np.uint64(column & 63)


@inline
def transpose_64x64(block):
    """Transpose 64 words in place: bit j of word i becomes bit i of word j (halves, quarters, ... swapped)."""
    width = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while width:
        shift = np.uint64(width)
        low = 0
        while low < 64:
            swap = ((block[low] >> shift) ^ block[low + width]) & mask
            block[low] ^= swap << shift
            block[low + width] ^= swap
            low = (low + width + 1) & ~width
        width >>= 1
        mask ^= mask << np.uint64(width)


@inline
def transpose_block(literals, row_words, rows, start, count, n_features, block, columns):
    """Literal columns of up to 512 examples.

    Parameters
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
    rows : ndarray of int64; IN
        Examples ``rows[start]`` to ``rows[start + count - 1]`` are taken, ``count`` <= 512.
    n_features : int
    block : ndarray of shape (64,), uint64
        Working space.
    columns : ndarray of shape (2 * n_features * 8,), uint64; OUT
        Words 8l to 8l + 7 hold literal l of the examples in their order; bits beyond `count` are undefined.
    """
    for w in range((n_features + 63) // 64):
        for part in range((count + 63) // 64):
            filled = min(64, count - part * 64)
            for i in range(filled):
                block[i] = literals[rows[start + part * 64 + i] * row_words + w]
            for i in range(filled, 64):
                block[i] = _ZERO
            transpose_64x64(block)
            for i in range(min(64, n_features - w * 64)):
                feature = w * 64 + i
                columns[feature * 8 + part] = block[i]
                columns[(n_features + feature) * 8 + part] = ~block[i]
