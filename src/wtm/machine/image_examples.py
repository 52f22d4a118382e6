"""Images as examples: packed into strings of bits, from arrays of 0 and 1."""

import numpy as np

from wtm.kernels.layout import WORD_DTYPE, words_for
from wtm.machine.conv_machine import n_features_of_patch
from wtm.machine.examples import Examples, pack_examples
from wtm.utils.memory_limits import check_memory

_CHUNK = 1024  # images that are packed at a time, so that working space doesn't grow with their number


def pack_for_patches(images: np.ndarray, patch_shape: tuple[int, int], positions: bool) -> Examples:
    """Pack images as the machines for such patches take them: with a single patch, as its literals.

    Parameters
    ----------
    images : ndarray of shape (n_images, height, width, n_channels), bool or a number that is 0 or 1
    patch_shape : tuple of int
    positions : bool
        Whether the position of a patch is among its features.

    Returns
    -------
    packed : Examples
        Their `n_features` are those of a patch.

    Raises
    ------
    MemoryError
        The packed images don't fit in memory.
    """
    if images.shape[1:3] == patch_shape:
        return pack_examples(np.moveaxis(images != 0, 3, 1).reshape(len(images), -1))
    return Examples(pack_images(images), n_features_of_patch(images.shape[1:], patch_shape, positions))


def pack_images(images: np.ndarray) -> np.ndarray:
    """Pack images as `wtm.kernels.image_columns` has them.

    Parameters
    ----------
    images : ndarray of shape (n_images, height, width, n_channels), bool or a number that is 0 or 1

    Returns
    -------
    ndarray of shape (n_images, n_words), uint64

    Raises
    ------
    MemoryError
        The packed images don't fit in memory.
    """
    n_images, height, width, n_channels = images.shape
    n_bits = height * width * n_channels
    check_memory(
        8 * n_images * words_for(n_bits), f"{n_images:,} images of {n_bits:,} bits", "Use fewer or smaller images."
    )
    words = np.zeros((n_images, words_for(n_bits)), "<u8")
    for start in range(0, n_images, _CHUNK):
        chunk = np.moveaxis(images[start : start + _CHUNK] != 0, 3, 1)
        packed = np.packbits(chunk.reshape(len(chunk), n_bits), axis=1, bitorder="little")
        words[start : start + _CHUNK].view(np.uint8)[:, : packed.shape[1]] = packed
    return words.astype(WORD_DTYPE, copy=False)
