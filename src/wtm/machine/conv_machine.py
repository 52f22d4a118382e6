"""The machine of one class with a convolution: its clauses are true for an image if they are for one of its patches."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wtm.kernels.conv_direct import ConvDirectState, conv_direct_epoch
from wtm.kernels.conv_lazy import conv_lazy_epoch, new_conv_block, new_conv_clauses
from wtm.kernels.conv_outputs import list_stride
from wtm.kernels.image_columns import (
    PatchGrid,
    all_patches,
    n_columns,
    patch_grid,
    position_columns,
    string_words,
)
from wtm.kernels.layout import VECTOR_WORDS, WORD_DTYPE, padded_words_for, slots_for
from wtm.machine.class_machine import Machine
from wtm.machine.distributions import gap_table, pending_table
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import Schedule

_DIRECT_BYTES_PER_CLAUSE = 24
_BYTES_PER_SLOT = 21


@dataclass(frozen=True)
class ConvParameters(MachineParameters):
    """Parameters that machines of a convolution share.

    Attributes
    ----------
    n_features : int
        Of a patch: `n_features_of_patch`.
    image_height, image_width, n_channels : int
    patch_height, patch_width : int
        At most the height and width of the image.
    positions : bool
        Whether the position of a patch is among its features.
    """

    image_height: int = 1
    image_width: int = 1
    n_channels: int = 1
    patch_height: int = 1
    patch_width: int = 1
    positions: bool = True

    def __post_init__(self) -> None:
        """Check the sizes, which a file may have wrong."""
        sizes = (self.image_height, self.image_width, self.n_channels, self.patch_height, self.patch_width)
        if min(sizes) < 1 or self.patch_height > self.image_height or self.patch_width > self.image_width:
            raise ValueError(f"patches of {self.patch_shape} don't fit into images of {self.image_shape}")
        if self.n_shards > 1:
            raise ValueError(f"n_shards must be 1 for patches, got {self.n_shards}")
        n_features = n_features_of_patch(self.image_shape, self.patch_shape, self.positions)
        if self.n_features != n_features:
            raise ValueError(f"n_features must be {n_features} for these patches, got {self.n_features}")

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """Height, width and number of channels of an image."""
        return self.image_height, self.image_width, self.n_channels

    @property
    def patch_shape(self) -> tuple[int, int]:
        """Height and width of a patch."""
        return self.patch_height, self.patch_width

    @property
    def n_patches(self) -> int:
        """Number of patches of an image."""
        return (self.image_height - self.patch_height + 1) * (self.image_width - self.patch_width + 1)

    @cached_property
    def grid(self) -> PatchGrid:
        """The sizes as kernels take them."""
        return patch_grid(self.image_shape, self.patch_shape, self.positions)

    @cached_property
    def all_patches(self) -> np.ndarray:
        """The set of all patches, see `wtm.kernels.image_columns`."""
        return all_patches(self.grid)

    @cached_property
    def position_columns(self) -> np.ndarray:
        """The columns of positions, flat, see `wtm.kernels.image_columns`."""
        return position_columns(self.grid).ravel()

    @property
    def column_bytes(self) -> int:
        """Bytes of the columns of an image, and of the buffer for them."""
        return 8 * (self.grid.n_vectors * n_columns(self.grid) * VECTOR_WORDS + string_words(self.grid))

    @property
    def position_bytes(self) -> int:
        """Bytes of the columns of positions."""
        return self.mask_bytes * (self.n_literals - 2 * self.grid.n_pixels)

    @property
    def mask_bytes(self) -> int:
        """Bytes of a set of patches."""
        return 8 * self.grid.n_vectors * VECTOR_WORDS

    @property
    def work_bytes(self) -> int:
        """Bytes of working space for an epoch of one machine."""
        if self.n_patches == 1:
            return super().work_bytes
        grid = self.grid
        if self.engine == "direct":
            patches = 8 * padded_words_for(self.n_literals) * self.n_patches
            return self.n_clauses * _DIRECT_BYTES_PER_CLAUSE + patches
        n_slots = slots_for(self.n_clauses)
        per_clause = 8 * self.n_words + self.mask_bytes + 4 * list_stride(grid.n_pixels) + 8
        return n_slots * _BYTES_PER_SLOT + self.n_clauses * per_clause + self.column_bytes + self.position_bytes


def n_features_of_patch(image_shape: tuple[int, int, int], patch_shape: tuple[int, int], positions: bool) -> int:
    """Return how many features a patch has: its pixels, and its position as two thermometers."""
    n_pixels = image_shape[2] * patch_shape[0] * patch_shape[1]
    steps = image_shape[0] - patch_shape[0] + image_shape[1] - patch_shape[1]
    return n_pixels + steps * positions


@dataclass
class ConvMachine(Machine):
    """A machine of a convolution: it differs from `Machine` in its examples, which are images with many patches.

    Attributes
    ----------
    parameters : ConvParameters
    """

    parameters: ConvParameters

    parameters_class = ConvParameters

    def _train_direct(self, literals: np.ndarray, schedule: Schedule, n_epochs: int, counts: np.ndarray) -> None:
        p = self.parameters
        row_words = p.kernel_params.row_words
        state = ConvDirectState(
            automata=self.automata,
            include=self.include_bits,
            exponents=self.exponents,
            random=self.random,
            votes=p.weight_table.to_fixed(self.exponents) * self.polarity,
            n_true=np.empty(p.n_clauses, np.int64),
            drawn=np.empty(row_words, WORD_DTYPE),
            patches=np.empty(p.n_patches * row_words, WORD_DTYPE),
            features=np.empty(row_words + 1, WORD_DTYPE),
        )
        rows, targets = schedule
        conv_direct_epoch(rows, targets, literals, p.grid, p.kernel_params, self._sampler(), state, counts)

    def _train_lazy(self, literals: np.ndarray, schedule: Schedule, n_epochs: int, counts: np.ndarray) -> None:
        p = self.parameters
        params = p.kernel_params
        clauses = new_conv_clauses(
            automata=self.automata,
            include=self.include_bits,
            exponents=self.exponents,
            random=self.random,
            weights=p.weight_table.to_fixed(self.exponents),
            grid=p.grid,
            pending_table=pending_table(params.p_threshold),
            gap_table=gap_table(params.p_threshold),
        )
        block = new_conv_block(
            literals, p.grid, p.all_patches, p.position_columns, params.row_words, len(clauses.votes)
        )
        rows, targets = schedule
        conv_lazy_epoch(rows, targets, p.grid, params, clauses, block, counts)
