"""An epoch of a machine of a convolution, event by event: the process of `wtm.kernels.conv_direct`.

The literals of all patches of an image are columns of bits, so a clause is evaluated on 512 patches at once
(`wtm.kernels.conv_outputs`). As in `wtm.kernels.lazy`, Type I feedback to a false clause is only counted for its
excluded automata (`wtm.kernels.pending`), and the trials of the automata that are watched form one sequence, of which
only the successes need work. All included literals are watched (`wtm.kernels.watched_bits`).

Each clause meets each image once, so there are no blocks of examples. Feedback to a true clause is for one of the
patches for which it is true, which is drawn only then.
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.bits import has_bit, set_bit
from wtm.kernels.conv_direct import draw_below
from wtm.kernels.conv_outputs import is_true, list_included, list_stride, true_patches
from wtm.kernels.direct import error_of, move_weight, update_threshold
from wtm.kernels.distribution_tables import GapTable, PendingTable
from wtm.kernels.feedback import N_SATURATED, N_TYPE_I, N_TYPE_II, exceeds_budget, type_i_false
from wtm.kernels.fuzzy_feedback import count_included
from wtm.kernels.image_columns import PatchGrid, image_columns, n_columns, patch_literals, string_words
from wtm.kernels.jit import function, inline, kernel
from wtm.kernels.layout import ONE, VECTOR_WORDS, WORD_BITS, WORD_DTYPE, ZERO
from wtm.kernels.lazy_state import slot_arrays
from wtm.kernels.pending import flush_and_update
from wtm.kernels.records import by_reference, far, near
from wtm.kernels.sampling import bernoulli_vector, draw_gap
from wtm.kernels.simd import (
    any_set,
    count_trailing_zeros,
    load,
    popcount,
    popcount_words,
    prefetch,
    store,
    sum_words,
)
from wtm.kernels.watched import clause_of
from wtm.kernels.watched_bits import flush_watched, step_watched_down, watched_literal


class ConvClauses(NamedTuple):
    """The machine, and the engine's state of each clause: as `wtm.kernels.fuzzy_lazy.FuzzyClauses`.

    Attributes
    ----------
    masks : ndarray of shape (n_clauses * n_vectors * 8,), uint64
        The patches that each clause looks at, see `wtm.kernels.conv_outputs`.
    columns_of : ndarray of shape (n_clauses * stride,), int32
        The list of columns of each clause.
    list_ends : ndarray of shape (n_clauses,), int64
        Where the list of each clause ends in `columns_of`.
    """

    automata: np.ndarray
    include: np.ndarray
    exponents: np.ndarray
    random: np.ndarray
    votes: np.ndarray
    used: np.ndarray
    n_pending: np.ndarray
    n_watched: np.ndarray
    n_included: np.ndarray
    watched: np.ndarray
    masks: np.ndarray
    columns_of: np.ndarray
    list_ends: np.ndarray
    gap: np.ndarray
    pending_table: PendingTable
    gap_table: GapTable


class ConvBlock(NamedTuple):
    """The current image, and buffers: as `wtm.kernels.lazy_state.Block`, where nothing else is said.

    Attributes
    ----------
    images : ndarray of shape (n_rows * grid.image_words,), uint64
        All images.
    patches, positions : ndarray of uint64
        Of `wtm.kernels.image_columns.all_patches` and `position_columns`, flat.
    columns : ndarray of shape (n_vectors * n_columns(grid) * 8,), uint64
        For each literal that is a pixel, the patches of the image for which it is true.
    string, features : ndarray of uint64
        Buffers of `wtm.kernels.image_columns`.
    literals : ndarray of shape (row_words,), uint64
        Literals of a patch.
    found : ndarray of shape (n_vectors * 8,), uint64
        Patches for which a clause is true.
    fired : ndarray of shape (n_slots / 64,), uint64
        Slots of the clauses that are true for the image.
    """

    images: np.ndarray
    patches: np.ndarray
    positions: np.ndarray
    columns: np.ndarray
    string: np.ndarray
    features: np.ndarray
    literals: np.ndarray
    found: np.ndarray
    fired: np.ndarray
    selected: np.ndarray
    watched: np.ndarray
    newly_included: np.ndarray
    drawn: np.ndarray
    raised: np.ndarray
    limits: np.ndarray
    limits_if_false: np.ndarray


# --- Outputs ------------------------------------------------------------------------------------------------


@inline
def _list_clause(clauses, block, params, grid, clause):
    """Bring the mask and the list of a clause up to date."""
    first = clause * (clauses.columns_of.size // clauses.exponents.size)
    clauses.list_ends[clause] = list_included(
        clauses.include, clause, params, grid, block.patches, block.positions, clauses.masks, clauses.columns_of, first
    )


@inline
def _evaluate(clauses, block, grid):
    """Find the clauses that are true for the image, ``block.fired`` (OUT), and return their sum of votes."""
    n_clauses, n_slots = clauses.exponents.size, clauses.votes.size
    stride = clauses.columns_of.size // n_clauses
    total = np.int64(0)
    for w in range(block.fired.size):
        block.fired[w] = ZERO
    for clause in range(n_clauses):
        ahead = min(clause + 2, n_clauses - 1)
        prefetch(clauses.masks, ahead * grid.n_vectors * 8)
        prefetch(clauses.columns_of, ahead * stride)
        prefetch(clauses.columns_of, ahead * stride + 16)
        first, end = clause * stride, clauses.list_ends[clause]
        if is_true(clauses.masks, clause, clauses.columns_of, first, end, block.columns, grid):
            slot = clause if 2 * clause < n_clauses else clause - n_clauses // 2 + n_slots // 2
            set_bit(block.fired, slot)
            total += clauses.votes[slot]
    return total


@inline
def _draw_patch(clauses, block, grid, clause):
    """Draw one of the patches for which a clause is true (`reference.drawn_patch`)."""
    first = clause * (clauses.columns_of.size // clauses.exponents.size)
    n_true = np.int64(0)
    for vector in range(grid.n_vectors):
        found = true_patches(
            clauses.masks, clause, clauses.columns_of, first, clauses.list_ends[clause], block.columns, grid, vector
        )
        store(block.found, vector * 8, found)
        n_true += sum_words(popcount_words(found))
    k = draw_below(clauses.random, n_true)
    w = 0
    n = popcount(block.found[0])
    while k >= n:
        k -= n
        w += 1
        n = popcount(block.found[w])
    remaining = block.found[w]
    for _ in range(k):
        remaining &= remaining - ONE
    return w * 64 + count_trailing_zeros(remaining)


# --- False clauses ------------------------------------------------------------------------------------------


@function
def _step_down(clauses, block, params, grid, clause, slot, k):
    """Take a watched automaton one step down."""
    clauses, block, params = near(clauses), near(block), near(params)
    if step_watched_down(clauses, params, clause, watched_literal(clauses, params, clause, k)):
        clauses.n_included[slot] -= 1
        _list_clause(clauses, block, params, grid, clause)


@inline
def _update_false(clauses, block, params, grid, slot):
    """Type I feedback to a false clause (`reference.type_i`): pending, or trials of watched automata."""
    clauses.n_pending[slot] += 1
    n_trials = np.int64(clauses.n_watched[slot])
    gap = clauses.gap[0]
    while gap < n_trials:
        _step_down(far(clauses), far(block), far(params), grid, clause_of(clauses, slot), slot, gap)
        gap += 1 + draw_gap(clauses.random, clauses.gap_table)
    clauses.gap[0] = gap - n_trials


# --- True clauses -------------------------------------------------------------------------------------------


@inline
def _update_dropped(clauses, block, params, clause):
    """Type I feedback to a true clause, to its watched automata that dropped their literals: false ones step down."""
    for w in range(params.n_words):
        word = clause * params.n_words + w
        remaining = clauses.watched[word] & ~clauses.include[word] & ~block.literals[w]
        while remaining != ZERO:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            if clauses.gap[0] > 0:
                clauses.gap[0] -= 1
                continue
            clauses.gap[0] = draw_gap(clauses.random, clauses.gap_table)
            step_watched_down(clauses, params, clause, literal)


@inline
def _update_as_false(clauses, block, params, grid, clause, slot):
    """Type I feedback to a flushed clause that exceeds its literal budget, as to a false one."""
    for w in range(0, params.n_words, 8):
        store(block.drawn, w, bernoulli_vector(clauses.random, params.p_threshold))
    type_i_false(clauses.automata, clauses.include, clause, block.drawn, params)
    clauses.n_included[slot] = count_included(clauses.include, clause, params.n_words)
    flush_watched(clauses, block, params, clause, slot)
    _list_clause(clauses, block, params, grid, clause)


@function
def _update_true(clauses, block, params, grid, row, slot, is_type_i):
    """Type I or Type II feedback to a true clause (`reference.type_i`, `reference.type_ii`)."""
    clauses, block, params = near(clauses), near(block), near(params)
    clause = clause_of(clauses, slot)
    if is_type_i and exceeds_budget(clauses.include, clause, params):  # all included literals are watched
        flush_watched(clauses, block, params, clause, slot)
        _update_as_false(clauses, block, params, grid, clause, slot)
        return
    patch = _draw_patch(clauses, block, grid, clause)
    patch_literals(block.images, row, grid, patch, block.features, block.literals, 0, block.literals.size)
    if is_type_i:
        _update_dropped(clauses, block, params, clause)
        if not params.boost_true_positive:
            for w in range(0, params.n_words, 8):
                store(block.raised, w, ~bernoulli_vector(clauses.random, params.p_threshold))
    for w in range(params.n_words):
        block.watched[w] = clauses.watched[clause * params.n_words + w]
    flush_and_update(clauses, block, params, clause, np.int64(clauses.n_pending[slot]), 0, is_type_i)
    clauses.n_pending[slot] = 0
    n_new = np.int64(0)
    for w in range(params.n_words):
        clauses.watched[clause * params.n_words + w] = clauses.include[clause * params.n_words + w]
        n_new += popcount(block.newly_included[w])
    clauses.n_included[slot] += n_new
    clauses.n_watched[slot] = clauses.n_included[slot]
    if n_new > 0:
        _list_clause(clauses, block, params, grid, clause)


# --- Examples -----------------------------------------------------------------------------------------------


@inline
def _update_selected(clauses, block, params, grid, row, group, is_type_i, counts):
    """Give feedback to the true clauses in ``block.selected``, of a group of slots."""
    for part in range(8):
        remaining = block.selected[part]
        while remaining != ZERO:
            slot = (group * 8 + part) * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            _update_true(far(clauses), far(block), far(params), grid, row, slot, is_type_i)
            step = 1 if is_type_i else -1
            counts[N_SATURATED] += move_weight(
                clauses.exponents, clauses.votes, clause_of(clauses, slot), slot, step, params.fixed_weights
            )


@inline
def _give_type_i(clauses, block, params, grid, row, group, update, counts):
    """Select clauses of a group of slots for Type I feedback, and give it to them."""
    selected = bernoulli_vector(clauses.random, update) & load(clauses.used, group * 8)
    counts[N_TYPE_I] += sum_words(popcount_words(selected))
    fired = load(block.fired, group * 8)
    store(block.selected, 0, selected & ~fired)
    for part in range(8):
        remaining = block.selected[part]
        while remaining != ZERO:
            slot = (group * 8 + part) * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            _update_false(clauses, block, params, grid, slot)
    store(block.selected, 0, selected & fired)
    _update_selected(clauses, block, params, grid, row, group, True, counts)


@inline
def _give_type_ii(clauses, block, params, grid, row, group, update, counts):
    """Select true clauses of a group of slots for Type II feedback, and give it to them."""
    fired = load(block.fired, group * 8)
    if any_set(fired):
        selected = bernoulli_vector(clauses.random, update) & fired
        counts[N_TYPE_II] += sum_words(popcount_words(selected))
        store(block.selected, 0, selected)
        _update_selected(clauses, block, params, grid, row, group, False, counts)


@kernel
def conv_lazy_epoch(rows, targets, grid, params, clauses, block, counts):
    """Train one machine on the images that it sees, in order (`reference.ConvolutionalMachine.train`, in distribution).

    Parameters
    ----------
    rows, targets, grid, params, counts
        See `wtm.kernels.conv_direct.conv_direct_epoch`.
    clauses : ConvClauses; IN and OUT
    block : ConvBlock
    """
    params, clauses, block = by_reference(params), by_reference(clauses), by_reference(block)
    n_groups = clauses.used.size // 16  # of either polarity
    if rows.size > 0:
        clauses.gap[0] = draw_gap(clauses.random, clauses.gap_table)
    for slot in range(clauses.n_pending.size):
        if has_bit(clauses.used, slot):
            clause = clause_of(clauses, slot)
            clauses.n_included[slot] = count_included(clauses.include, clause, params.n_words)
            flush_watched(clauses, block, params, clause, slot)
            _list_clause(clauses, block, params, grid, clause)
    for example in range(rows.size):
        row = rows[example] * grid.image_words
        image_columns(block.images, row, grid, block.patches, block.string, block.columns)
        error = error_of(_evaluate(clauses, block, grid), params, targets[example])
        update = update_threshold(error, params)
        if update == 0:
            continue
        first = 0 if error > 0 else n_groups  # of the polarity that gets Type I feedback
        for group in range(first, first + n_groups):
            _give_type_i(clauses, block, params, grid, row, group, update, counts)
        for group in range(n_groups - first, 2 * n_groups - first):
            _give_type_ii(clauses, block, params, grid, row, group, update, counts)
    for slot in range(clauses.n_pending.size):
        if has_bit(clauses.used, slot):
            flush_watched(clauses, block, params, clause_of(clauses, slot), slot)


def new_conv_clauses(
    automata: np.ndarray,
    include: np.ndarray,
    exponents: np.ndarray,
    random: np.ndarray,
    weights: np.ndarray,
    grid: PatchGrid,
    pending_table: PendingTable,
    gap_table: GapTable,
) -> ConvClauses:
    """Return the state at the start of an epoch."""
    n_clauses, slots = len(exponents), slot_arrays(weights)
    return ConvClauses(
        automata=automata,
        include=include,
        exponents=exponents,
        random=random,
        **slots,
        n_watched=np.zeros_like(slots["n_included"]),
        watched=np.zeros(len(include), WORD_DTYPE),
        masks=np.empty(n_clauses * grid.n_vectors * VECTOR_WORDS, WORD_DTYPE),
        columns_of=np.empty(n_clauses * list_stride(grid.n_pixels), np.int32),
        list_ends=np.empty(n_clauses, np.int64),
        pending_table=pending_table,
        gap_table=gap_table,
    )


def new_conv_block(
    images: np.ndarray, grid: PatchGrid, patches: np.ndarray, positions: np.ndarray, row_words: int, n_slots: int
) -> ConvBlock:
    """Return buffers for a machine of the given sizes."""

    def words(n: int) -> np.ndarray:
        return np.empty(n, WORD_DTYPE)

    return ConvBlock(
        images=images,
        patches=patches,
        positions=positions,
        columns=words(grid.n_vectors * n_columns(grid) * VECTOR_WORDS),
        string=words(string_words(grid)),
        features=words(row_words + 1),
        literals=words(row_words),
        found=words(grid.n_vectors * VECTOR_WORDS),
        fired=words(n_slots // WORD_BITS),
        selected=words(VECTOR_WORDS),
        watched=words(row_words),
        newly_included=words(row_words),
        drawn=words(row_words),
        raised=words(row_words),
        limits=np.empty(256, np.int16),
        limits_if_false=np.empty(256, np.int16),
    )
