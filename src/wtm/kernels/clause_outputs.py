"""Clause outputs as bits, 512 examples at a time, and counts of them.

The bits of a clause for a block of 512 examples are eight words: bit i of word w is the output for example 64 w + i of
the block. The words of clause c in block b begin at 8 (b * n_clauses + c).
"""

import numpy as np

from wtm.kernels.bits import transpose_block, transpose_tile
from wtm.kernels.evaluate import block_outputs
from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import BLOCK, ONE, ZERO
from wtm.kernels.simd import count_trailing_zeros, load, popcount, popcount_words, splat, store, sum_words


@kernel
def clause_bits(literals, row_words, n_features, rows, first, last, ends, clause_literals, tile, columns, bits):
    """Outputs of all clauses for examples `first` to `last` - 1 (`reference.clause_outputs` in prediction).

    Parameters
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
    row_words, n_features : int
    rows : ndarray of shape (n_examples,), int64; IN
        Row of `literals` of each example.
    first, last : int
        `first` is the first example of a block.
    ends, clause_literals : ndarray; IN
        As in `wtm.machine.voting.VotingModel`.
    tile, columns : ndarray
        Buffers as in `wtm.kernels.votes.VoteBuffers`.
    bits : ndarray of shape (n_blocks * n_clauses * 8,), uint64; OUT
        0 for clauses without literals, and beyond the last example.
    """
    n_clauses = ends.size - 1
    for start in range(first, last, BLOCK):
        count = min(BLOCK, last - start)
        transpose_block(literals, row_words, rows, start, count, n_features, tile, columns)
        place = start // BLOCK * n_clauses * 8
        for clause in range(n_clauses):
            if ends[clause] < ends[clause + 1]:
                store(bits, place, block_outputs(clause_literals, ends[clause], ends[clause + 1], columns))
            else:
                store(bits, place, splat(ZERO))
            for w in range(count // 64, 8):
                bits[place + w] &= (ONE << np.uint64(max(0, count - w * 64))) - ONE
            place += 8


@inline
def _word(bits, n_clauses, block, clause, w):
    return bits[(block * n_clauses + clause) * 8 + w]


@kernel
def count_by_clause(bits, masks, mask_of, counts):
    """Count the examples of a set for which each clause is true.

    Parameters
    ----------
    bits : ndarray as in `clause_bits`; IN
    masks : ndarray of shape (n_masks * n_blocks * 8,), uint64; IN
        Sets of examples, each as bits.
    mask_of : ndarray of shape (n_clauses,), int64; IN
        The set of each clause.
    counts : ndarray of shape (n_clauses,), int64; OUT
    """
    n_clauses = counts.size
    n_blocks = bits.size // (8 * n_clauses)
    for clause in range(n_clauses):
        total = splat(ZERO)
        for block in range(n_blocks):
            mask = load(masks, (mask_of[clause] * n_blocks + block) * 8)
            total = total + popcount_words(load(bits, (block * n_clauses + clause) * 8) & mask)
        counts[clause] = sum_words(total)


@kernel
def count_decisive(bits, votes, classes, needed, weights, counts):
    """Count the examples, each by its weight, whose decision would differ without each clause.

    Parameters
    ----------
    bits : ndarray as in `clause_bits`; IN
    votes, classes : ndarray of shape (n_clauses,), int64; IN
        Signed weight and class of each clause.
    needed : ndarray of shape (n_classes, n_blocks * 512), int64; IN
        The smallest vote on a class that decides an example: positive, or negative for a vote against it.
    weights : ndarray of shape (n_blocks * 512,), int64; IN
    counts : ndarray of shape (n_clauses,), int64; OUT
    """
    n_clauses = counts.size
    for clause in range(n_clauses):
        vote, index, count = votes[clause], classes[clause], 0
        for i in range(needed.shape[1] // 64):
            remaining = _word(bits, n_clauses, i // 8, clause, i % 8)
            while remaining != ZERO:
                example = i * 64 + count_trailing_zeros(remaining)
                least = needed[index, example]
                count += ((0 < least <= vote) or (0 > least >= vote)) * weights[example]
                remaining &= remaining - ONE
        counts[clause] = count


@kernel
def list_true_clauses(bits, n_clauses, tile, ends, clauses):
    """List the true clauses of each example, in ascending order.

    Parameters
    ----------
    bits : ndarray as in `clause_bits`; IN
    n_clauses : int
    tile : ndarray of shape (512,), uint64
        Buffer.
    ends : ndarray of shape (n_blocks * 512 + 1,), int64; IN and OUT
        0 before. If `clauses` is empty, ``ends[i + 1]`` gets the number of true clauses of example i. Otherwise
        ``ends[i]`` is where the list of example i begins, and gets where it ends.
    clauses : ndarray of int32; OUT
    """
    for block in range(ends.size // BLOCK):
        for first in range(0, n_clauses, 64):
            place = (block * n_clauses + first) * 8
            n_words = min(64, n_clauses - first) * 8
            for i in range(BLOCK):
                tile[i] = bits[place + i] if i < n_words else ZERO
            transpose_tile(tile, 0)  # bit c of word 8 i + w is now clause first + c for example 64 w + i
            for w in range(8):
                for i in range(64):
                    remaining, example = tile[i * 8 + w], block * BLOCK + w * 64 + i
                    if clauses.size == 0:
                        ends[example + 1] += popcount(remaining)
                        continue
                    end = ends[example]
                    while remaining != ZERO:
                        clauses[end] = first + count_trailing_zeros(remaining)
                        remaining &= remaining - ONE
                        end += 1
                    ends[example] = end
