"""Rows of bits: literals of examples as 64-bit words, and transposes.

Layout of an example with o features: bit l of its row is literal l, which is x_l for l < o and NOT x_(l-o) for
o <= l < 2o; the bits from 2o to the end of the row are 1. Bit l is bit l % 64 of word l // 64.
"""

import numpy as np

from wtm.kernels.jit import inline, kernel
from wtm.kernels.simd import load, shift_left, shift_right, splat, store

__all__ = ["BLOCK", "complete_literals", "pack_csr_rows", "transpose_block", "transpose_tile"]

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
def _swap_halves(tile, width, mask):
    """One step of `transpose_tile`: within squares of 2 * width bits, exchange two of the four quarters."""
    kept = splat(mask)
    low = 0
    while low < 64:
        a, b = load(tile, low * 8), load(tile, (low + width) * 8)
        swap = (shift_right(a, width) ^ b) & kept
        store(tile, low * 8, a ^ shift_left(swap, width))
        store(tile, (low + width) * 8, b ^ swap)
        low = (low + width + 1) & ~width


@inline
def transpose_tile(tile):
    """Transpose eight squares of 64 x 64 bits in place, side by side in the lanes of vectors.

    Word 8i + k of `tile` (uint64, shape (512,)) is row i of square k: its bit j becomes bit i of word 8j + k.
    """
    _swap_halves(tile, 32, np.uint64(0x00000000FFFFFFFF))
    _swap_halves(tile, 16, np.uint64(0x0000FFFF0000FFFF))
    _swap_halves(tile, 8, np.uint64(0x00FF00FF00FF00FF))
    _swap_halves(tile, 4, np.uint64(0x0F0F0F0F0F0F0F0F))
    _swap_halves(tile, 2, np.uint64(0x3333333333333333))
    _swap_halves(tile, 1, np.uint64(0x5555555555555555))


@inline
def transpose_block(literals, row_words, rows, start, count, n_features, tile, columns):
    """Literal columns of up to 512 examples.

    Parameters
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
    rows : ndarray of int64; IN
        Examples ``rows[start]`` to ``rows[start + count - 1]`` are taken, ``count`` <= 512.
    n_features : int
    tile : ndarray of shape (512,), uint64
        Working space.
    columns : ndarray of shape (2 * n_features * 8,), uint64; OUT
        Words 8l to 8l + 7 hold literal l of the examples in their order; bits beyond `count` are undefined.
    """
    for w in range((n_features + 63) // 64):
        for part in range(8):
            filled = min(64, max(0, count - part * 64))
            for i in range(filled):
                tile[i * 8 + part] = literals[rows[start + part * 64 + i] * row_words + w]
            for i in range(filled, 64):
                tile[i * 8 + part] = _ZERO
        transpose_tile(tile)
        for i in range(min(64, n_features - w * 64)):
            column = load(tile, i * 8)
            store(columns, (w * 64 + i) * 8, column)
            store(columns, (n_features + w * 64 + i) * 8, ~column)
