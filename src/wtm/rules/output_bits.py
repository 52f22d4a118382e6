"""Outputs of clauses for the rows of a table, as bits and as a sparse matrix."""

from functools import partial
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from wtm.kernels.clause_outputs import clause_bits, list_true_clauses
from wtm.kernels.layout import BLOCK, VECTOR_WORDS, WORD_DTYPE
from wtm.kernels.votes import new_vote_buffers
from wtm.machine.examples import Examples
from wtm.utils.interruption import run_in_threads
from wtm.utils.memory_limits import check_memory


def output_bits(examples: Examples, ends: np.ndarray, literals: np.ndarray, *, n_threads: int = 1) -> np.ndarray:
    """Compute the outputs of all clauses.

    Parameters
    ----------
    examples : Examples
    ends, literals : ndarray
        The clauses, as in `wtm.rules.merging.Clauses`. Those without literals are never true.
    n_threads : int

    Returns
    -------
    ndarray of shape (n_blocks * n_clauses * 8,), uint64
        In the layout of `wtm.kernels.clause_outputs`.
    """
    n_rows, n_features = len(examples), examples.n_features
    n_blocks, n_clauses = -(-n_rows // BLOCK), len(ends) - 1
    bits = np.empty(n_blocks * n_clauses * VECTOR_WORDS, WORD_DTYPE)
    rows = np.arange(n_rows, dtype=np.int64)

    shape = examples.literals.shape[1], n_features, rows

    def fill(first: int, last: int) -> None:
        buffers = new_vote_buffers(n_features)
        part = examples.literals.ravel(), *shape, first, last
        clause_bits(*part, ends, literals, buffers.tile, buffers.columns, bits)

    n_parts = max(1, min(n_threads, n_blocks))
    bounds = [n_blocks * part // n_parts * BLOCK for part in range(n_parts)] + [n_rows]
    run_in_threads([partial(fill, first, last) for first, last in pairwise(bounds)], n_parts)
    return bits


def sparse_outputs(bits: np.ndarray, n_rows: int, n_clauses: int) -> sp.csr_array:
    """Return the outputs as a CSR matrix of 0 and 1, float64 of shape (n_rows, n_clauses)."""
    ends, tile = np.zeros(-(-n_rows // BLOCK) * BLOCK + 1, np.int64), np.empty(BLOCK, WORD_DTYPE)
    list_true_clauses(bits, n_clauses, tile, ends, np.empty(0, np.int32))
    np.cumsum(ends, out=ends)
    index_dtype = np.int32 if ends[-1] < 1 << 31 else np.int64  # some of scikit-learn's solvers take no other
    check_memory(12 * int(ends[-1]), f"{ends[-1]:,} outputs of {n_clauses:,} clauses", "Take fewer rows at a time.")
    indices = np.empty(ends[-1], np.int32)
    starts = ends.copy()
    if len(indices):
        list_true_clauses(bits, n_clauses, tile, starts, indices)
    return sp.csr_array((np.ones(len(indices)), indices, ends[: n_rows + 1].astype(index_dtype)), (n_rows, n_clauses))


def rows_as_bits(sets: np.ndarray) -> np.ndarray:
    """Pack sets of rows, bool of shape (..., n_rows), into words, whole blocks for each."""
    padded = np.zeros((*sets.shape[:-1], -(-sets.shape[-1] // BLOCK) * BLOCK), np.bool_)
    padded[..., : sets.shape[-1]] = sets
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64).ravel()
