"""What all loaders share: the `Dataset` they return, and finding and reading a data set's files."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from wtm.utils.paths import as_path

DATA_DIR_VARIABLE = "WTM_DATA"

BitMatrix: TypeAlias = NDArray[np.uint8] | sparse.csr_array


class DatasetNotFoundError(FileNotFoundError):
    """A data set's files are in none of the folders looked in, and it could not be downloaded."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set as bits, divided into a training and a test part.

    Attributes
    ----------
    name : str
        The data set's usual name.
    X_train, X_test : uint8 array or CSR array of shape (n_examples, n_features)
        The bits, 0 or 1.
    y_train, y_test : array of shape (n_examples,)
        The labels: text or integers.
    feature_names : tuple of str, length n_features
        For each bit the condition under which it is 1.
    target_names : tuple of str
        The classes' names, in the order of the sorted labels.
    description : str
        How the bits and the two parts were made.
    """

    name: str
    X_train: BitMatrix = field(repr=False)
    y_train: NDArray[Any] = field(repr=False)
    X_test: BitMatrix = field(repr=False)
    y_test: NDArray[Any] = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    target_names: tuple[str, ...]
    description: str


def find_files(
    dataset: str, subfolder: str, names: Sequence[str], data_dir: str | os.PathLike[str] | None
) -> dict[str, Path]:
    """Find the files of a data set, each plain or compressed (its name followed by ``.gz``).

    Parameters
    ----------
    dataset : str
        The data set's name, for the error.
    subfolder : str
        The data set's own folder inside the data folder. The files may also lie in the data folder itself.
    names : sequence of str
        The files needed, without ``.gz``.
    data_dir : path or None
        The data folder; None: the one named by the environment variable ``WTM_DATA``, if set.

    Returns
    -------
    dict of str to Path
        Where each of `names` is. All are in one folder.

    Raises
    ------
    DatasetNotFoundError
        If no folder looked in has all the files.
    TypeError
        `data_dir` is no path.
    """
    base = data_dir if data_dir is not None else os.environ.get(DATA_DIR_VARIABLE) or None
    folder = None if base is None else as_path(base, "data_dir").expanduser()
    folders = [] if folder is None else [folder / subfolder, folder]
    for folder in folders:
        found = {name: path for name in names if (path := _find_file(folder, name)) is not None}
        if len(found) == len(names):
            return found
    where = ", ".join(map(str, folders)) or f"nowhere, as neither data_dir nor {DATA_DIR_VARIABLE} is set"
    raise DatasetNotFoundError(
        f"The data set {dataset} was not found: it needs the files {', '.join(names)} (each may be "
        f"compressed, with .gz after its name). Looked in: {where}. Name the folder that holds them, or that "
        f"holds them in '{subfolder}', with data_dir=..., --data-dir in a shell, or the environment variable "
        f"{DATA_DIR_VARIABLE}."
    )


def _find_file(folder: Path, name: str) -> Path | None:
    candidates = (folder / f"{name}.gz", folder / name)
    return next((path for path in candidates if path.is_file()), None)


def read_file(path: Path) -> bytes:
    """Read a file's content, uncompressed if its name ends in ``.gz``.

    Raises
    ------
    ValueError
        If the compressed file is truncated or damaged.
    """
    content = path.read_bytes()
    if path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is truncated or no valid gzip file ({error}): get it again.") from error
