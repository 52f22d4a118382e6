"""Load trained models from files."""

import os
from typing import Any

from wtm.classifier import WTMClassifier
from wtm.conv_classifier import ConvolutionalWTMClassifier
from wtm.fuzzy_classifier import FuzzyWTMClassifier
from wtm.fuzzy_conv_classifier import FuzzyConvolutionalWTMClassifier
from wtm.fuzzy_regressor import FuzzyWTMRegressor
from wtm.image_training import ImageClassifier
from wtm.modelfile import read_model
from wtm.regressor import WTMRegressor
from wtm.trainable import Trainable
from wtm.utils.paths import as_path

_KINDS: dict[str, type[Trainable]] = {
    kind.__name__: kind
    for kind in (
        WTMClassifier,
        WTMRegressor,
        FuzzyWTMClassifier,
        FuzzyWTMRegressor,
        ConvolutionalWTMClassifier,
        FuzzyConvolutionalWTMClassifier,
    )
}


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read the estimator that its method ``save`` wrote.

    It predicts and resumes training exactly as the saved one would have, bit for bit. A file saved with
    ``prediction_only=True`` holds no automata: its model predicts the same, but can't be trained further.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    estimator
        A WTMClassifier, WTMRegressor, FuzzyWTMClassifier, FuzzyWTMRegressor, ConvolutionalWTMClassifier or
        FuzzyConvolutionalWTMClassifier.

    Raises
    ------
    ValueError
        The file is not a model file, is incomplete, altered or damaged, or was written by a later version of wtm.
    TypeError
        `path` is not a string or path-like.
    MemoryError
        The model is larger than the memory that is free.
    OSError
        The file can't be read.

    Notes
    -----
    A model file holds no code, and none is run. Its checksum detects damage; it does not prove who wrote the file.
    """
    defaults = {name: kind().get_params(deep=False) for name, kind in _KINDS.items()}
    record = read_model(as_path(path, "path"), defaults)
    return _KINDS[record.estimator]._from_record(record)


def load_table_model(path: str | os.PathLike[str]) -> Any:
    """Read an estimator of tables as `load_model` does.

    Raises
    ------
    ValueError
        The file holds an estimator of images, or can't be read.
    """
    model = load_model(path)
    if isinstance(model, ImageClassifier):
        raise ValueError(
            f"{path} holds a {type(model).__name__}, which is for images, and this is for tables. Use the model in "
            f"Python: wtm.load_model({str(path)!r})."
        )
    return model


def load_classifier(path: str | os.PathLike[str]) -> WTMClassifier:
    """Read a `WTMClassifier` as `load_model` does, for programs that need one.

    Raises
    ------
    ValueError
        The file holds another estimator, or can't be read.
    """
    model = load_model(path)
    if not isinstance(model, WTMClassifier):
        raise ValueError(
            f"{path} holds a {type(model).__name__}, and this is for a WTMClassifier. Use the model in Python: "
            f"wtm.load_model({str(path)!r})."
        )
    return model
