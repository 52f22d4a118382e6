"""Rules of a trained model: its clauses in the words of the caller, as objects and as text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wtm.escaping import escaped
from wtm.machine import Machine

if TYPE_CHECKING:
    from wtm.classifier import WTMClassifier

__all__ = ["Rule", "heaviest_rules", "rules_of"]


@dataclass(frozen=True)
class Rule:
    """A clause that votes: a row that meets all literals moves the sum of `label` by `vote`.

    Attributes
    ----------
    label : object
        The class whose sum the rule changes, as in `WTMClassifier.classes_`.
    polarity : int
        +1 for a rule that votes for the class, -1 for one that votes against it.
    weight : float
        Greater than 0.
    literals : tuple of str
        The conditions, at least one: ``"x on a1"``, or ``"NOT (x on a1)"`` where the feature must be 0;
        ``"age > 40.5"`` or ``"age <= 40.5"`` where a `Booleanizer` made the features. First all features, then all
        negated ones, each in the order of the columns.
    """

    label: Any
    polarity: int
    weight: float
    literals: tuple[str, ...]

    @property
    def vote(self) -> float:
        """The weight with the sign of the polarity."""
        return self.polarity * self.weight

    def __str__(self) -> str:
        """Return the rule as one line, whatever characters names and labels have."""
        side = "for" if self.polarity > 0 else "against"
        return escaped(f"IF {' AND '.join(self.literals)} THEN votes {side} {self.label}, weight {self.weight:.4g}")


def rules_of(clf: "WTMClassifier", feature_names: Sequence[str] | None = None) -> list[Rule]:
    """All rules of a trained model, class by class in the order of its clauses.

    A clause without literals is left out: it does not vote.

    Parameters
    ----------
    clf : WTMClassifier
        A fitted classifier.
    feature_names : sequence of str of length n_features, optional
        What the columns are called; when left out, the names that `fit` saw, else ``x0``, ``x1`` and so on.

    Returns
    -------
    list of Rule

    Raises
    ------
    sklearn.exceptions.NotFittedError
        `clf` is not fitted.
    ValueError
        `feature_names` has another length than the model has features.
    """
    names = _literal_names(clf, feature_names)
    return [
        rule
        for label, machine in _machines(clf)
        for rule in _rules(machine, label, names, np.flatnonzero(machine.include.any(axis=1)))
    ]


def heaviest_rules(clf: "WTMClassifier", per_class: int = 10, feature_names: Sequence[str] | None = None) -> list[Rule]:
    """The rules with the largest weights, heaviest first within each class; of equals the earlier clause.

    Parameters
    ----------
    clf : WTMClassifier
        A fitted classifier.
    per_class : int, default=10
        The most rules that a class gets; at least 1.
    feature_names : sequence of str of length n_features, optional
        As in `rules_of`.

    Returns
    -------
    list of Rule

    Raises
    ------
    sklearn.exceptions.NotFittedError, ValueError
        As in `rules_of`; `per_class` is below 1.
    """
    if per_class < 1:
        raise ValueError(f"per_class must be at least 1, got {per_class!r}.")
    names = _literal_names(clf, feature_names)
    chosen: list[Rule] = []
    for label, machine in _machines(clf):
        voting = np.flatnonzero(machine.include.any(axis=1))
        by_weight = voting[np.argsort(-machine.exponents[voting], kind="stable")]
        chosen += _rules(machine, label, names, by_weight[:per_class])
    return chosen


def _machines(clf: "WTMClassifier") -> Iterable[tuple[Any, Machine]]:
    return zip(clf.classes_.tolist(), clf.machines_, strict=True)


def _rules(machine: Machine, label: Any, names: list[str], clauses: np.ndarray) -> list[Rule]:
    include, weights, polarity = machine.include, machine.weights, machine.polarity
    return [
        Rule(
            label=label,
            polarity=int(polarity[j]),
            weight=float(weights[j]),
            literals=tuple(names[literal] for literal in np.flatnonzero(include[j])),
        )
        for j in clauses
    ]


def _literal_names(clf: "WTMClassifier", feature_names: Sequence[str] | None) -> list[str]:
    """Names of all 2o literals."""
    check_is_fitted(clf)
    n_columns = clf.n_features_in_
    if feature_names is None:
        feature_names = getattr(clf, "feature_names_in_", [f"x{i}" for i in range(n_columns)])
    names = [str(name) for name in feature_names]
    if len(names) != n_columns:
        raise ValueError(f"feature_names must name each of the model's {n_columns} features, got {len(names)} names.")
    if clf.booleanizer_ is not None:
        return clf.booleanizer_.literal_names(names)
    return names + [f"NOT ({name})" for name in names]
