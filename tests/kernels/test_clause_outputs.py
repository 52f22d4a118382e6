"""Clause outputs as bits, and what is counted in them, as NumPy counts it."""

import numpy as np
import pytest

from tests.helpers.machines import SIZES, packed_rows, random_rows
from wtm.kernels.clause_outputs import count_by_clause, count_decisive
from wtm.machine.examples import Examples
from wtm.rules.output_bits import output_bits, sparse_outputs

N_ROWS = (1, 63, 64, 65, 511, 512, 513, 1025)


def some_clauses(rng, n_features, n_clauses):
    """Literals of clauses, some of which are empty or never true."""
    clauses = [sorted(rng.choice(2 * n_features, min(rng.integers(0, 4), 2 * n_features), False)) for _ in range(9)]
    clauses.append(sorted([0, n_features]))
    return [clauses[i % 10] for i in range(n_clauses)]


def outputs(X, clauses):
    """Outputs by NumPy, bool (n_rows, n_clauses)."""
    literals = np.concatenate([X, 1 - X], axis=1).astype(np.bool_)
    return np.stack([literals[:, clause].all(axis=1) & bool(len(clause)) for clause in clauses], axis=1)


def bits_of(X, clauses, **options):
    ends = np.cumsum([0, *map(len, clauses)])
    literals = np.array([literal for clause in clauses for literal in clause], np.int32)
    return output_bits(Examples(packed_rows(X), X.shape[1]), ends, literals, **options)


def as_words(rows):
    padded = np.zeros((len(rows), -(-rows.shape[1] // 512) * 512), np.bool_)
    padded[:, : rows.shape[1]] = rows
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64).ravel()


@pytest.mark.parametrize("n_rows", N_ROWS)
@pytest.mark.parametrize("n_features", [1, 33, 64, 513])
def test_outputs_are_those_of_numpy(n_rows, n_features):
    rng = np.random.default_rng(n_rows)
    X, clauses = random_rows(rng, n_rows, n_features), some_clauses(rng, n_features, 21)
    expected = outputs(X, clauses)
    bits = bits_of(X, clauses)
    assert (bits == bits_of(X, clauses, n_threads=3)).all()
    matrix = sparse_outputs(bits, n_rows, 21)
    assert matrix.has_sorted_indices
    assert (matrix.toarray() == expected).all()
    assert sum(int(word).bit_count() for word in bits.tolist()) == expected.sum()


@pytest.mark.parametrize("n_features", SIZES)
def test_no_rows_and_no_true_clause(n_features):
    X = np.zeros((5, n_features), np.uint8)
    assert sparse_outputs(bits_of(X, [[0], []]), 5, 2).nnz == 0
    assert sparse_outputs(bits_of(X[:0], [[0], []]), 0, 2).shape == (0, 2)


@pytest.mark.parametrize("n_rows", N_ROWS)
def test_counts_are_those_of_numpy(n_rows):
    rng = np.random.default_rng(n_rows)
    X, clauses = random_rows(rng, n_rows, 6), some_clauses(rng, 6, 20)
    expected, bits = outputs(X, clauses), bits_of(X, clauses)
    sets, mask_of = rng.integers(0, 2, (3, n_rows)).astype(np.bool_), rng.integers(0, 3, 20)
    counts = np.full(20, -1)
    count_by_clause(bits, as_words(sets), mask_of, counts)
    assert counts.tolist() == (expected & sets[mask_of].T).sum(axis=0).tolist()

    votes, classes = rng.integers(-5, 6, 20), rng.integers(0, 2, 20)
    needed = np.zeros((2, -(-n_rows // 512) * 512), np.int64)
    needed[:, :n_rows] = rng.choice([-6, -3, -1, 1, 2, 7], (2, n_rows))
    weights = rng.integers(0, 1 << 40, needed.shape[1])
    count_decisive(bits, votes, classes, needed, weights, counts)
    least = needed[classes, :n_rows].T
    decides = np.where(least > 0, votes >= least, votes <= least)
    assert counts.tolist() == ((expected & decides) * weights[:n_rows, np.newaxis]).sum(axis=0).tolist()
