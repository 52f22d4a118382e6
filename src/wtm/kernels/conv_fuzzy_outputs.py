"""Votes of fuzzy clauses of a convolution: those of its best patches, which fail the fewest literals, 512 at once.

The columns of positions follow those of `wtm.kernels.image_columns.image_columns`, so that a clause is a single list:
that of the columns of its literals' negations, which hold the patches that fail them. As in `wtm.kernels.fuzzy_votes`,
the false literals are counted for all patches together, in planes of 512 bits.
"""

import numpy as np

from wtm.kernels.bit_planes import AT_A_TIME, add_counts, add_to_plane, count_one_more, first_count
from wtm.kernels.fuzzy_votes import most_votes, planes_for
from wtm.kernels.image_columns import PatchGrid, n_columns
from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ONE, VECTOR_WORDS, ZERO
from wtm.kernels.simd import any_set, count_trailing_zeros, load, splat, store


def n_all_columns(grid: PatchGrid, n_features: int) -> int:
    """Number of columns: those of `wtm.kernels.image_columns.n_columns`, and of positions and their negations."""
    return n_columns(grid) + 2 * (n_features - grid.n_pixels)


def count_planes(n_literals: int) -> int:
    """Number of planes that hold the counts of false literals."""
    return planes_for(n_literals)


# --- Lists --------------------------------------------------------------------------------------------------


@inline
def write_positions(positions, grid, n_features, columns):
    """Write the columns of positions behind the others, where they stay for all images."""
    n, first = 2 * (n_features - grid.n_pixels), 2 * grid.n_pixels + 1
    for vector in range(grid.n_vectors):
        for i in range(n):
            store(columns, (vector * (first + n) + first + i) * 8, load(positions, (vector * n + i) * 8))


@inline
def false_column_of(literal, n_features, grid):
    """The place of the column of a literal's negation in `columns`."""
    is_negated = literal >= n_features
    feature = literal - n_features if is_negated else literal
    if feature < grid.n_pixels:
        return (feature + grid.n_pixels * (1 - is_negated)) * 8
    position = feature - grid.n_pixels + (n_features - grid.n_pixels) * (1 - is_negated)
    return (2 * grid.n_pixels + 1 + position) * 8


@kernel
def list_false_columns(literals, n_features, grid, columns_of):
    """Write the place of the column of each literal's negation to `columns_of` (OUT, int32)."""
    for i in range(literals.size):
        columns_of[i] = false_column_of(np.int64(literals[i]), n_features, grid)


@inline
def list_false_included(include, clause, params, grid, columns_of, first):
    """Write the list of a clause from its include bits; returns its end."""
    end = first
    for w in range(params.n_words):
        remaining = include[clause * params.n_words + w]
        while remaining != ZERO:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            columns_of[end] = false_column_of(literal, params.n_features, grid)
            end += 1
    return end


# --- Votes --------------------------------------------------------------------------------------------------


@inline
def _count_false(columns, start, columns_of, first, end, planes, n_planes):
    """Count the false literals of a clause on all patches of a vector, whose columns begin at `start`."""
    for b in range(n_planes):
        store(planes, b * VECTOR_WORDS, splat(ZERO))
    for i in range(first, end, AT_A_TIME):
        counts = first_count(load(columns, start + columns_of[i]))
        for k in range(i + 1, min(i + AT_A_TIME, end)):
            counts = count_one_more(counts, load(columns, start + columns_of[k]))
        carry = add_counts(planes, 0, counts)
        for b in range(4, n_planes):
            if not any_set(carry):
                break
            carry = add_to_plane(planes, b * VECTOR_WORDS, splat(ZERO), carry)


@inline
def best_patches(columns, columns_of, first, end, patches, grid, vector, planes):
    """The patches of one vector that fail the fewest literals of a clause, and how many they fail."""
    n_planes = 4
    while end - first >= 1 << n_planes:
        n_planes += 1
    start = vector * (columns.size // grid.n_vectors)
    _count_false(columns, start, columns_of, first, end, planes, n_planes)
    best = load(patches, vector * 8)
    n_false = 0
    for b in range(n_planes - 1, -1, -1):
        fewer = best & ~load(planes, b * VECTOR_WORDS)
        if any_set(fewer):
            best = fewer
        else:
            n_false |= 1 << b
    return best, n_false


@inline
def image_votes(columns, columns_of, first, end, patches, grid, failures, planes):
    """The votes of a clause on an image, in training (`reference.FuzzyConvolutionalMachine`)."""
    most = most_votes(end - first, failures)
    votes = 0
    for vector in range(grid.n_vectors):
        _, n_false = best_patches(columns, columns_of, first, end, patches, grid, vector, planes)
        votes = max(votes, most - n_false)
    return votes
