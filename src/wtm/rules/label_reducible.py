"""The part of the classifiers that makes classifiers with fewer rules, or with new weights."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length

from wtm.kernels.removals import Answers
from wtm.machine.calibration import PRIOR_SCALE, fit_logit_scale
from wtm.machine.training_rows import LabelledExamples
from wtm.prediction import Predictor
from wtm.rules.pruning import of_labels
from wtm.rules.reducible import Reducible
from wtm.rules.refitting import fit_votes
from wtm.utils.printable import short_repr
from wtm.utils.threads import resolve_n_threads
from wtm.validation.labels import check_labels, class_indices
from wtm.validation.row_weights import sample_weights


class LabelReducible(Reducible, Predictor):
    """A classifier whose rules can be shortened, chosen from, and weighted again."""

    _has_classes = True

    def prune(
        self,
        X: Any = None,
        y: Any = None,
        *,
        n_rules: int | None = None,
        min_weight: float | None = None,
        max_accuracy_loss: float | None = None,
        sample_weight: Any = None,
    ) -> Self:
        """Return a classifier with some of the rules.

        With `X` and `y`, rules are removed one by one: each time the one without which most rows are right, and of
        several such rules the one that casts the fewest votes. Without, the rules with the largest weights are kept.
        Rules are those of `rules`. Pass exactly one of `n_rules`, `min_weight` and `max_accuracy_loss`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features), optional
            Such as the training rows. Report the accuracy on others, since these choose the rules.
        y : array-like of shape (n_samples,), optional
            Labels of the rows, of two classes or more.
        n_rules : int, optional
            How many rules to keep.
        min_weight : float, optional
            Keep the rules with at least this weight; of a fuzzy rule, it is what it votes where all conditions hold.
        max_accuracy_loss : float, optional
            Keep the fewest rules found with which the accuracy on `X` is at most this much smaller, such as 0.01 for
            one percent of the rows.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: a row of weight 2 counts as two, in the accuracies too. As in `fit`, weights that add
            up to at most 1 are scaled to a mean of 1.

        Returns
        -------
        classifier
            For prediction, as after `simplify`; this classifier stays as it is. With `X`, the probabilities are
            calibrated on it. Its attribute `pruning_` is a dict with ``n_rules_before`` and ``n_rules`` and, with `X`,
            ``accuracy_before`` and ``accuracy``. If rules were removed one by one, ``curve`` lists the number of rules
            and the accuracy after each removal.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError, TypeError
            `X`, `y` or `sample_weight` can't be used, one of `X` and `y` is passed without the other,
            `max_accuracy_loss` or `sample_weight` without both, or there is not exactly one of the numbers, in its
            range.
        MemoryError
            The rows don't fit in memory.
        """
        wanted = {"n_rules": n_rules, "min_weight": min_weight, "max_accuracy_loss": max_accuracy_loss}
        return self._prune(X, y, wanted, sample_weight)

    def refit(self, X: Any, y: Any, penalty: str = "l1", *, C: float | None = None, sample_weight: Any = None) -> Self:
        """Return a classifier with the same rules and new weights, by logistic regression on their votes.

        Equal rules are merged first. Rules get the coefficients as weights, so their votes add up to log-odds: in
        models of two classes to those of the second class. A rule with a negative coefficient votes against its class,
        and one without a coefficient is removed. With more than two classes, a rule can vote on several of them. The
        intercept becomes the votes of two rules with one condition, of which one always holds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Such as the training rows. Rules fit these better than new rows; with enough data, pass rows that the model
            was not trained on.
        y : array-like of shape (n_samples,)
            Labels of the rows. Each class must occur.
        penalty : {"l1", "l2"}, default="l1"
            "l1" removes many rules: cross-validation on `X` chooses the strongest penalty whose log-loss is within one
            standard error of the best. Several classes are each separated from all others. "l2" keeps nearly all rules,
            and minimizes the log-loss.
        C : float, optional
            Inverse strength of the penalty, as in scikit-learn's `LogisticRegression`. With "l1", a smaller `C` leaves
            fewer rules. By default cross-validation chooses it.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: a row of weight 2 counts as two. As in `fit`, weights that add up to at most 1 are
            scaled to a mean of 1.

        Returns
        -------
        classifier
            For prediction, as after `simplify`; this classifier stays as it is.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        ValueError, TypeError
            An argument can't be used; a class does not occur, or too rarely for cross-validation; or the model has no
            rules.

        Notes
        -----
        The result depends neither on the order of the rows nor on `n_jobs`. The weights are rounded to within 0.05 %.
        They may still differ between platforms, as those of `LogisticRegression` do.
        """
        return self._refit(X, y, penalty, C, sample_weight)

    def _threshold_of_refit(self) -> float:
        return PRIOR_SCALE

    def _data(self, X: Any, y: Any, sample_weight: Any) -> LabelledExamples:
        table, y = self._table(X), check_labels(y, "y")
        check_consistent_length(table, y)
        weights = sample_weights(sample_weight, len(y))
        return LabelledExamples(self._examples(table), class_indices(y, self.classes_, "y"), weights)

    def _prunable(self, data: LabelledExamples) -> LabelledExamples:
        if len(np.unique(data.labels)) < 2:
            raise ValueError("y must have rows of two classes or more, got one with a weight: pass rows of all.")
        return data

    def _check_refittable(self, data: LabelledExamples, C: float | None) -> None:
        """Check that each class occurs, and often enough for cross-validation."""
        classes, n_rows = self.classes_.tolist(), np.bincount(data.labels, minlength=len(self.classes_))
        label, count = short_repr(classes[n_rows.argmin()]), n_rows.min()
        if count == 0:
            raise ValueError(f"y must have rows of every class, but {label} does not occur. Pass more rows.")
        if count == 1 and C is None:
            raise ValueError(
                f"C can't be chosen by cross-validation, since {label} occurs only once in y. Pass more rows, or C=1."
            )

    def _answers(self, data: LabelledExamples) -> Answers:
        return of_labels(data)

    def _coefficients(
        self, outputs: sp.csr_array, data: LabelledExamples, penalty: str, C: float | None
    ) -> tuple[np.ndarray, np.ndarray]:
        return fit_votes(outputs, data.labels, data.weights, penalty=penalty, C=C)

    def _calibrate(self, data: LabelledExamples) -> None:
        """Fit the factor of the probabilities, with the present one as its prior."""
        voting, T = self._voting_model(), PRIOR_SCALE / self._model.logit_scale
        sums = voting.sums(data.examples, n_threads=resolve_n_threads(self.n_jobs)) * voting.unit
        self._model = replace(self._model, logit_scale=fit_logit_scale(sums, data.labels, data.weights, T))
