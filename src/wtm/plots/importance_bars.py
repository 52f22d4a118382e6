"""The importance of columns as bars."""

import numbers
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_scalar

from wtm.plots.drawing import FOR, MAX_LABEL, axes_for, plain
from wtm.prediction import check_classifier
from wtm.utils.printable import escape, shorten
from wtm.validation.feature_names import column_names


class ImportanceDisplay:
    """How much the rules use each column: the largest shares of `feature_importances_`.

    Parameters
    ----------
    names : sequence of str of length n_columns
    importances : ndarray of shape (n_columns,)
        Descending.
    n_others : int
        Number of columns that are not drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_ : matplotlib BarContainer
    """

    def __init__(self, *, names: Sequence[str], importances: np.ndarray, n_others: int = 0) -> None:
        self.names, self.importances, self.n_others = names, importances, n_others

    @classmethod
    def from_estimator(
        cls, clf: Any, *, n_columns: int = 20, feature_names: Sequence[str] | None = None, ax: Any = None
    ) -> Self:
        """Draw the importances of a fitted classifier.

        Parameters
        ----------
        clf : WTMClassifier
        n_columns : int, default=20
            Largest number of columns to draw.
        feature_names : sequence of str of length `n_features_in_`, optional
            Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
        ax : matplotlib Axes, optional
            The default is a new figure.
        """
        check_classifier(clf)
        check_scalar(n_columns, "n_columns", numbers.Integral, min_val=1)
        names, importances = column_names(clf, feature_names), clf.feature_importances_
        order = np.argsort(-importances, kind="stable")[:n_columns]
        drawn = [f"x{i}" if names is None else str(names[i]) for i in order.tolist()]
        return cls(names=drawn, importances=importances[order], n_others=len(importances) - len(order)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, by default those of a new figure."""
        self.ax_ = axes_for(ax, 1.2 + 0.25 * len(self.names))
        from matplotlib.ticker import PercentFormatter

        self.figure_ = self.ax_.figure
        places = np.arange(len(self.names))
        self.bars_ = self.ax_.barh(places, self.importances, **FOR)
        self.ax_.set_yticks(places, [plain(escape(shorten(name, MAX_LABEL))) for name in self.names])
        self.ax_.invert_yaxis()
        self.ax_.xaxis.set_major_formatter(PercentFormatter(1))
        left = 1 - float(np.sum(self.importances))
        others = f"; {self.n_others:,} other columns have {left:.1%}" if self.n_others else ""
        self.ax_.set(xlabel=f"share of the weighted rules{others}")
        return self
