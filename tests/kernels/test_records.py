"""Records by reference, next to the same records by value."""

from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from wtm.kernels.jit import function, inline, kernel
from wtm.kernels.records import by_reference, far, near


class Inner(NamedTuple):
    bits: np.ndarray


class Record(NamedTuple):
    words: np.ndarray
    grid: np.ndarray
    count: int
    share: float
    flag: bool
    inner: Inner


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@function
def add_far(record, out):
    record = near(record)
    out[0] += record.words[record.count] + record.grid[1, 2] + record.inner.bits[0]


@inline
def add_near(record, out):
    out[0] += np.int64(record.share) + record.flag
    record.words[record.count] = 7
    add_far(far(record), out)


@kernel
def totals(record, pair, out):
    record, pair = by_reference(record), by_reference(pair)
    add_near(record, out)
    out[1] = record.words.size * 100 + pair.first[0] * 10 + pair.second[0]


@kernel
def far_from_a_value(record, out):
    add_far(far(record), out)


def record():
    return Record(np.arange(5), np.arange(6).reshape(2, 3), 3, 20.5, True, Inner(np.array([1000])))


def test_attributes_and_writes_go_to_the_arrays_of_the_record():
    of, out = record(), np.zeros(2, np.int64)
    totals(of, Pair(np.array([4]), np.array([2])), out)
    assert of.words.tolist() == [0, 1, 2, 7, 4]
    assert out.tolist() == [20 + 1 + 7 + 5 + 1000, 542]


def test_only_references_can_be_far():
    with pytest.raises(TypingError):
        far_from_a_value(record(), np.zeros(1, np.int64))
