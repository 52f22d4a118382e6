"""Prediction with a fitted classifier: class sums, decisions, probabilities and labels."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wtm.estimator import Estimator
from wtm.machine.calibration import log_probabilities, probabilities


class Predictor(ClassifierMixin, Estimator):
    """The part of `wtm.WTMClassifier` that predicts."""

    has_strict_rules = True  # a rule votes only where all of its conditions hold
    classes_: np.ndarray

    def class_sums(self, X: Any) -> np.ndarray:
        """Weighted sum of votes for each class, not clipped to T; float64 of shape (n_samples, n_classes)."""
        return self._from_sums(X, lambda sums: sums * self._voting_model().unit)

    def decision_function(self, X: Any) -> np.ndarray:
        """Confidence in each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float64
            The class sums, of shape (n_samples, n_classes). With two classes, the second minus the first, of shape
            (n_samples,).
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return self._from_sums(X, lambda sums: (sums[:, 1] - sums[:, 0]) * self._voting_model().unit)
        return self.class_sums(X)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the label with the largest class sum, the first one on a tie; shape (n_samples,)."""
        return self._from_sums(X, lambda sums: self.classes_[sums.argmax(axis=1)])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each class, which is largest for the class that `predict` returns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            Each row adds up to 1. :mod:`wtm.machine.calibration` describes the method. Without `early_stopping` the
            probabilities are overconfident if the model is far more accurate on training rows than on new ones.
        """
        return self._from_sums(X, lambda sums: probabilities(sums, self._voting_model().unit * self._model.logit_scale))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Predict the logarithm of the probability of each class; shape and classes as in `predict_proba`."""
        return self._from_sums(
            X, lambda sums: log_probabilities(sums, self._voting_model().unit * self._model.logit_scale)
        )


def check_classifier(clf: Any) -> None:
    """Raise a TypeError or NotFittedError unless `clf` is a fitted classifier of wtm."""
    if not isinstance(clf, Predictor) or not clf.has_strict_rules:
        raise TypeError(
            f"clf must be a WTMClassifier, got a {type(clf).__name__}. For a pipeline, pass pipeline[-1]: "
            "what it writes expects rows as pipeline[:-1].transform returns them. For a search, pass best_estimator_."
        )
    check_is_fitted(clf)
