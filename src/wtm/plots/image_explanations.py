"""Why an image gets its class, drawn over the image."""

import numbers
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_scalar

from wtm.image_training import ImageClassifier
from wtm.plots.drawing import MAX_LABEL, draw_pixels, import_pyplot, plain
from wtm.rules import FoundPattern, ImageExplanation
from wtm.rules.patterns import FALSE, TRUE
from wtm.tables.condition_grammar import spell_label
from wtm.utils.printable import counted, escape, short_repr, shorten

_BOX = "#009e73"
_LINES = ("-", "--", ":", "-.")
_CORNERS = ((0, 0), (1, 0), (0, 1), (1, 1))
"""Where the votes of one box after the other stand, so that those of boxes in the same place can be told apart."""


class ImageExplanationDisplay:
    """An image, and over it what the patterns that vote for a class found there.

    Blue squares are pixels that had to be 1, orange ones with a cross 0: the stronger the colour, the more votes need
    the pixel. The vote of a pattern that is in several places is shared among them. Boxes are the patches of the
    heaviest patterns, with their votes.

    Parameters
    ----------
    image : ndarray of shape (height, width)
        What is drawn in grey below.
    evidence : ndarray of shape (height, width)
        Positive where votes need a 1, negative where they need a 0.
    boxes : sequence of (float, int, int, int, int)
        Vote, first row, first column, height and width of each patch.
    title : str

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    image_ : matplotlib AxesImage
        The evidence.
    boxes_ : list of matplotlib Rectangle
    """

    def __init__(
        self,
        *,
        image: np.ndarray,
        evidence: np.ndarray,
        boxes: Sequence[tuple[float, int, int, int, int]],
        title: str,
    ) -> None:
        self.image, self.evidence, self.boxes, self.title = image, evidence, boxes, title

    @classmethod
    def from_estimator(
        cls, clf: Any, X: Any, *, label: Any = None, n_patterns: int = 3, image: Any = None, ax: Any = None
    ) -> Self:
        """Draw why the first of some images gets its class.

        Parameters
        ----------
        clf : ConvolutionalWTMClassifier or FuzzyConvolutionalWTMClassifier
        X : array-like of shape (n_images, height, width) or (n_images, height, width, n_channels)
            Pass the image alone: ``X[5:6]``.
        label, n_patterns, image, ax
            As in `from_explanation`.
        """
        if not isinstance(clf, ImageClassifier):
            raise TypeError(
                f"clf must be a classifier of images, got {short_repr(clf)}. For a pipeline, pass pipeline[-1], and X "
                "as pipeline[:-1].transform returns it. For tables, use ExplanationDisplay."
            )
        explanations = clf.explain(X)
        if not explanations:
            raise ValueError("X has no images: pass the image to explain.")
        return cls.from_explanation(explanations[0], label=label, n_patterns=n_patterns, image=image, ax=ax)

    @classmethod
    def from_explanation(
        cls,
        explanation: ImageExplanation,
        *,
        label: Any = None,
        n_patterns: int = 3,
        image: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw an explanation.

        Parameters
        ----------
        explanation : wtm.rules.ImageExplanation
            As `ConvolutionalWTMClassifier.explain` returns it.
        label : object, optional
            The class whose patterns are drawn, those that vote for it. The default is the predicted class.
        n_patterns : int, default=3
            How many patterns get a box, the heaviest ones. A pattern in several places gets it at the first of them.
        image : array-like of shape (height, width), optional
            Grey values to draw below, such as those before a threshold. The default is the mean of the channels.
        ax : matplotlib Axes, optional
            The default is a new figure.
        """
        if not isinstance(explanation, ImageExplanation):
            raise TypeError(f"explanation must be one of those that explain(X) lists, got {short_repr(explanation)}.")
        check_scalar(n_patterns, "n_patterns", numbers.Integral, min_val=0)
        sums = explanation.class_sums
        label = explanation.label if label is None else label
        if label not in sums:
            raise ValueError(f"label must be one of {', '.join(map(short_repr, sums))}, got {short_repr(label)}.")
        shape = explanation.image.shape[:2]
        below = explanation.image.mean(axis=2) if image is None else np.asarray(image, float)
        if below.shape != shape:
            raise ValueError(f"image must have the size of those seen in fit, {shape}, got {below.shape}.")
        found = [pattern for pattern in explanation.patterns if pattern.label == label and pattern.vote > 0]
        title = f"{_short(label)}: sum {sums[label]:.3g}"
        if label != explanation.label:
            title += f", predicted is {_short(explanation.label)}"
        title += f"\n{counted(len(found), 'pattern')} for it"
        boxes = [_box(pattern) for pattern in found[:n_patterns]]
        return cls(image=below, evidence=_evidence(found, shape), boxes=boxes, title=title).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, by default those of a new figure."""
        plt = import_pyplot()
        from matplotlib.patches import Rectangle

        if ax is None:
            _, ax = plt.subplots(figsize=(4, 4.4), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        ax.imshow(self.image, cmap="gray_r")
        self.image_ = draw_pixels(ax, self.evidence, inset=True)
        self.boxes_ = []
        for i, (vote, row, column, height, width) in enumerate(self.boxes):
            line: dict[str, Any] = {"edgecolor": _BOX, "linewidth": 2, "linestyle": _LINES[i % 4]}
            box = Rectangle((column - 0.5, row - 0.5), width, height, fill=False, **line)
            self.boxes_.append(ax.add_patch(box))
            right, bottom = _CORNERS[i % 4]
            ax.annotate(
                f"{vote:+.3g}",
                (column - 0.5 + right * width, row - 0.5 + bottom * height),
                (2 - 4 * right, 4 * bottom - 2),
                textcoords="offset points",
                ha="right" if right else "left",
                va="bottom" if bottom else "top",
                size="small",
                color=_BOX,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )
        ax.set_title(plain(self.title), size="medium")
        return self


def _short(label: Any) -> str:
    return escape(shorten(spell_label(label), MAX_LABEL))


def _box(pattern: FoundPattern) -> tuple[float, int, int, int, int]:
    row, column = np.argwhere(pattern.places)[0]
    height, width, _ = pattern.pixels.shape
    return pattern.vote, int(row), int(column), height, width


def _evidence(patterns: Sequence[FoundPattern], shape: tuple[int, ...]) -> np.ndarray:
    """Add up, at each pixel, the votes of the patterns that need it: those that need a 0 are negative."""
    evidence = np.zeros(shape)
    for pattern in patterns:
        height, width, _ = pattern.pixels.shape
        needed = ((pattern.pixels == TRUE).astype(float) - (pattern.pixels == FALSE)).mean(axis=2)
        share = pattern.vote / pattern.places.sum()
        for row, column in np.argwhere(pattern.places):
            evidence[row : row + height, column : column + width] += share * needed
    return evidence
