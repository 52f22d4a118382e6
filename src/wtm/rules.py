"""Rules of a trained model: its clauses in the words of the caller, as objects and as text."""

import numbers
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wtm.utils.printable import escape

if TYPE_CHECKING:
    from wtm.classifier import WTMClassifier
    from wtm.machine.voting import VotingModel

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
        return escape(f"IF {' AND '.join(self.literals)} THEN votes {side} {self.label}, weight {self.weight:.4g}")


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
    TypeError
        `clf` is something else.
    ValueError
        `feature_names` has another length than the model has features.
    """
    names = _literal_names(clf, feature_names)
    voting = clf._voting_model()
    return [
        _rule(voting, clause, label, names) for label, clauses in _voting_clauses(clf, voting) for clause in clauses
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
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        As in `rules_of`; `per_class` is no integer, or below 1.
    """
    if not isinstance(per_class, numbers.Integral) or isinstance(per_class, bool):
        raise TypeError(f"per_class must be an integer, got {per_class!r}.")
    if per_class < 1:
        raise ValueError(f"per_class must be at least 1, got {per_class!r}.")
    names = _literal_names(clf, feature_names)
    voting = clf._voting_model()
    chosen: list[Rule] = []
    for label, clauses in _voting_clauses(clf, voting):
        by_weight = clauses[np.argsort(-np.abs(voting.clause_votes[clauses]), kind="stable")]
        chosen += [_rule(voting, clause, label, names) for clause in by_weight[:per_class]]
    return chosen


def _voting_clauses(clf: "WTMClassifier", voting: "VotingModel") -> Iterator[tuple[Any, np.ndarray]]:
    """Each class with its clauses that include a literal."""
    has_literals = (np.diff(voting.clause_ends) > 0).reshape(voting.n_machines, voting.n_clauses)
    for i, label in enumerate(clf.classes_.tolist()):
        yield label, i * voting.n_clauses + np.flatnonzero(has_literals[i])


def _rule(voting: "VotingModel", clause: int, label: Any, names: list[str]) -> Rule:
    vote = int(voting.clause_votes[clause])
    literals = voting.literal_list[voting.clause_ends[clause] : voting.clause_ends[clause + 1]]
    return Rule(label, 1 if vote > 0 else -1, abs(vote) * voting.unit, tuple(names[literal] for literal in literals))


def _literal_names(clf: "WTMClassifier", feature_names: Sequence[str] | None) -> list[str]:
    """Names of all 2o literals."""
    from wtm.predictor import Predictor

    if not isinstance(clf, Predictor):
        raise TypeError(
            f"Rules are those of a WTMClassifier, got a {type(clf).__name__}. A Pipeline has its classifier as "
            "pipeline[-1], a search as best_estimator_."
        )
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
