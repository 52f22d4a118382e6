"""Training on numbers, which the regressors share."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length

from wtm.machine.training_rows import NumberedExamples
from wtm.modelfile import ModelRecord
from wtm.number_prediction import NumberPredictor
from wtm.trainable import Trainable
from wtm.utils.caller import warn_caller, warn_caller_once
from wtm.validation.targets import check_numbers, check_range, to_shares


class NumberTrainable(NumberPredictor, Trainable):
    """The part of the regressors that trains."""

    y_range: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Train for `n_epochs` epochs, from the start unless `warm_start`.

        If the call is interrupted, by Ctrl-C, a callback or an error, the estimator stays as it was.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Columns of any kind that `booleanizer` accepts. Sparse data stay sparse.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers to predict.
        sample_weight : array-like of shape (n_samples,), optional
            How many times an epoch sees each row, as in :meth:`wtm.WTMClassifier.fit`.
        X_val, y_val : array-like, optional
            Validation data, which are not trained on. Their R squared is recorded in `history_`.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter or the data can't be used.
        MemoryError
            The fit needs more memory than is free.

        Warns
        -----
        ConvergenceWarning
            The model has learnt little: it is not better than predicting the mean, most clauses are empty, or the sums
            can't reach `T`.
        RuntimeWarning
            Weights of clauses reached the largest weight.
        UserWarning
            An output has the same number in all rows, targets are outside `y_range`, or as in
            :meth:`wtm.WTMClassifier.fit`.
        """
        return self._fit(X, y, sample_weight, X_val, y_val)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train for one epoch, resuming from the current state. `early_stopping` is ignored.

        Parameters
        ----------
        X, y
            As in `fit`. Without the parameter `y_range`, the first call decides which numbers can be predicted.
        sample_weight
            As in `fit`, but never scaled, since the weights of later batches are not known.

        Returns
        -------
        self
        """
        return self._fit_batch(X, y, sample_weight)

    @property
    def _n_machines(self) -> int:
        return self.n_outputs_

    def _targets_for_record(self) -> dict[str, Any]:
        return {"classes": None, "ranges": self.y_range_}

    def _take_targets_of(self, record: ModelRecord) -> None:
        assert record.ranges is not None
        self.y_range_, self.n_outputs_ = record.ranges, len(record.ranges)
        self.y_ndim_ = record.attributes.get("y_ndim_", 2)

    def _training_data(
        self, X: Any, y: Any, sample_weight: Any, *, resumes: bool, is_batch: bool = False
    ) -> NumberedExamples:
        table, y = self._table(X, reset=not resumes), check_numbers(y, "y")
        check_consistent_length(table, y)
        table, y, weights = self._weighted_rows(table, y, sample_weight, is_batch=is_batch)
        if not resumes:
            self._learn_shape(y)
        columns = self._columns(y, "y")
        if not resumes:
            self._learn_features(table, weights, columns)
            self._learn_range(columns, is_batch=is_batch)
        elif self.y_range is not None:
            self._check_range_is_kept()
        data = NumberedExamples(self._examples(table), self._shares(columns, "y"), weights)
        return data.by_content() if self.shuffle else data

    def _learn_targets(self, y: np.ndarray) -> None:
        """Learn the shape of targets and the range of numbers from rows that have the extreme numbers."""
        self._learn_shape(y)
        columns = self._columns(y, "y")
        self._learn_range(columns, is_batch=False)
        self._shares(columns, "y")  # which warns of numbers outside the range

    def _learn_shape(self, y: np.ndarray) -> None:
        self.y_ndim_, self.n_outputs_ = y.ndim, 1 if y.ndim == 1 else y.shape[1]

    def _learn_range(self, columns: np.ndarray, *, is_batch: bool) -> None:
        """Decide which numbers can be predicted, and warn if a fit or the first batch has only one of them."""
        found = np.stack([columns.min(axis=0), columns.max(axis=0)], axis=1)
        self.y_range_ = found if self.y_range is None else check_range(self.y_range, self.n_outputs_)
        constant = np.flatnonzero(found[:, 0] == found[:, 1])
        if not len(constant) or (is_batch and self.y_range is not None):
            return
        output, number = constant[0], float(found[constant[0], 0])
        text = "y is" if self.n_outputs_ == 1 else f"output {output} of y is"
        if is_batch:
            text += (
                f" {number!r} in all rows of the first batch, so no other number can be predicted later. Pass "
                "y_range, the smallest and the largest number to predict."
            )
        else:
            text += f" {number!r} in all rows: there is nothing to learn but this number."
        warn_caller(UserWarning(text))

    def _check_range_is_kept(self) -> None:
        now = check_range(self.y_range, self.n_outputs_)
        if not np.array_equal(now, self.y_range_):
            raise ValueError(
                f"y_range can't change when training is resumed: it was {self.y_range_.tolist()} and is now "
                f"{now.tolist()}. Set it back, or fit again with warm_start=False."
            )

    def _validation_data(self, X_val: Any, y_val: Any) -> NumberedExamples | None:
        read = self._validation_rows(X_val, y_val, check_numbers)
        if read is None:
            return None
        table, y = read
        return NumberedExamples(self._examples(table, "X_val"), to_shares(self._columns(y, "y_val"), self.y_range_))

    def _shares(self, columns: np.ndarray, name: str) -> np.ndarray:
        low, high = self.y_range_.T
        outside = (columns < low) | (columns > high)
        if outside.any():
            value = columns[outside][0]
            warn_caller_once(
                self,
                UserWarning(
                    f"{name} holds {value:g}, which is outside y_range {self.y_range_.tolist()}: such numbers are "
                    "trained as the nearest end of the range. Fit again with a wider y_range to predict them."
                ),
            )
        return np.clip(to_shares(columns, self.y_range_), -1.0, 1.0)
