"""Packing and transposing against plain NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from numba import njit

from tests.helpers.machines import SIZES, packed_rows, random_rows
from tests.helpers.random_streams import packed, unpacked
from wtm.kernels import bits

N_ROWS = (1, 2, 63, 64, 65, 511, 512, 513)


def literal_bits(X):
    """The literals of a table and the ones behind them: bool (n_rows, 512 * m)."""
    X = X.astype(np.bool_)
    n_bits = -(-2 * X.shape[1] // 512) * 512
    ones = np.ones((len(X), n_bits - 2 * X.shape[1]), np.bool_)
    return np.concatenate([X, ~X, ones], axis=1)


def words_of(table):
    return np.array([packed(row) for row in table])


@pytest.mark.parametrize("n_features", [*SIZES, 15, 127, 128, 129, 255, 256, 257, 1000])
def test_literals_are_features_then_negations_then_ones(n_features):
    rng = np.random.default_rng(n_features)
    X = random_rows(rng, 9, n_features)
    X[0], X[1] = 0, 1
    expected = literal_bits(X)
    literals = words_of(np.where(np.arange(expected.shape[1]) < n_features, expected, False))
    bits.complete_literals(literals, n_features)
    assert (literals == words_of(expected)).all()
    # A longer row has more ones.
    longer = np.zeros((9, literals.shape[1] + 8), np.uint64)
    longer[:, : literals.shape[1]] = words_of(np.where(np.arange(expected.shape[1]) < n_features, expected, False))
    bits.complete_literals(longer, n_features)
    assert (longer[:, : literals.shape[1]] == literals).all()
    assert (longer[:, literals.shape[1] :] == np.uint64(2**64 - 1)).all()


@pytest.mark.parametrize("n_features", SIZES)
@pytest.mark.parametrize("n_rows", N_ROWS)
def test_dense_and_sparse_rows_pack_alike(n_rows, n_features):
    X = random_rows(np.random.default_rng(n_rows), n_rows, n_features)
    expected = words_of(literal_bits(X))
    assert (packed_rows(X) == expected).all()
    csr = sp.csr_array(X)
    literals = np.zeros_like(expected)
    bits.pack_csr_rows(csr.indptr.astype(np.int64), csr.indices.astype(np.int64), csr.data.astype(np.bool_), literals)
    assert (literals == words_of(np.pad(X, ((0, 0), (0, 64 * expected.shape[1] - n_features))))).all()
    bits.complete_literals(literals, n_features)
    assert (literals == expected).all()


def test_stored_zeros_are_zeros():
    literals = np.zeros((1, 8), np.uint64)
    columns, values = np.array([0, 2, 63, 64]), np.array([True, False, True, True])
    bits.pack_csr_rows(np.array([0, 4]), columns, values, literals)
    assert literals[0, :2].tolist() == [1 | 1 << 63, 1]


@njit
def transpose(tile, first):
    bits.transpose_tile(tile, first)


@pytest.mark.parametrize("seed", range(5))
def test_transpose_of_eight_squares(seed):
    words = np.random.default_rng(seed).integers(0, 2**64, 512 + 8 * seed, dtype=np.uint64)
    before, tile = words[: 8 * seed].copy(), words[8 * seed :]
    squares = [unpacked(words).reshape(64, 64) for words in tile.reshape(64, 8).T.copy()]
    transpose(words, 8 * seed)
    assert (words[: 8 * seed] == before).all()
    for square, words in zip(squares, tile.reshape(64, 8).T.copy(), strict=True):
        assert (unpacked(words).reshape(64, 64) == square.T).all()


@njit
def literal_columns(literals, row_words, rows, start, count, n_features, block, columns):
    bits.transpose_block(literals, row_words, rows, start, count, n_features, block, columns)


@pytest.mark.parametrize("n_features", SIZES)
@pytest.mark.parametrize("count", [1, 31, 63, 64, 65, 511, 512])
def test_columns_hold_each_literal_of_the_rows_in_their_order(count, n_features):
    rng = np.random.default_rng(count)
    X = random_rows(rng, 300, n_features)
    rows, start = rng.integers(0, 300, 520), 7  # with repetitions
    columns = rng.integers(0, 2**64, 2 * n_features * 8, dtype=np.uint64)
    literals, block = packed_rows(X), np.empty(512, np.uint64)
    literal_columns(literals.ravel(), literals.shape[1], rows, start, count, n_features, block, columns)
    seen = unpacked(columns).reshape(2 * n_features, 512)[:, :count]
    assert (seen == literal_bits(X)[rows[start : start + count], : 2 * n_features].T).all()
