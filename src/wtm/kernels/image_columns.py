"""Images as strings of bits, and what clauses of a convolution see of them: columns of literals over all patches.

An image of several channels is kept as one string of bits, channel by channel and row by row: pixel (y, x) of channel c
is bit ``(c * height + y) * width + x``. A convolution looks at its patches, which are numbered row by row. Their
features come in this order: the pixels of the patch, channel by channel and row by row; then, with `positions`, whether
the patch lies below row 0, 1, ... and right of column 0, 1, ... of the patches (thermometers).

The *column* of a literal has a bit per patch: whether the literal is true there. It is made of vectors of 512 bits. The
columns of pixels are made for one image at a time: for each offset dx in a patch, the windows of all rows that start at
dx are written one behind the other. In this string, the pixels (dy, dx) of all patches begin ``dy * n_across`` bits
after the pixels (0, dx). The columns of positions are the same for all images.
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.jit import inline
from wtm.kernels.layout import ALL_BITS, BLOCK, VECTOR_WORDS, WORD_DTYPE, ZERO, words_for
from wtm.kernels.simd import load, shift_left, shift_right, splat, store


class PatchGrid(NamedTuple):
    """Sizes of the images and of their patches.

    Attributes
    ----------
    height, width, n_channels : int
        Of an image.
    patch_height, patch_width : int
    n_down, n_across : int
        Numbers of patches below each other and next to each other.
    n_vectors : int
        Vectors of a column.
    n_pixels : int
        Features of a patch that are pixels.
    has_positions : bool
        Whether the other features are positions, `n_down` - 1 rows and `n_across` - 1 columns.
    image_words : int
        Words of an image.
    """

    height: int
    width: int
    n_channels: int
    patch_height: int
    patch_width: int
    n_down: int
    n_across: int
    n_vectors: int
    n_pixels: int
    has_positions: bool
    image_words: int


def patch_grid(image_shape: tuple[int, int, int], patch_shape: tuple[int, int], has_positions: bool) -> PatchGrid:
    """Return the sizes for images of a height, a width and a number of channels, and patches that fit into them."""
    (height, width, n_channels), (patch_height, patch_width) = image_shape, patch_shape
    n_down, n_across = height - patch_height + 1, width - patch_width + 1
    return PatchGrid(
        height=height,
        width=width,
        n_channels=n_channels,
        patch_height=patch_height,
        patch_width=patch_width,
        n_down=n_down,
        n_across=n_across,
        n_vectors=-(-n_down * n_across // BLOCK),
        n_pixels=n_channels * patch_height * patch_width,
        has_positions=has_positions,
        image_words=words_for(height * width * n_channels),
    )


def n_columns(grid: PatchGrid) -> int:
    """Number of columns of `image_columns`: those of the pixels, of their negations, and one that is always true."""
    return 2 * grid.n_pixels + 1


def string_words(grid: PatchGrid) -> int:
    """Words of the buffer in which windows are written one behind the other."""
    return words_for(grid.height * grid.n_across) + (grid.n_vectors + 1) * VECTOR_WORDS + 1


def as_columns(true: np.ndarray, grid: PatchGrid) -> np.ndarray:
    """Return columns of the literals `true`, bool of shape (n, n_patches), as uint64 of shape (n_vectors, n, 8)."""
    bits = np.zeros((len(true), grid.n_vectors * BLOCK), np.bool_)
    bits[:, : true.shape[1]] = true
    words = np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(WORD_DTYPE)
    return np.ascontiguousarray(words.reshape(len(true), grid.n_vectors, VECTOR_WORDS).swapaxes(0, 1))


def all_patches(grid: PatchGrid) -> np.ndarray:
    """Return the set of all patches, uint64 of shape (n_vectors * 8,)."""
    return as_columns(np.ones((1, grid.n_down * grid.n_across), np.bool_), grid).ravel()


def position_columns(grid: PatchGrid) -> np.ndarray:
    """Return the columns of the positions and of their negations, uint64 of shape (n_vectors, 2 * n_positions, 8)."""
    y, x = np.divmod(np.arange(grid.n_down * grid.n_across), grid.n_across)
    below = y > np.arange((grid.n_down - 1) * grid.has_positions)[:, np.newaxis]
    right = x > np.arange((grid.n_across - 1) * grid.has_positions)[:, np.newaxis]
    positions = np.concatenate([below, right])
    return as_columns(np.concatenate([positions, np.logical_not(positions)]), grid)


# --- Strings of bits ----------------------------------------------------------------------------------------


@inline
def bits_at(words, place, n):
    """The `n` bits, 1 to 64, of a string from bit `place` on."""
    shift = place & 63
    bits = words[place >> 6] >> np.uint64(shift)
    if shift + n > 64:
        bits |= words[(place >> 6) + 1] << np.uint64(64 - shift)
    return bits & (ALL_BITS >> np.uint64(64 - n))


@inline
def put_bits(words, place, bits, n):
    """Write `n` bits, 1 to 64, into a string that is 0 from bit `place` on."""
    shift = place & 63
    words[place >> 6] |= bits << np.uint64(shift)
    if shift + n > 64:
        words[(place >> 6) + 1] |= bits >> np.uint64(64 - shift)


@inline
def copy_bits(source, start, words, place, n):
    """Write `n` bits of the string `source` from bit `start` on, as `put_bits`. Returns the place after them."""
    for done in range(0, n, 64):
        size = min(64, n - done)
        put_bits(words, place + done, bits_at(source, start + done, size), size)
    return place + n


# --- Columns ------------------------------------------------------------------------------------------------


@inline
def _write_windows(images, first_bit, grid, string):
    """Write the windows of all rows of a channel that start at `first_bit`, one behind the other."""
    for w in range(0, string.size - 7, 8):
        store(string, w, splat(ZERO))
    for w in range(string.size & ~7, string.size):
        string[w] = ZERO
    place = 0
    for y in range(grid.height):
        place = copy_bits(images, first_bit + y * grid.width, string, place, grid.n_across)


@inline
def image_columns(images, row, grid, patches, string, columns):
    """Make the columns of the pixels of an image.

    Parameters
    ----------
    images : ndarray of uint64; IN
        All images, one after the other.
    row : int
        First word of the image.
    grid : PatchGrid
    patches : ndarray of shape (n_vectors * 8,), uint64; IN
        See `all_patches`.
    string : ndarray of shape (string_words(grid),), uint64
        Buffer.
    columns : ndarray of shape (n_vectors * n * 8,), uint64; OUT
        Vector after vector, the columns of the pixels, of their negations, and the set of all patches. They are
        `n_columns(grid)`; if there are more, the others stay as they are.
    """
    stride = columns.size // (grid.n_vectors * 8)
    for vector in range(grid.n_vectors):
        store(columns, (vector * stride + 2 * grid.n_pixels) * 8, load(patches, vector * 8))
    for channel in range(grid.n_channels):
        for dx in range(grid.patch_width):
            first_bit = row * 64 + channel * grid.height * grid.width + dx
            _write_windows(images, first_bit, grid, string)
            for dy in range(grid.patch_height):
                pixel = (channel * grid.patch_height + dy) * grid.patch_width + dx
                start, shift = (dy * grid.n_across) >> 6, (dy * grid.n_across) & 63
                for vector in range(grid.n_vectors):
                    low = shift_right(load(string, start + vector * 8), shift)
                    high = shift_left(shift_left(load(string, start + vector * 8 + 1), 1), 63 - shift)
                    valid = load(patches, vector * 8)
                    column = (low | high) & valid
                    store(columns, (vector * stride + pixel) * 8, column)
                    store(columns, (vector * stride + grid.n_pixels + pixel) * 8, column ^ valid)


@inline
def patch_literals(images, row, grid, patch, features, literals, first, n_words):
    """Write the literals of a patch, as a row of `wtm.kernels.bits`.

    Parameters
    ----------
    images, row, grid
        As in `image_columns`.
    patch : int
        Number of the patch.
    features : ndarray of shape (n_words + 1,) or more, uint64
        Buffer.
    literals : ndarray of uint64; OUT
        Gets the literals in ``literals[first:first + n_words]``; bits from the last literal on are 1.
    """
    y, x = patch // grid.n_across, patch % grid.n_across
    for w in range(n_words):
        features[w] = ZERO
        literals[first + w] = ZERO
    place = 0
    for channel in range(grid.n_channels):
        for dy in range(y, y + grid.patch_height):
            start = row * 64 + (channel * grid.height + dy) * grid.width + x
            place = copy_bits(images, start, features, place, grid.patch_width)
    if grid.has_positions:
        place = _thermometer(features, place, y, grid.n_down - 1)
        place = _thermometer(features, place, x, grid.n_across - 1)
    copy_bits(features, 0, literals, first * 64, place)
    for w in range((place + 63) >> 6):
        features[w] = ~features[w]
    copy_bits(features, 0, literals, first * 64 + place, place)
    end = first * 64 + 2 * place
    if end & 63:
        literals[end >> 6] |= ALL_BITS << np.uint64(end & 63)
    for w in range((end + 63) >> 6, first + n_words):
        literals[w] = ALL_BITS


@inline
def _thermometer(words, place, n_true, n):
    """Write `n` bits into a string, the first `n_true` of which are 1. Returns the place after them."""
    for done in range(0, n_true, 64):
        size = min(64, n_true - done)
        put_bits(words, place + done, ALL_BITS >> np.uint64(64 - size), size)
    return place + n
