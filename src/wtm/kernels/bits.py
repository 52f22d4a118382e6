"""Rows of bits: literals of examples as 64-bit words, and transposes.

In the row of an example with o features, bit l is literal l: x_l for l < o and NOT x_(l-o) for o <= l < 2o. The bits
from 2o to the end of the row are 1.
"""

import numpy as np

from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ALL_BITS, ONE, ZERO
from wtm.kernels.simd import load, shift_left, shift_right, splat, store


@inline
def has_bit(words, i):
    """Whether bit `i` of a row of bits is 1."""
    return (words[i >> 6] >> np.uint64(i & 63)) & ONE != ZERO


@inline
def set_bit(words, i):
    """Set bit `i` of a row of bits to 1."""
    words[i >> 6] |= ONE << np.uint64(i & 63)


@inline
def clear_bit(words, i):
    """Set bit `i` of a row of bits to 0."""
    words[i >> 6] &= ~(ONE << np.uint64(i & 63))


@kernel
def complete_literals(literals, n_features):
    """Complete rows of features: append the negated features, and fill the rest with ones.

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
        # From the back, so that the words of the features are read before they are overwritten.
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
    """Word `w` of the negated features, followed by ones."""
    if w * 64 >= n_features:
        return ALL_BITS
    word = row[w]
    if (w + 1) * 64 > n_features:
        word &= (ONE << np.uint64(n_features % 64)) - ONE
    return ~word


@kernel
def pack_csr_rows(row_ends, columns, values, literals):
    """Set the bits of the nonzero entries of a CSR matrix.

    Parameters
    ----------
    row_ends, columns, values : ndarray; IN
        The matrix's `indptr`, `indices` and `data`.
    literals : ndarray of shape (n_rows, n_words), uint64; IN and OUT
        All 0 before.
    """
    for row in range(row_ends.size - 1):
        for entry in range(row_ends[row], row_ends[row + 1]):
            if values[entry]:
                set_bit(literals[row], columns[entry])


@inline
def _swap_halves(tile, first, width, mask):
    """One step of `transpose_tile`: swap two of the four quarters of each square of 2 * width bits."""
    kept = splat(mask)
    low = 0
    while low < 64:
        i, j = first + low * 8, first + (low + width) * 8
        a, b = load(tile, i), load(tile, j)
        swap = (shift_right(a, width) ^ b) & kept
        store(tile, i, a ^ shift_left(swap, width))
        store(tile, j, b ^ swap)
        low = (low + width + 1) & ~width


@inline
def transpose_tile(tile, first):
    """Transpose eight squares of 64 x 64 bits in place, one in each lane of the vectors.

    Word 8i + k of the 512 words of `tile` (uint64) from `first` on is row i of square k: its bit j becomes bit i of
    word 8j + k.
    """
    _swap_halves(tile, first, 32, np.uint64(0x00000000FFFFFFFF))
    _swap_halves(tile, first, 16, np.uint64(0x0000FFFF0000FFFF))
    _swap_halves(tile, first, 8, np.uint64(0x00FF00FF00FF00FF))
    _swap_halves(tile, first, 4, np.uint64(0x0F0F0F0F0F0F0F0F))
    _swap_halves(tile, first, 2, np.uint64(0x3333333333333333))
    _swap_halves(tile, first, 1, np.uint64(0x5555555555555555))


@inline
def transpose_block(literals, row_words, rows, start, count, n_features, tile, columns):
    """Compute the literal columns of up to 512 examples.

    Parameters
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
    rows : ndarray of int64; IN
        Examples ``rows[start]`` to ``rows[start + count - 1]`` are taken, ``count`` <= 512.
    n_features : int
    tile : ndarray of shape (512,), uint64
        Buffer.
    columns : ndarray of shape (2 * n_features * 8,), uint64; OUT
        Words 8l to 8l + 7 hold literal l of the examples, in order; bits beyond `count` are undefined.
    """
    for w in range((n_features + 63) // 64):
        for part in range(8):
            filled = min(64, max(0, count - part * 64))
            for i in range(filled):
                tile[i * 8 + part] = literals[rows[start + part * 64 + i] * row_words + w]
            for i in range(filled, 64):
                tile[i * 8 + part] = ZERO
        transpose_tile(tile, 0)
        for i in range(min(64, n_features - w * 64)):
            column = load(tile, i * 8)
            store(columns, (w * 64 + i) * 8, column)
            store(columns, (n_features + w * 64 + i) * 8, ~column)


@kernel
def assign_examples(order, labels, others, next_place, rows, targets):
    """Assign each example to the class of its label and to its other class, in one pass for any number of classes.

    Parameters
    ----------
    order, labels, others : ndarray of shape (n_rows,), int64; IN
        Row, label and other class of each example, in the order of training.
    next_place : ndarray of shape (n_classes,), int64; IN and OUT
        Where the part of each class begins in `rows`; where it ends after the call.
    rows, targets : ndarray of shape (2 * n_rows,), int64 and float64; OUT
        Row of each example, and its target: 1 for the class of its label, -1 for another.
    """
    for i in range(order.size):
        for is_target in (True, False):
            machine = labels[i] if is_target else others[i]
            place = next_place[machine]
            rows[place] = order[i]
            targets[place] = 1.0 if is_target else -1.0
            next_place[machine] = place + 1
