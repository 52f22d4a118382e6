"""True/false features: checks of a 0/1 table, and its literals as rows of bits."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from wtm.kernels.bits import complete_literals, pack_csr_rows

__all__ = ["Examples", "pack_examples"]

_CHUNK = 4096  # rows that are compared and packed at a time, so that working space does not grow with the table
_VECTOR_WORDS = 8


@dataclass(frozen=True)
class Examples:
    """Packed examples.

    Attributes
    ----------
    literals : ndarray of shape (n_rows, n_words), uint64
        Bit l of a row is literal l: feature l, or the negation of feature l - n_features; bits beyond the last
        literal are 1. `n_words` is a multiple of 8.
    n_features : int
    """

    literals: np.ndarray
    n_features: int

    def __len__(self) -> int:
        return len(self.literals)


def pack_examples(X: np.ndarray | sp.csr_matrix | sp.csr_array, name: str = "X") -> Examples:
    """Pack a 0/1 table into bits.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features), any numeric or boolean dtype
        Only 0 and 1 are allowed. A sparse table is never made dense.
    name : str
        The argument's name, for messages.

    Returns
    -------
    packed : Examples

    Raises
    ------
    ValueError
        Names the first value that is neither 0 nor 1, with its row and column.
    """
    n_rows, n_features = X.shape
    n_words = -(-2 * n_features // (64 * _VECTOR_WORDS)) * _VECTOR_WORDS
    literals = np.zeros((n_rows, n_words), np.uint64)
    if sp.issparse(X):
        _pack_sparse(X, literals, name)
    else:
        _pack_dense(X, literals, name)
    complete_literals(literals, n_features)
    return Examples(literals, n_features)


def _pack_dense(X: np.ndarray, literals: np.ndarray, name: str) -> None:
    as_bytes = literals.view(np.uint8)
    for start in range(0, len(X), _CHUNK):
        chunk = X[start : start + _CHUNK]
        if chunk.dtype != np.bool_:
            wrong = (chunk != 0) & (chunk != 1)
            if wrong.any():
                row, column = np.argwhere(wrong)[0]
                _refuse(name, chunk[row, column], start + row, column)
        packed = np.packbits(chunk.astype(np.bool_, copy=False), axis=1, bitorder="little")
        as_bytes[start : start + len(chunk), : packed.shape[1]] = packed
    if literals.dtype.newbyteorder("<") != literals.dtype:  # bytes were written in little-endian order
        literals.byteswap(inplace=True)


def _pack_sparse(X: sp.csr_matrix | sp.csr_array, literals: np.ndarray, name: str) -> None:
    if not X.has_canonical_format:
        X = X.copy()  # the caller's matrix stays as it is
        X.sum_duplicates()
    wrong = np.flatnonzero((X.data != 0) & (X.data != 1))
    if wrong.size:
        entry = wrong[0]
        row = np.searchsorted(X.indptr, entry, side="right") - 1
        _refuse(name, X.data[entry], row, X.indices[entry])
    pack_csr_rows(X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data.astype(np.bool_), literals)


def _refuse(name: str, value: object, row: int, column: int) -> None:
    raise ValueError(
        f"{name} must hold only 0 and 1 (or False and True), but row {row}, column {column} holds {value!s}. "
        "Turn the columns into true/false features first, for example with thresholds or one-hot encoding."
    )
