"""A histogram of a statistic of the rules."""

from typing import Any, Self

import numpy as np

from wtm.plots.drawing import AGAINST, FOR, axes_for
from wtm.prediction import check_classifier

_LABELS = {"weight": "weight of the rule", "length": "conditions of the rule"}
_N_BINS = 30
_WIDE = 20.0  # quotient of the largest and the smallest weight from which the axis is logarithmic


class RuleHistogramDisplay:
    """How a number is distributed over the rules: their weight, length, support and so on.

    Rules for a class and against it are stacked.

    Parameters
    ----------
    column : str
        What is counted, as in `wtm.rules.RuleTable.columns`.
    values : ndarray of shape (n_rules,)
    is_for : ndarray of shape (n_rules,), bool
        Whether each rule votes for its class.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    counts_ : ndarray of shape (2, n_bins), int64
        Rules for and against in each bin.
    bin_edges_ : ndarray of shape (n_bins + 1,)
    """

    def __init__(self, *, column: str, values: np.ndarray, is_for: np.ndarray) -> None:
        self.column, self.values, self.is_for = column, values, is_for

    @classmethod
    def from_estimator(cls, clf: Any, X: Any = None, y: Any = None, *, column: str = "weight", ax: Any = None) -> Self:
        """Draw a statistic of the rules of a fitted classifier.

        Parameters
        ----------
        clf : WTMClassifier
        X, y : optional
            Rows on which the rules are counted, and their labels, as in `WTMClassifier.rules`.
        column : str, default="weight"
            "weight" or "length", and with `X` also "support", "vote_share", "separation" and "decides", with `y`
            "precision" and "lift".
        ax : matplotlib Axes, optional
            The default is a new figure.
        """
        check_classifier(clf)
        table = clf.rules(X, y, one_sided=False)
        numeric = [name for name, values in table.columns.items() if isinstance(values, np.ndarray)]
        if column not in numeric:
            raise ValueError(f"column must be one of {', '.join(numeric)}, got {column!r}. Others need X, or X and y.")
        values = table.columns[column].astype(np.float64)
        known = ~np.isnan(values)  # the precision of a rule that never holds is not
        return cls(column=column, values=values[known], is_for=table.votes[known] > 0).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, by default those of a new figure."""
        self.ax_ = axes_for(ax)
        from matplotlib.ticker import MaxNLocator

        self.figure_ = self.ax_.figure
        self.bin_edges_ = edges = self._edges()
        self.counts_ = np.array([np.histogram(self.values[mask], edges)[0] for mask in (self.is_for, ~self.is_for)])
        below, widths = np.zeros(len(edges) - 1, np.int64), np.diff(edges)
        for counts, style, label in zip(self.counts_, (FOR, AGAINST), ("for", "against"), strict=True):
            self.ax_.bar(edges[:-1], counts, widths, below, align="edge", label=f"{label} the class", **style)
            below = below + counts
        self.ax_.yaxis.set_major_locator(MaxNLocator(integer=True))
        self.ax_.set(xlabel=_LABELS.get(self.column, self.column), ylabel="rules")
        if self._is_logarithmic():
            self.ax_.set_xscale("log")
            self.ax_.xaxis.set_major_formatter("{x:g}")
        self.ax_.legend(frameon=False)
        return self

    def _is_logarithmic(self) -> bool:
        is_weight = self.column == "weight" and len(self.values) > 0
        return is_weight and float(self.values.max() / self.values.min()) > _WIDE

    def _edges(self) -> np.ndarray:
        if not len(self.values):
            return np.array([0.0, 1.0])
        low, high = float(self.values.min()), float(self.values.max())
        if self.column == "length":
            step = max(1, round((high - low + 1) / _N_BINS))
            return np.arange(low - 0.5, high + step + 0.5, step)
        if self._is_logarithmic():
            return np.geomspace(low, high * (1 + 1e-12), _N_BINS + 1)
        return np.linspace(low, high, _N_BINS + 1) if high > low else np.array([low - 0.5, high + 0.5])
