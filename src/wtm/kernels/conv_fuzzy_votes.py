"""Sums of votes of a convolution of fuzzy clauses, image by image."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.conv_fuzzy_outputs import count_planes, image_votes, n_all_columns, write_positions
from wtm.kernels.image_columns import PatchGrid, image_columns, string_words
from wtm.kernels.jit import kernel
from wtm.kernels.layout import VECTOR_WORDS, WORD_DTYPE


class ConvFuzzyVoteBuffers(NamedTuple):
    """Working space of `conv_fuzzy_votes`; see `wtm.kernels.conv_fuzzy_lazy.ConvFuzzyBlock`."""

    columns: np.ndarray
    string: np.ndarray
    planes: np.ndarray


def new_conv_fuzzy_vote_buffers(grid: PatchGrid, n_features: int) -> ConvFuzzyVoteBuffers:
    """Return working space for images of the given sizes."""
    sizes = (
        grid.n_vectors * n_all_columns(grid, n_features) * VECTOR_WORDS,
        string_words(grid),
        count_planes(2 * n_features) * VECTOR_WORDS,
    )
    return ConvFuzzyVoteBuffers(*(np.empty(n, WORD_DTYPE) for n in sizes))


@kernel
def conv_fuzzy_votes(images, rows, first, last, grid, patches, positions, n_features, failures, clauses, buffers, sums):
    """Add up the weighted votes of all machines (`reference.FuzzyConvolutionalMachine.class_sum` in fixed point).

    Parameters
    ----------
    images, rows, first, last, sums
        As in `wtm.kernels.conv_votes.conv_votes`.
    grid, patches, positions
        See `wtm.kernels.conv_outputs.list_columns`.
    n_features, failures : int
        The latter is LF.
    clauses : tuple of ndarray; IN
        ``clause_ends``, the list that `wtm.kernels.conv_fuzzy_outputs.list_false_columns` makes of all literals, and
        ``clause_votes`` of `wtm.machine.voting.VotingModel`.
    buffers : ConvFuzzyVoteBuffers
    """
    ends, columns_of, weights = clauses
    n_clauses = weights.size // sums.shape[1]
    write_positions(positions, grid, n_features, buffers.columns)
    for i in range(first, last):
        image_columns(images, rows[i] * grid.image_words, grid, patches, buffers.string, buffers.columns)
        for machine in range(sums.shape[1]):
            total = np.int64(0)
            for clause in range(machine * n_clauses, (machine + 1) * n_clauses):
                start, end = ends[clause], ends[clause + 1]
                if start < end:
                    found = image_votes(
                        buffers.columns, columns_of, start, end, patches, grid, failures, buffers.planes
                    )
                    total += weights[clause] * found
            sums[i, machine] = total
