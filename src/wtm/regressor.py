"""WTMRegressor: the Weighted Tsetlin Machine as a scikit-learn regressor."""

from typing import Any

from wtm.number_training import NumberTrainable
from wtm.rules.number_readable import NumberReadable
from wtm.rules.number_reducible import NumberReducible

__all__ = ["WTMRegressor"]


class WTMRegressor(NumberReadable, NumberReducible, NumberTrainable):
    """Weighted Tsetlin Machine for numbers: a sum of weighted AND-rules over true/false features.

    Each number to predict has a machine of `n_clauses` clauses. Half of them add their weight to the sum where they
    are true, half subtract it. The range of the training targets is scaled to sums from -T to T, and a prediction is
    the sum, clipped to that range and scaled back.

    In training, each clause gets feedback with probability abs(e) / 2T, where e is the difference between an example's
    target and its clipped sum. Where the sum is too small, clauses that add get Type I feedback and the others Type II;
    where it is too large, the reverse. The classifier's training is the case of the two targets T and -T. The
    regression Tsetlin machine [1]_ has clauses that only add, and no weights.

    Parameters
    ----------
    n_clauses : int, default=1000
        Number of clauses per output, even.
    T : float, default=100
        Sum of votes that stands for the upper end of the range. With more clauses, use a larger `T`.
    s : float, default=10
        Specificity, from 1 to 2**32, as in :class:`wtm.WTMClassifier`.
    gamma : float, default=0.01
        Learning rate of the weights: each update multiplies or divides a weight by 1 + gamma.
    n_epochs : int, default=30
        Number of passes over the training examples.
    average_last : int, default=10
        The votes of the last `average_last` epochs are averaged, which makes predictions less noisy. With 1, they are
        those of the last epoch alone. Prediction takes longer, and a model has that many times as many rules before
        equal ones are merged.
    y_range : pair of float, list of pairs or None, default=None
        Smallest and largest number that can be predicted, for each output if there are several. None takes the range
        of the training targets; give it for `partial_fit`, where those of the first call may not be all. Targets
        outside are clipped, with a warning.
    n_states, boost_true_positive, max_literals, init, engine, sampler, n_shards, vote_block
        As in :class:`wtm.WTMClassifier`.
    booleanizer : {"auto", "strict"} or Booleanizer, default="auto"
        As in :class:`wtm.WTMClassifier`, but "auto" takes up to 30 thresholds per column, so that predictions can
        follow a column in small steps.
    shuffle : bool, default=True
        Whether each epoch takes the examples in a new random order. The model then doesn't depend on the order of the
        rows.
    early_stopping : bool, default=False
        Whether `fit` keeps the state of the epoch with the best R squared on validation data, and stops when that
        hasn't improved for `n_iter_no_change` epochs. The validation data are `X_val` and `y_val` if given, else a part
        of the training rows, which are then not trained on.
    validation_fraction : float, default=0.1
        Fraction of the rows that `early_stopping` holds out.
    n_iter_no_change : int, default=10
        Number of epochs without improvement after which `early_stopping` stops.
    warm_start, callbacks
        As in :class:`wtm.WTMClassifier`.
    n_jobs : int or None, default=None
        Number of threads, used over outputs and shards in training and over rows in prediction. None means 1 unless in
        a :func:`joblib.parallel_config` context; -1 means all cores. If the context names a backend of processes, such
        as "loky" or "dask", training uses these instead of threads. Results don't depend on any of it.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same integer gives the same model bit for bit, on any processor and with any number of threads.
    verbose : int, default=0
        0 is silent, 1 shows the progress on a terminal or in a notebook, 2 prints a line per epoch.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen during fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns. Defined only if `X` has names that are all strings.
    n_outputs_ : int
        Number of numbers to predict per row.
    y_range_ : ndarray of shape (`n_outputs_`, 2)
        Smallest and largest number that can be predicted.
    y_ndim_ : int
        1 if predictions have the shape (n_samples,), 2 if (n_samples, `n_outputs_`).
    booleanizer_ : Booleanizer or None
        Turns columns into features. None if the columns are the features, each true above 0.5.
    n_epochs_ : int
        Number of epochs that the model has been trained; after `early_stopping` the best one.
    best_epoch_ : int
        Same as `n_epochs_`. Defined only after a `fit` with `early_stopping`.
    history_ : list of dict
        Metrics of each epoch: ``epoch`` (from 1), ``seconds`` (of training alone), ``train_r2`` (R squared on all
        training rows, or on 5,000 spread evenly if there are more), ``valid_r2`` (None without validation data),
        ``type_i`` and ``type_ii`` (number of feedbacks), ``weights_saturated``, ``literals_per_clause``, and what
        callbacks add. R squared is that of the averaged votes, and weights rows by `sample_weight`.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Share of the rules, by weight, that use each column of `X`, as in :class:`wtm.WTMClassifier`.
    machines_ : list of wtm.machine.class_machine.Machine
        The machine of each output, after the last epoch.

    References
    ----------
    .. [1] Abeyrathna, Granmo, Zhang, Jiao, Goodwin: The regression Tsetlin machine: a novel approach to interpretable
       nonlinear regression, Philosophical Transactions of the Royal Society A 378, 2020,
       https://doi.org/10.1098/rsta.2019.0165.

    Examples
    --------
    >>> import numpy as np
    >>> from wtm import WTMRegressor
    >>> X = np.random.default_rng(0).integers(0, 2, (1000, 8))
    >>> y = 10 * X[:, 0] + 5 * (X[:, 1] & X[:, 2])
    >>> reg = WTMRegressor(n_clauses=100, T=20, random_state=0).fit(X[:800], y[:800])
    >>> reg.score(X[800:], y[800:]) > 0.95
    True
    """

    _n_thresholds = 30

    def __init__(
        self,
        n_clauses: int = 1000,
        T: float = 100,
        s: float = 10,
        gamma: float = 0.01,
        n_epochs: int = 30,
        *,
        average_last: int = 10,
        y_range: Any = None,
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
        self.y_range = y_range
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
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
