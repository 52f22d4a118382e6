"""Buffers are indexed as their arrays are."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from wtm.kernels.records import by_reference


class Table(NamedTuple):
    values: np.ndarray
    matrix: np.ndarray


class Record(NamedTuple):
    values: np.ndarray
    table: Table


@njit(_nrt=False)  # as kernels are compiled
def exchange(record, i, k):
    """Exchange two elements, of the record and of the table in it; returns sizes and elements as they were."""
    record = by_reference(record)
    values, inner = record.values, record.table.values
    result = values.size, inner.size, values[i], inner[k], record.table.matrix[0, 1]
    values[i], inner[k] = inner[k], values[i]
    return result


DTYPES = [np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.bool_, np.float64]


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
def test_elements_are_those_of_the_array(dtype, data):
    high = 2 if dtype == np.bool_ else 100
    numbers = st.lists(st.integers(0, high - 1), min_size=1, max_size=20)
    values, inner = (np.array(data.draw(numbers), dtype) for _ in range(2))
    i, k = data.draw(st.integers(0, len(values) - 1)), data.draw(st.integers(0, len(inner) - 1))
    index = data.draw(st.sampled_from([np.int64, np.uint64]))
    before, before_inner = values.copy(), inner.copy()
    result = exchange(Record(values, Table(inner, np.arange(4).reshape(2, 2))), index(i), index(k))
    assert result == (len(values), len(inner), before[i], before_inner[k], 1)
    before[i], before_inner[k] = before_inner[k], before[i]
    np.testing.assert_array_equal(values, before)
    np.testing.assert_array_equal(inner, before_inner)


@njit(_nrt=False, boundscheck=True)
def read(table, i):
    return by_reference(table).values[i]


@pytest.mark.parametrize("i", [-1, 3])
def test_indices_are_checked_on_request(i):
    table = Table(np.arange(3), np.zeros((1, 1)))
    assert read(table, 2) == 2
    with pytest.raises(IndexError):
        read(table, i)
