"""The votes on a row as bars that add up to the class sum."""

import numbers
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_scalar

from wtm.plots.drawing import AGAINST, FOR, MAX_LABEL, axes_for, plain
from wtm.prediction import check_classifier
from wtm.rules import Explanation
from wtm.tables.condition_grammar import spell_label
from wtm.utils.printable import escape, short_repr, shorten

_SUM = {"facecolor": "#999999", "edgecolor": "black"}


class ExplanationDisplay:
    """A waterfall: the votes of the rules that hold for a row, heaviest first, and the class sum that they add up to.

    Parameters
    ----------
    label : object
        The class that the rules vote on.
    rules : sequence of str
        What each bar is.
    votes : ndarray of shape (n_bars,)
    class_sum : float

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_ : list of matplotlib Rectangle
        One for each vote, from top to bottom, and the sum.
    """

    def __init__(self, *, label: Any, rules: Sequence[str], votes: np.ndarray, class_sum: float) -> None:
        self.label, self.rules, self.votes, self.class_sum = label, rules, votes, class_sum

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        X: Any,
        *,
        label: Any = None,
        n_rules: int = 10,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw why the first row of a table gets its class.

        Parameters
        ----------
        clf : WTMClassifier
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Pass the row alone: ``X[5:6]``.
        label, n_rules, ax
            As in `from_explanation`.
        feature_names : sequence of str of length `n_features_in_`, optional
            Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
        """
        check_classifier(clf)
        explanations = clf.explain(X, feature_names=feature_names)
        if not explanations:
            raise ValueError("X has no rows: pass the row to explain.")
        return cls.from_explanation(explanations[0], label=label, n_rules=n_rules, ax=ax)

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, *, label: Any = None, n_rules: int = 10, ax: Any = None
    ) -> Self:
        """Draw an explanation.

        Parameters
        ----------
        explanation : wtm.rules.Explanation
            As `WTMClassifier.explain` returns it.
        label : object, optional
            The class whose sum is drawn. The default is the predicted class; if the votes of two classes are shown as
            votes on the second, it is that one.
        n_rules : int, default=10
            How many rules get a bar of their own. The others share one.
        ax : matplotlib Axes, optional
            The default is a new figure.
        """
        if not isinstance(explanation, Explanation):
            raise TypeError(f"explanation must be one of those that explain(X) lists, got {short_repr(explanation)}.")
        check_scalar(n_rules, "n_rules", numbers.Integral, min_val=1)
        sums = explanation.class_sums
        if label is None:
            label = explanation.label if explanation.label in sums else next(iter(sums))
        if label not in sums:
            raise ValueError(f"label must be one of {', '.join(map(short_repr, sums))}, got {short_repr(label)}.")
        rules = [rule for rule in explanation.rules if rule.label == label]
        texts = [" AND ".join(rule.literals) for rule in rules[:n_rules]]
        votes = [rule.vote for rule in rules[:n_rules]]
        if others := rules[n_rules:]:
            texts.append(f"{len(others):,} lighter rules" if len(others) > 1 else "1 lighter rule")
            votes.append(sum(rule.vote for rule in others))
        return cls(label=label, rules=texts, votes=np.array(votes), class_sum=sums[label]).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, by default those of a new figure."""
        n_bars = len(self.votes) + 1
        self.ax_ = axes_for(ax, 1.2 + 0.3 * n_bars)
        self.figure_ = self.ax_.figure
        ends = np.cumsum(self.votes)
        starts = ends - self.votes
        sizes = np.append(self.votes, self.class_sum)
        self.bars_ = []
        for i, (start, size) in enumerate(zip(np.append(starts, 0.0), sizes, strict=True)):
            style = _SUM if i == n_bars - 1 else FOR if size > 0 else AGAINST
            self.bars_ += self.ax_.barh(i, size, left=start, height=0.7, **style).patches
            right = max(start, start + size)
            self.ax_.annotate(f"{size:+.3g}", (right, i), (4, 0), textcoords="offset points", va="center", size="small")
        for i, end in enumerate(ends):  # to the next bar
            self.ax_.plot([end, end], [i - 0.35, i + 1.35], color="gray", linewidth=0.8, zorder=0)
        names = [plain(escape(shorten(text, MAX_LABEL))) for text in self.rules]
        self.ax_.set_yticks(range(n_bars), [*names, "class sum"], size="small")
        self.ax_.invert_yaxis()
        self.ax_.use_sticky_edges = False  # which would leave no margin at one side
        self.ax_.margins(x=0.12)
        self.ax_.axvline(0, color="black", linewidth=0.8)
        self.ax_.set(xlabel=f"votes for {plain(escape(shorten(spell_label(self.label), MAX_LABEL)))}")
        return self
