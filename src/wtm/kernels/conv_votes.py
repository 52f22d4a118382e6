"""Sums of votes of a convolution, image by image."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.conv_outputs import LIST_PART, is_true, list_columns
from wtm.kernels.image_columns import PatchGrid, image_columns, n_columns, string_words
from wtm.kernels.jit import kernel
from wtm.kernels.layout import VECTOR_WORDS, WORD_DTYPE
from wtm.kernels.simd import prefetch


class ConvVotePlan(NamedTuple):
    """The clauses that vote, in the form that `conv_votes` takes.

    Attributes
    ----------
    grid : PatchGrid
    patches : ndarray of uint64
        Of `wtm.kernels.image_columns.all_patches`.
    masks : ndarray of shape (n_voting * n_vectors * 8,), uint64
    list_ends : ndarray of shape (n_voting + 1,), int64
    columns_of : ndarray of int32
        See `wtm.kernels.conv_outputs.list_columns`.
    machine_ends : ndarray of shape (n_machines + 1,), int64
        Machine m has the clauses ``machine_ends[m]`` to ``machine_ends[m + 1]``.
    clause_votes : ndarray of shape (n_voting,), int64
        Signed weights in fixed point.
    """

    grid: PatchGrid
    patches: np.ndarray
    masks: np.ndarray
    list_ends: np.ndarray
    columns_of: np.ndarray
    machine_ends: np.ndarray
    clause_votes: np.ndarray


def plan_conv_votes(
    clause_ends: np.ndarray,
    literals: np.ndarray,
    clause_votes: np.ndarray,
    n_features: int,
    grid: PatchGrid,
    patches: np.ndarray,
    positions: np.ndarray,
) -> ConvVotePlan:
    """Prepare clauses for `conv_votes`: those without literals, or with votes of 0, are left out.

    Parameters
    ----------
    clause_ends, literals : ndarray
        Clause c, counted over all machines, includes ``literals[clause_ends[c]:clause_ends[c + 1]]``.
    clause_votes : ndarray of shape (n_machines, n_clauses), int64
    n_features : int
    grid, patches, positions
        See `wtm.kernels.conv_outputs.list_columns`.
    """
    sizes = np.diff(clause_ends)
    voting = np.flatnonzero((sizes > 0) & (clause_votes.ravel() != 0))
    ends = np.concatenate([[0], np.cumsum(sizes[voting])])
    places = np.arange(ends[-1]) + np.repeat(clause_ends[voting] - ends[:-1], sizes[voting])
    masks = np.empty(len(voting) * grid.n_vectors * VECTOR_WORDS, WORD_DTYPE)
    list_ends = np.empty(len(voting) + 1, np.int64)
    columns_of = np.empty(ends[-1] + (LIST_PART - 1) * len(voting), np.int32)
    list_columns(
        ends, literals[places].astype(np.int32), n_features, grid, patches, positions, masks, list_ends, columns_of
    )
    machine_ends = np.searchsorted(voting, np.arange(len(clause_votes) + 1) * clause_votes.shape[1])
    return ConvVotePlan(
        grid, patches, masks, list_ends, columns_of, machine_ends.astype(np.int64), clause_votes.ravel()[voting]
    )


class ConvVoteBuffers(NamedTuple):
    """Working space of `conv_votes`.

    Attributes
    ----------
    columns, string : ndarray of uint64
        See `wtm.kernels.image_columns.image_columns`.
    """

    columns: np.ndarray
    string: np.ndarray


def new_conv_vote_buffers(grid: PatchGrid) -> ConvVoteBuffers:
    """Return working space for images of the given sizes."""
    columns = np.empty(grid.n_vectors * n_columns(grid) * VECTOR_WORDS, WORD_DTYPE)
    return ConvVoteBuffers(columns, np.empty(string_words(grid), WORD_DTYPE))


@kernel
def conv_votes(images, rows, first, last, plan, buffers, sums):
    """Add up the votes of all machines (`reference.ConvolutionalMachine.class_sum` in fixed point).

    Parameters
    ----------
    images : ndarray of shape (n_rows * grid.image_words,), uint64; IN
    rows : ndarray of int64; IN
        Rows of the images; ``rows[first:last]`` are voted on.
    first, last : int
    plan : ConvVotePlan; IN
    buffers : ConvVoteBuffers
    sums : ndarray of shape (len(rows), n_machines), int64; OUT
        The rows from `first` to `last` are set.
    """
    grid, ends, n_clauses = plan.grid, plan.list_ends, plan.clause_votes.size
    for i in range(first, last):
        image_columns(images, rows[i] * grid.image_words, grid, plan.patches, buffers.string, buffers.columns)
        for machine in range(plan.machine_ends.size - 1):
            total = np.int64(0)
            for clause in range(plan.machine_ends[machine], plan.machine_ends[machine + 1]):
                ahead = min(clause + 4, n_clauses - 1)
                prefetch(plan.masks, ahead * grid.n_vectors * 8)
                prefetch(plan.columns_of, ends[ahead])
                if is_true(plan.masks, clause, plan.columns_of, ends[clause], ends[clause + 1], buffers.columns, grid):
                    total += plan.clause_votes[clause]
            sums[i, machine] = total
