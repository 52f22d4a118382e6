"""WTMClassifier: the scikit-learn face of the Weighted Tsetlin Machine."""

import copy
import os
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from wtm.fitting.callbacks import Epoch, call_all, check_callbacks
from wtm.fitting.early_stopping import BestEpoch, hold_out
from wtm.fitting.fit_memory import check_fit
from wtm.fitting.fit_warnings import concerns_about_fit, concerns_about_weights
from wtm.fitting.progress import show_epochs
from wtm.machine.calibration import fit_logit_scale
from wtm.machine.examples import LabelledExamples
from wtm.machine.model import Model
from wtm.machine.training import train
from wtm.modelfile import ModelRecord, scalar_attributes, write_model
from wtm.predictor import Predictor
from wtm.utils.paths import as_path
from wtm.utils.threads import resolve_n_threads
from wtm.validation.labels import check_classes, check_labels, class_indices, unique_labels
from wtm.validation.parameters import check_parameters, draw_seed, machine_parameters
from wtm.validation.row_weights import check_total, class_weights, sample_weights

__all__ = ["WTMClassifier"]


class WTMClassifier(Predictor):
    """Weighted Tsetlin Machine: a vote of weighted AND-rules over true/false features.

    Each class has a machine of `n_clauses` clauses. A clause is an AND of features and negated features; half of a
    machine's clauses vote for its class, half against, each with its weight, and the class with the largest sum is
    predicted. Two classes have two machines.

    Parameters
    ----------
    n_clauses : int, default=200
        Clauses of each class, an even number.
    T : float, default=25
        Threshold that the sums of a class are trained toward: +T on its own examples, -T on others.
    s : float, default=3
        Specificity. The probability p_s of the paper is 1/s: with a larger s rules get longer, except near 1, where
        they may be long as well. At least 1, at most 2**32.
    gamma : float, default=0.01
        Learning rate of the weights: a weight is multiplied or divided by 1 + gamma. 0 gives the classic Tsetlin
        machine.
    n_epochs : int, default=30
        Passes over the training examples.
    n_states : int, default=256
        States of an automaton (2N in the paper), even, at most 256.
    boost_true_positive : bool, default=True
        Whether Type I feedback to a true clause always strengthens its true literals, as in the paper, or with
        probability 1 - 1/s as in the original Tsetlin machine.
    init : {"border", "random"}, default="border"
        Where the automata start: all in the last state that excludes (as the paper's own program does), or each in
        one of the two middle states by a fair coin (as the paper says).
    engine : {"lazy", "direct"}, default="lazy"
        How an epoch is computed. "direct" follows the paper example by example; "lazy" is the same process, in
        distribution exactly, with work only where something can change. For one seed the two draw different models.
    sampler : {"bits", "binomial", "bernoulli"}, default="bits"
        How the direct engine draws the literals that Type I feedback weakens. All three draw the same distribution:
        "bits" whole random vectors, "binomial" Algorithm 1 of the paper, "bernoulli" a number for each literal.
    booleanizer : {"auto", "strict"} or Booleanizer, default="auto"
        How columns become true/false features. "auto" takes a table of 0 and 1 as it is, and fits a
        :class:`wtm.Booleanizer` with default parameters to any other. "strict" refuses any other. A Booleanizer of your
        own is cloned, and fitted to any table. The first call decides: `partial_fit` and warm starts keep to it.
    shuffle : bool, default=True
        Whether each epoch takes the examples in a new random order, or in the order given. In random order the model
        depends on which rows there are, not on how they are sorted.
    class_weight : None, "balanced" or dict, default=None
        How much the rows of each class count, on top of `sample_weight`: a dict from label to weight (1 where it names
        none), or "balanced", which makes all classes count the same.
    early_stopping : bool, default=False
        Whether `fit` ends when the validation accuracy has not risen for `n_iter_no_change` epochs, and in any case
        keeps the state of the best epoch, the earliest of equals. Validation data are `X_val` and `y_val` where they
        are given, else a part of the training rows that training then does not see.
    validation_fraction : float, default=0.1
        Share of the rows that `early_stopping` holds out, in about equal shares of each class. A class with a single
        row keeps it for training.
    n_iter_no_change : int, default=10
        Epochs that `early_stopping` waits for a better one.
    warm_start : bool, default=False
        Whether `fit` goes on from the last call with `n_epochs` more epochs, or starts anew.
    callbacks : function, list of functions or None, default=None
        Called after every epoch with a :class:`wtm.fitting.callbacks.Epoch`, which tells its number and figures and
        hands out a fitted copy of the classifier, to measure or to save. One that returns True ends the training.
    n_jobs : int or None, default=None
        Threads, over classes in training and over examples in prediction; None is 1 unless in a
        :func:`joblib.parallel_config` context, -1 all cores. No result depends on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed. For an integer the model is the same bit for bit, whatever the processor and the number of threads.
    verbose : int, default=0
        0 is silent, 1 shows a progress bar on a terminal or in a notebook, 2 prints a line an epoch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, only where `X` had names that are all strings.
    booleanizer_ : Booleanizer or None
        What turns columns into features; None where `X` is used as it is, and has to hold only 0 and 1.
    n_epochs_ : int
        Number of epochs that the machines were trained. After `early_stopping` this is the best epoch, and what goes on
        from there (`partial_fit`, `warm_start`) does so as if training had ended with it.
    best_epoch_ : int
        The same, only after a `fit` with `early_stopping`.
    history_ : list of dict
        An entry an epoch, those after the best one included: ``epoch`` (from 1), ``seconds`` (of training alone),
        ``train_accuracy`` (on all training rows, or on 5,000 spread evenly where there are more), ``valid_accuracy``
        (None without validation data), ``type_i`` and ``type_ii`` (feedbacks given, Type II to true clauses only),
        ``weights_at_edge`` (updates that the weights' range held back), ``literals_per_clause``, and what callbacks
        add. Accuracies count rows by their `sample_weight`, and know no `class_weight`.
    machines_ : list of wtm.machine.machine.Machine
        The machine of each class, in the order of `classes_`.

    References
    ----------
    Phoulady, Granmo, Gorji, Phoulady: The Weighted Tsetlin Machine: Compressed Representations with Weighted Clauses.

    Examples
    --------
    >>> import numpy as np
    >>> from wtm import WTMClassifier
    >>> X = np.random.default_rng(0).integers(0, 2, (1000, 8))
    >>> y = X[:, 0] ^ X[:, 1]
    >>> WTMClassifier(n_clauses=20, T=10, s=4, random_state=0).fit(X, y).score(X, y)
    1.0
    """

    best_epoch_: int
    feature_names_in_: np.ndarray
    history_: list[dict[str, Any]]
    n_epochs_: int

    def __init__(
        self,
        n_clauses: int = 200,
        T: float = 25,
        s: float = 3,
        gamma: float = 0.01,
        n_epochs: int = 30,
        *,
        n_states: int = 256,
        boost_true_positive: bool = True,
        init: str = "border",
        engine: str = "lazy",
        sampler: str = "bits",
        booleanizer: Any = "auto",
        shuffle: bool = True,
        class_weight: Any = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        warm_start: bool = False,
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clauses = n_clauses
        self.T = T
        self.s = s
        self.gamma = gamma
        self.n_epochs = n_epochs
        self.n_states = n_states
        self.boost_true_positive = boost_true_positive
        self.init = init
        self.engine = engine
        self.sampler = sampler
        self.booleanizer = booleanizer
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Train `n_epochs` epochs, from the start unless `warm_start`.

        A call that is interrupted, by Ctrl-C, a callback or an error, leaves the estimator as it was before.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            Columns of any kind that `booleanizer` takes. Sparse data are never made dense.
        y : array-like of shape (n_rows,)
            Labels, all of one kind: integers, strings, booleans or whole floats; no dates.
        sample_weight : array-like of shape (n_rows,), optional
            How many times an epoch sees each row. 0 is the same as leaving the row out, 2 as having it twice (bit for
            bit with `shuffle`, unless `early_stopping` draws the rows to hold out: two rows may be divided); a fraction
            is a probability, drawn anew in every epoch. Weights are taken as they are: those that add up to 1 make an
            epoch of one example, so scale them to a mean near 1.
        X_val, y_val : array-like, optional
            Validation data: `history_` gets the accuracy on them after every epoch. Training does not see them.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter or the data are not usable; a model fitted before stays as it was.
        MemoryError
            What the fit needs is more than is free.

        Warns
        -----
        ConvergenceWarning
            The model has learnt little: it is no better than always saying the most frequent class, most clauses are
            empty, or `T` is out of the sums' reach.
        RuntimeWarning
            Weights were held back by the edge of their range.
        UserWarning
            `sample_weight` adds up to so little that an epoch sees next to nothing.
        """
        with self._unchanged_on_error():
            check_parameters(self.get_params(deep=False))
            goes_on = self.warm_start and self.__sklearn_is_fitted__()
            training = self._training_data(X, y, sample_weight, reset=not goes_on, learn_classes=not goes_on)
            validation = self._validation_data(X_val, y_val)
            n_threads = resolve_n_threads(self.n_jobs)
            model = self._model_to_train(goes_on, training, n_threads, keeps_best=bool(self.early_stopping))
            if self.early_stopping and validation is None:
                training, validation = hold_out(training, float(self.validation_fraction), model.seed)
            before = model.n_epochs
            model = self._train(
                model, training, validation, int(self.n_epochs), n_threads, stops_early=bool(self.early_stopping)
            )
            kept = self.history_[self.n_epochs_ - 1]
            by_class = class_weights(self.class_weight, self.classes_, training.labels, training.weights)
            self._warn_of(concerns_about_fit(model, training, kept, by_class))
            self._warn_of(concerns_about_weights(model, self.history_[before:]))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Train one epoch on `X` and `y`, from where the model stands; `early_stopping` has no part in it.

        Parameters
        ----------
        X, y
            As in `fit`; not every class need occur.
        classes : array-like of shape (n_classes,), optional
            All labels that will ever occur; required in the first call.
        sample_weight
            As in `fit`.

        Returns
        -------
        self
        """
        with self._unchanged_on_error():
            check_parameters(self.get_params(deep=False))
            if isinstance(self.class_weight, str):
                raise ValueError(
                    f"class_weight={self.class_weight!r} can't be used with partial_fit, which does not know how "
                    "frequent the classes will be: give a dict from label to weight."
                )
            goes_on = self.__sklearn_is_fitted__()
            if not goes_on and classes is None:
                raise ValueError("classes must be given in the first call of partial_fit: all labels that will occur.")
            if classes is not None:
                classes = check_classes(classes, "classes")
                if goes_on and not np.array_equal(classes, self.classes_):
                    raise ValueError(f"classes must be those of the first call, {self.classes_}; got {classes}.")
            if not goes_on:
                self.classes_ = classes
            training = self._training_data(X, y, sample_weight, reset=not goes_on, learn_classes=False)
            n_threads = resolve_n_threads(self.n_jobs)
            model = self._model_to_train(goes_on, training, n_threads)
            model = self._train(model, training, None, 1, n_threads)
            self._warn_of(concerns_about_weights(model, self.history_[-1:]))
        return self

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
            The model is of a subclass; a parameter or label is not plain data; `path` is neither a string nor
            path-like; or `prediction_only` is neither True nor False.
        ValueError
            `path` is a folder or a device; or the model was itself saved with ``prediction_only=True``, and
            `prediction_only` is False.
        MemoryError
            There is no memory free for the copy that is written.
        OSError
            The file can't be written.
        """
        path = as_path(path, "path")
        check_is_fitted(self)
        if type(self) is not WTMClassifier:
            raise TypeError(f"A model file holds a WTMClassifier, got a {type(self).__name__}: pickle it instead.")
        if not isinstance(prediction_only, bool | np.bool_):
            raise TypeError(f"prediction_only must be True or False, got {prediction_only!r}.")
        write_model(path, self._to_record(), prediction_only=bool(prediction_only))

    def _to_record(self) -> ModelRecord:
        names = getattr(self, "feature_names_in_", None)
        return ModelRecord(
            parameters=self.get_params(deep=False),
            model=self._model,
            classes=self.classes_,
            history=self.history_,
            attributes=scalar_attributes(self.__dict__),
            booleanizer=self.booleanizer_,
            feature_names=None if names is None else [str(name) for name in names],
        )

    @classmethod
    def _from_record(cls, record: ModelRecord) -> Self:
        """Make a fitted classifier."""
        clf = cls(**record.parameters)
        clf._model = record.model
        clf.classes_, clf.history_, clf.booleanizer_ = record.classes, record.history, record.booleanizer
        if record.feature_names is not None:
            clf.feature_names_in_ = np.array(record.feature_names, object)
        clf.__dict__.update(record.attributes)
        return clf

    def _warn_of(self, concerns: Iterator[Warning]) -> None:
        for concern in concerns:
            warnings.warn(concern, stacklevel=3)

    @contextmanager
    def _unchanged_on_error(self) -> Iterator[None]:
        """Whatever happens inside, a failed call leaves the attributes that were there before it."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _training_data(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool, learn_classes: bool
    ) -> LabelledExamples:
        table, y = self._table(X, reset=reset), check_labels(y, "y")
        check_consistent_length(table, y)
        weights = sample_weights(sample_weight, len(y))
        if weights is not None and not weights.all():
            # Rows without weight are absent, before anything is learnt of them or drawn for them.
            present = np.flatnonzero(weights)
            table, y, weights = table[present], y[present], weights[present]
        if learn_classes:
            self.classes_ = unique_labels(y, "y")
        if reset:
            self._learn_features(table, weights)
        data = LabelledExamples(self._examples(table), class_indices(y, self.classes_, "y"), weights)
        return data.by_content() if self.shuffle else data

    def _validation_data(self, X_val: Any, y_val: Any) -> LabelledExamples | None:
        if (X_val is None) != (y_val is None):
            missing = "X_val" if X_val is None else "y_val"
            raise ValueError(f"X_val and y_val must be given together, but {missing} is None.")
        if X_val is None:
            return None
        table, y = self._table(X_val), check_labels(y_val, "y_val")
        check_consistent_length(table, y)
        return LabelledExamples(self._examples(table, "X_val"), class_indices(y, self.classes_, "y_val"))

    def _model_to_train(
        self, goes_on: bool, training: LabelledExamples, n_threads: int, *, keeps_best: bool = False
    ) -> Model:
        """Return a new model, or a copy of the one that is there: a call that ends in the middle loses nothing."""
        parameters = machine_parameters(self.get_params(deep=False), training.examples.n_features)
        n_classes = len(self.classes_)
        check_fit(parameters, n_classes, len(training.labels), n_threads=n_threads, keeps_best=keeps_best)
        if goes_on:
            return self._model.going_on(parameters)
        return Model.new(parameters, n_classes, draw_seed(self.random_state))

    def _train(
        self,
        model: Model,
        training: LabelledExamples,
        validation: LabelledExamples | None,
        n_epochs: int,
        n_threads: int,
        *,
        stops_early: bool = False,
    ) -> Model:
        """Train `model`, and keep it or its best state, which is returned."""
        by_class = class_weights(self.class_weight, self.classes_, training.labels, training.weights)
        weighted = training.weighted(by_class)
        check_total(weighted.weights)
        best = BestEpoch(model, validation, n_threads) if stops_early and validation is not None else None
        calibrating = weighted if best is None else best.validation
        callbacks = check_callbacks(self.callbacks)
        history = self.history_[: model.n_epochs] if model.n_epochs else []
        last = model.n_epochs + n_epochs
        epochs = train(
            model, training, validation,
            weights=weighted.weights, n_epochs=n_epochs, shuffle=bool(self.shuffle), n_threads=n_threads,
        )  # fmt: skip
        with closing(epochs), closing(show_epochs(epochs, n_epochs, int(self.verbose))) as shown:
            for measured in shown:
                entry = dict(measured)
                history.append(entry)
                copy_now = partial(self._copy_with, model, history, calibrating, n_threads)
                ends = call_all(callbacks, Epoch(model.n_epochs, last, entry, history, copy_now))
                entry.update(measured)  # a callback may have changed or removed figures that are needed below
                if best is not None:
                    ends |= best.see(model, measured["valid_accuracy"]) >= self.n_iter_no_change
                if ends:
                    break
        kept = model if best is None else best.model
        self._keep(kept, history, calibrating, n_threads)
        if best is not None:
            self.best_epoch_ = self.n_epochs_
        return kept

    def _keep(self, model: Model, history: list[dict[str, Any]], calibrating: LabelledExamples, n_threads: int) -> None:
        """Become a classifier fitted with `model`."""
        self._model = model
        self._voting = model.voting_model()
        self.history_ = history
        self.n_epochs_ = model.n_epochs
        self.__dict__.pop("best_epoch_", None)
        measured = calibrating.sample()
        sums = self._voting.sums(measured.examples, n_threads=n_threads) * self._voting.unit
        model.logit_scale = fit_logit_scale(sums, measured.labels, measured.weights, model.parameters.T)

    def _copy_with(
        self, model: Model, history: list[dict[str, Any]], calibrating: LabelledExamples, n_threads: int
    ) -> Self:
        """Return a classifier with the parameters of this one, fitted with a copy of `model`."""
        twin = copy.copy(self)
        twin._keep(model.copy(), [dict(entry) for entry in history], calibrating, n_threads)
        return twin
