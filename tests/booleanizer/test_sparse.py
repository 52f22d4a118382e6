"""Sparse tables give the same features as dense ones; wide and long tables take little memory."""

import json
import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.helpers.layouts import unsorted, with_long_indices, with_stored_zeros
from wtm import Booleanizer
from wtm.encoding import table_to_examples
from wtm.machine.examples import pack_examples
from wtm.tables.reading import read_table

# --- Sparse tables ------------------------------------------------------------------------------------------------


def with_duplicates(X):
    once = sp.coo_array(X)
    return sp.coo_array((np.tile(once.data / 2, 2), tuple(np.tile(c, 2) for c in once.coords)), X.shape)


SPARSE = {
    "CSR": sp.csr_matrix,
    "CSC": sp.csc_matrix,
    "COO": sp.coo_matrix,
    "CSR array": sp.csr_array,
    "LIL array": sp.lil_array,
    "unsorted": lambda X: unsorted(sp.csr_array(X)),
    "stored zeros": with_stored_zeros,
    "long indices": lambda X: with_long_indices(sp.csr_array(X)),
    "duplicates": with_duplicates,
}


@pytest.mark.parametrize("kind", SPARSE)
def test_any_sparse_table_gives_what_the_dense_one_gives(kind):
    rng = np.random.default_rng(3)
    X = rng.integers(-2, 6, (200, 9)) * (rng.random((200, 9)) < 0.3) * 0.5
    X[:, 0] = X[:, 0] > 0
    Z = SPARSE[kind](X)
    dense, b = Booleanizer(3).fit(X), Booleanizer(3).fit(Z)
    assert b.conditions_ == dense.conditions_
    assert b.conditions_[0].is_binary
    for features in (b.transform(Z), b.set_params(sparse_output=True).transform(X)):
        assert features.format == "csr"
        assert features.dtype == np.bool_
        assert (features.toarray() == dense.transform(X)).all()
    assert (b.set_params(sparse_output=False).transform(Z) == dense.transform(X)).all()
    assert (table_to_examples(read_table(Z), b).literals == pack_examples(dense.transform(X)).literals).all()


number = st.one_of(st.just(0.0), st.just(np.nan), st.floats(-5, 5, width=16), st.sampled_from([1.0, -1.0]))


@settings(max_examples=100)
@given(arrays(np.float64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=number), st.integers(1, 3))
def test_sparse_and_dense_agree_on_everything(X, n_thresholds):
    X[:, 0] = np.arange(len(X))  # one column that is not constant
    dense, b = Booleanizer(n_thresholds).fit(X), Booleanizer(n_thresholds).fit(sp.csr_array(X))
    assert b.conditions_ == dense.conditions_
    other = sp.csc_array(X[::-1] - 1)
    for Z in (sp.csr_array(X), other):
        assert (b.transform(Z).toarray() == dense.transform(Z.toarray())).all()
        packed = pack_examples(dense.transform(Z.toarray()))
        assert (table_to_examples(read_table(Z), b).literals == packed.literals).all()


def test_sparse_is_refused_where_there_were_categories():
    b = Booleanizer().fit([["a", 1], ["b", 2]])
    with pytest.raises(ValueError, match=r"sparse.*categories"):
        b.transform(sp.csr_array(np.ones((2, 2))))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_in_a_sparse_table_is_refused_later_too(value):
    b = Booleanizer().fit(sp.csr_array(np.arange(6.0).reshape(3, 2)))
    with pytest.raises(ValueError, match=r"infinity.* in column 1"):
        b.transform(sp.csr_array([[0, value]]))


def test_columns_of_0_and_1_are_counted_like_others():
    """A sparse column gives the same result as a dense one, for any stored entries and other columns."""
    X = np.array([[0, 1, 0, 1, 0, 2], [0, 1, 1, np.nan, 0, 0], [0, 1, 0, 0, -1, 1]])
    weights = [2, 0, 3]
    for Z in (sp.csr_array(X), with_stored_zeros(X)):
        assert Booleanizer().fit(Z).conditions_ == Booleanizer().fit(X).conditions_
        weighted = Booleanizer().fit(Z, sample_weight=weights)
        assert weighted.conditions_ == Booleanizer().fit(X, sample_weight=weights).conditions_


def test_a_callers_sparse_matrix_stays_as_it_is():
    csr = unsorted(sp.csr_array(np.arange(20.0).reshape(4, 5)))
    before = [a.copy() for a in (csr.data, csr.indices, csr.indptr)]
    Booleanizer().fit(csr).transform(csr)
    assert all((a == b).all() for a, b in zip(before, (csr.data, csr.indices, csr.indptr), strict=True))


# --- Memory -------------------------------------------------------------------------------------------------------


def peak_memory(call):
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_wide_sparse_table_is_never_made_dense():
    n_rows, n_columns = 20_000, 2_000
    X = sp.random_array((n_rows, n_columns), density=0.0005, rng=np.random.default_rng(0), format="csr")
    dense_bytes = n_rows * n_columns
    b = Booleanizer().fit(X)
    assert peak_memory(lambda: Booleanizer().fit(X)) < dense_bytes / 2
    assert peak_memory(lambda: b.transform(X)) < dense_bytes / 10
    packed = table_to_examples(read_table(X), b)
    assert peak_memory(lambda: table_to_examples(read_table(X), b)) < 2 * packed.literals.nbytes


def test_a_long_table_is_packed_without_a_byte_for_each_feature():
    X = np.random.default_rng(0).normal(size=(200_000, 8))
    b = Booleanizer(20).fit(X)
    assert b.n_features_out_ == 160
    packed = table_to_examples(read_table(X), b).literals.nbytes
    assert peak_memory(lambda: table_to_examples(read_table(X), b)) < packed + len(X) * b.n_features_out_ / 3


# --- Hashed text: far more columns than occur ---------------------------------------------------------------------


def spread(X, n_columns):
    """The same columns in the same order, far apart from each other."""
    csr = sp.csr_array(X)
    return sp.csr_array((csr.data, csr.indices.astype(np.int64) * 999 + 5, csr.indptr), (len(X), n_columns))


@settings(max_examples=25)
@given(
    arrays(np.float64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=number),
    st.sampled_from([None, {"x5": [0.5, 2.0]}, {5 + 999: [-1.0]}]),
)
def test_columns_that_do_not_occur_change_nothing(X, thresholds):
    X[:, 0] = np.arange(len(X))
    b = Booleanizer(thresholds=thresholds).fit(spread(X, 5000))
    assert b.n_features_in_ == len(b.conditions_) == 5000
    given_columns = {0: [0.5, 2.0]} if thresholds and "x5" in thresholds else {}
    narrow = Booleanizer(thresholds=given_columns or None).fit(X)
    if thresholds is None or given_columns:
        assert list(b.conditions_.given) == [999 * j + 5 for j in narrow.conditions_.given]
        assert list(b.conditions_.given.values()) == list(narrow.conditions_.given.values())
        assert (b.transform(spread(X, 5000)).toarray() == narrow.transform(X)).all()
    else:
        assert b.conditions_[5 + 999].thresholds == (-1.0,)
    dense = spread(X, 5000).toarray()
    assert (b.transform(spread(X, 5000)).toarray() == b.transform(dense)).all()
    assert Booleanizer(thresholds=thresholds).fit(dense).conditions_ == b.conditions_


def test_a_model_of_hashed_text_is_small_and_predicts_without_all_columns():
    rng = np.random.default_rng(0)
    X = rng.random((60, 8)) * (rng.random((60, 8)) < 0.5)
    b = Booleanizer(3).fit(spread(X, 1 << 14))
    state = b.to_json()
    assert len(json.dumps(state)) < 2000
    n_columns = 1 << 40  # nothing can hold an item for each
    state["columns"]["n_columns"] = n_columns
    huge = Booleanizer.from_json(state)
    assert huge.get_feature_names_out().tolist() == b.get_feature_names_out().tolist()
    assert pickle.loads(pickle.dumps(huge)).conditions_ == huge.conditions_ != b.conditions_
    row = spread(X[:1], n_columns)
    assert (huge.transform(row) != b.transform(spread(X[:1], 1 << 14))).nnz == 0
    assert peak_memory(lambda: huge.transform(row)) < 1 << 18
