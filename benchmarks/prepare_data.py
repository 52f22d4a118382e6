"""Data sets as files that each of the timed programs can read."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from wtm.datasets import load

__all__ = ["prepare"]


def prepare(dataset: str, n_train: int | None, n_test: int | None, data_dir: str | None, folder: Path) -> Path:
    """Write a data set to an .npz file of bits (uint8) and class indices (int64), unless it exists; return its path.

    Parameters
    ----------
    dataset : str
        "digits" (from scikit-learn) or a name for `wtm.datasets.load`.
    n_train, n_test : int or None
        Number of rows of each part, from the first; None uses all.
    data_dir : str or None
        Folder with the original files, see `wtm.datasets`.
    folder : Path
        Folder for the file, and for the whole data set.
    """
    whole = folder / f"{dataset}.npz"
    if not whole.exists():
        arrays = _digits() if dataset == "digits" else _dataset(dataset, data_dir)
        np.savez_compressed(whole, **dict(zip(("X_train", "y_train", "X_test", "y_test"), arrays, strict=True)))
    if n_train is None and n_test is None:
        return whole
    part = folder / f"{dataset}-{n_train or 'all'}-{n_test or 'all'}.npz"
    if not part.exists():
        with np.load(whole) as data:
            cut = {name: data[name][: n_train if name.endswith("train") else n_test] for name in data.files}
        np.savez_compressed(part, **cut)
    return part


def _digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        (X > 7).astype(np.uint8), y, test_size=0.25, random_state=0, stratify=y
    )
    return X_train, y_train, X_test, y_test


def _dataset(name: str, data_dir: str | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    data = load(name, data_dir=data_dir)
    X_train, X_test = (X.toarray() if sp.issparse(X) else X for X in (data.X_train, data.X_test))
    classes, y_train = np.unique(data.y_train, return_inverse=True)
    return X_train, y_train, X_test, np.searchsorted(classes, data.y_test)
