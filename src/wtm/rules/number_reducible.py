"""The part of the regressors that makes regressors with fewer rules, or with new weights."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length

from wtm.kernels.removals import Answers
from wtm.machine.training_rows import NumberedExamples
from wtm.number_prediction import NumberPredictor
from wtm.rules.number_refitting import MIN_ROWS, fit_numbers
from wtm.rules.pruning import of_numbers
from wtm.rules.reducible import Reducible
from wtm.utils.caller import warn_caller
from wtm.validation.row_weights import sample_weights
from wtm.validation.targets import check_numbers, to_shares


class NumberReducible(Reducible, NumberPredictor):
    """A regressor whose rules can be shortened, chosen from, and weighted again."""

    _has_classes = False

    def prune(
        self,
        X: Any = None,
        y: Any = None,
        *,
        n_rules: int | None = None,
        min_weight: float | None = None,
        max_r2_loss: float | None = None,
        sample_weight: Any = None,
    ) -> Self:
        """Return a regressor with some of the rules.

        With `X` and `y`, rules are removed one by one: each time the one without which the squared error is smallest.
        Without, the rules are kept that can add or subtract most. Rules are those of `rules`. Pass exactly one of
        `n_rules`, `min_weight` and `max_r2_loss`. A `refit` before or after it makes up for much of what is lost.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features), optional
            Such as the training rows. Report the error on others, since these choose the rules.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
            Numbers to predict, not all the same.
        n_rules : int, optional
            How many rules to keep.
        min_weight : float, optional
            Keep the rules that can add or subtract at least this much, in units of `y`.
        max_r2_loss : float, optional
            Keep the fewest rules found with which R squared on `X` is at most this much smaller, such as 0.01.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: a row of weight 2 counts as two. As in `fit`, weights that add up to at most 1 are
            scaled to a mean of 1.

        Returns
        -------
        estimator
            For prediction, as after `simplify`; this regressor stays as it is. Its attribute `pruning_` is a dict with
            ``n_rules_before`` and ``n_rules`` and, with `X`, ``r2_before`` and ``r2``. If rules were removed one by
            one, ``curve`` lists the number of rules and R squared after each removal.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError, TypeError
            `X`, `y` or `sample_weight` can't be used, one of `X` and `y` is passed without the other, `max_r2_loss` or
            `sample_weight` without both, or there is not exactly one of the numbers, in its range.
        MemoryError
            The rows don't fit in memory.
        """
        wanted = {"n_rules": n_rules, "min_weight": min_weight, "max_r2_loss": max_r2_loss}
        return self._prune(X, y, wanted, sample_weight)

    def refit(self, X: Any, y: Any, penalty: str = "l1", *, C: float | None = None, sample_weight: Any = None) -> Self:
        """Return a regressor with the same rules and new weights, by linear regression on their votes.

        Equal rules are merged first. Each rule gets its coefficient as what it adds, and one without a coefficient is
        removed. With several outputs, a rule can add to several of them. The intercept, as far as it is not the middle
        of `y_range_`, becomes two rules with one condition, of which one always holds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Such as the training rows. Rules fit these better than new rows; with enough data, pass rows that the model
            was not trained on.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers to predict.
        penalty : {"l1", "l2"}, default="l1"
            "l1" is the lasso and removes many rules: cross-validation on `X` chooses the strongest penalty whose
            squared error is within one standard error of the best. "l2" is ridge regression, keeps nearly all rules,
            and minimizes the squared error.
        C : float, optional
            Inverse strength of the penalty: C times half of the sum of squared errors is added to it, with `y` scaled
            so that `y_range_` is from -1 to 1. With "l1", a smaller `C` leaves fewer rules. By default cross-validation
            chooses it.
        sample_weight : array-like of shape (n_samples,), optional
            As in `prune`.

        Returns
        -------
        estimator
            For prediction, as after `simplify`; this regressor stays as it is.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError, TypeError
            An argument can't be used, there are too few rows for cross-validation, or the model has no rules.

        Notes
        -----
        The result depends neither on the order of the rows nor on `n_jobs`. The weights are rounded to within 0.05 %.
        """
        return self._refit(X, y, penalty, C, sample_weight)

    def _threshold_of_refit(self) -> float:
        return float(self._model.parameters.T)

    def _data(self, X: Any, y: Any, sample_weight: Any) -> NumberedExamples:
        table, y = self._table(X), check_numbers(y, "y")
        check_consistent_length(table, y)
        weights = sample_weights(sample_weight, len(y))
        shares = to_shares(self._columns(y, "y"), self.y_range_)
        return NumberedExamples(self._examples(table), shares, weights)

    def _prunable(self, data: NumberedExamples) -> NumberedExamples:
        if not np.ptp(data.answers, axis=0).all():
            raise ValueError("y must hold two different numbers or more, for each output: pass more rows.")
        return data

    def _check_refittable(self, data: NumberedExamples, C: float | None) -> None:
        if len(data) < MIN_ROWS and C is None:
            raise ValueError(f"C can't be chosen by cross-validation on {len(data)} rows. Pass more rows, or C=1.")
        if (np.abs(data.answers) > 1 + 1e-9).any():
            warn_caller(
                UserWarning(
                    f"y holds numbers outside y_range {self.y_range_.tolist()}, which are predicted as the nearest end "
                    "of the range. Fit again with a wider y_range to predict them."
                )
            )

    def _answers(self, data: NumberedExamples) -> Answers:
        return of_numbers(data, self._unit_of_score())

    def _unit_of_score(self) -> float:
        return self._voting_model().unit / self._threshold_of_refit()

    def _coefficients(
        self, outputs: sp.csr_array, data: NumberedExamples, penalty: str, C: float | None
    ) -> tuple[np.ndarray, np.ndarray]:
        coefficients, intercepts = fit_numbers(outputs, data.answers, data.weights, penalty=penalty, C=C)
        T = self._threshold_of_refit()
        return coefficients * T, intercepts * T
