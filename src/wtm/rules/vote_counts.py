"""How often each rule votes on each row: a strict rule once where it holds, a fuzzy one up to LF times."""

import numpy as np
import scipy.sparse as sp

from wtm.machine.examples import Examples
from wtm.rules.output_bits import output_bits, sparse_outputs
from wtm.utils.memory_limits import check_memory


def most_votes(ends: np.ndarray, literal_failures: int | None) -> np.ndarray:
    """Return how often each clause votes where all of its literals are true.

    Parameters are those of `vote_counts`.
    """
    return np.minimum(np.diff(ends), literal_failures or 1)


def vote_counts(
    examples: Examples, ends: np.ndarray, literals: np.ndarray, literal_failures: int | None, *, n_threads: int = 1
) -> sp.csr_array:
    """Count the votes of clauses on examples.

    Parameters
    ----------
    examples : Examples
    ends, literals : ndarray
        The clauses, as in `wtm.rules.merging.Clauses`. Those without literals don't vote.
    literal_failures : int or None
        LF of fuzzy clauses; None for strict ones.
    n_threads : int

    Returns
    -------
    CSR matrix of shape (n_rows, n_clauses), float64

    Raises
    ------
    MemoryError
        The counts don't fit in memory.
    """
    n_rows, n_clauses = len(examples), len(ends) - 1
    if literal_failures is None:
        return sparse_outputs(output_bits(examples, ends, literals, n_threads=n_threads), n_rows, n_clauses)
    n_literals = 2 * examples.n_features
    check_memory(
        5 * n_rows * n_literals + 16 * n_rows * n_clauses,
        f"The votes of {n_clauses:,} fuzzy rules on {n_rows:,} rows of {n_literals:,} literals",
        "Use fewer rows.",
    )
    included = sp.csr_array((np.ones(len(literals), np.int32), literals, ends), (n_clauses, n_literals))
    as_bytes = examples.literals.astype("<u8").view(np.uint8)
    is_true = np.unpackbits(as_bytes, axis=1, count=n_literals, bitorder="little")
    n_false = np.diff(ends) - (included @ is_true.T.astype(np.int32)).T
    return sp.csr_array(np.maximum(0, most_votes(ends, literal_failures) - n_false), dtype=np.float64)
