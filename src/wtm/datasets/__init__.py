"""Data sets as bits, ready for a Tsetlin machine.

Connect-4 is part of the package. The others are read from a folder, given as `data_dir` or in the environment variable
``WTM_DATA``; without one, MNIST and Fashion-MNIST are downloaded.
"""

import os

from wtm.datasets.connect4 import load_connect_4
from wtm.datasets.dataset import Dataset
from wtm.datasets.find_files import DATA_DIR_VARIABLE, DatasetNotFoundError
from wtm.datasets.images import load_fashion_mnist, load_mnist
from wtm.datasets.imdb import load_imdb
from wtm.datasets.noisy_xor import load_noisy_xor

__all__ = [
    "DATA_DIR_VARIABLE",
    "NAMES",
    "Dataset",
    "DatasetNotFoundError",
    "load",
    "load_connect_4",
    "load_fashion_mnist",
    "load_imdb",
    "load_mnist",
    "load_noisy_xor",
]

_FOLDER_LOADERS = {
    "mnist": load_mnist,
    "fashion-mnist": load_fashion_mnist,
    "imdb": load_imdb,
    "noisy-xor": load_noisy_xor,
}

NAMES = ("connect-4", *_FOLDER_LOADERS)
"""The names that `load` accepts."""


def load(name: str, data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a data set by name, as used in the paper.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    data_dir : path or None
        The data folder, as in the loader of the data set; ignored for Connect-4.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetNotFoundError
        The files were not found.
    ValueError
        `name` is unknown or a file is damaged.
    """
    if name == "connect-4":
        return load_connect_4()
    if name not in _FOLDER_LOADERS:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, got {name!r}.")
    return _FOLDER_LOADERS[name](data_dir)
