"""FuzzyConvolutionalWTMClassifier: a machine for images whose patterns need not fit in full."""

from typing import Any

from wtm.image_training import ImageClassifier

__all__ = ["FuzzyConvolutionalWTMClassifier"]


class FuzzyConvolutionalWTMClassifier(ImageClassifier):
    """Weighted Tsetlin Machine for images, of fuzzy clauses: patterns that fit where most of their conditions hold.

    A clause has the votes of its best patch, the one for which the fewest of its literals are false, as
    :class:`wtm.FuzzyWTMClassifier` counts them: ``weight * max(0, min(LF, n) - number of false literals) / LF`` with n
    literals. Feedback to a clause with votes is for one of its best patches, each with the same probability. Patches,
    their features and positions are those of :class:`wtm.ConvolutionalWTMClassifier`, and clauses and their feedback
    those of :class:`wtm.FuzzyWTMClassifier`, which it is with patches as large as the image, bit for bit. A few such
    clauses do what hundreds of strict ones do.

    Parameters
    ----------
    n_clauses : int, default=100
        Number of clauses per class, even.
    T : float, default=5
        Target of the class sums, in units of clauses with all of their votes. With fewer clauses, use a smaller `T`,
        such as `n_clauses` / 20.
    s : float, default=50
        Specificity: Type I feedback to a clause without votes moves each literal toward exclusion with probability 1/s.
    gamma : float, default=0
        Learning rate of the weights. With 0 all weights stay 1.
    n_epochs : int, default=10
        Number of passes over the training images.
    patch_shape, positions
        As in :class:`wtm.ConvolutionalWTMClassifier`.
    literal_failures : int, default=8
        LF, from 1 to 255: a clause that fails this many literals or more on every patch does not vote. If a patch has
        fewer than 2 LF features, LF is half of their number.
    max_literals : int or None, default=16
        L: Type I feedback adds no literals to a clause that includes this many; Type II feedback does.
    gamma_start : int, default=0
        Number of epochs before weights are learnt.
    average_last, n_states, init, engine, sampler
        As in :class:`wtm.ConvolutionalWTMClassifier`.
    shuffle, class_weight, early_stopping, validation_fraction, n_iter_no_change
        As in :class:`wtm.WTMClassifier`.
    warm_start, callbacks, n_jobs, random_state, verbose
        As in :class:`wtm.WTMClassifier`.

    Attributes
    ----------
    classes_, n_epochs_, best_epoch_, history_, machines_, n_features_in_, image_shape_
        As in :class:`wtm.ConvolutionalWTMClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from wtm import FuzzyConvolutionalWTMClassifier
    >>> digits = load_digits()
    >>> X, y = digits.images > 7, digits.target
    >>> clf = FuzzyConvolutionalWTMClassifier(n_clauses=20, T=2, patch_shape=(5, 5), random_state=0)
    >>> clf.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.8
    True
    """

    def __init__(
        self,
        n_clauses: int = 100,
        T: float = 5,
        s: float = 50,
        gamma: float = 0.0,
        n_epochs: int = 10,
        *,
        patch_shape: tuple[int, int] = (10, 10),
        positions: bool = True,
        literal_failures: int = 8,
        max_literals: int | None = 16,
        gamma_start: int = 0,
        average_last: int = 1,
        n_states: int = 256,
        init: str = "border",
        engine: str = "lazy",
        sampler: str = "bits",
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
        self.patch_shape = patch_shape
        self.positions = positions
        self.literal_failures = literal_failures
        self.max_literals = max_literals
        self.gamma_start = gamma_start
        self.average_last = average_last
        self.n_states = n_states
        self.init = init
        self.engine = engine
        self.sampler = sampler
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
