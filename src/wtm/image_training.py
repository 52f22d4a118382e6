"""Training on labelled images, which the classifiers of images share."""

from collections.abc import Iterator
from typing import Any, NoReturn, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wtm.kernels.layout import BLOCK
from wtm.label_training import LabelTrainable
from wtm.machine.conv_machine import ConvParameters
from wtm.machine.examples import Examples, words_per_row
from wtm.machine.image_examples import pack_for_patches
from wtm.machine.model_state import Model
from wtm.machine.training_rows import TrainingRows
from wtm.modelfile import ModelRecord
from wtm.prediction import Predictor
from wtm.rules.image_explanation import ImageExplanation, explain_image
from wtm.utils.caller import forget_warnings
from wtm.validation.images import check_bits, check_patch_fits, check_patch_shape, read_images

_BYTES_PER_PART = 1 << 24  # of packed images and sums at a time, so that working space doesn't grow with their number


class ImageClassifier(Predictor, LabelTrainable):
    """The part of the classifiers of images that reads images, trains and predicts."""

    has_strict_rules = False  # those of patches, which the functions for rules on columns don't know
    booleanizer = "strict"
    patch_shape: tuple[int, int]
    positions: bool
    _image_shape: tuple[int, int, int]

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

    def explain(self, X: Any) -> list[ImageExplanation]:
        """Explain the prediction of each image by the patterns that are in it, and where they are.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height, width, n_channels)
            As in `fit`.

        Returns
        -------
        list of wtm.rules.ImageExplanation, of length n_images
            ``print`` shows one, and :class:`wtm.plots.ImageExplanationDisplay` draws it over the image.

        Raises
        ------
        sklearn.exceptions.NotFittedError, ValueError, TypeError
            The model is not fitted, or the images can't be used.
        """
        check_is_fitted(self)
        images = self._table(X, min_rows=0)
        check_bits(images)
        p, voting, labels = self._model.parameters, self._voting_model(), self.classes_.tolist()
        assert isinstance(p, ConvParameters)
        return [explain_image(voting, p, labels, image != 0) for image in images]

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

    def _packed(self, table: Any, name: str = "X") -> Examples:
        """Pack images."""
        check_bits(table, name)
        return pack_for_patches(table, check_patch_shape(self.patch_shape), bool(self.positions))

    def _warn_of_new_values(self, table: Any) -> None:
        """Do nothing: pixels are 0 or 1."""

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
