"""ConvolutionalWTMClassifier: a Weighted Tsetlin Machine whose rules look for patterns anywhere in an image."""

from collections.abc import Iterator
from typing import Any, NoReturn, Self

import numpy as np

from wtm.kernels.layout import BLOCK
from wtm.label_training import LabelTrainable
from wtm.machine.conv_machine import ConvParameters
from wtm.machine.examples import Examples, words_per_row
from wtm.machine.image_examples import pack_for_patches
from wtm.machine.model_state import Model
from wtm.machine.training_rows import TrainingRows
from wtm.modelfile import ModelRecord
from wtm.prediction import Predictor
from wtm.utils.caller import forget_warnings
from wtm.validation.images import check_bits, check_patch_fits, check_patch_shape, read_images

__all__ = ["ConvolutionalWTMClassifier"]

_BYTES_PER_PART = 1 << 24  # of packed images and sums at a time, so that working space doesn't grow with their number


class ConvolutionalWTMClassifier(Predictor, LabelTrainable):
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
        Learning rate of the weights. With noisy labels, use a smaller one, such as 0.0001.
    n_epochs : int, default=30
        Number of passes over the training images.
    patch_shape : tuple of int, default=(10, 10)
        Height and width of a patch, at most those of the images.
    positions : bool, default=True
        Whether a clause can have conditions on the place of a patch: features say of each row and column of places
        whether the patch lies below or right of it. If False, patterns are the same anywhere in an image.
    n_states, boost_true_positive, max_literals, init, engine, sampler
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

    has_strict_rules = False  # those of patches, which the functions for rules on columns don't know
    booleanizer = "strict"
    _image_shape: tuple[int, int, int]

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Train for `n_epochs` epochs, from the start unless `warm_start`.

        If the call is interrupted, by Ctrl-C, a callback or an error, the estimator stays as it was.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height, width, n_channels)
            Booleans, or numbers that are 0 or 1. An array that is mapped from a file is packed some images at a time,
            into a bit per pixel and channel.
        y : array-like of shape (n_images,)
            Labels, as in :meth:`wtm.WTMClassifier.fit`.
        sample_weight : array-like of shape (n_images,), optional
            How many times an epoch sees each image, as in :meth:`wtm.WTMClassifier.fit`.
        X_val, y_val : array-like, optional
            Validation data, which are not trained on. Their accuracy is recorded in `history_`.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            A parameter or the data can't be used: images of different sizes, pixels other than 0 and 1, or a
            `patch_shape` larger than the images.
        MemoryError
            The fit needs more memory than is free.

        Warns
        -----
        ConvergenceWarning, RuntimeWarning, UserWarning
            As in :meth:`wtm.WTMClassifier.fit`.
        """
        return super().fit(X, y, sample_weight, X_val=X_val, y_val=y_val)

    @property
    def image_shape_(self) -> tuple[int, int, int]:
        """Height, width and number of channels of the images seen during fit."""
        if not hasattr(self, "_image_shape"):
            raise AttributeError(
                f"This {type(self).__name__} is not fitted, so it has no image_shape_. Call fit first."
            )
        return self._image_shape

    @property
    def feature_importances_(self) -> NoReturn:
        """Not available: a pattern can be in many places of an image."""
        raise AttributeError(f"A {type(self).__name__} has no feature_importances_, since its rules look at patches.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def _checked_parameters(self) -> dict[str, Any]:
        params = super()._checked_parameters()
        return params | {"patch_shape": check_patch_shape(self.patch_shape)}

    def _table(self, X: Any, *, reset: bool = False, min_rows: int = 1, name: str = "X") -> Any:
        """Read images as an array, and check their size against that seen in fit; with `reset`, remember it."""
        images = read_images(X, min_images=min_rows, name=name)
        if reset:
            self._image_shape = images.shape[1:]
            self.n_features_in_ = int(np.prod(self._image_shape))
        elif images.shape[1:] != self.image_shape_:
            raise ValueError(
                f"{name} must have images of the size seen in fit, {_spelled(self.image_shape_)}, got "
                f"{_spelled(images.shape[1:])}. Scale, crop or pad them."
            )
        return images

    def _learn_features(self, table: Any, weights: np.ndarray | None, targets: np.ndarray) -> None:
        check_patch_fits(check_patch_shape(self.patch_shape), self.image_shape_)
        self.booleanizer_ = None
        forget_warnings(self)

    def _examples(self, table: Any, name: str = "X") -> Examples:
        """Pack images."""
        check_bits(table, name)
        return pack_for_patches(table, check_patch_shape(self.patch_shape), bool(self.positions))

    def _parts(self, table: Any, n_threads: int, *, bytes_per_row: int) -> Iterator[Examples]:
        """Pack images part by part: whole blocks, at least one per thread if there are enough."""
        p = self._model.parameters
        assert isinstance(p, ConvParameters)
        bytes_per_row += 8 * words_per_row(self.n_features_in_)
        n_blocks = max(_BYTES_PER_PART // bytes_per_row // BLOCK, min(n_threads, -(-len(table) // BLOCK)), 1)
        for start in range(0, len(table), n_blocks * BLOCK):
            part = table[start : start + n_blocks * BLOCK]
            check_bits(part, first_image=start)
            yield pack_for_patches(part, p.patch_shape, p.positions)

    def _model_to_train(
        self, params: dict[str, Any], training: TrainingRows, n_threads: int, *, resumes: bool
    ) -> Model:
        params = params | {"image_shape": self.image_shape_}
        return super()._model_to_train(params, training, n_threads, resumes=resumes)

    @classmethod
    def _from_record(cls, record: ModelRecord) -> Self:
        estimator = super()._from_record(record)
        if isinstance(estimator.patch_shape, list):  # JSON has no tuples
            estimator.patch_shape = tuple(estimator.patch_shape)
        assert isinstance(record.model.parameters, ConvParameters)
        estimator._image_shape = record.model.parameters.image_shape
        return estimator


def _spelled(image_shape: tuple[int, ...]) -> str:
    height, width, n_channels = image_shape
    return f"{height} x {width}" + (f" with {n_channels} channels" if n_channels > 1 else "")
