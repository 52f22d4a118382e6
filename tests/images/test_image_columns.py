"""Columns and patches against NumPy's sliding windows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

from wtm.kernels.image_columns import (
    all_patches,
    image_columns,
    n_columns,
    patch_grid,
    patch_literals,
    position_columns,
    string_words,
)
from wtm.kernels.jit import kernel
from wtm.kernels.layout import padded_words_for
from wtm.machine.image_examples import pack_images


@kernel
def columns_of_image(images, row, grid, patches, string, columns):
    image_columns(images, row, grid, patches, string, columns)


@kernel
def literals_of_patches(images, row, grid, features, literals, n_words):
    for patch in range(grid.n_down * grid.n_across):
        patch_literals(images, row, grid, patch, features, literals, patch * n_words, n_words)


def patch_features(image, patch_shape, has_positions):
    """Features of all patches, bool (n_patches, n_features), from sliding windows."""
    windows = sliding_window_view(image, patch_shape, axis=(0, 1))  # y, x, channel, dy, dx
    n_down, n_across = windows.shape[:2]
    pixels = windows.reshape(n_down * n_across, -1)
    y, x = np.divmod(np.arange(n_down * n_across), n_across)
    if not has_positions:
        return pixels
    below, right = (of[:, np.newaxis] > np.arange(n - 1) for of, n in ((y, n_down), (x, n_across)))
    return np.concatenate([pixels, below, right], axis=1)


def with_negations(features):
    return np.concatenate([features, ~features], axis=1)


def bits(words, n):
    return np.unpackbits(np.ascontiguousarray(words).astype("<u8").view(np.uint8), bitorder="little")[:n].astype(bool)


def columns_by_kernel(images, i, grid):
    packed = pack_images(images)
    columns = np.full(grid.n_vectors * n_columns(grid) * 8, 0xABCD, np.uint64)
    string = np.full(string_words(grid), 0x1234, np.uint64)
    columns_of_image(packed.ravel(), i * packed.shape[1], grid, all_patches(grid), string, columns)
    return columns.reshape(grid.n_vectors, n_columns(grid), 8)


def unpacked(columns, n_patches):
    """Columns, uint64 (n_vectors, n, 8), as bool (n_patches, n); the bits behind the last patch must be 0."""
    n_vectors, n, _ = columns.shape
    words = np.ascontiguousarray(columns.swapaxes(0, 1)).astype("<u8").reshape(n, n_vectors * 8)
    found = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").astype(bool).T
    assert not found[n_patches:].any()
    return found[:n_patches]


SIZES = st.tuples(st.sampled_from([1, 2, 3, 8, 27, 28, 32, 64, 65, 130]), st.integers(1, 40), st.integers(1, 4))


@settings(max_examples=150, deadline=None)
@given(data=st.data(), size=SIZES, has_positions=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_columns_and_patches_are_those_of_sliding_windows(data, size, has_positions, seed):
    width, height, n_channels = size
    patch = data.draw(st.tuples(st.integers(1, height), st.integers(1, width)))
    check((height, width, n_channels), patch, has_positions, seed)


def check(image_shape, patch, has_positions, seed):
    rng = np.random.default_rng(seed)
    images = rng.random((3, *image_shape)) < rng.random()
    grid = patch_grid(image_shape, patch, has_positions)
    n_patches = grid.n_down * grid.n_across
    for i in range(3):
        features = patch_features(images[i], patch, has_positions)
        pixels = features[:, : grid.n_pixels]
        expected = np.concatenate([with_negations(pixels), np.ones((n_patches, 1), bool)], axis=1)
        assert (unpacked(columns_by_kernel(images, i, grid), n_patches) == expected).all()
        assert (unpacked(position_columns(grid), n_patches) == with_negations(features[:, grid.n_pixels :])).all()
    n_words = padded_words_for(2 * features.shape[1])
    literals = np.full(n_patches * n_words, 0x5678, np.uint64)
    packed = pack_images(images)
    buffer = np.empty(n_words + 1, np.uint64)
    literals_of_patches(packed.ravel(), 2 * packed.shape[1], grid, buffer, literals, n_words)
    rows = np.stack([bits(row, n_words * 64) for row in literals.reshape(n_patches, n_words)])
    assert (rows[:, : 2 * features.shape[1]] == with_negations(features)).all()
    assert rows[:, 2 * features.shape[1] :].all()


@pytest.mark.parametrize("width", [3, 8, 27, 28, 32, 64])
@pytest.mark.parametrize("n_channels", [1, 3])
def test_every_patch_size(width, n_channels):
    height = 6
    for patch_height in range(1, height + 1):
        for patch_width in range(1, width + 1):
            check((height, width, n_channels), (patch_height, patch_width), patch_width % 2 == 0, patch_width)


def test_as_many_patches_as_vectors_hold():
    for height, width in [(16, 32), (19, 27), (32, 32), (33, 31)]:
        check((height, width, 1), (1, 1), True, height)


def test_images_are_packed_channel_by_channel():
    images = np.zeros((2, 3, 5, 2), np.uint8)
    images[1, 2, 4, 1] = 1
    packed = pack_images(images)
    assert packed.tolist() == [[0], [1 << (1 * 15 + 2 * 5 + 4)]]
    assert (pack_images(images.astype(float)) == packed).all()
