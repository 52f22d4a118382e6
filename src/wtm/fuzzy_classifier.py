"""FuzzyWTMClassifier: a Weighted Tsetlin Machine whose rules need not hold in full."""

from typing import Any

from wtm.label_training import LabelTrainable
from wtm.rules.fuzzy_readable import FuzzyLabels
from wtm.rules.label_reducible import LabelReducible

__all__ = ["FuzzyWTMClassifier"]


class FuzzyWTMClassifier(FuzzyLabels, LabelReducible, LabelTrainable):
    """Weighted Tsetlin Machine of fuzzy clauses: rules of the kind "at least 8 of 11 conditions hold".

    A clause that includes n literals votes ``weight * max(0, min(LF, n) - number of false literals) / LF`` for or
    against its class, where LF is `literal_failures`. So it votes with its full weight where all literals are true,
    less for each that is false, and not at all from LF false literals on. A few such clauses do what many of those
    of :class:`wtm.WTMClassifier` do, which vote only where all literals are true.

    Clauses and their feedback are those of the Fuzzy-Pattern Tsetlin Machine [1]_; weights, sampling and the lazy
    engine are those of :class:`wtm.WTMClassifier`.

    Parameters
    ----------
    n_clauses : int, default=100
        Number of clauses per class, even.
    T : float, default=8
        Target of the class sums, as in :class:`wtm.WTMClassifier`. A clause with all of its votes counts as its weight,
        so half of the clauses can reach `n_clauses` / 2 without weights: with fewer clauses than 100, use a smaller
        `T`, such as `n_clauses` / 12. In the units of [1]_ it is `T` times LF.
    s : float, default=50
        Specificity, from 1 to 2**32: Type I feedback to a clause without votes moves each literal toward exclusion with
        probability 1/s. A clause with votes needs no such trials.
    gamma : float, default=0
        Learning rate of the weights: each update multiplies or divides a weight by 1 + gamma. With 0 all weights stay
        1, which is the machine of [1]_.
    n_epochs : int, default=30
        Number of passes over the training examples.
    literal_failures : int, default=8
        LF, from 1 to 255: with this many false literals or more, a clause does not vote. With LF as large as its number
        of literals or larger, a clause is no longer a pattern but a linear vote. If there are fewer than 2 LF features,
        LF is half of their number.
    max_literals : int or None, default=16
        L: Type I feedback adds no literals to a clause that includes this many. Type II feedback does, so that clauses
        can be longer. None is no limit; if there are fewer than L features, L is their number.
    gamma_start : int, default=0
        Number of epochs before weights are learnt.
    average_last, n_states, init, engine, sampler, n_shards, vote_block
        As in :class:`wtm.WTMClassifier`.
    booleanizer, shuffle, class_weight, early_stopping, validation_fraction, n_iter_no_change
        As in :class:`wtm.WTMClassifier`.
    warm_start, callbacks, n_jobs, random_state, verbose
        As in :class:`wtm.WTMClassifier`.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, booleanizer_, n_epochs_, best_epoch_, history_, machines_
        As in :class:`wtm.WTMClassifier`.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Share of the rules, by weight, that use each column of `X`, as in :class:`wtm.WTMClassifier`.

    References
    ----------
    .. [1] Fuzzy-Pattern Tsetlin Machine, https://arxiv.org/abs/2508.08350.

    Examples
    --------
    >>> import numpy as np
    >>> from wtm import FuzzyWTMClassifier
    >>> X = np.random.default_rng(0).integers(0, 2, (1000, 8))
    >>> y = X[:, :5].sum(axis=1) >= 3
    >>> FuzzyWTMClassifier(n_clauses=10, T=1, literal_failures=3, max_literals=5, random_state=0).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        n_clauses: int = 100,
        T: float = 8,
        s: float = 50,
        gamma: float = 0.0,
        n_epochs: int = 30,
        *,
        literal_failures: int = 8,
        max_literals: int | None = 16,
        gamma_start: int = 0,
        average_last: int = 1,
        n_states: int = 256,
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
        self.literal_failures = literal_failures
        self.max_literals = max_literals
        self.gamma_start = gamma_start
        self.average_last = average_last
        self.n_states = n_states
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
