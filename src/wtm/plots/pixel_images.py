"""Rules and classes as images, where the columns are pixels."""

import math
import numbers
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_scalar

from wtm.plots.drawing import MAX_LABEL, draw_pixels, grid_of_axes, import_pyplot, plain
from wtm.prediction import check_classifier
from wtm.rules import Rule
from wtm.tables.condition_grammar import Interval, spell_label
from wtm.utils.printable import escape, shorten
from wtm.validation.image_shape import check_image_shape


class ImagesDisplay:
    """Images of what rules need of pixels: positive where they must be on, negative where they must be off.

    Positive pixels are blue, negative ones orange; crosses mark the negative ones that are not faint.

    Parameters
    ----------
    images : ndarray of shape (n_images, height, width)
    titles : sequence of str of length n_images

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes of shape (n_images,)
    figure_ : matplotlib Figure
    images_ : list of matplotlib AxesImage
    """

    def __init__(self, *, images: np.ndarray, titles: Sequence[str]) -> None:
        self.images, self.titles = images, titles

    @classmethod
    def from_estimator(
        cls, clf: Any, image_shape: tuple[int, int], *, kind: str = "classes", n_rules: int = 10, ax: Any = None
    ) -> Self:
        """Draw the classes or the rules of a classifier of images.

        Parameters
        ----------
        clf : WTMClassifier
            Its columns are the pixels, row by row.
        image_shape : tuple of int
            Height and width.
        kind : {"classes", "rules"}, default="classes"
            "rules" draws the rules with the largest weights, each on its own: 1 where a pixel must be on, -1 where it
            must be off. "classes" adds the images of all rules of a class, times their votes.
        n_rules : int, default=10
            Largest number of rules to draw.
        ax : sequence of matplotlib Axes, optional
            One for each image; the default is a new figure.
        """
        check_classifier(clf)
        shape = check_image_shape(image_shape, clf.n_features_in_)
        check_scalar(n_rules, "n_rules", numbers.Integral, min_val=1)
        if kind not in ("classes", "rules"):
            raise ValueError(f"kind must be 'classes' or 'rules', got {kind!r}.")
        rules = clf.rules(one_sided=False, feature_names=list(map(str, range(clf.n_features_in_))))
        if kind == "rules":
            drawn = list(rules[:n_rules])
            images = [_image(rule, shape) for rule in drawn]
            sides = ["for" if rule.polarity > 0 else "against" for rule in drawn]
            titles = [f"{side} {spell_label(rule.label)}" for side, rule in zip(sides, drawn, strict=True)]
        else:
            labels = clf.classes_.tolist()
            by_class = {label: np.zeros(shape) for label in labels}
            for rule in rules:
                by_class[rule.label] += rule.vote * _image(rule, shape)
            images, titles = list(by_class.values()), [spell_label(label) for label in labels]
        return cls(images=np.array(images).reshape(-1, *shape), titles=titles).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, one for each image, by default those of a new figure."""
        plt = import_pyplot()
        self.axes_ = grid_of_axes(plt, len(self.images)) if ax is None else np.ravel(ax)
        if len(self.axes_) != len(self.images):
            raise ValueError(f"ax must be {len(self.images)} axes, one for each image; got {len(self.axes_)}.")
        self.figure_ = self.axes_[0].figure if len(self.axes_) else None
        self.images_ = []
        for axes, image, title in zip(self.axes_, self.images, self.titles, strict=True):
            self.images_.append(draw_pixels(axes, image))
            axes.set_title(plain(escape(shorten(title, MAX_LABEL))), size="medium")
        return self


def _image(rule: Rule, shape: tuple[int, int]) -> np.ndarray:
    """Return 1 where a pixel must be above a threshold, and -1 where it must not."""
    pixels = np.zeros(shape[0] * shape[1])
    for condition in rule.conditions:
        if isinstance(condition, Interval):
            pixels[int(condition.column)] += (condition.low > -math.inf) - int(condition.high < math.inf)
    return pixels.reshape(shape)
