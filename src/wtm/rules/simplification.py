"""Rules without the conditions that change nothing on given rows."""

from functools import partial
from itertools import pairwise

import numpy as np

from wtm.kernels.layout import BLOCK, VECTOR_WORDS, WORD_DTYPE
from wtm.kernels.needed_literals import choose_literals, feature_columns
from wtm.kernels.votes import new_vote_buffers
from wtm.machine.examples import Examples
from wtm.utils.interruption import run_in_threads
from wtm.utils.memory_limits import check_memory

_PARTS_PER_THREAD = 8  # since some clauses take longer than others


def needed_literals(
    examples: Examples, ends: np.ndarray, literals: np.ndarray, tolerance: float, *, n_threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return clauses with few of their literals that have the same outputs for the examples.

    Parameters
    ----------
    examples : Examples
    ends, literals : ndarray
        The clauses, as in `wtm.rules.merging.Clauses`.
    tolerance : float
        Each clause may become true for this many more examples, as a share of those for which it is true.
    n_threads : int

    Returns
    -------
    ends, literals : ndarray
        Clauses that are true for no example have no literals, so they don't vote.
    """
    n_rows, n_features, n_clauses = len(examples), examples.n_features, len(ends) - 1
    n_words = -(-n_rows // BLOCK) * VECTOR_WORDS
    check_memory(
        8 * n_features * n_words,
        f"A copy of {n_rows:,} rows of {n_features:,} features, column by column,",
        "Use fewer rows.",
    )
    columns, buffers = np.empty(n_features * n_words, WORD_DTYPE), new_vote_buffers(n_features)
    rows = np.arange(n_rows, dtype=np.int64)
    shape = examples.literals.shape[1], n_features, rows
    feature_columns(examples.literals.ravel(), *shape, buffers.tile, buffers.columns, columns)
    is_example = np.packbits(np.arange(n_words * 64) < n_rows, bitorder="little").view("<u8").astype(WORD_DTYPE)
    kept = np.zeros(len(literals), np.bool_)

    def choose(first: int, last: int) -> None:
        open_rows = np.empty(n_words, WORD_DTYPE)
        clauses = ends, literals, tolerance, first, last
        choose_literals(columns, n_features, is_example, *clauses, open_rows, kept)

    bounds = np.linspace(0, n_clauses, n_threads * _PARTS_PER_THREAD + 1).astype(int).tolist()
    run_in_threads([partial(choose, first, last) for first, last in pairwise(bounds)], n_threads)
    n_kept = np.concatenate([[0], np.cumsum(kept)])[ends]
    return n_kept, literals[kept]
