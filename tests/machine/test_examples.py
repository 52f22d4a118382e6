"""Checks and packing of 0/1 tables."""

import numpy as np
import pytest
import scipy.sparse as sp

from tests.helpers.layouts import layouts
from tests.helpers.machines import SIZES, random_rows
from wtm import reference
from wtm.machine.examples import pack_examples
from wtm.utils import memory_limits


def bits_of(examples):
    as_bytes = examples.literals.astype("<u8").view(np.uint8)
    return np.unpackbits(as_bytes, axis=1, bitorder="little").astype(np.bool_)


@pytest.mark.parametrize("n_features", SIZES)
def test_a_row_holds_the_literals_of_the_reference_and_ones(n_features):
    X = random_rows(np.random.default_rng(0), 5, n_features)
    examples = pack_examples(X)
    assert (len(examples), examples.n_features) == (5, n_features)
    assert examples.literals.shape[1] % 8 == 0
    bits = bits_of(examples)
    for row, x in zip(bits, X, strict=True):
        assert (row[: 2 * n_features] == reference.literals(x)).all()
        assert row[2 * n_features :].all()


DTYPES = ["bool", "int8", "uint8", "int64", "float16", "float32", "float64", ">i4", ">f8"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_dtype_packs_alike(dtype):
    X = random_rows(np.random.default_rng(1), 100, 70)
    assert (pack_examples(X.astype(dtype)).literals == pack_examples(X).literals).all()


def test_any_layout_of_memory_packs_alike(tmp_path):
    X = random_rows(np.random.default_rng(2), 100, 70)
    for name, table in layouts(X, tmp_path).items():
        assert (pack_examples(table).literals == pack_examples(X).literals).all(), name


@pytest.mark.parametrize("n_rows", [0, 1, 4095, 4096, 4097, 9000])
def test_tables_longer_than_a_chunk(n_rows):
    X = random_rows(np.random.default_rng(3), n_rows, 3)
    examples = pack_examples(X)
    assert (bits_of(examples)[:, :3] == X.astype(np.bool_)).all()
    assert (pack_examples(sp.csr_array(X)).literals == examples.literals).all()


def unsorted(csr):
    for row in range(csr.shape[0]):
        part = slice(csr.indptr[row], csr.indptr[row + 1])
        csr.indices[part] = csr.indices[part][::-1]
    csr.has_sorted_indices = False
    return csr


def test_sparse_tables_pack_as_dense_ones():
    X = random_rows(np.random.default_rng(4), 200, 70)
    expected = pack_examples(X).literals
    with_zeros = sp.csr_array((np.append(X[X > 0], 0), (*map(np.append, np.nonzero(X), (3, 5)),)), X.shape)
    long = sp.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    summed = sp.csr_array((np.array([1.0, 1, -1]), np.array([2, 2, 2]), np.array([0, 3])), shape=(1, 5))
    for table in (sp.csr_matrix(X), sp.csr_array(X.astype(np.float32)), unsorted(sp.csr_array(X)), with_zeros, long):
        assert (pack_examples(table).literals == expected).all()
    assert (pack_examples(summed).literals == pack_examples(np.array([[0, 0, 1, 0, 0]])).literals).all()


def test_the_callers_matrix_stays_as_it_is():
    csr = unsorted(sp.csr_array(random_rows(np.random.default_rng(5), 20, 30)))
    before = [a.copy() for a in (csr.data, csr.indices, csr.indptr)]
    pack_examples(csr)
    assert all((a == b).all() for a, b in zip(before, (csr.data, csr.indices, csr.indptr), strict=True))


@pytest.mark.parametrize("make", [np.array, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize(("value", "shown"), [(2, "2"), (-1, "-1"), (255, "255"), (0.5, "0.5")])
@pytest.mark.parametrize("row", [0, 3, 5000])
def test_other_values_are_refused_by_place_and_value(make, value, shown, row):
    X = np.zeros((5002, 4), type(value))
    X[row:, 2] = value
    X[row, 3] = value
    with pytest.raises(ValueError, match=rf"table must hold only 0 and 1 .* row {row}, column 2 holds {shown}\."):
        pack_examples(make(X), "table")


def test_duplicate_entries_that_sum_to_two_are_refused():
    csr = sp.csr_array((np.ones(3), np.array([1, 4, 1]), np.array([0, 3])), shape=(1, 5))
    with pytest.raises(ValueError, match="row 0, column 1 holds 2"):
        pack_examples(csr)


def test_what_memory_cannot_hold_is_refused_in_time(monkeypatch):
    monkeypatch.setattr(memory_limits, "available_memory", lambda: 2**40)
    with pytest.raises(MemoryError, match=r"100 rows of 2,199,023,255,552 literals would take .* GiB of memory, but"):
        pack_examples(sp.csr_array((100, 2**40)))
