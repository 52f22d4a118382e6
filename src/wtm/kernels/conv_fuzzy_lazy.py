"""An epoch of a convolution of fuzzy clauses, event by event: the process of `wtm.kernels.conv_fuzzy_direct`.

Clauses are evaluated on 512 patches at once (`wtm.kernels.conv_fuzzy_outputs`). What is pending, watched and drawn is
as in `wtm.kernels.fuzzy_lazy`; images and patches are as in `wtm.kernels.conv_lazy`.
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.bits import has_bit
from wtm.kernels.conv_direct import draw_below
from wtm.kernels.conv_fuzzy_outputs import (
    best_patches,
    count_planes,
    image_votes,
    list_false_included,
    n_all_columns,
    write_positions,
)
from wtm.kernels.direct import error_of, move_weight, update_threshold
from wtm.kernels.distribution_tables import GapTable, PendingTable
from wtm.kernels.feedback import N_SATURATED, N_TYPE_I, N_TYPE_II, type_ii
from wtm.kernels.fuzzy_feedback import count_included, type_i_fuzzy
from wtm.kernels.image_columns import PatchGrid, image_columns, patch_literals, string_words
from wtm.kernels.jit import function, inline, kernel
from wtm.kernels.layout import ONE, VECTOR_WORDS, WORD_DTYPE, ZERO
from wtm.kernels.lazy_state import slot_arrays
from wtm.kernels.records import by_reference, far, near
from wtm.kernels.sampling import bernoulli_vector, draw_gap
from wtm.kernels.simd import count_trailing_zeros, load, popcount, popcount_words, splat, store, sum_words
from wtm.kernels.watched import clause_of, slot_of
from wtm.kernels.watched_bits import flush_watched, step_watched_down, watched_literal


class ConvFuzzyClauses(NamedTuple):
    """The machine, and the engine's state of each clause: as `wtm.kernels.fuzzy_lazy.FuzzyClauses`.

    Attributes
    ----------
    columns_of : ndarray of shape (n_clauses * n_literals,), int32
        The list of columns of each clause, see `wtm.kernels.conv_fuzzy_outputs`.
    list_ends : ndarray of shape (n_clauses,), int64
        Where the list of each clause ends in `columns_of`.
    counts : ndarray of shape (n_slots,), int64
        Votes on the image, by slot, from 0 to LF.
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
    columns_of: np.ndarray
    list_ends: np.ndarray
    counts: np.ndarray
    gap: np.ndarray
    pending_table: PendingTable
    gap_table: GapTable


class ConvFuzzyBlock(NamedTuple):
    """The current image, and buffers: as `wtm.kernels.conv_lazy.ConvBlock`, where nothing else is said.

    Attributes
    ----------
    columns : ndarray of shape (n_vectors * n_all_columns * 8,), uint64
        See `wtm.kernels.conv_fuzzy_outputs`.
    planes : ndarray of shape (n_planes * 8,), uint64
        Counts of the false literals of a clause.
    found : ndarray of shape (n_vectors * 8,), uint64
        Best patches of a clause.
    limits_if_false : ndarray of shape (0,), int16
        Not used: a flush and the feedback that follows it are two passes.
    """

    images: np.ndarray
    patches: np.ndarray
    columns: np.ndarray
    planes: np.ndarray
    string: np.ndarray
    features: np.ndarray
    literals: np.ndarray
    found: np.ndarray
    selected: np.ndarray
    watched: np.ndarray
    limits: np.ndarray
    limits_if_false: np.ndarray


# --- Votes --------------------------------------------------------------------------------------------------


@inline
def _first_of(clauses, clause):
    return clause * (clauses.columns_of.size // clauses.exponents.size)


@inline
def _list_clause(clauses, params, grid, clause):
    """Bring the list of a clause up to date."""
    first = _first_of(clauses, clause)
    clauses.list_ends[clause] = list_false_included(clauses.include, clause, params, grid, clauses.columns_of, first)


@inline
def _evaluate(clauses, block, grid, fuzzy):
    """Find the votes of all clauses on the image, ``clauses.counts`` (OUT), and return their sum."""
    total = np.int64(0)
    for clause in range(clauses.exponents.size):
        slot = slot_of(clauses, clause)
        found = image_votes(
            block.columns, clauses.columns_of, _first_of(clauses, clause), clauses.list_ends[clause], block.patches,
            grid, fuzzy.failures, block.planes,
        )  # fmt: skip
        clauses.counts[slot] = found
        total += clauses.votes[slot] * found
    return total


@inline
def _draw_patch(clauses, block, grid, clause):
    """Draw one of the patches that fail the fewest literals of a clause (`reference.drawn_patch`)."""
    first, end = _first_of(clauses, clause), clauses.list_ends[clause]
    n_best, fewest = np.int64(0), end - first + 1
    for vector in range(grid.n_vectors):
        best, n_false = best_patches(
            block.columns, clauses.columns_of, first, end, block.patches, grid, vector, block.planes
        )
        if n_false > fewest:
            store(block.found, vector * 8, splat(ZERO))
            continue
        if n_false < fewest:
            for before in range(vector):
                store(block.found, before * 8, splat(ZERO))
            n_best, fewest = np.int64(0), n_false
        store(block.found, vector * 8, best)
        n_best += sum_words(popcount_words(best))
    k = draw_below(clauses.random, n_best)
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


# --- Feedback -----------------------------------------------------------------------------------------------


@function
def _step_down(clauses, params, grid, clause, slot, k):
    """Take a watched automaton one step down."""
    clauses, params = near(clauses), near(params)
    if step_watched_down(clauses, params, clause, watched_literal(clauses, params, clause, k)):
        clauses.n_included[slot] -= 1
        _list_clause(clauses, params, grid, clause)


@inline
def _update_without_votes(clauses, params, grid, slot):
    """Type I feedback to a clause without votes (`reference.type_i`): pending, or trials of watched automata."""
    clauses.n_pending[slot] += 1
    n_trials = np.int64(clauses.n_watched[slot])
    gap = clauses.gap[0]
    while gap < n_trials:
        _step_down(far(clauses), far(params), grid, clause_of(clauses, slot), slot, gap)
        gap += 1 + draw_gap(clauses.random, clauses.gap_table)
    clauses.gap[0] = gap - n_trials


@function
def _update_with_votes(clauses, block, params, fuzzy, grid, image, slot, is_type_i):
    """Type I or Type II feedback to a clause with votes (`reference.type_i_fuzzy`, `reference.type_ii`)."""
    clauses, block, params = near(clauses), near(block), near(params)
    clause = clause_of(clauses, slot)
    patch = _draw_patch(clauses, block, grid, clause)
    patch_literals(block.images, image, grid, patch, block.features, block.literals, 0, block.literals.size)
    flush_watched(clauses, block, params, clause, slot)
    if is_type_i:
        has_room = clauses.n_included[slot] < fuzzy.budget
        type_i_fuzzy(clauses.automata, clauses.include, clause, block.literals, 0, has_room, params)
    else:
        type_ii(clauses.automata, clauses.include, clause, block.literals, 0, params)
    # No included literal is dropped, so the clause changed if there are more.
    n_included = count_included(clauses.include, clause, params.n_words)
    if n_included > clauses.n_included[slot]:
        clauses.n_included[slot] = n_included
        flush_watched(clauses, block, params, clause, slot)
        _list_clause(clauses, params, grid, clause)


@inline
def _give_feedback(clauses, block, params, fuzzy, grid, image, first_group, n_groups, update, is_type_i, counts):
    """Select clauses of one polarity, and give them feedback of one type."""
    for group in range(first_group, first_group + n_groups):
        store(block.selected, 0, bernoulli_vector(clauses.random, update) & load(clauses.used, group * 8))
        for part in range(8):
            remaining = block.selected[part]
            while remaining != ZERO:
                slot = (group * 8 + part) * 64 + count_trailing_zeros(remaining)
                remaining &= remaining - ONE
                if clauses.counts[slot] == 0:
                    if is_type_i:
                        counts[N_TYPE_I] += 1
                        _update_without_votes(clauses, params, grid, slot)
                    continue
                counts[N_TYPE_I if is_type_i else N_TYPE_II] += 1
                _update_with_votes(far(clauses), far(block), far(params), fuzzy, grid, image, slot, is_type_i)
                if fuzzy.moves_weights:
                    step = 1 if is_type_i else -1
                    counts[N_SATURATED] += move_weight(
                        clauses.exponents, clauses.votes, clause_of(clauses, slot), slot, step, params.fixed_weights
                    )


@kernel
def conv_fuzzy_lazy_epoch(rows, targets, grid, positions, params, fuzzy, clauses, block, counts):
    """Train one machine on images, in order (`reference.FuzzyConvolutionalMachine.train`, in distribution).

    Parameters
    ----------
    rows, targets, grid, params, fuzzy, counts
        See `wtm.kernels.conv_fuzzy_direct.conv_fuzzy_direct_epoch`.
    positions : ndarray of uint64; IN
        Of `wtm.kernels.image_columns.position_columns`, flat.
    clauses : ConvFuzzyClauses; IN and OUT
    block : ConvFuzzyBlock
    """
    params, clauses, block = by_reference(params), by_reference(clauses), by_reference(block)
    n_groups = clauses.used.size // 16  # of either polarity
    write_positions(positions, grid, params.n_features, block.columns)
    if rows.size > 0:
        clauses.gap[0] = draw_gap(clauses.random, clauses.gap_table)
    for slot in range(clauses.n_pending.size):
        if has_bit(clauses.used, slot):
            clause = clause_of(clauses, slot)
            clauses.n_included[slot] = count_included(clauses.include, clause, params.n_words)
            flush_watched(clauses, block, params, clause, slot)
            _list_clause(clauses, params, grid, clause)
    for example in range(rows.size):
        image = rows[example] * grid.image_words
        image_columns(block.images, image, grid, block.patches, block.string, block.columns)
        error = error_of(_evaluate(clauses, block, grid, fuzzy), params, targets[example])
        update = update_threshold(error, params)
        if update == 0:
            continue
        first = 0 if error > 0 else n_groups  # of the polarity that gets Type I feedback
        _give_feedback(clauses, block, params, fuzzy, grid, image, first, n_groups, update, True, counts)
        _give_feedback(clauses, block, params, fuzzy, grid, image, n_groups - first, n_groups, update, False, counts)
    for slot in range(clauses.n_pending.size):
        if has_bit(clauses.used, slot):
            flush_watched(clauses, block, params, clause_of(clauses, slot), slot)


def new_conv_fuzzy_clauses(
    automata: np.ndarray,
    include: np.ndarray,
    exponents: np.ndarray,
    random: np.ndarray,
    weights: np.ndarray,
    n_literals: int,
    pending_table: PendingTable,
    gap_table: GapTable,
) -> ConvFuzzyClauses:
    """Return the state at the start of an epoch."""
    n_clauses, slots = len(exponents), slot_arrays(weights)
    return ConvFuzzyClauses(
        automata=automata,
        include=include,
        exponents=exponents,
        random=random,
        **slots,
        n_watched=np.zeros_like(slots["n_included"]),
        watched=np.zeros(len(include), WORD_DTYPE),
        columns_of=np.empty(n_clauses * n_literals, np.int32),
        list_ends=np.empty(n_clauses, np.int64),
        counts=np.zeros(len(slots["votes"]), np.int64),
        pending_table=pending_table,
        gap_table=gap_table,
    )


def new_conv_fuzzy_block(
    images: np.ndarray, grid: PatchGrid, patches: np.ndarray, n_features: int, row_words: int
) -> ConvFuzzyBlock:
    """Return buffers for a machine of the given sizes."""

    def words(n: int) -> np.ndarray:
        return np.empty(n, WORD_DTYPE)

    return ConvFuzzyBlock(
        images=images,
        patches=patches,
        columns=words(grid.n_vectors * n_all_columns(grid, n_features) * VECTOR_WORDS),
        planes=words(count_planes(2 * n_features) * VECTOR_WORDS),
        string=words(string_words(grid)),
        features=words(row_words + 1),
        literals=words(row_words),
        found=words(grid.n_vectors * VECTOR_WORDS),
        selected=words(VECTOR_WORDS),
        watched=words(row_words),
        limits=np.empty(256, np.int16),
        limits_if_false=np.empty(0, np.int16),
    )
