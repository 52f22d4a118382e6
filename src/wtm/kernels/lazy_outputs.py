"""The outputs of all clauses on a block of examples: computed at once, and corrected when a clause changes."""

import numpy as np

from wtm.kernels.bits import clear_bit, transpose_block, transpose_tile
from wtm.kernels.jit import function, inline, splice
from wtm.kernels.layout import ALL_BITS, BLOCK, ONE, ZERO
from wtm.kernels.lazy_state import WATCH_STRIDE
from wtm.kernels.records import far, near
from wtm.kernels.simd import any_set, count_trailing_zeros, load, prefetch, splat, store, transpose_words
from wtm.kernels.vote_sums import TILE_STRIDE, add_votes
from wtm.kernels.watched import evaluate_clause, slot_of, watched_outputs


@inline
def begin_block(block, params, rows, start, count):
    """Begin a block with the examples ``rows[start:start + count]``: their literal columns, all of them `later`."""
    for example in range(count):
        block.row_of[example] = rows[start + example] * params.row_words
    transpose_block(block.literals, params.row_words, rows, start, count, params.n_features, block.tile, block.columns)
    for part in range(8):
        filled = min(64, max(0, count - part * 64))
        block.later[part] = ZERO if filled == 0 else ALL_BITS >> np.uint64(64 - filled)


@function
def _order_by_example(clauses, block):
    """Find the true clauses of each example (``block.fired``, OUT), and the sums of their votes (``block.sums``, OUT).

    They follow from the examples of each clause (``block.outputs``, IN).
    """
    clauses, block = near(clauses), near(block)
    words = clauses.used.size
    for i in range(0, BLOCK, 8):
        store(block.sums, i, splat(ZERO))
    for group in range(words // 8):
        for i in range(64):
            transpose_words(block.outputs, (group * BLOCK + i) * 8, BLOCK, block.tile, i * 8, TILE_STRIDE)
        for part in range(8):
            transpose_tile(block.tile, part * TILE_STRIDE)
            for i in range(64):
                line = load(block.tile, part * TILE_STRIDE + i * 8)
                store(block.fired, (part * 64 + i) * words + group * 8, line)
        for place in range(8):
            if clauses.used[group * 8 + place] != ZERO:
                first = (group * 8 + place) * 64
                add_votes(block.sums, clauses.votes, first, block.tile, place, block.vote_tables)


@splice
def evaluate_block(clauses, block, params):
    """Evaluate all clauses for a new block (`reference.clause_outputs` in training)."""
    for clause in range(clauses.exponents.size):
        slot = slot_of(clauses, clause)
        ahead = min(clause + 4, clauses.exponents.size - 1) * WATCH_STRIDE
        prefetch(clauses.watch_list, ahead)
        prefetch(clauses.watch_list, ahead + 16)
        clear_bit(clauses.eager, slot)
        fires = watched_outputs(clauses, block, clause, slot)
        if any_set(fires) and not clauses.fully_watched[slot]:
            store(block.result, 0, fires)
            evaluate_clause(far(clauses), far(block), far(params), clause, slot)
            fires = load(block.result, 0)
        store(block.outputs, slot * 8, fires)
    _order_by_example(far(clauses), far(block))


@function
def _flip_outputs(clauses, block, slot):
    """Change the output of a clause for the examples in ``block.changed`` (IN), and their sums of votes if kept."""
    clauses, block = near(clauses), near(block)
    place, bit, vote = slot >> 6, ONE << np.uint64(slot & 63), clauses.votes[slot]
    for part in range(8):
        remaining = block.changed[part]
        while remaining != ZERO:
            example = part * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            true_clauses = block.fired[example * clauses.used.size + place] ^ bit
            block.fired[example * clauses.used.size + place] = true_clauses
            if block.keeps_sums[0]:
                block.sums[example] += vote if true_clauses & bit != ZERO else -vote


@inline
def change_outputs(clauses, block, slot, fires):
    """Set a clause's outputs for the later examples, in both orders, and correct the sums of votes if kept."""
    changed = (load(block.outputs, slot * 8) ^ fires) & load(block.later, 0)
    store(block.outputs, slot * 8, fires)
    if any_set(changed):
        store(block.changed, 0, changed)
        _flip_outputs(far(clauses), far(block), slot)


@inline
def add_outputs(clauses, block, params, clause, slot, candidates):
    """Set the outputs of a clause that dropped literals, and can have become true for `candidates` only."""
    fires = load(block.outputs, slot * 8) & load(block.later, 0)
    candidates = candidates & ~fires
    if clauses.fully_watched[slot]:
        fires = fires | candidates
    elif any_set(candidates):
        store(block.result, 0, candidates)
        evaluate_clause(far(clauses), far(block), far(params), clause, slot)
        fires = fires | load(block.result, 0)
    change_outputs(clauses, block, slot, fires)
