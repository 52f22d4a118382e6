"""Noisy XOR, the artificial data set of the Tsetlin machine papers."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wtm.datasets.dataset import Dataset
from wtm.datasets.find_files import find_files, read_file


def load_noisy_xor(data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load Noisy XOR: the label is bit 0 XOR bit 1, flipped in 40 % of the training examples.

    Parameters
    ----------
    data_dir : path or None
        The folder that holds ``NoisyXORTrainingData.txt`` and ``NoisyXORTestData.txt``, directly or in a folder
        ``noisy-xor``; each may be compressed (``.gz``). Each line holds the bits and then the label, separated by
        blanks. By default the folder in the environment variable ``WTM_DATA``. There is no download.

    Returns
    -------
    Dataset
        `X_train`, `X_test` uint8 (5000, 12), where 10 of the 12 bits are noise; labels int64, 0 and 1.

    Raises
    ------
    DatasetNotFoundError
        The files were not found.
    ValueError
        A file is damaged or has values other than 0 and 1, or the files differ in the number of bits.
    """
    names = ("NoisyXORTrainingData.txt", "NoisyXORTestData.txt")
    paths = find_files("Noisy XOR", "noisy-xor", names, data_dir)
    train, test = (_read_table(paths[name]) for name in names)
    if train.shape[1] != test.shape[1]:
        raise ValueError(f"{paths[names[0]]} has {train.shape[1]} columns, but {paths[names[1]]} has {test.shape[1]}.")
    return Dataset(
        name="Noisy XOR",
        X_train=train[:, :-1],
        y_train=train[:, -1].astype(np.int64),
        X_test=test[:, :-1],
        y_test=test[:, -1].astype(np.int64),
        feature_names=tuple(f"bit {i} = 1" for i in range(train.shape[1] - 1)),
        target_names=("0", "1"),
        description="The label is bit 0 XOR bit 1, flipped in 40 % of the training part; the original split.",
    )


def _read_table(path: Path) -> NDArray[np.uint8]:
    """Read rows of bits, with the label last: uint8 (n_samples, n_bits + 1)."""
    try:
        rows = [[int(value) for value in line.split()] for line in read_file(path).splitlines()]
        table = np.array(rows, dtype=np.uint8)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{path} is not a table of 0 and 1: {error}") from error
    if table.ndim != 2 or np.any(table > 1):
        raise ValueError(f"{path} is not a table of 0 and 1.")
    return table
