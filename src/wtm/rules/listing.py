"""The clauses of a trained model as rules, one by one and literal by literal."""

import numbers
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from wtm.machine.voting import VotingModel
from wtm.prediction import Predictor
from wtm.rules.rule import Rule
from wtm.rules.vocabulary import Vocabulary


def rules_of(clf: Predictor | Pipeline, feature_names: Sequence[str] | None = None) -> list[Rule]:
    """Return all clauses of a trained model as rules, class by class, with a condition for each literal.

    Clauses without literals are left out, since they don't vote. `WTMClassifier.rules` gives shorter rules: without
    redundant conditions, and with equal rules merged.

    Parameters
    ----------
    clf : WTMClassifier or Pipeline
        A fitted classifier, or a fitted pipeline that ends with one. The rules of a pipeline are on the features that
        `get_feature_names_out` of its other steps names.
    feature_names : sequence of str of length n_features, optional
        Names of the columns, of a pipeline those of its input; the default is the names seen in `fit`, or else ``x0``,
        ``x1`` and so on.

    Returns
    -------
    list of Rule

    Raises
    ------
    sklearn.exceptions.NotFittedError
        `clf` is not fitted.
    TypeError
        `clf` is not a WTMClassifier and doesn't end with one.
    ValueError
        `feature_names` does not have a different name for each feature, or a step of a pipeline doesn't name its
        features.
    """
    clf, feature_names = _after_pipeline(clf, feature_names)
    vocabulary = _vocabulary(clf, feature_names)
    voting = clf._voting_model()
    return [
        _rule(voting, clause, label, vocabulary)
        for label, clauses in _voting_clauses(clf, voting)
        for clause in clauses
    ]


def heaviest_rules(
    clf: Predictor | Pipeline, per_class: int = 10, feature_names: Sequence[str] | None = None
) -> list[Rule]:
    """Return the rules with the largest weights of each class, in descending order; on a tie, the earlier clause first.

    Parameters
    ----------
    clf : WTMClassifier or Pipeline
        As in `rules_of`.
    per_class : int, default=10
        Largest number of rules per class, at least 1.
    feature_names : sequence of str of length n_features, optional
        As in `rules_of`.

    Returns
    -------
    list of Rule

    Raises
    ------
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        As in `rules_of`, or `per_class` is not an integer of at least 1.
    """
    if not isinstance(per_class, numbers.Integral) or isinstance(per_class, bool):
        raise TypeError(f"per_class must be an integer, got {per_class!r} of type {type(per_class).__name__}.")
    if per_class < 1:
        raise ValueError(f"per_class must be at least 1, got {per_class!r}.")
    clf, feature_names = _after_pipeline(clf, feature_names)
    vocabulary = _vocabulary(clf, feature_names)
    voting = clf._voting_model()
    chosen: list[Rule] = []
    for label, clauses in _voting_clauses(clf, voting):
        by_weight = clauses[np.argsort(-np.abs(voting.clause_votes[clauses]), kind="stable")]
        chosen += [_rule(voting, clause, label, vocabulary) for clause in by_weight[:per_class]]
    return chosen


def _voting_clauses(clf: Predictor, voting: VotingModel) -> Iterator[tuple[Any, np.ndarray]]:
    """Yield each class with the indices of its clauses that have literals."""
    has_literals = (np.diff(voting.clause_ends) > 0).reshape(voting.n_machines, voting.n_clauses)
    for i, label in enumerate(clf.classes_.tolist()):
        yield label, i * voting.n_clauses + np.flatnonzero(has_literals[i])


def _rule(voting: VotingModel, clause: int, label: Any, vocabulary: Vocabulary) -> Rule:
    vote = int(voting.clause_votes[clause])
    literals = voting.literal_list[voting.clause_ends[clause] : voting.clause_ends[clause + 1]]
    conditions = tuple(map(vocabulary.condition, literals.tolist()))
    return Rule(label, 1 if vote > 0 else -1, abs(vote) * voting.unit, conditions)


def _after_pipeline(clf: Any, feature_names: Sequence[str] | None) -> tuple[Predictor, Sequence[str] | None]:
    """Return the classifier at the end of a pipeline, and the names of its columns."""
    if not isinstance(clf, Pipeline):
        return clf, feature_names
    if len(clf) > 1:
        try:
            feature_names = clf[:-1].get_feature_names_out(feature_names)
        except AttributeError as error:
            reason = str(error).partition(". ")[0]
            raise ValueError(
                f"A step of the pipeline doesn't name its features: {reason}. Pass pipeline[-1], and feature_names for "
                "its columns."
            ) from None
    return _after_pipeline(clf[-1], feature_names)


def _vocabulary(clf: Predictor, feature_names: Sequence[str] | None) -> Vocabulary:
    if not isinstance(clf, Predictor) or not clf.has_strict_rules:
        raise TypeError(
            f"clf must be a WTMClassifier or a Pipeline that ends with one, got a {type(clf).__name__}. Pass "
            "best_estimator_ of a search."
        )
    check_is_fitted(clf)
    return Vocabulary.of(clf, feature_names)
