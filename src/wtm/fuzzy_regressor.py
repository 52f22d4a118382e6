"""FuzzyWTMRegressor: a Weighted Tsetlin Machine for numbers whose rules need not hold in full."""

from typing import Any

from wtm.number_training import NumberTrainable
from wtm.rules.fuzzy_readable import FuzzyNumbers
from wtm.rules.number_reducible import NumberReducible

__all__ = ["FuzzyWTMRegressor"]


class FuzzyWTMRegressor(FuzzyNumbers, NumberReducible, NumberTrainable):
    """Weighted Tsetlin Machine of fuzzy clauses for numbers.

    Clauses vote and are trained as in :class:`wtm.FuzzyWTMClassifier`, and their votes are added to a number as in
    :class:`wtm.WTMRegressor`.

    Parameters
    ----------
    n_clauses : int, default=100
        Number of clauses per output, even.
    T : float, default=20
        Sum of votes that stands for the upper end of the range. A clause with all of its votes counts as its weight,
        so with fewer clauses than 100, use a smaller `T`, such as `n_clauses` / 5.
    s, gamma, literal_failures, max_literals, gamma_start
        As in :class:`wtm.FuzzyWTMClassifier`.
    n_epochs : int, default=30
        Number of passes over the training examples.
    average_last, y_range
        As in :class:`wtm.WTMRegressor`.
    n_states, init, engine, sampler, n_shards, vote_block
        As in :class:`wtm.WTMClassifier`.
    booleanizer, shuffle, early_stopping, validation_fraction, n_iter_no_change
        As in :class:`wtm.WTMRegressor`.
    warm_start, callbacks, n_jobs, random_state, verbose
        As in :class:`wtm.WTMClassifier`.

    Attributes
    ----------
    n_features_in_, feature_names_in_, n_outputs_, y_range_, y_ndim_, booleanizer_, n_epochs_, best_epoch_, history_
        As in :class:`wtm.WTMRegressor`.
    feature_importances_, machines_
        As in :class:`wtm.WTMRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from wtm import FuzzyWTMRegressor
    >>> X = np.random.default_rng(0).integers(0, 2, (1000, 8))
    >>> y = X[:, :4].sum(axis=1)
    >>> reg = FuzzyWTMRegressor(n_clauses=40, T=8, random_state=0).fit(X[:800], y[:800])
    >>> reg.score(X[800:], y[800:]) > 0.95
    True
    """

    _n_thresholds = 30

    def __init__(
        self,
        n_clauses: int = 100,
        T: float = 20,
        s: float = 50,
        gamma: float = 0.0,
        n_epochs: int = 30,
        *,
        literal_failures: int = 8,
        max_literals: int | None = 16,
        gamma_start: int = 0,
        average_last: int = 10,
        y_range: Any = None,
        n_states: int = 256,
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
        self.literal_failures = literal_failures
        self.max_literals = max_literals
        self.gamma_start = gamma_start
        self.average_last = average_last
        self.y_range = y_range
        self.n_states = n_states
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
