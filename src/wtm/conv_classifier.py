"""ConvolutionalWTMClassifier: a Weighted Tsetlin Machine whose rules look for patterns anywhere in an image."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from wtm.image_training import ImageClassifier
from wtm.machine.conv_machine import ConvParameters
from wtm.rules.patterns import Pattern, patterns_of

__all__ = ["ConvolutionalWTMClassifier"]


class ConvolutionalWTMClassifier(ImageClassifier):
    """Weighted Tsetlin Machine for images: a vote of weighted AND-rules, each of which looks for a pattern in patches.

    A clause is an AND of pixels and negated pixels of a patch and, with `positions`, of conditions on where the patch
    is. It is true for an image if it is true for at least one of the image's patches, which are all places where a
    rectangle of `patch_shape` fits. Feedback to a true clause is for one of the patches for which it is true, each with
    the same probability. This is the Convolutional Tsetlin Machine [1]_; weights, sampling and the lazy engine are
    those of :class:`wtm.WTMClassifier`. With patches as large as the image it is that classifier, bit for bit.

    Parameters
    ----------
    n_clauses : int, default=200
        Number of clauses per class, even.
    T : float, default=25
        Target of the class sums, as in :class:`wtm.WTMClassifier`. With more clauses, use a larger `T`.
    s : float, default=5
        Specificity, as in :class:`wtm.WTMClassifier`.
    gamma : float, default=0.01
        Learning rate of the weights. With noisy labels, use 0 and a `T` that class sums never come near.
    n_epochs : int, default=30
        Number of passes over the training images.
    patch_shape : tuple of int, default=(10, 10)
        Height and width of a patch, at most those of the images.
    positions : bool, default=True
        Whether a clause can have conditions on the place of a patch: features say of each row and column of places
        whether the patch lies below or right of it. If False, patterns are the same anywhere in an image.
    average_last, n_states, boost_true_positive, max_literals, init, engine, sampler
        As in :class:`wtm.WTMClassifier`. The direct engine looks at the patches one by one and is far slower.
    shuffle, class_weight, early_stopping, validation_fraction, n_iter_no_change
        As in :class:`wtm.WTMClassifier`.
    warm_start, callbacks, n_jobs, random_state, verbose
        As in :class:`wtm.WTMClassifier`.

    Attributes
    ----------
    classes_, n_epochs_, best_epoch_, history_, machines_
        As in :class:`wtm.WTMClassifier`. Literal l of a machine with o features is feature l, or the negation of
        feature l - o. Features are the pixels of a patch, channel by channel and row by row; then whether the patch
        lies below row 0, 1, and so on of the places, and right of column 0, 1, and so on.
    n_features_in_ : int
        Number of pixels of an image, times the number of channels.
    image_shape_ : tuple of int
        Height, width and number of channels of the images seen during fit.

    References
    ----------
    .. [1] Granmo et al.: The Convolutional Tsetlin Machine, https://arxiv.org/abs/1905.09688.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from wtm import ConvolutionalWTMClassifier
    >>> digits = load_digits()
    >>> X, y = digits.images > 7, digits.target
    >>> clf = ConvolutionalWTMClassifier(n_clauses=40, T=10, n_epochs=10, patch_shape=(5, 5), random_state=0)
    >>> clf.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.9
    True
    """

    def __init__(
        self,
        n_clauses: int = 200,
        T: float = 25,
        s: float = 5,
        gamma: float = 0.01,
        n_epochs: int = 30,
        *,
        patch_shape: tuple[int, int] = (10, 10),
        positions: bool = True,
        average_last: int = 1,
        n_states: int = 256,
        boost_true_positive: bool = True,
        max_literals: int | None = None,
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
        self.average_last = average_last
        self.n_states = n_states
        self.boost_true_positive = boost_true_positive
        self.max_literals = max_literals
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

    def patterns(self) -> list[Pattern]:
        """Return the rules as patterns, those of the largest weights first.

        The votes of the patterns that are in an image add up to its class sums. Clauses that can't be true, and those
        without literals, have none.

        Returns
        -------
        list of wtm.rules.Pattern
            ``print`` draws one. Its method ``places`` finds it in images.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            The model is not fitted.
        """
        check_is_fitted(self)
        parameters = self._model.parameters
        assert isinstance(parameters, ConvParameters)
        return patterns_of(self._voting_model(), parameters, self.classes_.tolist())
