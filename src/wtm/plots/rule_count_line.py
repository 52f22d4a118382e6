"""Accuracy against the number of rules."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length

from wtm.plots.drawing import FOR, axes_for
from wtm.prediction import check_classifier
from wtm.validation.labels import check_labels

_MAX_POINTS = 40


class RuleCountDisplay:
    """How accurate a model is with its heaviest rules alone.

    Parameters
    ----------
    n_rules : ndarray of shape (n_points,), int64
        Ascending.
    accuracy : ndarray of shape (n_points,)
    baseline : float or None
        Share of the most frequent label, which gets a horizontal line.
    order : str
        Which rules are kept first.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib Line2D
    """

    def __init__(
        self,
        *,
        n_rules: np.ndarray,
        accuracy: np.ndarray,
        baseline: float | None = None,
        order: str = "the heaviest first",
    ) -> None:
        self.n_rules, self.accuracy, self.baseline, self.order = n_rules, accuracy, baseline, order

    @classmethod
    def from_estimator(cls, clf: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Draw the accuracy with the heaviest rule, the two heaviest and so on; the last point is the whole model.

        Rules are those of `WTMClassifier.rules`, which merges equal ones.

        Parameters
        ----------
        clf : WTMClassifier
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows that the model was not trained on.
        y : array-like of shape (n_samples,)
        ax : matplotlib Axes, optional
            The default is a new figure.
        """
        check_classifier(clf)
        y = check_labels(y, "y")
        table, rules = clf._table(X), clf.rules()._clauses
        check_consistent_length(table, y)
        if not len(rules):
            raise ValueError("clf has no rules: train it for longer, or on more rows.")
        held = sp.vstack([outputs for _, outputs in clf._votes_by_part(table, rules.ends, rules.literals)], "csc")
        n_rules = np.unique(np.geomspace(1, len(rules), _MAX_POINTS).round().astype(np.int64))
        sums, accuracy, start = np.zeros((len(y), len(clf.classes_)), np.int64), [], 0
        for n in n_rules.tolist():
            place = np.arange(n - start), rules.classes[start:n]
            votes = sp.csr_array((rules.votes[start:n], place), (n - start, sums.shape[1]))
            sums += (held[:, start:n].astype(np.int64) @ votes).toarray()
            accuracy.append(float((clf.classes_[sums.argmax(axis=1)] == y).mean()))
            start = n
        _, counts = np.unique(y, return_counts=True)
        return cls(n_rules=n_rules, accuracy=np.array(accuracy), baseline=float(counts.max() / len(y))).plot(ax)

    @classmethod
    def from_pruned(cls, clf: Any, *, ax: Any = None) -> Self:
        """Draw how the accuracy changed as `WTMClassifier.prune` removed rules one by one.

        Parameters
        ----------
        clf : WTMClassifier
            As ``prune(X, y, ...)`` returns it.
        ax : matplotlib Axes, optional
            The default is a new figure.
        """
        curve = getattr(clf, "pruning_", {}).get("curve")
        if curve is None:
            raise ValueError("clf has no pruning_ with a curve: pass what prune(X, y, ...) of a classifier returns.")
        n_rules, accuracy = map(np.array, zip(*reversed(curve), strict=True))
        return cls(n_rules=n_rules, accuracy=accuracy, order="the most needed first").plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, by default those of a new figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        colour = FOR["facecolor"]
        (self.line_,) = self.ax_.plot(
            self.n_rules, self.accuracy, color=colour, marker="o", markersize=4, label="model"
        )
        if self.baseline is not None:
            self.ax_.axhline(self.baseline, color="gray", linestyle="--", label="always the most frequent class")
            self.ax_.legend(frameon=False)
        self.ax_.set(xlabel=f"rules kept, {self.order}", ylabel="accuracy", xscale="log")
        self.ax_.xaxis.set_major_formatter("{x:g}")
        self.ax_.grid(alpha=0.25)
        return self
