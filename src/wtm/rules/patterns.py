"""The rules of a convolution as patterns: pixels that must be 1 or 0, and the places where a patch may be."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.machine.conv_machine import ConvParameters
from wtm.machine.voting import VotingModel
from wtm.tables.condition_grammar import spell_label
from wtm.validation.images import check_bits, read_images

TRUE, FALSE, ANY = 1, 0, -1
"""What a pattern asks of a pixel."""

_SIGNS = {TRUE: "#", FALSE: ".", ANY: " "}


@dataclass(frozen=True, eq=False)
class Pattern:
    """A rule that votes for or against a label if its pattern is in an image.

    Attributes
    ----------
    label : object
        The label of the class.
    polarity : int
        1 if the rule votes for the label, -1 if it votes against it.
    weight : float
    pixels : ndarray of shape (patch_height, patch_width, n_channels), int8
        What each pixel of a patch must be: 1, 0, or -1 where either will do.
    rows, columns : tuple of int
        The first and the last row, and column, of the image where the top left corner of the patch may be.
    """

    label: Any
    polarity: int
    weight: float
    pixels: np.ndarray
    rows: tuple[int, int]
    columns: tuple[int, int]

    def places(self, images: np.ndarray) -> np.ndarray:
        """Find the patches in which the pattern is.

        Parameters
        ----------
        images : ndarray of shape (n_images, height, width) or (n_images, height, width, n_channels)
            Booleans, or numbers that are 0 or 1, of the size seen in fit.

        Returns
        -------
        ndarray of shape (n_images, n_rows, n_columns), bool
            Whether the patch whose top left corner is there has the pattern.

        Raises
        ------
        ValueError, TypeError
            The images can't be used: pixels other than 0 and 1, another number of channels, or images smaller than
            a patch.
        """
        images = read_images(images, min_images=0, name="images")
        check_bits(images, "images")
        height, width, n_channels = self.pixels.shape
        if images.shape[3] != n_channels or images.shape[1] < height or images.shape[2] < width:
            raise ValueError(
                f"images must have {n_channels} channels and at least {height} x {width} pixels, as the pattern has, "
                f"got the shape {images.shape}. Pass images of the size seen in fit."
            )
        n_down, n_across = images.shape[1] - height + 1, images.shape[2] - width + 1
        found = np.zeros((len(images), n_down, n_across), np.bool_)
        found[:, self.rows[0] : self.rows[1] + 1, self.columns[0] : self.columns[1] + 1] = True
        for y, x, channel in np.argwhere(self.pixels != ANY):
            shifted = images[:, y : y + n_down, x : x + n_across, channel] != 0
            found &= shifted == (self.pixels[y, x, channel] == TRUE)
        return found

    def __str__(self) -> str:
        """Draw the pattern, channel after channel: ``#`` must be 1, ``.`` must be 0."""
        verb = "for" if self.polarity > 0 else "against"
        places = " and ".join(
            f"{name}s {first} to {last}" if first < last else f"{name} {first}"
            for name, (first, last) in (("row", self.rows), ("column", self.columns))
        )
        lines = [f"votes {verb} {spell_label(self.label)}, weight {self.weight:.4g}, at {places}"]
        for channel in np.moveaxis(self.pixels, 2, 0):
            edge = "+" + "-" * channel.shape[1] + "+"
            lines += [edge, *("|" + "".join(_SIGNS[int(pixel)] for pixel in row) + "|" for row in channel), edge]
        return "\n".join(lines)


def patterns_of(voting: VotingModel, parameters: ConvParameters, labels: list[Any]) -> list[Pattern]:
    """Return the patterns of all clauses that can be true and vote, those of the largest weights first."""
    found = []
    for clause in np.argsort(-np.abs(voting.clause_votes), kind="stable"):
        literals = voting.literal_list[voting.clause_ends[clause] : voting.clause_ends[clause + 1]]
        shape = _shape_of(literals, parameters)
        if len(literals) and shape is not None and voting.clause_votes[clause]:
            vote = voting.clause_votes[clause]
            label = labels[clause // voting.n_clauses]
            found.append(Pattern(label, 1 if vote > 0 else -1, float(abs(vote) * voting.unit), *shape))
    return found


def _shape_of(literals: np.ndarray, p: ConvParameters) -> tuple[np.ndarray, tuple[int, int], tuple[int, int]] | None:
    """Return the pixels, rows and columns that a clause asks for; None if no patch can have them."""
    n_down, n_across = p.image_height - p.patch_height + 1, p.image_width - p.patch_width + 1
    true, false = _wanted(literals, p)
    n_pixels = p.grid.n_pixels
    rows = _range(true[n_pixels:][: n_down - 1], false[n_pixels:][: n_down - 1], n_down)
    columns = _range(true[n_pixels:][n_down - 1 :], false[n_pixels:][n_down - 1 :], n_across)
    if (true & false)[:n_pixels].any() or rows[0] > rows[1] or columns[0] > columns[1]:
        return None
    return pixels_of(literals, p), rows, columns


def pixels_of(literals: np.ndarray, p: ConvParameters) -> np.ndarray:
    """Return what the literals of a clause ask of the pixels of a patch, as in `Pattern`; both 1 and 0 count as any."""
    true, false = (of[: p.grid.n_pixels].astype(np.int8) for of in _wanted(literals, p))
    pixels = np.where(true == false, ANY, np.where(true > false, TRUE, FALSE)).astype(np.int8)
    return np.moveaxis(pixels.reshape(p.n_channels, p.patch_height, p.patch_width), 0, 2)


def _wanted(literals: np.ndarray, p: ConvParameters) -> tuple[np.ndarray, np.ndarray]:
    """Return which features must be true, and which must be false; bool of shape (n_features,) both."""
    wanted = np.zeros(p.n_literals, np.bool_)
    wanted[literals] = True
    return wanted[: p.n_features], wanted[p.n_features :]


def _range(beyond: np.ndarray, not_beyond: np.ndarray, n: int) -> tuple[int, int]:
    """Return the first and last of `n` places that lie beyond all places in one set, and none in the other."""
    above, below = np.flatnonzero(beyond), np.flatnonzero(not_beyond)
    return int(above[-1]) + 1 if len(above) else 0, int(below[0]) if len(below) else n - 1
