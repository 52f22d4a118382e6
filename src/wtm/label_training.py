"""Training on labels, which the classifiers share."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length

from wtm.machine.training_rows import LabelledExamples
from wtm.modelfile import ModelRecord
from wtm.trainable import Trainable
from wtm.validation.labels import check_classes, check_labels, class_indices, unique_labels
from wtm.validation.row_weights import class_weights


class LabelTrainable(Trainable):
    """The part of the classifiers that trains."""

    class_weight: Any
    classes_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Train for `n_epochs` epochs, from the start unless `warm_start`.

        If the call is interrupted, by Ctrl-C, a callback or an error, the estimator stays as it was.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Columns of any kind that `booleanizer` accepts. Sparse data stay sparse.
        y : array-like of shape (n_samples,)
            Labels of one kind: integers, strings, booleans or whole floats, but not dates.
        sample_weight : array-like of shape (n_samples,), optional
            How many times an epoch sees each row. A fraction is the probability of seeing it once more, drawn in every
            epoch. Weight 0 is the same as leaving the row out; weight 2 is the same as having the row twice, bit for
            bit with `shuffle` unless `early_stopping` holds out one of the two. Weights that add up to at
            most 1 are shares and are scaled to a mean of 1. Others are not scaled: divide large ones, such as survey
            weights, by their mean if only their ratios matter, since an epoch takes as long as they add up to.
        X_val, y_val : array-like, optional
            Validation data, which are not trained on. Their accuracy is recorded in `history_`.

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
            The model has learnt little: it is not better than predicting the most frequent class, most clauses are
            empty, or the class sums can't reach `T`.
        RuntimeWarning
            Weights of clauses reached the largest weight.
        UserWarning
            Votes of other shards were so far out of date that accuracy may be lost; the weights of the rows are so
            small that an epoch sees almost no examples, or have a mean above 100; or little can be learnt from some
            columns: identifiers, row numbers, or numbers and dates stored as text.
        """
        return self._fit(X, y, sample_weight, X_val, y_val)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Train for one epoch, resuming from the current state. `early_stopping` is ignored.

        Parameters
        ----------
        X, y
            As in `fit`. Not every class has to occur.
        classes : array-like of shape (n_classes,), optional
            All labels that will ever occur. Required in the first call.
        sample_weight
            As in `fit`, but never scaled, since the weights of later batches are not known.

        Returns
        -------
        self
        """
        with self._unchanged_on_error():
            self._check_partial_fit(classes, self.__sklearn_is_fitted__())
            return self._fit_batch(X, y, sample_weight)

    @property
    def _n_machines(self) -> int:
        return len(self.classes_)

    def _weights_by_class(self, training: LabelledExamples) -> np.ndarray | None:
        return class_weights(self.class_weight, self.classes_, training.labels, training.weights)

    def _targets_for_record(self) -> dict[str, Any]:
        return {"classes": self.classes_}

    def _take_targets_of(self, record: ModelRecord) -> None:
        assert record.classes is not None
        self.classes_ = record.classes

    def _check_partial_fit(self, classes: Any, resumes: bool) -> None:
        """Check what `partial_fit` needs besides parameters and data; the first call learns the classes."""
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight={self.class_weight!r} can't be used with partial_fit, since the frequencies of the "
                "classes are not known in advance: pass a dict that maps labels to weights."
            )
        if classes is not None:
            classes = check_classes(classes, "classes")
            if resumes and not np.array_equal(classes, self.classes_):
                raise ValueError(f"classes must be those of the first call, {self.classes_}; got {classes}.")
        elif not resumes:
            raise ValueError(
                "classes must be passed in the first call of partial_fit, got None. List all labels that will occur."
            )
        if not resumes:
            self.classes_ = classes

    def _training_data(
        self, X: Any, y: Any, sample_weight: Any, *, resumes: bool, is_batch: bool = False
    ) -> LabelledExamples:
        table, y = self._table(X, reset=not resumes), check_labels(y, "y")
        check_consistent_length(table, y)
        n_rows = len(y)
        table, y, weights = self._weighted_rows(table, y, sample_weight, is_batch=is_batch)
        if not resumes and not is_batch:
            self.classes_ = unique_labels(y, "y" if len(y) == n_rows else "y, whose other rows have weight 0,")
        labels = class_indices(y, self.classes_, "y")
        if not resumes:
            self._learn_features(table, weights, labels)
        data = LabelledExamples(self._examples(table), labels, weights)
        return data.by_content() if self.shuffle else data

    def _validation_data(self, X_val: Any, y_val: Any) -> LabelledExamples | None:
        read = self._validation_rows(X_val, y_val, check_labels)
        if read is None:
            return None
        table, y = read
        return LabelledExamples(self._examples(table, "X_val"), class_indices(y, self.classes_, "y_val"))
