"""Prediction of numbers with a fitted regressor."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from wtm.estimator import Estimator
from wtm.validation.targets import middle_and_half, to_numbers


class NumberPredictor(RegressorMixin, Estimator):
    """The part of the regressors that predicts."""

    n_outputs_: int
    y_ndim_: int
    y_range_: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Predict numbers.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, `n_outputs_`), float64
            Of the shape of the `y` of the training, and within `y_range_`.
        """
        return self._from_sums(X, lambda sums: self._shaped(self._numbers(sums)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output, tags.target_tags.multi_output = True, True
        return tags

    def _shaped(self, numbers: np.ndarray) -> np.ndarray:
        return numbers[:, 0] if self.y_ndim_ == 1 else numbers

    def _numbers(self, sums: np.ndarray) -> np.ndarray:
        """Return what sums in fixed point stand for; both have the shape (n_rows, `n_outputs_`)."""
        return to_numbers(sums * (self._voting_model().unit / self._model.parameters.T), self.y_range_)

    def _worth_of_votes(self) -> np.ndarray:
        _, half = middle_and_half(self.y_range_)
        worth: np.ndarray = half * self._voting_model().unit / self._model.parameters.T
        return worth

    def _columns(self, y: np.ndarray, name: str) -> np.ndarray:
        """Return the numbers of rows with a column for each output."""
        columns = y.reshape(len(y), -1)
        if columns.shape[1] != self.n_outputs_:
            raise ValueError(f"{name} must have {self.n_outputs_} numbers per row as in fit, got {columns.shape[1]}.")
        return columns
