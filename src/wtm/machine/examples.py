"""Examples as rows of bits, packed from 0/1 tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from wtm.kernels.bits import complete_literals, pack_csr_rows
from wtm.kernels.layout import padded_words_for
from wtm.utils.memory_limits import check_memory

_CHUNK = 4096  # rows that are checked and packed at a time, so that working space doesn't grow with the table
_BIT_VALUES = (1 << np.arange(8)).astype(np.uint8)

Block: TypeAlias = np.ndarray | sp.csr_matrix | sp.csr_array
"""Some rows of a table. In a CSR matrix, which has no duplicate entries, what is not 0 is true."""


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


def pack_examples(X: Block, name: str = "X", labels: Sequence[str] | None = None) -> Examples:
    """Pack a 0/1 table into bits.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features), any numeric or boolean dtype
        Only 0 and 1 are allowed. A sparse table is never made dense.
    name : str
        The argument's name, for messages.
    labels : sequence of str of shape (n_features,), optional
        Names of the columns for messages; ``column 0`` and so on by default.

    Returns
    -------
    packed : Examples

    Raises
    ------
    ValueError
        A value is not 0 or 1. The message names the first such column, and its first such value with the row.
    """
    return pack_blocks(X.shape[0], X.shape[1], checked_blocks(X, name, labels))


def checked_blocks(X: Block, name: str = "X", labels: Sequence[str] | None = None) -> Iterator[Block]:
    """Yield the rows of a 0/1 table, checking each block; parameters and errors are those of `pack_examples`."""
    if sp.issparse(X):
        yield _checked_sparse(X, name, labels)
    else:
        yield from _checked_chunks(X, name, labels)


def above_half_blocks(X: Block) -> Iterator[Block]:
    """Yield the rows of a table of numbers as true/false features: true above 0.5, false for NaN."""
    if not isinstance(X, np.ndarray):
        yield sp.csr_array((X.data > 0.5, X.indices, X.indptr), X.shape)
        return
    for start in range(0, len(X), _CHUNK):
        chunk = X[start : start + _CHUNK]
        yield chunk if chunk.dtype == np.bool_ else chunk > 0.5


def pack_blocks(n_rows: int, n_features: int, blocks: Iterable[Block]) -> Examples:
    """Pack a table that comes as blocks of rows.

    Parameters
    ----------
    n_rows, n_features : int
        Shape of the whole table.
    blocks : iterable of bool ndarray or CSR matrix, each of shape (some rows, n_features)
        All rows, in order.

    Returns
    -------
    packed : Examples

    Raises
    ------
    MemoryError
        The examples don't fit in memory.
    """
    parts = list(pack_parts(n_rows, n_features, blocks, max(1, n_rows)))
    return parts[0] if parts else Examples(_no_literals(0, n_features), n_features)


def pack_parts(n_rows: int, n_features: int, blocks: Iterable[Block], rows_per_part: int) -> Iterator[Examples]:
    """Pack a table part by part. All parts but the last have `rows_per_part` rows; blocks may have any number of rows.

    Parameters
    ----------
    n_rows, n_features, blocks
        As in `pack_blocks`.
    rows_per_part : int
        At least 1.

    Yields
    ------
    packed : Examples
    """
    literals = _no_literals(min(rows_per_part, n_rows), n_features)
    filled = 0
    for block in blocks:
        done = 0
        while done < block.shape[0]:
            piece = block[done : done + len(literals) - filled]
            _pack(piece, literals[filled : filled + piece.shape[0]])
            done += piece.shape[0]
            filled += piece.shape[0]
            if filled == len(literals):
                complete_literals(literals, n_features)
                yield Examples(literals, n_features)
                n_rows -= filled
                literals = _no_literals(min(rows_per_part, n_rows), n_features)
                filled = 0


def words_per_row(n_features: int) -> int:
    """Number of 64-bit words that the literals of a row take."""
    return padded_words_for(2 * n_features)


def _no_literals(n_rows: int, n_features: int) -> np.ndarray:
    n_words = words_per_row(n_features)
    check_memory(
        8 * n_rows * n_words,
        f"{n_rows:,} rows of {2 * n_features:,} literals",
        "Use fewer rows or features; a Booleanizer makes fewer features with a smaller n_thresholds or max_categories.",
    )
    return np.zeros((n_rows, n_words), np.uint64)


def _pack(block: Block, literals: np.ndarray) -> None:
    """Set the bits of the features; `literals` is all 0 before."""
    if isinstance(block, np.ndarray):
        _pack_dense(block, literals)
        return
    indptr, indices = block.indptr.astype(np.int64), block.indices.astype(np.int64)
    pack_csr_rows(indptr, indices, block.data.astype(np.bool_), literals)


def _pack_dense(block: np.ndarray, literals: np.ndarray) -> None:
    if abs(block.strides[0]) < abs(block.strides[1]):
        packed = _pack_columns(block)
    else:
        packed = np.packbits(block, axis=1, bitorder="little")
    literals.view(np.uint8)[:, : packed.shape[1]] = packed
    if literals.dtype.newbyteorder("<") != literals.dtype:  # bytes were written in little-endian order
        literals.byteswap(inplace=True)


def _pack_columns(block: np.ndarray) -> np.ndarray:
    """Pack a table that lies column by column; np.packbits would go through it row by row."""
    columns = block.T.view(np.uint8)
    whole = len(columns) // 8 * 8
    packed = np.empty((-(-len(columns) // 8), block.shape[0]), np.uint8)
    np.einsum(
        "byr,y->br", columns[:whole].reshape(whole // 8, 8, block.shape[0]), _BIT_VALUES, out=packed[: whole // 8]
    )
    if whole < len(columns):
        np.einsum("yr,y->r", columns[whole:], _BIT_VALUES[: len(columns) - whole], out=packed[-1])
    return packed.T


def _checked_chunks(X: np.ndarray, name: str, labels: Sequence[str] | None) -> Iterator[np.ndarray]:
    for start in range(0, len(X), _CHUNK):
        chunk = X[start : start + _CHUNK]
        if not _holds_bits(chunk):
            column = next(j for j in range(X.shape[1]) if _is_wrong(X[:, j]).any())
            row = int(_is_wrong(X[:, column]).argmax())
            _refuse(name, X[row, column], row, column, labels)
        yield chunk.view(np.bool_) if chunk.dtype.itemsize == 1 else chunk.astype(np.bool_)


def _holds_bits(chunk: np.ndarray) -> bool:
    """Whether all values are 0 or 1; those of a byte are not looked at one by one, which would take longest of all."""
    if chunk.dtype == np.bool_:
        return True
    if chunk.dtype.itemsize == 1:
        return bool(chunk.view(np.uint8).max(initial=0) <= 1)
    return not _is_wrong(chunk).any()


def _checked_sparse(
    X: sp.csr_matrix | sp.csr_array, name: str, labels: Sequence[str] | None
) -> sp.csr_matrix | sp.csr_array:
    if not X.has_canonical_format:
        X = X.copy()  # the caller's matrix stays as it is
        X.sum_duplicates()
    wrong = np.flatnonzero(_is_wrong(X.data))
    if wrong.size:
        entry = wrong[X.indices[wrong].argmin()]
        row = int(np.searchsorted(X.indptr, entry, side="right")) - 1
        _refuse(name, X.data[entry], row, X.indices[entry], labels)
    return X


def _is_wrong(values: np.ndarray) -> np.ndarray:
    return (values != 0) & (values != 1)


def _refuse(name: str, value: object, row: int, column: int, labels: Sequence[str] | None) -> None:
    label = f"column {column}" if labels is None else labels[column]
    raise ValueError(
        f"{name} must hold only 0 and 1 (or False and True), but row {row}, {label} holds {value!s}. "
        "A wtm.Booleanizer turns columns of any kind into true/false features."
    )
