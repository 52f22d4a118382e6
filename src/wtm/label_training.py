"""Training on labels, which the classifiers share."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length

from wtm.fitting.early_stopping import hold_out
from wtm.fitting.fit_warnings import warnings_about_fit, warnings_about_row_weights, warnings_about_weights
from wtm.machine.training_rows import LabelledExamples
from wtm.modelfile import ModelRecord
from wtm.trainable import Trainable
from wtm.utils.caller import warn_all
from wtm.utils.threads import resolve_n_threads
from wtm.validation.labels import check_classes, check_labels, class_indices, unique_labels
from wtm.validation.row_weights import class_weights


class LabelTrainable(Trainable):
    """The part of the classifiers that trains."""

    class_weight: Any
    classes_: np.ndarray
    early_stopping: bool
    n_jobs: int | None
    shuffle: bool
    validation_fraction: float
    warm_start: bool

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
            The weights of the rows are so small that an epoch sees almost no examples, or have a mean above 100; or
            little can be learnt from some columns: identifiers, row numbers, or numbers and dates stored as text.
        """
        with self._unchanged_on_error():
            params = self._checked_parameters()
            resumes = bool(self.warm_start) and self.__sklearn_is_fitted__()
            training = self._training_data(X, y, sample_weight, reset=not resumes, learn_classes=not resumes)
            validation = self._validation_data(X_val, y_val)
            n_threads = resolve_n_threads(self.n_jobs)
            model = self._model_to_train(params, training, len(self.classes_), n_threads, resumes=resumes)
            if self.early_stopping and validation is None:
                training, validation = hold_out(training, float(self.validation_fraction), model.seed)
            by_class = class_weights(self.class_weight, self.classes_, training.labels, training.weights)
            warn_all(warnings_about_row_weights(training, by_class))
            n_before = model.n_epochs
            trained = self._train(model, training, validation, params, n_threads, by_class)
            kept_entry = self.history_[self.n_epochs_ - 1]
            warn_all(warnings_about_fit(trained.model, training, kept_entry, by_class))
            warn_all(warnings_about_weights(trained.model, self.history_[n_before:]))
        return self

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
            params = self._checked_parameters()
            resumes = self.__sklearn_is_fitted__()
            self._check_partial_fit(classes, resumes)
            params |= {"n_epochs": 1, "early_stopping": False}
            training = self._training_data(X, y, sample_weight, reset=not resumes, learn_classes=False, is_batch=True)
            n_threads = resolve_n_threads(self.n_jobs)
            model = self._model_to_train(params, training, len(self.classes_), n_threads, resumes=resumes)
            by_class = class_weights(self.class_weight, self.classes_, training.labels, training.weights)
            warn_all(warnings_about_row_weights(training, by_class, is_batch=True))
            trained = self._train(model, training, None, params, n_threads, by_class)
            warn_all(warnings_about_weights(trained.model, self.history_[-1:]))
        return self

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
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool, learn_classes: bool, is_batch: bool = False
    ) -> LabelledExamples:
        table, y = self._table(X, reset=reset), check_labels(y, "y")
        check_consistent_length(table, y)
        n_rows = len(y)
        table, y, weights = self._weighted_rows(table, y, sample_weight, is_batch=is_batch)
        if learn_classes:
            self.classes_ = unique_labels(y, "y" if len(y) == n_rows else "y, whose other rows have weight 0,")
        if reset:
            self._learn_features(table, weights)
        data = LabelledExamples(self._examples(table), class_indices(y, self.classes_, "y"), weights)
        return data.by_content() if self.shuffle else data

    def _validation_data(self, X_val: Any, y_val: Any) -> LabelledExamples | None:
        read = self._validation_rows(X_val, y_val, check_labels)
        if read is None:
            return None
        table, y = read
        return LabelledExamples(self._examples(table, "X_val"), class_indices(y, self.classes_, "y_val"))
