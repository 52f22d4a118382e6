"""New weights for the rules of a model, by logistic regression on their outputs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import log_expit, log_softmax
from threadpoolctl import threadpool_limits

from wtm.machine.clause_weights import WEIGHT_BITS
from wtm.machine.fuzzy_machine import FuzzyParameters
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.model_state import PredictionModel
from wtm.rules.merging import Clauses

GAMMA = 2.0**-10
"""Weights become powers of 1 + gamma, so they are rounded to within 0.05 %."""

_STRENGTHS = np.logspace(-3, 1, 9)
_MAX_FOLDS = 5
_TOLERANCE = 1e-3  # scikit-learn's default takes several times as long
_INTERCEPT_SCALE = 100.0  # so that liblinear, which penalizes the intercept too, does so little
_SOLVER = threading.Lock()  # liblinear has one stream of random numbers for all threads


@contextmanager
def one_solver() -> Iterator[None]:
    """Let a solver give the same bits each time; the last bits of sums depend on the number of threads of BLAS."""
    with _SOLVER, threadpool_limits(limits=1):
        yield


@dataclass(frozen=True)
class _Rows:
    """The different rows of outputs and labels, and how much each weighs.

    Attributes
    ----------
    outputs : CSR matrix of shape (n_rows, n_rules)
    labels : ndarray of shape (n_rows,), int64
    weights : ndarray of shape (n_rows,), float64
        Rows of weight 0 are left out of a fit.
    """

    outputs: sp.csr_array
    labels: np.ndarray
    weights: np.ndarray

    def weighing(self, weights: np.ndarray) -> Self:
        return replace(self, weights=weights)


@dataclass(frozen=True)
class _Votes:
    """Coefficients and intercepts per class; with a single row, they are those of the second of two classes."""

    coefficients: np.ndarray
    intercepts: np.ndarray
    are_separate: bool  # each class separated from all others

    def log_loss(self, rows: _Rows) -> float:
        logits = rows.outputs @ self.coefficients.T + self.intercepts
        if len(self.intercepts) == 1:
            of_label = log_expit(np.where(rows.labels == 1, 1, -1) * logits[:, 0])
        else:
            by_class = log_expit(logits) if self.are_separate else logits
            of_label = log_softmax(by_class, axis=1)[np.arange(len(rows.labels)), rows.labels]
        return -float(rows.weights @ of_label / rows.weights.sum())


def fit_votes(
    outputs: sp.csr_array, labels: np.ndarray, weights: np.ndarray | None, *, penalty: str, C: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a logistic regression; without `C`, cross-validation chooses it by the log-loss.

    With "l1", it is the smallest C whose log-loss is within one standard error of the best, which leaves fewer rules.
    The result depends on the order of the rows.

    Parameters
    ----------
    outputs : CSR matrix of shape (n_rows, n_rules)
    labels : ndarray of shape (n_rows,), int64
        Class indices; each class occurs.
    weights : ndarray of shape (n_rows,), float64, or None
    penalty : {"l1", "l2"}
    C : float or None

    Returns
    -------
    coefficients : ndarray of shape (n_classes, n_rules), float64
        For two classes, only those of the second differ from 0.
    intercepts : ndarray of shape (n_classes,), float64
    """
    weights = np.ones(len(labels)) if weights is None else weights
    different, place = _different_rows(outputs, labels)
    with one_solver():
        if C is None:
            C = _choose_strength(different, place, labels, weights, penalty)
        rows = different.weighing(np.bincount(place, weights))
        votes = _fit(rows, penalty, C)
    coefficients, intercepts = votes.coefficients, votes.intercepts
    if penalty == "l1":
        intercepts = np.where(coefficients.any(axis=1), intercepts, _log_odds(rows)[-len(intercepts) :])
    if len(intercepts) == 1:
        return np.vstack([np.zeros_like(coefficients), coefficients]), np.append(0.0, intercepts)
    return coefficients, intercepts - np.median(intercepts)


def _different_rows(outputs: sp.csr_array, labels: np.ndarray) -> tuple[_Rows, np.ndarray]:
    """Return the rows that differ in an output or the label, and for each row which of them it is."""
    ends = outputs.indptr.tolist()
    place_of: dict[tuple[int, bytes, bytes], int] = {}
    place = np.empty(len(labels), np.int64)
    for i, label in enumerate(labels.tolist()):
        of_row = slice(ends[i], ends[i + 1])
        key = label, outputs.indices[of_row].tobytes(), outputs.data[of_row].tobytes()
        place[i] = place_of.setdefault(key, len(place_of))
    _, first = np.unique(place, return_index=True)
    return _Rows(outputs[first], labels[first], np.ones(len(first))), place


def _choose_strength(rows: _Rows, place: np.ndarray, labels: np.ndarray, weights: np.ndarray, penalty: str) -> float:
    """Choose `C` by cross-validation, from the strongest penalty on; see `fit_votes`."""
    from sklearn.model_selection import StratifiedKFold  # it takes long to import

    folds = StratifiedKFold(min(_MAX_FOLDS, np.bincount(labels).min()), shuffle=True, random_state=0)
    parts = [
        [rows.weighing(np.bincount(place[part], weights[part], len(rows.labels))) for part in of_fold]
        for of_fold in folds.split(labels, labels)
    ]
    return choose_strength(
        _STRENGTHS, penalty, lambda C: [_fit(train, penalty, C).log_loss(test) for train, test in parts]
    )


def choose_strength(strengths: np.ndarray, penalty: str, losses_of: Callable[[float], list[float]]) -> float:
    """Choose `C` by the losses of folds, from the strongest penalty on.

    With "l1", it is the smallest C whose loss is within one standard error of the best.

    Parameters
    ----------
    strengths : ndarray of float64
        Values of C, ascending.
    penalty : {"l1", "l2"}
    losses_of : callable
        Returns the loss of each fold for a C.
    """
    losses: list[float] = []
    best, error = 0, 0.0
    for C in strengths.tolist():
        of_folds = losses_of(C)
        losses.append(float(np.mean(of_folds)))
        if len(losses) == 1 or losses[-1] < losses[best]:
            best, error = len(losses) - 1, float(np.std(of_folds) / np.sqrt(len(of_folds)))
        elif best > 0 and losses[-1] > losses[best] + error:  # weaker penalties overfit more, and take much longer
            break  # but not before the loss has fallen: while no rule has a coefficient, it only wavers
    chosen = np.flatnonzero(np.array(losses) <= losses[best] + error)[0] if penalty == "l1" else best
    return float(strengths[chosen])


def _fit(rows: _Rows, penalty: str, C: float) -> _Votes:
    n_classes = int(rows.labels.max()) + 1
    present = np.flatnonzero(rows.weights)
    outputs, labels, weights = rows.outputs[present], rows.labels[present], rows.weights[present]
    regression = _new_regression(penalty, C)
    are_separate = penalty == "l1" and n_classes > 2
    targets = [labels == index for index in range(n_classes)] if are_separate else [labels]
    coefficients, intercepts = [], []
    for target in targets:
        regression.fit(outputs, target, weights)
        coefficients.append(regression.coef_)
        intercepts.append(regression.intercept_)
    return _Votes(np.vstack(coefficients), np.concatenate(intercepts), are_separate)


def _log_odds(rows: _Rows) -> np.ndarray:
    """Return the log-odds of each class against all others: the intercepts if no rule has a coefficient.

    The solver's own are too small then, since it penalizes them.
    """
    shares = np.bincount(rows.labels, rows.weights) / rows.weights.sum()
    return np.log(shares / (1 - shares))


def _new_regression(penalty: str, C: float) -> Any:
    """Return an unfitted model."""
    from sklearn.linear_model import LogisticRegression  # it takes long to import

    is_l1 = penalty == "l1"
    # scikit-learn 1.8 replaced penalty by l1_ratio.
    has_penalty = LogisticRegression().get_params().get("penalty") == "l2"
    kind = {"penalty": penalty} if has_penalty else {"l1_ratio": float(is_l1)}
    regression = LogisticRegression(**kind, C=C, max_iter=1000)
    if is_l1:
        regression.set_params(solver="liblinear", tol=_TOLERANCE, intercept_scaling=_INTERCEPT_SCALE, random_state=0)
    return regression


def model_of(
    rules: Clauses,
    n_features: int,
    coefficients: np.ndarray,
    intercepts: np.ndarray,
    *,
    T: float,
    literal_failures: int | None,
) -> PredictionModel:
    """Return a model of these rules, whose sums are the intercepts and the coefficients of the rules that vote.

    Parameters
    ----------
    rules : Clauses
        Their classes and votes don't matter.
    n_features : int
    coefficients : ndarray of shape (n_classes, n_rules), float64
        Vote of each rule on each class; 0 if it has none.
    intercepts : ndarray of shape (n_classes,), float64
    T : float
    literal_failures : int or None
        LF of fuzzy rules, whose coefficients are for all of LF votes; None for strict ones.
    """
    intercepts = intercepts * (literal_failures or 1)  # a clause of one literal has one vote
    literals = [np.sort(rules.literals_of(i)) for i in range(len(rules))]
    literals, votes = _with_intercepts(literals, coefficients.copy(), intercepts, n_features)
    votes = np.where(np.abs(votes) < 2.0**-WEIGHT_BITS, 0, votes)
    sides = [np.flatnonzero(sign * of_class > 0) for of_class in votes for sign in (1, -1)]
    n_half = max(1, *map(len, sides))
    common: dict[str, Any] = {"T": T, "s": 1.0, "gamma": GAMMA}
    parameters = MachineParameters(n_features, 2 * n_half, **common)
    if literal_failures is not None:
        parameters = FuzzyParameters(n_features, 2 * n_half, **common, literal_failures=literal_failures)
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
