"""The patterns of a classifier of images, each in the frame of the image."""

import numbers
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_scalar

from wtm.conv_classifier import ConvolutionalWTMClassifier
from wtm.plots.drawing import MAX_LABEL, draw_pixels, grid_of_axes, import_pyplot, plain
from wtm.rules import Pattern
from wtm.rules.patterns import FALSE, TRUE
from wtm.tables.condition_grammar import spell_label
from wtm.utils.printable import escape, short_repr, shorten


class PatternsDisplay:
    """Patterns as pictures, in frames of the size of the image: blue pixels must be 1, orange ones with a cross 0.

    The patch, a solid box, is drawn in the middle of its range of places. It can move within the dashed box, which is
    also given as the rows and columns of its top left corner.

    Parameters
    ----------
    patterns : sequence of wtm.rules.Pattern
    image_shape : tuple of int
        Height and width of the images.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes of shape (n_patterns,)
    figure_ : matplotlib Figure
    images_ : list of matplotlib AxesImage
    ranges_ : list of matplotlib Rectangle
        The dashed boxes.
    """

    def __init__(self, *, patterns: Sequence[Pattern], image_shape: tuple[int, int]) -> None:
        self.patterns, self.image_shape = patterns, image_shape

    @classmethod
    def from_estimator(cls, clf: Any, *, label: Any = None, n_patterns: int = 10, ax: Any = None) -> Self:
        """Draw the patterns of the largest weights.

        Parameters
        ----------
        clf : ConvolutionalWTMClassifier
        label : object, optional
            Draw only the patterns that vote for this class.
        n_patterns : int, default=10
            Largest number of patterns to draw.
        ax : sequence of matplotlib Axes, optional
            One for each pattern; the default is a new figure.
        """
        if not isinstance(clf, ConvolutionalWTMClassifier):
            raise TypeError(
                f"clf must be a ConvolutionalWTMClassifier, got {short_repr(clf)}. For a pipeline, pass pipeline[-1]."
            )
        check_scalar(n_patterns, "n_patterns", numbers.Integral, min_val=1)
        patterns = clf.patterns()
        if label is not None:
            if label not in (labels := clf.classes_.tolist()):
                raise ValueError(f"label must be one of {', '.join(map(short_repr, labels))}, got {short_repr(label)}.")
            patterns = [pattern for pattern in patterns if pattern.label == label and pattern.polarity > 0]
        return cls(patterns=patterns[:n_patterns], image_shape=clf.image_shape_[:2]).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, one for each pattern, by default those of a new figure."""
        plt = import_pyplot()
        self.axes_ = grid_of_axes(plt, len(self.patterns), below=0.25) if ax is None else np.ravel(ax)
        if len(self.axes_) != len(self.patterns):
            raise ValueError(f"ax must be {len(self.patterns)} axes, one for each pattern; got {len(self.axes_)}.")
        self.figure_ = self.axes_[0].figure if len(self.axes_) else None
        self.images_: list[Any] = []
        self.ranges_: list[Any] = []
        for axes, pattern in zip(self.axes_, self.patterns, strict=True):
            self._draw(axes, pattern)
        return self

    def _draw(self, axes: Any, pattern: Pattern) -> None:
        from matplotlib.patches import Rectangle

        height, width, _ = pattern.pixels.shape
        (top, last_top), (left, last_left) = pattern.rows, pattern.columns
        row, column = (top + last_top) // 2, (left + last_left) // 2
        needed = np.zeros(self.image_shape)
        needed[row : row + height, column : column + width] = (
            (pattern.pixels == TRUE).astype(float) - (pattern.pixels == FALSE)
        ).mean(axis=2)
        self.images_.append(draw_pixels(axes, needed))
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), width, height, fill=False, linewidth=1))
        box = Rectangle(
            (left - 0.5, top - 0.5), last_left - left + width, last_top - top + height, fill=False, linestyle="--"
        )
        self.ranges_.append(axes.add_patch(box))
        side = "for" if pattern.polarity > 0 else "against"
        axes.set_title(f"{side} {plain(escape(shorten(spell_label(pattern.label), MAX_LABEL)))}", size="medium")
        axes.set_xlabel(f"{_spelled('row', pattern.rows)}, {_spelled('column', pattern.columns)}", size="x-small")


def _spelled(name: str, places: tuple[int, int]) -> str:
    first, last = places
    return f"{name}s {first}–{last}" if first < last else f"{name} {first}"
