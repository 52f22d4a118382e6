"""WTMClassifier: the scikit-learn face of the Weighted Tsetlin Machine."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from wtm.booleanizer import Booleanizer
from wtm.columns import SparseTable, Table
from wtm.features import Examples
from wtm.inputs import learn_booleanizer, table_to_examples
from wtm.machine import Machine, MachineParameters
from wtm.parameters import check_parameters, draw_seed
from wtm.progress import show_epochs
from wtm.reading import read_validated
from wtm.training import LabelledExamples, Model, train
from wtm.votes import VotingModel

__all__ = ["WTMClassifier"]


class WTMClassifier(ClassifierMixin, BaseEstimator):
    """Weighted Tsetlin Machine: a vote of weighted AND-rules over true/false features.

    Each class has a machine of `n_clauses` clauses. A clause is an AND of features and negated features; half of a
    machine's clauses vote for its class, half against, each with its weight, and the class with the largest sum is
    predicted. Two classes have two machines.

    Parameters
    ----------
    n_clauses : int, default=200
        Clauses of each class, an even number.
    T : float, default=50
        Threshold that the sums of a class are trained toward: +T on its own examples, -T on others.
    s : float, default=10
        Specificity. The probability p_s of the paper is 1/s: with a larger s rules get longer. At least 1.
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
        Whether each epoch takes the examples in a new random order, or in the order given.
    warm_start : bool, default=False
        Whether `fit` goes on from the last call with `n_epochs` more epochs, or starts anew.
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
        Number of epochs trained.
    history_ : list of dict
        An entry an epoch: ``epoch`` (from 1), ``seconds`` (of training alone), ``train_accuracy`` (on all training
        rows, or on 5,000 spread evenly where there are more), ``valid_accuracy`` (None without validation data),
        ``type_i`` and ``type_ii`` (feedbacks given, Type II to true clauses only), ``weights_at_edge`` (updates that
        the weights' range held back), ``literals_per_clause``.
    machines_ : list of wtm.machine.Machine
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

    booleanizer_: Booleanizer | None
    classes_: np.ndarray
    history_: list[dict[str, Any]]
    n_epochs_: int
    _model: Model
    _voting: VotingModel | None

    def __init__(
        self,
        n_clauses: int = 200,
        T: float = 50,
        s: float = 10,
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
        warm_start: bool = False,
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
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Train `n_epochs` epochs, from the start unless `warm_start`.

        A call that is interrupted, by Ctrl-C or an error, leaves the estimator as it was before.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            Columns of any kind that `booleanizer` takes. Sparse data are never made dense.
        y : array-like of shape (n_rows,)
            Labels: integers, strings, booleans or whole floats.
        X_val, y_val : array-like, optional
            Validation data: `history_` gets the accuracy on them after every epoch. Training does not see them.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter or the data are not usable; a model fitted before stays as it was.
        """
        with self._unchanged_on_error():
            check_parameters(self.get_params(deep=False))
            goes_on = self.warm_start and self.__sklearn_is_fitted__()
            training = self._check_training(X, y, None if goes_on else self._learn_classes, reset=not goes_on)
            validation = self._check_validation(X_val, y_val)
            model, history = self._model_to_go_on_with() if goes_on else (self._new_model(), [])
            self._train(model, history, training, validation, int(self.n_epochs))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Train one epoch on `X` and `y`, from where the model stands.

        Parameters
        ----------
        X, y
            As in `fit`; not every class need occur.
        classes : array-like of shape (n_classes,), optional
            All labels that will ever occur; required in the first call.

        Returns
        -------
        self
        """
        with self._unchanged_on_error():
            check_parameters(self.get_params(deep=False))
            first = not self.__sklearn_is_fitted__()
            if first and classes is None:
                raise ValueError("classes must be given in the first call of partial_fit: all labels that will occur.")
            if classes is not None:
                classes = _unique_labels(classes, "classes")
                if not first and not np.array_equal(classes, self.classes_):
                    raise ValueError(f"classes must be those of the first call, {self.classes_}; got {classes}.")
                _check_number_of_classes(classes, "classes")
            if first:
                self.classes_ = classes
            training = self._check_training(X, y, None, reset=first)
            model, history = (self._new_model(), []) if first else self._model_to_go_on_with()
            self._train(model, history, training, None, 1)
        return self

    def class_sums(self, X: Any) -> np.ndarray:
        """Weighted sum of the clauses of each class, unclamped; float64 of shape (n_rows, n_classes)."""
        return self._fixed_sums(X) * self._voting_model().unit

    def decision_function(self, X: Any) -> np.ndarray:
        """Confidence in each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of float64
            The sums of `class_sums`, shape (n_rows, n_classes); with two classes the second less the first, shape
            (n_rows,).
        """
        sums = self._fixed_sums(X)
        if len(self.classes_) == 2:
            return (sums[:, 1] - sums[:, 0]) * self._voting_model().unit
        return sums * self._voting_model().unit

    def predict(self, X: Any) -> np.ndarray:
        """The label with the largest sum for each row, the first of equals; shape (n_rows,)."""
        sums = self._fixed_sums(X)
        return self.classes_[sums.argmax(axis=1)]

    @property
    def machines_(self) -> list[Machine]:
        """The machine of each class."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"This {type(self).__name__} is not fitted yet, so it has no machines_.")
        return self._model.machines

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        if self.booleanizer != "strict":
            tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_voting", None)  # a compiled copy of the model
        return state

    @contextmanager
    def _unchanged_on_error(self) -> Iterator[None]:
        """Whatever happens inside, a failed call leaves the attributes that were there before it."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _learn_classes(self, y: np.ndarray) -> None:
        classes = _unique_labels(y, "y")
        _check_number_of_classes(classes, "y")
        self.classes_ = classes

    def _check_training(self, X: Any, y: Any, learn_classes: Any, *, reset: bool) -> LabelledExamples:
        table, y = self._table(X, reset=reset), _check_labels(y, "y")
        check_consistent_length(table, y)
        if learn_classes is not None:
            learn_classes(y)
        if reset:
            self._learn_features(table)
        return LabelledExamples(self._examples(table), self._class_indices(y, "y"))

    def _check_validation(self, X_val: Any, y_val: Any) -> LabelledExamples | None:
        if (X_val is None) != (y_val is None):
            missing = "X_val" if X_val is None else "y_val"
            raise ValueError(f"X_val and y_val must be given together, but {missing} is None.")
        if X_val is None:
            return None
        table, y = self._table(X_val), _check_labels(y_val, "y_val")
        check_consistent_length(table, y)
        return LabelledExamples(self._examples(table, "X_val"), self._class_indices(y, "y_val"))

    def _class_indices(self, y: np.ndarray, name: str) -> np.ndarray:
        known = np.isin(y, self.classes_)
        if not known.all():
            raise ValueError(f"{name} holds the label {y[~known][0]!r}, which is none of the classes {self.classes_}.")
        return np.searchsorted(self.classes_, y).astype(np.int64)

    def _machine_parameters(self) -> MachineParameters:
        return MachineParameters(
            n_features=self._n_features(),
            n_clauses=int(self.n_clauses),
            T=float(self.T),
            s=float(self.s),
            gamma=float(self.gamma),
            n_states=int(self.n_states),
            boost_true_positive=bool(self.boost_true_positive),
            init=self.init,
            engine=self.engine,
            sampler=self.sampler,
        )

    def _new_model(self) -> Model:
        seed = draw_seed(self.random_state)
        parameters = self._machine_parameters()
        return Model([Machine.new(parameters, seed, i) for i in range(len(self.classes_))], seed)

    def _model_to_go_on_with(self) -> tuple[Model, list[dict[str, Any]]]:
        """Return a copy of the model and its history, so that a call that ends in the middle loses nothing.

        Parameters that were changed since the last call hold from now on, where a trained model allows it.
        """
        now, before = self._machine_parameters(), self._model.machines[0].parameters
        for name in ("n_clauses", "n_states", "gamma"):
            if getattr(now, name) != getattr(before, name):
                raise ValueError(
                    f"{name} can't change while training goes on: it was {getattr(before, name)!r} and is "
                    f"{getattr(now, name)!r}. Set it back, or fit anew with warm_start=False."
                )
        machines = [machine.copy(now) for machine in self._model.machines]
        return replace(self._model, machines=machines), self.history_

    def _train(
        self,
        model: Model,
        history: list[dict[str, Any]],
        training: LabelledExamples,
        validation: LabelledExamples | None,
        n_epochs: int,
    ) -> None:
        epochs = train(model, training, validation, n_epochs=n_epochs, shuffle=bool(self.shuffle), n_jobs=self.n_jobs)
        entries = list(show_epochs(epochs, n_epochs, int(self.verbose)))
        if any(entry["weights_at_edge"] for entry in entries):
            table = model.machines[0].parameters.weight_table
            low, high = table.weight(np.array([-table.max_exponent, table.max_exponent]))
            warnings.warn(
                f"Some weights reached the edge of their range ({low:.3g} to {high:.3g}) and stayed there. "
                "A smaller gamma or a smaller T keeps them inside.",
                RuntimeWarning,
                stacklevel=3,
            )
        self._model = model
        self._voting = None
        self.history_ = [*history, *entries]
        self.n_epochs_ = model.n_epochs

    def _voting_model(self) -> VotingModel:
        voting = getattr(self, "_voting", None)
        if voting is None:
            voting = self._voting = VotingModel.of(self._model.machines)
        return voting

    def _fixed_sums(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._voting_model().sums(self._examples(self._table(X, min_rows=0)), n_jobs=self.n_jobs)

    def _table(self, X: Any, *, reset: bool = False, min_rows: int = 1) -> Table | SparseTable:
        """Read a table, and check its columns against those seen in fit, which with `reset` is now."""
        return read_validated(self, X, reset=reset, min_rows=min_rows)

    def _learn_features(self, table: Table | SparseTable) -> None:
        """Decide how tables become true/false features; `table` holds the training rows."""
        self.booleanizer_ = learn_booleanizer(self.booleanizer, table, getattr(self, "feature_names_in_", None))

    def _examples(self, table: Table | SparseTable, name: str = "X") -> Examples:
        """Turn a table into bits."""
        return table_to_examples(table, self.booleanizer_, name)

    def _n_features(self) -> int:
        """Number of true/false features."""
        return self.n_features_in_ if self.booleanizer_ is None else self.booleanizer_.n_features_out_


def _check_labels(y: Any, name: str) -> np.ndarray:
    """Return labels as a flat array without missing numbers."""
    if y is None:
        raise ValueError(f"This WTMClassifier estimator requires {name} to be passed, but the target {name} is None.")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name=name)
    return y


def _unique_labels(labels: Any, name: str) -> np.ndarray:
    """Return the sorted labels, each once."""
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(f"{name} must be a list of labels, got {labels!r} of shape {labels.shape}.")
    if labels.dtype.kind in "fcO":
        missing = [label for label in labels.tolist() if label is None or label != label]
        if missing:
            raise ValueError(f"{name} must hold a label for each row, but holds the missing value {missing[0]!r}.")
    try:
        check_classification_targets(labels)
        return np.unique(labels)
    except (ValueError, TypeError) as error:
        found = "continuous numbers" if labels.dtype.kind == "f" else "others"
        raise ValueError(
            f"{name} must hold integers, strings, booleans or whole floats as labels, all of one kind; got "
            f"{labels[0]!r} and {found} of dtype {labels.dtype}."
        ) from error


def _check_number_of_classes(classes: np.ndarray, name: str) -> None:
    if len(classes) < 2:
        raise ValueError(f"{name} must hold at least two classes, got {len(classes)}: {classes}.")
