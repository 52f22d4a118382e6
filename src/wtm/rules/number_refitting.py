"""New weights for the rules of a regression, by linear regression on their outputs."""

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from wtm.rules.refitting import choose_strength, one_solver

MIN_ROWS = 10  # for cross-validation

_FOLDS = 3
_L2_STRENGTHS = np.logspace(-3, 1, 5)
_L1_SHARES = np.logspace(-0.5, -3.5, 10)  # of the weakest penalty that leaves no rule
_ROUGH = {"tol": 3e-3, "max_iter": 100}  # to choose the penalty; to be more exact takes far longer and is no better
_EXACT = {"tol": 1e-3, "max_iter": 300}


class _Fit:
    """Regressions on the same rows with ever weaker penalties, each starting where the one before ended."""

    def __init__(
        self, outputs: sp.csr_array, answers: np.ndarray, weights: np.ndarray, penalty: str, *, is_rough: bool = False
    ) -> None:
        from sklearn.linear_model import Lasso, Ridge  # they take long to import

        self._rows = sp.csc_matrix(outputs), answers, weights  # a matrix is what the solvers take in all versions
        self._is_l1 = penalty == "l1"
        how: dict[str, Any] = _ROUGH if is_rough else _EXACT
        self._regression: Any = Lasso(warm_start=True, **how) if self._is_l1 else Ridge(solver="sparse_cg", **how)

    def votes(self, C: float) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients and intercepts, as `fit_numbers` does."""
        alpha = 1 / (C * self._rows[2].sum() if self._is_l1 else C)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # near enough
            self._regression.set_params(alpha=alpha).fit(*self._rows)
        return np.atleast_2d(self._regression.coef_), np.atleast_1d(self._regression.intercept_)


def fit_numbers(
    outputs: sp.csr_array, answers: np.ndarray, weights: np.ndarray | None, *, penalty: str, C: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a linear regression; without `C`, cross-validation chooses it by the squared error.

    Parameters
    ----------
    outputs : CSR matrix of shape (n_rows, n_rules)
    answers : ndarray of shape (n_rows, n_outputs), float64
    weights : ndarray of shape (n_rows,), float64, or None
    penalty : {"l1", "l2"}
        "l1" is the lasso, and "l2" ridge regression.
    C : float or None

    Returns
    -------
    coefficients : ndarray of shape (n_outputs, n_rules), float64
    intercepts : ndarray of shape (n_outputs,), float64
    """
    from sklearn.model_selection import KFold  # it takes long to import

    weights = np.ones(len(answers)) if weights is None else weights
    with one_solver():
        if C is not None:
            return _Fit(outputs, answers, weights, penalty).votes(C)
        folds = [
            (_Fit(outputs[train], answers[train], weights[train], penalty, is_rough=True), test)
            for train, test in KFold(_FOLDS, shuffle=True, random_state=0).split(answers)
        ]

        def losses_of(C: float) -> list[float]:
            losses = []
            for fit, test in folds:
                coefficients, intercepts = fit.votes(C)
                errors = (outputs[test] @ coefficients.T + intercepts - answers[test]) ** 2
                losses.append(float(np.average(errors.mean(axis=1), weights=weights[test])))
            return losses

        strengths = _strengths(outputs, answers, weights, penalty)
        chosen = choose_strength(strengths, penalty, losses_of)
        return _Fit(outputs, answers, weights, penalty).votes(chosen)


def _strengths(outputs: sp.csr_array, answers: np.ndarray, weights: np.ndarray, penalty: str) -> np.ndarray:
    """Return the values of C that are tried, ascending."""
    if penalty == "l2":
        return _L2_STRENGTHS
    centred = weights[:, np.newaxis] * (answers - np.average(answers, axis=0, weights=weights))
    strongest = max(np.abs(outputs.T @ centred).max(), np.finfo(float).tiny)
    strengths: np.ndarray = 1 / (strongest * _L1_SHARES)
    return strengths
