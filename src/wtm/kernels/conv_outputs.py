"""Outputs of clauses of a convolution: the patches of an image for which a clause is true, 512 at once.

They are the AND of the columns of its literals (`wtm.kernels.image_columns`). The columns of positions don't depend on
the image, so a clause keeps their AND, its *mask*: the patches that it looks at. Its other literals are a list that is
padded to whole parts of eight, with the column of all patches. They are in the order of the literals, so pixels come
before negated ones: in most images they are the rarer literals, and most false clauses are found out by the first part.
"""

from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ONE, ZERO
from wtm.kernels.simd import any_set, count_trailing_zeros, load, store

LIST_PART = 8
"""Columns that are combined before a look at the result."""


def list_stride(n_pixels: int) -> int:
    """Places for the list of a clause that includes all pixels and their negations."""
    return -(-2 * n_pixels // LIST_PART) * LIST_PART


# --- Lists and masks ----------------------------------------------------------------------------------------


@inline
def begin_mask(masks, clause, grid, patches):
    """Let a clause look at all patches."""
    for vector in range(grid.n_vectors):
        store(masks, (clause * grid.n_vectors + vector) * 8, load(patches, vector * 8))


@inline
def add_literal(literal, n_features, grid, positions, masks, clause, columns_of, end):
    """Add a literal to the mask of a clause, or to the list in `columns_of` that ends at `end`; returns the new end."""
    is_negated = literal >= n_features
    feature = literal - n_features if is_negated else literal
    if feature < grid.n_pixels:
        columns_of[end] = (feature + grid.n_pixels * is_negated) * 8
        return end + 1
    n_positions = n_features - grid.n_pixels
    position = feature - grid.n_pixels + n_positions * is_negated
    for vector in range(grid.n_vectors):
        place = (clause * grid.n_vectors + vector) * 8
        store(masks, place, load(masks, place) & load(positions, (vector * 2 * n_positions + position) * 8))
    return end


@inline
def pad_list(grid, columns_of, first, end):
    """Pad a list to whole parts; returns its end."""
    while (end - first) % LIST_PART:
        columns_of[end] = 2 * grid.n_pixels * 8
        end += 1
    return end


@kernel
def list_columns(literal_ends, literals, n_features, grid, patches, positions, masks, ends, columns_of):
    """Write the masks and lists of clauses whose literals are known.

    Parameters
    ----------
    literal_ends : ndarray of shape (n_clauses + 1,), int64; IN
    literals : ndarray of int32; IN
        Clause c includes ``literals[literal_ends[c]:literal_ends[c + 1]]``.
    n_features : int
    grid : wtm.kernels.image_columns.PatchGrid; IN
    patches, positions : ndarray of uint64; IN
        Of `wtm.kernels.image_columns.all_patches` and `position_columns`, flat.
    masks : ndarray of shape (n_clauses * n_vectors * 8,), uint64; OUT
    ends : ndarray of shape (n_clauses + 1,), int64; OUT
        Where the list of each clause ends.
    columns_of : ndarray of int32; OUT
        The lists, one after the other; at most 7 places more per clause than literals.
    """
    end = 0
    ends[0] = 0
    for clause in range(literal_ends.size - 1):
        first = end
        begin_mask(masks, clause, grid, patches)
        for i in range(literal_ends[clause], literal_ends[clause + 1]):
            end = add_literal(literals[i], n_features, grid, positions, masks, clause, columns_of, end)
        end = pad_list(grid, columns_of, first, end)
        ends[clause + 1] = end


@inline
def list_included(include, clause, params, grid, patches, positions, masks, columns_of, first):
    """Write the mask and the list of a clause from its include bits; returns the end of the list."""
    end = first
    begin_mask(masks, clause, grid, patches)
    for w in range(params.n_words):
        remaining = include[clause * params.n_words + w]
        while remaining != ZERO:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            end = add_literal(literal, params.n_features, grid, positions, masks, clause, columns_of, end)
    return pad_list(grid, columns_of, first, end)


# --- Outputs ------------------------------------------------------------------------------------------------


@inline
def true_patches(masks, clause, columns_of, first, end, columns, grid, vector):
    """The patches of one vector for which a clause is true, with the list ``columns_of[first:end]``."""
    found = load(masks, (clause * grid.n_vectors + vector) * 8)
    start = vector * (2 * grid.n_pixels + 1) * 8
    for part in range(first, end, LIST_PART):
        for i in range(part, part + LIST_PART):
            found = found & load(columns, start + columns_of[i])
        if not any_set(found):
            break
    return found


@inline
def is_true(masks, clause, columns_of, first, end, columns, grid):
    """Whether a clause is true for any patch (`reference.ConvolutionalMachine`, in training)."""
    for vector in range(grid.n_vectors):
        if any_set(true_patches(masks, clause, columns_of, first, end, columns, grid, vector)):
            return True
    return False
