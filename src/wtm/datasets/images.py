"""MNIST and Fashion-MNIST, from IDX files or downloaded through scikit-learn."""

import os
import warnings
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import fetch_openml

from wtm.datasets.dataset import Dataset
from wtm.datasets.find_files import DatasetNotFoundError, find_files, read_file

THRESHOLD = 77
"""The smallest grey value (0 to 255) that becomes 1: ceil(0.3 * 255), as in section 4.1 of the paper."""

_N_TRAIN = 60_000
_IMAGES_MAGIC = 2051
_LABELS_MAGIC = 2049


@dataclass(frozen=True)
class _ImageSet:
    """One of the two data sets, which share file names and format."""

    name: str
    subfolder: str
    openml_name: str
    target_names: tuple[str, ...]
    train_counts: tuple[int, ...]
    """Training images per class, which distinguish the two data sets."""


_MNIST = _ImageSet(
    name="MNIST",
    subfolder="mnist",
    openml_name="mnist_784",
    target_names=tuple("0123456789"),
    train_counts=(5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949),
)
_FASHION_MNIST = _ImageSet(
    name="Fashion-MNIST",
    subfolder="fashion-mnist",
    openml_name="Fashion-MNIST",
    target_names=(
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    ),
    train_counts=(6000,) * 10,
)

_Pixels = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]


def load_mnist(data_dir: str | os.PathLike[str] | None = None, *, threshold: int = THRESHOLD) -> Dataset:
    """Load MNIST as bits: a pixel is 1 if its grey value is at least 77 (section 4.1 of the paper).

    Parameters
    ----------
    data_dir : path or None
        The folder that holds the four IDX files, directly or in a folder ``mnist``; each may be compressed (``.gz``).
        By default the folder in the environment variable ``WTM_DATA``; if the files are not there, scikit-learn's
        `fetch_openml` downloads them to its own data folder.
    threshold : int, default=77
        The smallest grey value, from 1 to 255, that becomes 1.

    Returns
    -------
    Dataset
        `X_train` uint8 (60000, 784), row by row; `X_test` uint8 (10000, 784); labels int64, 0 to 9.

    Raises
    ------
    DatasetNotFoundError
        `data_dir` does not hold the files; or it is None, ``WTM_DATA`` does not hold them, and the download failed.
    ValueError
        `threshold` is out of range; a file is damaged, has another format, or does not match the others.
    """
    if not 1 <= threshold <= 255:
        raise ValueError(f"threshold must be between 1 and 255, got {threshold!r}.")
    return _load(_MNIST, data_dir, threshold)


def load_fashion_mnist(data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load Fashion-MNIST as bits: a pixel is 1 if its grey value is at least 77.

    Parameters
    ----------
    data_dir : path or None
        As in `load_mnist`, with the folder ``fashion-mnist``.

    Returns
    -------
    Dataset
        `X_train` uint8 (60000, 784), row by row; `X_test` uint8 (10000, 784); labels int64, 0 to 9.

    Raises
    ------
    DatasetNotFoundError, ValueError
        As in `load_mnist`.
    """
    return _load(_FASHION_MNIST, data_dir)


def _load(image_set: _ImageSet, data_dir: str | os.PathLike[str] | None, threshold: int = THRESHOLD) -> Dataset:
    images_train, y_train, images_test, y_test = _read_or_download(image_set, data_dir)
    n_rows, n_columns = images_train.shape[1:]
    return Dataset(
        name=image_set.name,
        X_train=_bits(images_train, threshold),
        y_train=y_train,
        X_test=_bits(images_test, threshold),
        y_test=y_test,
        feature_names=tuple(
            f"pixel ({row}, {column}) >= {threshold}" for row in range(n_rows) for column in range(n_columns)
        ),
        target_names=image_set.target_names,
        description=f"A bit per pixel, row by row: 1 if the grey value is at least {threshold}; the original split.",
    )


def _bits(images: NDArray[np.uint8], threshold: int) -> NDArray[np.uint8]:
    return (images >= threshold).reshape(len(images), -1).view(np.uint8)


def _read_or_download(image_set: _ImageSet, data_dir: str | os.PathLike[str] | None) -> _Pixels:
    names = [f"{part}-{content}-ubyte" for part in ("train", "t10k") for content in ("images-idx3", "labels-idx1")]
    try:
        paths = find_files(image_set.name, image_set.subfolder, names, data_dir)
    except DatasetNotFoundError as missing:
        if data_dir is not None:  # the caller wants these files and no others
            raise
        return _download(image_set, missing)
    train_images, train_labels, test_images, test_labels = (paths[name] for name in names)
    images_train, y_train = _read_part(image_set, train_images, train_labels)
    images_test, y_test = _read_part(image_set, test_images, test_labels)
    if images_train.shape[1:] != images_test.shape[1:]:
        raise ValueError(
            f"{train_images} has images of shape {images_train.shape[1:]}, but {test_images} of shape "
            f"{images_test.shape[1:]}: the files are from different data sets."
        )
    for other in (_MNIST, _FASHION_MNIST):
        if other is not image_set and _has_counts(y_train, other):
            raise ValueError(f"{train_labels} belongs to {other.name}, not to {image_set.name}: pass another folder.")
    return images_train, y_train, images_test, y_test


def _read_part(
    image_set: _ImageSet, images_path: Path, labels_path: Path
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Read images uint8 (n, rows, columns) and their labels int64 (n,)."""
    images = read_idx(images_path, _IMAGES_MAGIC)
    labels = read_idx(labels_path, _LABELS_MAGIC)
    if len(images) != len(labels):
        raise ValueError(f"{images_path} has {len(images)} images, but {labels_path} has {len(labels)} labels.")
    n_classes = len(image_set.target_names)
    if np.any(labels >= n_classes):
        raise ValueError(f"{labels_path} has the label {labels.max()}, but {image_set.name} has 0 to {n_classes - 1}.")
    return images, labels.astype(np.int64)


def read_idx(path: Path, magic: int) -> NDArray[np.uint8]:
    """Read an IDX file of unsigned bytes.

    Parameters
    ----------
    path : Path
        The file; compressed if its name ends in ``.gz``.
    magic : int
        The number that the file must start with: 2048 + the number of dimensions.

    Returns
    -------
    uint8 array
        Read-only, of the shape in the header.

    Raises
    ------
    ValueError
        The file starts with another number, or its length does not match its header.
    """
    content = read_file(path)
    header_length = 4 * (1 + magic % 256)
    if len(content) < header_length:
        raise ValueError(f"{path} is truncated: {len(content)} bytes, but its header alone takes {header_length}.")
    found, *shape = np.frombuffer(content, dtype=">u4", count=header_length // 4).tolist()
    if found != magic:
        raise ValueError(f"{path} starts with the number {found}, not {magic}: it is not the expected IDX file.")
    values = np.frombuffer(content, dtype=np.uint8, offset=header_length)
    expected = int(np.prod(shape, dtype=np.uint64))
    if len(values) != expected:
        state = "truncated" if len(values) < expected else "too long"
        raise ValueError(f"{path} is {state}: {len(values)} values, but its header says {shape}, that is {expected}.")
    return values.reshape(shape)


def _download(image_set: _ImageSet, missing: DatasetNotFoundError) -> _Pixels:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about each failed attempt: the error reports the last one
            # This parser does not need pandas.
            X, y = fetch_openml(image_set.openml_name, version=1, as_frame=False, parser="liac-arff", return_X_y=True)
    except (OSError, HTTPException, ValueError) as error:
        raise DatasetNotFoundError(f"{missing} The download from OpenML failed as well: {error}") from error
    images, labels = X.astype(np.uint8).reshape(-1, 28, 28), y.astype(np.int64)
    if not _has_counts(labels[:_N_TRAIN], image_set):
        raise ValueError(
            f"The download of {image_set.name} has its images in an unknown order, so the test part is unknown: use "
            f"the original files. {missing}"
        )
    return images[:_N_TRAIN], labels[:_N_TRAIN], images[_N_TRAIN:], labels[_N_TRAIN:]


def _has_counts(y_train: NDArray[np.int64], image_set: _ImageSet) -> bool:
    return tuple(np.bincount(y_train).tolist()) == image_set.train_counts
