"""The record that all loaders return."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

BitMatrix: TypeAlias = NDArray[np.uint8] | sparse.csr_array


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set as bits, split into a training and a test part.

    Attributes
    ----------
    name : str
        The usual name of the data set.
    X_train, X_test : uint8 array or CSR array of shape (n_samples, n_features)
        The bits, 0 or 1.
    y_train, y_test : array of shape (n_samples,)
        The labels: text or integers.
    feature_names : tuple of str, length n_features
        The condition under which each bit is 1.
    target_names : tuple of str
        The names of the classes, in the order of the sorted labels.
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
