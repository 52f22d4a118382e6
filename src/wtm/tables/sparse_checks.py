"""Checks of sparse matrices from outside, before anything follows their indices.

SciPy checks indices only when it builds a matrix. Arrays that are changed later, or read from a file, can point
anywhere, and both SciPy's conversions and the kernels would read or write there.
"""

from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp


def checked_sparse(X: Any, name: str = "X") -> Any:
    """Return a sparse matrix whose indices are certain to be in range: the same one, or a copy in another format.

    Parameters
    ----------
    X : sparse matrix or sparse array
        Of any format; entries may be unsorted or occur twice.
    name : str
        The argument's name, for messages.

    Raises
    ------
    ValueError
        An index is out of range, or the matrix's arrays don't fit together.
    """
    if len(X.shape) != 2:
        return X  # refused later, with a message about shapes
    try:
        if X.format == "lil":
            X = _lists_to_csr(X)
        elif X.format == "dok":
            X = X.tocoo()  # checks the indices
        _CHECKS[X.format](X)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(
            f"{name} is not a valid {X.format.upper()} matrix: {error}. Build the matrix again."
        ) from error
    return X


def _check_csr(X: Any) -> None:
    _check_compressed(X, *X.shape)


def _check_csc(X: Any) -> None:
    _check_compressed(X, *X.shape[::-1])


def _check_bsr(X: Any) -> None:
    if np.ndim(X.data) != 3:
        raise ValueError("data must have three dimensions")
    sizes = X.data.shape[1:]
    if 0 in sizes or any(length % size for length, size in zip(X.shape, sizes, strict=True)):
        raise ValueError(f"blocks of shape {sizes} don't divide its shape {X.shape}")
    _check_compressed(X, *(length // size for length, size in zip(X.shape, sizes, strict=True)))


def _check_compressed(X: Any, n_parts: int, n_places: int) -> None:
    """Check `indptr` and `indices` of a matrix with this many rows and columns of entries, or the reverse."""
    indptr, indices = _integers(X.indptr, "indptr"), _integers(X.indices, "indices")
    if len(indptr) != n_parts + 1:
        raise ValueError(f"indptr must have {n_parts + 1} items, got {len(indptr)}")
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must begin with 0 and never decrease")
    n_entries = int(indptr[-1])
    if n_entries > min(len(indices), len(X.data)):
        raise ValueError(
            f"indptr counts {n_entries} entries, but indices and data have {len(indices)} and {len(X.data)}"
        )
    _check_range(indices[:n_entries], n_places, "indices")


def _check_coo(X: Any) -> None:
    for axis, size in enumerate(X.shape):
        label = ("row", "col")[axis]
        indices = _integers(getattr(X, label), label)
        if len(indices) != len(X.data):
            raise ValueError(f"{label} and data must have the same length, got {len(indices)} and {len(X.data)}")
        _check_range(indices, size, label)


def _check_dia(X: Any) -> None:
    offsets = _integers(X.offsets, "offsets")
    if np.ndim(X.data) != 2 or len(offsets) != len(X.data):
        raise ValueError(f"data must have a row for each of {len(offsets)} offsets, got shape {np.shape(X.data)}")
    n_rows, n_columns = X.shape
    _check_range(offsets + (n_rows - 1), n_rows + n_columns - 1, "offsets plus n_rows - 1")


_CHECKS = {"csr": _check_csr, "csc": _check_csc, "bsr": _check_bsr, "coo": _check_coo, "dia": _check_dia}


def _lists_to_csr(X: Any) -> sp.csr_array:
    """Convert a LIL matrix, without SciPy's loop over lists of unchecked length."""
    lengths = [len(row) for row in X.rows]
    if len(lengths) != X.shape[0] or lengths != [len(row) for row in X.data]:
        raise ValueError("rows and data must hold a list for each row, of the same length")
    indices = np.array(list(chain.from_iterable(X.rows)) or np.empty(0, np.int64))
    _check_range(_integers(indices, "rows"), X.shape[1], "rows")
    data = np.array(list(chain.from_iterable(X.data)), X.dtype)
    return sp.csr_array((data, indices, np.concatenate([[0], np.cumsum(lengths)])), shape=X.shape)


def _integers(values: Any, label: str) -> np.ndarray:
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind != "i":
        raise ValueError(f"{label} must be a one-dimensional array of signed integers")
    return values


def _check_range(indices: np.ndarray, size: int, label: str) -> None:
    if not indices.size:
        return
    low, high = int(indices.min()), int(indices.max())
    if low < 0 or high >= size:
        raise ValueError(f"{label} must be from 0 to {size - 1}, got {low if low < 0 else high}")
