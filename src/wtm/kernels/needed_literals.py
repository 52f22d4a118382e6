"""Which literals of a clause are needed to keep it false where it is."""

import numpy as np

from wtm.kernels.bits import transpose_block
from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import BLOCK, ZERO
from wtm.kernels.simd import load, popcount_words, splat, store, sum_words


@kernel
def feature_columns(literals, row_words, n_features, rows, tile, block_columns, columns):
    """Transpose examples into columns of bits.

    Parameters
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
    row_words, n_features : int
    rows : ndarray of shape (n_examples,), int64; IN
    tile, block_columns : ndarray
        Buffers as in `wtm.kernels.votes.VoteBuffers`.
    columns : ndarray of shape (n_features * n_words,), uint64; OUT
        Bits of each feature, `n_words` words for all examples: whole blocks, 0 beyond the last example.
    """
    n_words = (rows.size + BLOCK - 1) // BLOCK * 8
    for start in range(0, rows.size, BLOCK):
        count = min(BLOCK, rows.size - start)
        transpose_block(literals, row_words, rows, start, count, n_features, tile, block_columns)
        for feature in range(n_features):
            store(columns, feature * n_words + start // 64, load(block_columns, feature * 8))


@inline
def _column(columns, n_features, n_words, literal, w):
    """Eight words of a literal's column, from word `w` on."""
    if literal < n_features:
        return load(columns, literal * n_words + w)
    return ~load(columns, (literal - n_features) * n_words + w)


@inline
def _count_open(columns, n_features, n_words, literals, kept, start, stop, left_out, is_example, open_rows):
    """Count the examples for which all kept literals but one are true, and write them to `open_rows`."""
    total = splat(ZERO)
    for w in range(0, n_words, 8):
        rows = load(is_example, w)
        for i in range(start, stop):
            if kept[i] and i != left_out:
                rows = rows & _column(columns, n_features, n_words, np.int64(literals[i]), w)
        store(open_rows, w, rows)
        total = total + popcount_words(rows)
    return sum_words(total)


@inline
def _count_left(columns, n_features, n_words, literal, open_rows):
    """Count the examples in `open_rows` for which a literal is true."""
    total = splat(ZERO)
    for w in range(0, n_words, 8):
        total = total + popcount_words(load(open_rows, w) & _column(columns, n_features, n_words, literal, w))
    return sum_words(total)


@kernel
def choose_literals(columns, n_features, is_example, ends, literals, tolerance, first, last, open_rows, kept):
    """Choose few literals of each clause that keep it false for the examples for which it is.

    Greedily: first the literal that is false for the most examples, then the one that is false for the most others, and
    so on; then literals are dropped that the others make superfluous.

    Parameters
    ----------
    columns : ndarray as in `feature_columns`; IN
    n_features : int
    is_example : ndarray of shape (n_words,), uint64; IN
        A bit for each example, 0 beyond the last.
    ends, literals : ndarray; IN
        As in `wtm.machine.voting.VotingModel`.
    tolerance : float
        A clause may become true for this many more examples, as a share of those for which it is true.
    first, last : int
        The clauses.
    open_rows : ndarray of shape (n_words,), uint64
        Buffer.
    kept : ndarray of the shape of `literals`, bool; OUT
        None of a clause that is true for no example.
    """
    n_words = is_example.size
    shape = columns, n_features, n_words
    for clause in range(first, last):
        start, stop = ends[clause], ends[clause + 1]
        if start == stop:
            continue
        for i in range(start, stop):
            kept[i] = True
        n_true = _count_open(*shape, literals, kept, start, stop, -1, is_example, open_rows)
        for i in range(start, stop):
            kept[i] = False
        if n_true == 0:
            continue
        limit = n_true + np.int64(tolerance * n_true)
        n_open = _count_open(*shape, literals, kept, start, stop, -1, is_example, open_rows)
        n_kept = 0
        while n_kept == 0 or n_open > limit:
            best, least = start, n_open + 1
            for i in range(start, stop):
                if not kept[i]:
                    n_left = _count_left(*shape, np.int64(literals[i]), open_rows)
                    if n_left < least:
                        best, least = i, n_left
            kept[best] = True
            n_kept += 1
            n_open = least
            for w in range(0, n_words, 8):
                column = _column(*shape, np.int64(literals[best]), w)
                store(open_rows, w, load(open_rows, w) & column)
        for i in range(start, stop):
            if kept[i] and n_kept > 1:
                n_open = _count_open(*shape, literals, kept, start, stop, i, is_example, open_rows)
                if n_open <= limit:
                    kept[i] = False
                    n_kept -= 1
