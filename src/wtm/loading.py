"""Load trained models from files."""

import os

from wtm.classifier import WTMClassifier
from wtm.modelfile import read_model
from wtm.utils.paths import as_path


def load_model(path: str | os.PathLike[str]) -> WTMClassifier:
    """Read a classifier that :meth:`WTMClassifier.save` wrote.

    It predicts and resumes training exactly as the saved one would have, bit for bit. A file saved with
    ``prediction_only=True`` holds no automata: its model predicts the same, but can't be trained further.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    WTMClassifier

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
    return WTMClassifier._from_record(read_model(as_path(path, "path"), WTMClassifier().get_params(deep=False)))
