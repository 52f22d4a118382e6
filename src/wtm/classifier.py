"""WTMClassifier: the Weighted Tsetlin Machine as a scikit-learn classifier."""

from typing import Any, Self

from wtm.label_training import LabelTrainable
from wtm.machine.automatic_s import automatic_s
from wtm.machine.model_state import Model
from wtm.machine.training_rows import TrainingRows
from wtm.modelfile.old_names import install_module_aliases, renamed_entry
from wtm.rules.label_reducible import LabelReducible
from wtm.rules.readable import Readable
from wtm.utils.constructor import constructor

__all__ = ["WTMClassifier"]

_READABLE: dict[str, Any] = {"s": 10, "boost_true_positive": False, "max_literals": 8}
"""Chosen by `python -m studies.few_rules`."""

install_module_aliases()


class WTMClassifier(Readable, LabelReducible, LabelTrainable):
    """Weighted Tsetlin Machine: a vote of weighted AND-rules over true/false features.

    Each class has a machine of `n_clauses` clauses, even if there are only two classes. A clause is an AND of literals:
    features and negated features. Half of a machine's clauses vote for its class and half against it, each with its own
    weight. The class with the largest sum of votes, its class sum, is predicted.

    Each clause has an automaton per literal. The literal is included in the clause while the automaton is in the upper
    half of its states. Training gives two kinds of feedback: Type I fits a clause to the current example, and Type II
    adds literals that are false for it. docs/design.md describes both.

    Parameters
    ----------
    n_clauses : int, default=200
        Number of clauses per class, even.
    T : float, default=25
        Target of the class sums: training moves the sum of an example's own class toward +T and that of another class
        toward -T. With more clauses, use a larger `T`.
    s : float or "auto", default=3
        Specificity, from 1 to 2**32: Type I feedback moves literals toward exclusion with probability 1/s, the paper's
        p_s. A larger `s` makes clauses more specific: each is true for fewer of the examples it is to match, about 1 in
        s + 1. It may have more literals or fewer, depending on the data. "auto" is the fourth root of the number of
        training rows per class, rounded to one digit after the point, since a larger `s` pays with more rows; it is 3
        with more than 1,000 true/false features. Weights of rows count as so many rows, and `partial_fit` counts those
        of the first call.
    gamma : float, default=0.01
        Learning rate of the weights: each update multiplies or divides a weight by 1 + gamma. With 0 all weights stay
        1, as in the original Tsetlin machine.
    n_epochs : int, default=30
        Number of passes over the training examples.
    average_last : int, default=1
        Class sums are the averages of those after each of the last `average_last` epochs, which makes predictions less
        noisy and probabilities better. Prediction takes longer, and a model has up to that many times as many rules
        before equal ones are merged. The default is the paper's machine, whose sums are those of the last epoch alone.
    n_states : int, default=256
        Number of states of an automaton (2N in the paper), even, at most 256.
    boost_true_positive : bool, default=True
        Whether Type I feedback to a true clause always moves true literals toward inclusion, as in the paper. If False,
        it does so with probability 1 - 1/s, as in the original Tsetlin machine.
    max_literals : int or None, default=None
        Literal budget: a clause that includes more literals loses some again, since Type I feedback moves all of its
        literals toward exclusion, as in a false clause [2]_. So rules have at most about this many conditions; some
        have a few more at any time. None is the paper's machine, without a budget.
    init : {"border", "random"}, default="border"
        Initial states of the automata. "border" starts all in the last state that excludes, as the paper's own program
        does; "random" starts each in one of the two middle states with equal probability, as the paper describes.
    engine : {"lazy", "direct"}, default="lazy"
        How an epoch is computed. "direct" follows the paper example by example. "lazy" samples from exactly the same
        distribution and is faster, since it skips work that changes nothing. The same seed gives different models with
        the two engines.
    sampler : {"bits", "binomial", "bernoulli"}, default="bits"
        How the direct engine draws the literals that Type I feedback moves toward exclusion. All three sample from the
        same distribution: "bits" draws whole vectors of random bits, "binomial" uses Algorithm 1 of the paper,
        "bernoulli" draws a number per literal.
    n_shards : int, default=1
        Number of shards that the clauses of a machine are cut into, so that more threads than there are classes can
        train: `n_clauses` must be divisible by twice this number. Within a block of `vote_block` examples, a shard
        estimates the votes of the others from those at its start. So the model depends on `n_shards` and `vote_block`,
        but not on the number of threads. With 1, the paper's algorithm, all votes are known, and `vote_block` does
        nothing. docs/shards.md has the measured accuracy and speed.
    vote_block : int, default=512
        Number of examples, at most 512, between two exchanges of votes among the shards. Use a smaller number if `fit`
        warns that the votes of shards were far off. With 1 all votes are current, but threads wait for each other at
        every example, which takes many times as long.
    booleanizer : {"auto", "strict"} or Booleanizer, default="auto"
        How columns become true/false features. "auto" uses a table of 0 and 1 as it is and fits a
        :class:`wtm.Booleanizer` with default parameters to any other table, and to one of more than 2**16 columns, such
        as hashed text: it leaves out columns of a single value. "strict" accepts only 0 and 1, and keeps all columns. A
        `Booleanizer` is cloned and fitted to any table. The first call decides; `partial_fit` and warm starts keep its
        features. After a table of 0 and 1, "auto" reads numbers in later tables as true above 0.5, and NaN as false.
    shuffle : bool, default=True
        Whether each epoch takes the examples in a new random order. The model then doesn't depend on the order of the
        rows. If False, each epoch takes them in the order given.
    class_weight : None, "balanced" or dict, default=None
        Weights of the classes, by which `sample_weight` is multiplied. A dict maps labels to weights; labels that it
        lacks have weight 1. "balanced" gives all classes the same total weight.
    early_stopping : bool, default=False
        Whether `fit` keeps the state of the epoch with the best validation accuracy (the earliest on a tie), and stops
        when that accuracy hasn't improved for `n_iter_no_change` epochs. The validation data are `X_val` and `y_val`
        if given, else a part of the training rows, which are then not trained on.
    validation_fraction : float, default=0.1
        Fraction of the rows that `early_stopping` holds out, stratified by class. A class with a single row keeps it
        for training.
    n_iter_no_change : int, default=10
        Number of epochs without improvement after which `early_stopping` stops.
    warm_start : bool, default=False
        Whether `fit` resumes from the previous call and trains `n_epochs` more epochs, instead of starting again.
    callbacks : function, list of functions or None, default=None
        Called after every epoch with a :class:`wtm.fitting.callbacks.Epoch`, which has the epoch's number and metrics
        and can make a fitted copy of the classifier. Training stops if a callback returns True.
    n_jobs : int or None, default=None
        Number of threads, used over classes and shards in training and over rows in prediction. None means 1 unless in
        a :func:`joblib.parallel_config` context; -1 means all cores. If the context names a backend of processes, such
        as "loky" or "dask", training uses these instead of threads. Results don't depend on any of it.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same integer gives the same model bit for bit, on any processor and with any number of threads.
    verbose : int, default=0
        0 is silent, 1 shows the progress on a terminal or in a notebook, 2 prints a line per epoch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Number of columns seen during fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns. Defined only if `X` has names that are all strings.
    booleanizer_ : Booleanizer or None
        Turns columns into features. None if the columns are the features, each true above 0.5.
    n_epochs_ : int
        Number of epochs that the model has been trained. After `early_stopping` this is the best epoch; `partial_fit`
        and warm starts resume from it.
    best_epoch_ : int
        Same as `n_epochs_`. Defined only after a `fit` with `early_stopping`.
    history_ : list of dict
        Metrics of each epoch, including those after the best one: ``epoch`` (from 1), ``seconds`` (of training alone),
        ``train_accuracy`` (on all training rows, or on 5,000 spread evenly if there are more), ``valid_accuracy`` (None
        without validation data), ``type_i`` and ``type_ii`` (number of feedbacks; Type II counts true clauses only),
        ``weights_saturated`` (updates that would have left the range of the weights), ``vote_drift`` (how far the sums
        of votes that shards used were from the current ones, as a share of T, both clipped to T: the mean over examples
        and shards, 0 without shards), ``literals_per_clause``, and what callbacks add. Accuracies weight rows by
        `sample_weight`, not by `class_weight`.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        How much each column of `X` is used: the total weight of the clauses with a condition on it, divided by the sum
        of these totals over all columns. It adds up to 1, or is 0 if no clause has a literal. It says nothing about
        accuracy; for that use :func:`sklearn.inspection.permutation_importance`.
    s_ : float
        The specificity that the machines were last trained with: `s`, or what "auto" has chosen.
    machines_ : list of wtm.machine.class_machine.Machine
        The machine of each class after the last epoch, in the order of `classes_`.

    References
    ----------
    .. [1] Phoulady, Granmo, Gorji, Phoulady: The Weighted Tsetlin Machine: Compressed Representations with Weighted
       Clauses.
    .. [2] Abeyrathna et al.: Building Concise Logical Patterns by Constraining Tsetlin Machine Clause Size, IJCAI 2023,
       https://doi.org/10.24963/ijcai.2023/378.

    Examples
    --------
    >>> import numpy as np
    >>> from wtm import WTMClassifier
    >>> X = np.random.default_rng(0).integers(0, 2, (1000, 8))
    >>> y = X[:, 0] ^ X[:, 1]
    >>> WTMClassifier(n_clauses=20, T=10, s=4, random_state=0).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        n_clauses: int = 200,
        T: float = 25,
        s: float | str = 3,
        gamma: float = 0.01,
        n_epochs: int = 30,
        *,
        average_last: int = 1,
        n_states: int = 256,
        boost_true_positive: bool = True,
        max_literals: int | None = None,
        init: str = "border",
        engine: str = "lazy",
        sampler: str = "bits",
        n_shards: int = 1,
        vote_block: int = 512,
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
        self.average_last = average_last
        self.n_states = n_states
        self.boost_true_positive = boost_true_positive
        self.max_literals = max_literals
        self.init = init
        self.engine = engine
        self.sampler = sampler
        self.n_shards = n_shards
        self.vote_block = vote_block
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

    @constructor
    def readable(cls, **changes: Any) -> Self:
        """Return an unfitted classifier with parameters for short rules.

        They are ``s=10``, ``boost_true_positive=False`` and ``max_literals=8``; all others have their defaults. Rules
        then have about 2 to 6 conditions. On tables of numbers and categories the accuracy is that of the defaults; on
        the bits of boards and texts it is smaller. docs/few-rules.md has the measurements.

        Parameters
        ----------
        **changes
            Other parameters, or other values of these.

        Examples
        --------
        >>> from wtm import WTMClassifier
        >>> WTMClassifier.readable(n_clauses=50)
        WTMClassifier(boost_true_positive=False, max_literals=8, n_clauses=50, s=10)
        """
        return cls(**(_READABLE | changes))

    @property
    def s_(self) -> float:
        """The specificity that the machines were last trained with."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"This {type(self).__name__} is not fitted yet, so it has no s_. Call fit first.")
        return self._model.parameters.s

    def _model_to_train(
        self, params: dict[str, Any], training: TrainingRows, n_threads: int, *, resumes: bool
    ) -> Model:
        if isinstance(self.s, str):  # "auto"
            chosen = (
                self.s_
                if resumes
                else automatic_s(training.total_weight, len(self.classes_), training.examples.n_features)
            )
            params = params | {"s": chosen}
        return super()._model_to_train(params, training, n_threads, resumes=resumes)

    def __setstate__(self, state: dict[str, Any]) -> None:
        new = {"max_literals": None, "average_last": 1, "n_shards": 1, "vote_block": 512}  # wtm 0.1 lacks them
        super().__setstate__(new | state)
        if "history_" in state:
            self.history_ = [renamed_entry(entry) for entry in self.history_]
