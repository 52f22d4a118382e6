"""What the estimators share to train: a fit that fails safely, and model files to resume from."""

import copy
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from wtm.estimator import Estimator
from wtm.fitting.early_stopping import hold_out
from wtm.fitting.epochs import Trained, TrainFunction, train_epochs
from wtm.fitting.fit_memory import check_fit
from wtm.fitting.fit_warnings import (
    warnings_about_fit,
    warnings_about_row_weights,
    warnings_about_shards,
    warnings_about_weights,
)
from wtm.machine.model_state import Model
from wtm.machine.training import train
from wtm.machine.training_rows import TrainingRows
from wtm.modelfile import ModelRecord, scalar_attributes, write_model
from wtm.tables.table import SparseTable, Table
from wtm.utils.caller import warn_all
from wtm.utils.paths import as_path
from wtm.utils.threads import resolve_n_threads
from wtm.validation.parameters import check_parameters, draw_seed, machine_parameters
from wtm.validation.row_weights import mean_one_if_shares, sample_weights


class Trainable(Estimator):
    """The part of the estimators that trains, and keeps what it has learnt in files."""

    early_stopping: bool
    random_state: Any
    shuffle: bool
    validation_fraction: float
    warm_start: bool
    best_epoch_: int
    feature_names_in_: np.ndarray
    history_: list[dict[str, Any]]
    n_epochs_: int
    pruning_: dict[str, Any]

    def save(self, path: str | os.PathLike[str], *, prediction_only: bool = False) -> None:
        """Write the model to a file that :func:`wtm.load_model` reads.

        The file stores the full training state, parameters and fitted attributes. It contains no training data and no
        code: it is a safetensors file, described in docs/model-file.md. `random_state` is stored if it is an integer,
        else as None; `callbacks` are not stored. If the call fails or is interrupted, an existing file stays as it was.

        Parameters
        ----------
        path : str or path-like
            Name of the file. An existing file is replaced.
        prediction_only : bool, default=False
            Whether to store only the included literals and the weights, which makes a small file. The model read from
            it predicts the same and has the same rules, but has no `machines_` and can't be trained further.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        TypeError
            The estimator is of a subclass; a parameter or label is not plain data; `path` is not a string or path-like;
            or `prediction_only` is not a boolean.
        ValueError
            `path` is a folder or a device; or the model was itself saved with ``prediction_only=True``, and
            `prediction_only` is False.
        MemoryError
            There is not enough free memory for the copy that is written.
        OSError
            The file can't be written.
        """
        path = as_path(path, "path")
        check_is_fitted(self)
        kind = next(base for base in type(self).__mro__ if base.__module__.startswith("wtm."))
        if type(self) is not kind:
            raise TypeError(
                f"save can only write a {kind.__name__}, got the subclass {type(self).__name__}: pickle it."
            )
        if not isinstance(prediction_only, bool | np.bool_):
            raise TypeError(f"prediction_only must be True or False, got {prediction_only!r}.")
        write_model(path, self._to_record(), prediction_only=bool(prediction_only))

    def _to_record(self) -> ModelRecord:
        names = getattr(self, "feature_names_in_", None)
        return ModelRecord(
            estimator=type(self).__name__,
            parameters=self.get_params(deep=False),
            model=self._model,
            history=self.history_,
            attributes=scalar_attributes(self.__dict__),
            booleanizer=self.booleanizer_,
            feature_names=None if names is None else [str(name) for name in names],
            pruning=getattr(self, "pruning_", None),
            **self._targets_for_record(),
        )

    @classmethod
    def _from_record(cls, record: ModelRecord) -> Self:
        """Make a fitted estimator."""
        estimator = cls(**record.parameters)
        estimator._model, estimator.history_, estimator.booleanizer_ = record.model, record.history, record.booleanizer
        if record.feature_names is not None:
            estimator.feature_names_in_ = np.array(record.feature_names, object)
        if record.pruning is not None:
            estimator.pruning_ = record.pruning
        estimator.__dict__.update(record.attributes)
        estimator._take_targets_of(record)
        return estimator

    @property
    @abstractmethod
    def _n_machines(self) -> int:
        """Number of classes, or of numbers to predict; known once targets were read."""

    @abstractmethod
    def _training_data(
        self, X: Any, y: Any, sample_weight: Any, *, resumes: bool, is_batch: bool = False
    ) -> TrainingRows:
        """Read rows to train on, and learn from them what the features and targets are, unless training resumes."""

    @abstractmethod
    def _validation_data(self, X_val: Any, y_val: Any) -> TrainingRows | None:
        """Read validation data."""

    def _weights_by_class(self, training: Any) -> np.ndarray | None:
        """Return the weights of the classes, if there are any."""
        return None

    def _fit(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> Self:
        """Do what `fit` does."""

        def read(resumes: bool) -> TrainingRows:
            return self._training_data(X, y, sample_weight, resumes=resumes)

        return self._fit_rows(read, X_val, y_val)

    def _fit_rows(
        self, read: Callable[[bool], TrainingRows], X_val: Any, y_val: Any, train: TrainFunction = train
    ) -> Self:
        """Do what `fit` does with the rows that `read` returns, given whether training resumes.

        `train` does what `wtm.machine.training.train` does.
        """
        with self._unchanged_on_error():
            params = self._checked_parameters()
            resumes = bool(self.warm_start) and self.__sklearn_is_fitted__()
            training = read(resumes)
            validation = self._validation_data(X_val, y_val)
            n_threads = resolve_n_threads(self.n_jobs)
            model = self._model_to_train(params, training, n_threads, resumes=resumes)
            if self.early_stopping and validation is None:
                training, validation = hold_out(training, float(self.validation_fraction), model.seed)
            by_class = self._weights_by_class(training)
            warn_all(warnings_about_row_weights(training, by_class))
            n_before = model.n_epochs
            trained = self._train(model, training, validation, params, n_threads, by_class, train)
            kept_entry = self.history_[self.n_epochs_ - 1]
            warn_all(warnings_about_fit(trained.model, training, kept_entry, by_class))
            warn_all(warnings_about_weights(trained.model, self.history_[n_before:]))
            warn_all(warnings_about_shards(trained.model, kept_entry))
        return self

    def _fit_batch(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Do what `partial_fit` does."""
        with self._unchanged_on_error():
            params = self._checked_parameters() | {"n_epochs": 1, "early_stopping": False}
            resumes = self.__sklearn_is_fitted__()
            training = self._training_data(X, y, sample_weight, resumes=resumes, is_batch=True)
            n_threads = resolve_n_threads(self.n_jobs)
            model = self._model_to_train(params, training, n_threads, resumes=resumes)
            by_class = self._weights_by_class(training)
            warn_all(warnings_about_row_weights(training, by_class, is_batch=True))
            trained = self._train(model, training, None, params, n_threads, by_class)
            warn_all(warnings_about_weights(trained.model, self.history_[-1:]))
            warn_all(warnings_about_shards(trained.model, self.history_[-1]))
        return self

    @abstractmethod
    def _targets_for_record(self) -> dict[str, Any]:
        """Return what a `ModelRecord` holds of the training targets."""

    @abstractmethod
    def _take_targets_of(self, record: ModelRecord) -> None:
        """Take over what a `ModelRecord` holds of the training targets."""

    @contextmanager
    def _unchanged_on_error(self) -> Iterator[None]:
        """Restore the attributes if the call fails."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _checked_parameters(self) -> dict[str, Any]:
        params = self.get_params(deep=False)
        check_parameters(params)
        return params

    def _weighted_rows(
        self, table: Table | SparseTable, y: np.ndarray, sample_weight: Any, *, is_batch: bool
    ) -> tuple[Table | SparseTable, np.ndarray, np.ndarray | None]:
        """Return rows and their weights, without those of weight 0: nothing is learnt from them or drawn for them."""
        weights = sample_weights(sample_weight, len(y))
        if weights is not None and not weights.all():
            present = np.flatnonzero(weights)
            table, y, weights = table[present], y[present], weights[present]
        if weights is not None and not is_batch:
            weights = mean_one_if_shares(weights)
        return table, y, weights

    def _validation_rows(
        self, X_val: Any, y_val: Any, check: Callable[[Any, str], np.ndarray]
    ) -> tuple[Table | SparseTable, np.ndarray] | None:
        """Read validation data; `check` reads `y_val`."""
        if (X_val is None) != (y_val is None):
            missing = "X_val" if X_val is None else "y_val"
            raise ValueError(f"X_val and y_val must be passed together, but {missing} is None.")
        if X_val is None:
            return None
        table, y = self._table(X_val, name="X_val"), check(y_val, "y_val")
        check_consistent_length(table, y)
        return table, y

    def _model_to_train(
        self, params: dict[str, Any], training: TrainingRows, n_threads: int, *, resumes: bool
    ) -> Model:
        """Return a new model, or a copy of the current one, which is needed if the call fails."""
        parameters = machine_parameters(params, training.examples.n_features)
        n_averaged = int(params["average_last"])
        keeps_best = bool(params["early_stopping"])
        check_fit(parameters, self._n_machines, len(training), n_threads=n_threads, keeps_best=keeps_best)
        if resumes:
            return self._model.resumed(parameters, n_averaged)
        return Model.new(parameters, self._n_machines, draw_seed(self.random_state), n_averaged)

    def _train(
        self,
        model: Model,
        training: TrainingRows,
        validation: TrainingRows | None,
        params: dict[str, Any],
        n_threads: int,
        class_weights: np.ndarray | None = None,
        train: TrainFunction = train,
    ) -> Trained:
        trained = train_epochs(
            model,
            training,
            validation,
            params,
            class_weights=class_weights,
            history=self.history_[: model.n_epochs] if model.n_epochs else [],
            n_threads=n_threads,
            train=train,
            as_estimator=lambda current: copy.copy(self)._fitted_with(current),
        )
        self._fitted_with(trained)
        if params["early_stopping"]:
            self.best_epoch_ = self.n_epochs_
        return trained

    def _fitted_with(self, trained: Trained) -> Self:
        """Take over the result of a training."""
        self._model, self._voting = trained.model, trained.voting
        self.history_, self.n_epochs_ = trained.history, trained.model.n_epochs
        for name in ("best_epoch_", "pruning_"):
            self.__dict__.pop(name, None)
        return self
