"""An epoch of a machine of a convolution as its paper describes it: every clause on every patch of every image."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.direct import error_of, move_weight, update_threshold
from wtm.kernels.evaluate import clause_fires
from wtm.kernels.feedback import (
    N_SATURATED,
    N_TYPE_I,
    N_TYPE_II,
    exceeds_budget,
    type_i_false,
    type_i_true,
    type_ii,
)
from wtm.kernels.image_columns import patch_literals
from wtm.kernels.jit import inline, kernel
from wtm.kernels.sampling import fill_mask, next_word


class ConvDirectState(NamedTuple):
    """The machine, and buffers: as `wtm.kernels.direct.DirectState`, where nothing else is said.

    Attributes
    ----------
    n_true : ndarray of shape (n_clauses,), int64
        Number of patches of the current image for which each clause is true.
    patches : ndarray of shape (n_patches * row_words,), uint64
        Literals of the patches of the current image.
    features : ndarray of shape (row_words + 1,), uint64
        Buffer of `wtm.kernels.image_columns.patch_literals`.
    """

    automata: np.ndarray
    include: np.ndarray
    exponents: np.ndarray
    random: np.ndarray
    votes: np.ndarray
    n_true: np.ndarray
    drawn: np.ndarray
    patches: np.ndarray
    features: np.ndarray


@inline
def draw_below(random, n):
    """Draw one of 0 .. `n` - 1: their probabilities are equal to within 2**-32. No draw is needed if `n` is 1."""
    if n == 1:
        return 0
    return np.int64(((next_word(random) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inline
def _drawn_patch(include, clause, n_true, patches, params, random):
    """First word of one of the patches for which a clause is true, which are `n_true` (`reference.drawn_patch`)."""
    if n_true == 0:
        return 0  # its literals don't matter
    k = draw_below(random, n_true)
    row = -params.row_words
    while k >= 0:
        row += params.row_words
        k -= clause_fires(include, clause, patches, row, params.n_words)
    return row


@kernel
def conv_direct_epoch(rows, targets, images, grid, params, sampler, state, counts):
    """Train one machine on the images that it sees, in order (`reference.ConvolutionalMachine.train`).

    Parameters
    ----------
    rows, targets, params, sampler, counts
        As in `wtm.kernels.direct.direct_epoch`.
    images : ndarray of shape (n_rows * grid.image_words,), uint64; IN
        Images as in `wtm.kernels.image_columns`.
    grid : wtm.kernels.image_columns.PatchGrid; IN
    state : ConvDirectState; IN and OUT
    """
    automata, include, exponents, random, votes, n_true, drawn, patches, features = state
    n_clauses, n_patches = exponents.size, grid.n_down * grid.n_across
    for example in range(rows.size):
        for patch in range(n_patches):
            first = patch * params.row_words
            patch_literals(
                images, rows[example] * grid.image_words, grid, patch, features, patches, first, params.row_words
            )
        total = np.int64(0)
        for clause in range(n_clauses):
            n_true[clause] = 0
            for patch in range(n_patches):
                n_true[clause] += clause_fires(include, clause, patches, patch * params.row_words, params.n_words)
            if n_true[clause] > 0:
                total += votes[clause]
        error = error_of(total, params, targets[example])
        update = update_threshold(error, params)
        if update == 0:
            continue
        for clause in range(n_clauses):
            if np.int64(next_word(random) >> np.uint64(32)) >= update:
                continue
            is_type_i = (clause < n_clauses // 2) == (error > 0)
            is_true = n_true[clause] > 0
            row = _drawn_patch(include, clause, n_true[clause], patches, params, random)
            if is_type_i:
                counts[N_TYPE_I] += 1
                fill_mask(random, drawn, params.n_literals, sampler)
                if is_true and not exceeds_budget(include, clause, params):
                    type_i_true(automata, include, clause, patches, row, drawn, params)
                else:
                    type_i_false(automata, include, clause, drawn, params)
            elif is_true:
                counts[N_TYPE_II] += 1
                type_ii(automata, include, clause, patches, row, params)
            if is_true:
                step = 1 if is_type_i else -1
                counts[N_SATURATED] += move_weight(exponents, votes, clause, clause, step, params.fixed_weights)
