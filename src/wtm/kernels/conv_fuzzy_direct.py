"""An epoch of a convolution of fuzzy clauses: every clause on every patch of every image, one after the other."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.conv_direct import draw_below
from wtm.kernels.direct import error_of, move_weight, update_threshold
from wtm.kernels.feedback import N_SATURATED, N_TYPE_I, N_TYPE_II, type_i_false, type_ii
from wtm.kernels.fuzzy_feedback import count_included, type_i_fuzzy
from wtm.kernels.fuzzy_votes import most_votes
from wtm.kernels.image_columns import patch_literals
from wtm.kernels.jit import inline, kernel
from wtm.kernels.sampling import fill_mask, next_word
from wtm.kernels.simd import load, popcount_words, sum_words


class ConvFuzzyDirectState(NamedTuple):
    """The machine, and buffers: as `wtm.kernels.conv_direct.ConvDirectState`, where nothing else is said.

    Attributes
    ----------
    counts : ndarray of shape (n_clauses,), int64
        Votes of each clause on the current image, from 0 to LF.
    n_best : ndarray of shape (n_clauses,), int64
        Number of patches on which each clause has that many votes.
    n_included : ndarray of shape (n_clauses,), int64
        Number of literals that each clause includes.
    """

    automata: np.ndarray
    include: np.ndarray
    exponents: np.ndarray
    random: np.ndarray
    votes: np.ndarray
    counts: np.ndarray
    n_best: np.ndarray
    n_included: np.ndarray
    drawn: np.ndarray
    patches: np.ndarray
    features: np.ndarray


@inline
def _patch_votes(include, clause, n_included, patches, row, n_words, failures):
    """Votes of a clause on a patch, in training; the last vector may extend into the next clause."""
    n_false = 0
    for w in range(0, n_words, 8):
        n_false += sum_words(popcount_words(load(include, clause * n_words + w) & ~load(patches, row + w)))
    return max(0, most_votes(n_included, failures) - n_false)


@inline
def _count_votes(state, params, fuzzy, clause, n_patches):
    """Find the most votes that a clause has on a patch, and the number of patches with that many."""
    most, n_best = 0, 0
    for patch in range(n_patches):
        found = _patch_votes(
            state.include, clause, state.n_included[clause], state.patches, patch * params.row_words, params.n_words,
            fuzzy.failures,
        )  # fmt: skip
        if found > most:
            most, n_best = found, 0
        n_best += found == most
    state.counts[clause] = most
    state.n_best[clause] = n_best


@inline
def _drawn_patch(state, params, fuzzy, clause):
    """First word of one of the patches on which a clause has the most votes (`reference.drawn_patch`)."""
    k = draw_below(state.random, state.n_best[clause])
    row = -params.row_words
    while k >= 0:
        row += params.row_words
        found = _patch_votes(
            state.include, clause, state.n_included[clause], state.patches, row, params.n_words, fuzzy.failures
        )
        k -= found == state.counts[clause]
    return row


@kernel
def conv_fuzzy_direct_epoch(rows, targets, images, grid, params, fuzzy, sampler, state, counts):
    """Train one machine on the images that it sees, in order (`reference.FuzzyConvolutionalMachine.train`).

    Parameters
    ----------
    rows, targets, images, grid, params, sampler, counts
        As in `wtm.kernels.conv_direct.conv_direct_epoch`.
    fuzzy : wtm.kernels.fuzzy_direct.FuzzyParams; IN
    state : ConvFuzzyDirectState; IN and OUT
    """
    automata, include, exponents, random, votes = (
        state.automata,
        state.include,
        state.exponents,
        state.random,
        state.votes,
    )
    n_clauses, n_patches = exponents.size, grid.n_down * grid.n_across
    for example in range(rows.size):
        image = rows[example] * grid.image_words
        for patch in range(n_patches):
            first = patch * params.row_words
            patch_literals(images, image, grid, patch, state.features, state.patches, first, params.row_words)
        total = np.int64(0)
        for clause in range(n_clauses):
            _count_votes(state, params, fuzzy, clause, n_patches)
            total += votes[clause] * state.counts[clause]
        error = error_of(total, params, targets[example])
        update = update_threshold(error, params)
        if update == 0:
            continue
        for clause in range(n_clauses):
            if np.int64(next_word(random) >> np.uint64(32)) >= update:
                continue
            is_type_i = (clause < n_clauses // 2) == (error > 0)
            if state.counts[clause] == 0:
                if is_type_i:
                    counts[N_TYPE_I] += 1
                    fill_mask(random, state.drawn, params.n_literals, sampler)
                    type_i_false(automata, include, clause, state.drawn, params)
                    state.n_included[clause] = count_included(include, clause, params.n_words)
                continue
            row = _drawn_patch(state, params, fuzzy, clause)
            if is_type_i:
                counts[N_TYPE_I] += 1
                has_room = state.n_included[clause] < fuzzy.budget
                type_i_fuzzy(automata, include, clause, state.patches, row, has_room, params)
            else:
                counts[N_TYPE_II] += 1
                type_ii(automata, include, clause, state.patches, row, params)
            state.n_included[clause] = count_included(include, clause, params.n_words)
            if fuzzy.moves_weights:
                step = 1 if is_type_i else -1
                counts[N_SATURATED] += move_weight(exponents, votes, clause, clause, step, params.fixed_weights)
