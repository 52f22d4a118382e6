"""New weights for the rules of a model, by logistic regression on their outputs."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import parallel_config
from sklearn import config_context

from wtm.machine.calibration import PRIOR_SCALE
from wtm.machine.clause_weights import WEIGHT_BITS
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model_state import PredictionModel
from wtm.rules.merging import Clauses

GAMMA = 2.0**-10
"""Weights become powers of 1 + gamma, so they are rounded to within 0.05 %."""

_STRENGTHS = np.logspace(-3, 1, 9)
_MAX_FOLDS = 5
_TOLERANCE = 1e-3  # scikit-learn's default takes several times as long
_INTERCEPT_SCALE = 100.0  # so that liblinear, which penalizes the intercept too, does so little


def fit_votes(
    outputs: sp.csr_array,
    labels: np.ndarray,
    weights: np.ndarray | None,
    *,
    penalty: str,
    C: float | None,
    n_threads: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a logistic regression; without `C`, cross-validation chooses it by the log-loss.

    With "l1", it is the smallest C whose log-loss is within one standard error of the best, which leaves fewer rules.

    Parameters
    ----------
    outputs : CSR matrix of shape (n_rows, n_rules)
    labels : ndarray of shape (n_rows,), int64
        Class indices; each class occurs.
    weights : ndarray of shape (n_rows,), float64, or None
    penalty : {"l1", "l2"}
    C : float or None
    n_threads : int

    Returns
    -------
    coefficients : ndarray of shape (n_classes, n_rules), float64
        For two classes, only those of the second differ from 0.
    intercepts : ndarray of shape (n_classes,), float64
    """
    # It takes long to import.
    from sklearn.metrics import get_scorer
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    has_weights = weights is not None
    weighted = {"sample_weight": weights} if has_weights else {}
    # One-vs-rest passes weights on only with metadata routing.
    with config_context(enable_metadata_routing=has_weights), parallel_config("threading", n_jobs=n_threads):
        model, name = _new_regression(penalty, int(labels.max()) + 1, has_weights=has_weights)
        if C is None:
            scorer = get_scorer("neg_log_loss")
            if has_weights:
                scorer = scorer.set_score_request(sample_weight=True)
            folds = StratifiedKFold(min(_MAX_FOLDS, np.bincount(labels).min()), shuffle=True, random_state=0)
            choose = _strongest_as_good if penalty == "l1" else True
            search = GridSearchCV(model, {name: _STRENGTHS}, scoring=scorer, cv=folds, refit=choose)
            model = search.fit(outputs, labels, **weighted).best_estimator_
        else:
            model.set_params(**{name: C}).fit(outputs, labels, **weighted)
    parts = getattr(model, "estimators_", [model])
    coefficients = np.vstack([part.coef_ for part in parts])
    intercepts = np.concatenate([part.intercept_ for part in parts])
    if penalty == "l1":
        intercepts = np.where(coefficients.any(axis=1), intercepts, _log_odds(labels, weights)[-len(intercepts) :])
    if len(intercepts) == 1:
        return np.vstack([np.zeros_like(coefficients), coefficients]), np.append(0.0, intercepts)
    return coefficients, intercepts - np.median(intercepts)


def _log_odds(labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return the log-odds of each class against all others: the intercepts if no rule has a coefficient.

    The solver's own are too small then, since it penalizes them.
    """
    shares = np.bincount(labels, weights) / np.sum(np.ones(len(labels)) if weights is None else weights)
    return np.log(shares / (1 - shares))


def _new_regression(penalty: str, n_classes: int, *, has_weights: bool) -> tuple[Any, str]:
    """Return an unfitted model, and the name of its C."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    is_l1 = penalty == "l1"
    # scikit-learn 1.8 replaced penalty by l1_ratio.
    has_penalty = LogisticRegression().get_params().get("penalty") == "l2"
    kind = {"penalty": penalty} if has_penalty else {"l1_ratio": float(is_l1)}
    regression = LogisticRegression(**kind, max_iter=1000)
    if is_l1:
        regression.set_params(solver="liblinear", tol=_TOLERANCE, intercept_scaling=_INTERCEPT_SCALE, random_state=0)
    if has_weights:
        regression.set_fit_request(sample_weight=True)
    return (OneVsRestClassifier(regression), "estimator__C") if is_l1 and n_classes > 2 else (regression, "C")


def _strongest_as_good(results: dict[str, np.ndarray]) -> int:
    """Return the position of the smallest C whose score is within one standard error of the best."""
    n_folds = sum(name.startswith("split") for name in results)
    scores, errors = results["mean_test_score"], results["std_test_score"] / np.sqrt(n_folds)
    best = scores.argmax()
    return int(np.flatnonzero(scores >= scores[best] - errors[best])[0])


def model_of(rules: Clauses, n_features: int, coefficients: np.ndarray, intercepts: np.ndarray) -> PredictionModel:
    """Return a model of these rules, whose class sums are the logits.

    Parameters
    ----------
    rules : Clauses
        Their classes and votes don't matter.
    n_features : int
    coefficients : ndarray of shape (n_classes, n_rules), float64
        Vote of each rule on each class; 0 if it has none.
    intercepts : ndarray of shape (n_classes,), float64
    """
    literals = [np.sort(rules.literals_of(i)) for i in range(len(rules))]
    literals, votes = _with_intercepts(literals, coefficients.copy(), intercepts, n_features)
    votes = np.where(np.abs(votes) < 2.0**-WEIGHT_BITS, 0, votes)
    sides = [np.flatnonzero(sign * of_class > 0) for of_class in votes for sign in (1, -1)]
    n_half = max(1, *map(len, sides))
    parameters = MachineParameters(n_features, 2 * n_half, T=PRIOR_SCALE, s=1.0, gamma=GAMMA)
    limit = parameters.weight_table.max_exponent
    exponents, lengths = np.zeros((2, len(sides), n_half), np.int32)
    for i, chosen in enumerate(sides):
        steps = np.rint(np.log(np.abs(votes[i // 2, chosen])) / np.log1p(GAMMA))
        exponents[i, : len(chosen)] = np.clip(steps, -limit, limit)
        lengths[i, : len(chosen)] = [len(literals[rule]) for rule in chosen]
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    included = [literals[rule] for chosen in sides for rule in chosen]
    literal_list = np.concatenate([np.empty(0, np.int32), *included])
    return PredictionModel(parameters, exponents.reshape(len(votes), -1), ends, literal_list, logit_scale=1.0)


def _with_intercepts(
    literals: list[np.ndarray], votes: np.ndarray, intercepts: np.ndarray, n_features: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """Turn intercepts into votes of a literal and of its negation, one of which always holds.

    If there are rules of one literal, it is that of the heaviest, which then only needs a second one.
    """
    if not intercepts.any():
        return literals, votes
    place_of = {int(of_rule[0]): i for i, of_rule in enumerate(literals) if len(of_rule) == 1}
    weights = np.abs(votes).sum(axis=0)
    literal = max(place_of, key=lambda literal: weights[place_of[literal]], default=0)
    for one in (literal, (literal + n_features) % (2 * n_features)):
        if one not in place_of:
            place_of[one] = len(literals)
            literals = [*literals, np.array([one], np.int32)]
            votes = np.column_stack([votes, np.zeros(len(votes))])
        votes[:, place_of[one]] += intercepts
    return literals, votes
