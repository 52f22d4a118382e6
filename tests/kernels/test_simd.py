"""Each vector operation alone against NumPy."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numba.core.errors import TypingError

from wtm.kernels import simd

# Compiled again in each run: the disk cache of kernels does not cover the sources of tests.


def binary(operation):
    @njit
    def run(a, b, out):
        simd.store(out, 0, operation(simd.load(a, 0), simd.load(b, 0)))

    return run


def wrapped(of_bytes):
    """A byte operation in NumPy, worked out in wider integers."""
    return lambda a, b: of_bytes(a.view(np.uint8).astype(int), b.view(np.uint8).astype(int)).astype(np.uint8)


BINARY = {
    "and": (binary(operator.and_), lambda a, b: a & b),
    "or": (binary(operator.or_), lambda a, b: a | b),
    "xor": (binary(operator.xor), lambda a, b: a ^ b),
    "add": (binary(operator.add), lambda a, b: a + b),
    "add_saturating": (binary(simd.add_saturating), wrapped(lambda a, b: np.minimum(a + b, 255))),
    "subtract_saturating": (binary(simd.subtract_saturating), wrapped(lambda a, b: np.maximum(a - b, 0))),
    "maximum": (binary(simd.maximum), wrapped(np.maximum)),
    "minimum": (binary(simd.minimum), wrapped(np.minimum)),
}

EDGE_BYTES = (0, 1, 127, 128, 129, 254, 255)


def vectors(n=20, seed=0):
    """Random vectors, and those of equal edge bytes: uint64 (n + 7, 8)."""
    random = np.random.default_rng(seed).integers(0, 256, (n, 64), dtype=np.uint8)
    edges = np.repeat(np.array(EDGE_BYTES, np.uint8)[:, None], 64, axis=1)
    return np.concatenate([random, edges]).view(np.uint64)


full_vectors = st.binary(min_size=64, max_size=64).map(lambda data: np.frombuffer(data, np.uint64).copy())
words = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize("name", BINARY)
def test_two_vectors(name):
    compiled, expected = BINARY[name]
    for a in vectors():
        for b in vectors(seed=1):
            out = np.zeros(8, np.uint64)
            compiled(a, b, out)
            assert out.tobytes() == expected(a, b).tobytes()


@pytest.mark.parametrize("name", BINARY)
@settings(max_examples=50)
@given(a=full_vectors, b=full_vectors)
def test_any_two_vectors(name, a, b):
    compiled, expected = BINARY[name]
    out = np.zeros(8, np.uint64)
    compiled(a, b, out)
    assert out.tobytes() == expected(a, b).tobytes()


def test_not():
    @njit
    def run(a, out):
        simd.store(out, 0, ~simd.load(a, 0))

    for a in vectors():
        out = np.zeros(8, np.uint64)
        run(a, out)
        assert (out == ~a).all()


def test_add_where_adds_to_the_elements_whose_bit_is_set():
    @njit
    def run(array, index, mask, value):
        simd.add_where(array, index, mask, value)

    for mask in range(256):
        array = np.arange(20) - 10
        expected = array.copy()
        expected[3:11] += (-(2**40)) * (mask >> np.arange(8) & 1)
        run(array, 3, np.uint8(mask), -(2**40))
        assert (array == expected).all()


@pytest.mark.parametrize("index", [0, 1, 7, 8])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64, np.int64])
def test_load_and_store_count_in_elements_and_touch_64_bytes(dtype, index):
    @njit
    def copy(source, at, target, to):
        simd.store(target, to, simd.load(source, at))

    n = 64 // np.dtype(dtype).itemsize
    source = np.random.default_rng(0).integers(0, 127, 3 * n).astype(dtype)
    target = np.full(3 * n, 99, dtype)
    expected = target.copy()
    expected[n - 1 : 2 * n - 1] = source[index : index + n]
    copy(source, index, target, n - 1)
    assert (target == expected).all()


@pytest.mark.parametrize("n", [1, 17, 21, 28, 49, 63])
def test_shift_and_rotate(n):
    @njit
    def run(a, shifted, back, rotated):
        simd.store(shifted, 0, simd.shift_left(simd.load(a, 0), n))
        simd.store(back, 0, simd.shift_right(simd.load(a, 0), n))
        simd.store(rotated, 0, simd.rotate_left(simd.load(a, 0), n))

    for a in vectors(5):
        shifted, back, rotated = (np.zeros(8, np.uint64) for _ in range(3))
        run(a, shifted, back, rotated)
        assert (shifted == a << np.uint64(n)).all()
        assert (back == a >> np.uint64(n)).all()
        assert (rotated == (a << np.uint64(n) | a >> np.uint64(64 - n))).all()


def test_rotation_by_a_variable_is_refused_when_compiled():
    @njit
    def run(a, n, out):
        simd.store(out, 0, simd.rotate_left(simd.load(a, 0), n))

    with pytest.raises(TypingError):
        run(np.zeros(8, np.uint64), 3, np.zeros(8, np.uint64))


@settings(max_examples=50)
@given(word=words, byte=st.integers(0, 255))
def test_splat(word, byte):
    out = np.zeros(16, np.uint64)
    splat_both(np.uint64(word), np.uint8(byte), out)
    assert (out[:8] == np.uint64(word)).all()
    assert (out[8:].view(np.uint8) == byte).all()


@njit
def splat_both(word, byte, out):
    simd.store(out, 0, simd.splat(word))
    simd.store(out, 8, simd.splat_byte(byte))


@njit
def is_any_set(a):
    return simd.any_set(simd.load(a, 0))


def test_any_set_sees_every_single_bit():
    assert not is_any_set(np.zeros(8, np.uint64))
    for bit in range(512):
        a = np.zeros(8, np.uint64)
        a[bit // 64] = np.uint64(1) << np.uint64(bit % 64)
        assert is_any_set(a), bit


@njit
def mask_to_bytes(mask, out):
    simd.store(out, 0, simd.bytes_of_mask(mask))


@given(mask=st.one_of(words, st.sampled_from([0, 1, 1 << 63, 2**64 - 1])))
def test_bytes_of_mask(mask):
    out = np.zeros(64, np.uint8)
    mask_to_bytes(np.uint64(mask), out)
    assert out.tolist() == [mask >> i & 1 for i in range(64)]


@njit
def bytes_to_mask(a):
    return simd.top_bits(simd.load(a, 0))


def test_top_bits():
    for a in vectors():
        assert bytes_to_mask(a) == sum(1 << i for i, byte in enumerate(a.view(np.uint8)) if byte >= 128)


@njit
def keep(a, mask, out):
    simd.store(out, 0, simd.keep_bytes(simd.load(a, 0), mask))


@given(a=full_vectors, mask=st.one_of(words, st.sampled_from([0, 1, 1 << 63, 2**64 - 1])))
def test_keep_bytes(a, mask):
    out = np.zeros(64, np.uint8)
    keep(a, np.uint64(mask), out)
    assert out.tolist() == [byte * (mask >> i & 1) for i, byte in enumerate(a.view(np.uint8).tolist())]


@njit
def summaries(a):
    vector = simd.load(a, 0)
    return simd.largest_byte(vector), simd.sum_words(vector)


def test_largest_byte_and_sum_of_words():
    for a in vectors():
        largest, total = summaries(a)
        assert largest == a.view(np.uint8).max()
        assert total % 2**64 == sum(a.tolist()) % 2**64
    for i in range(64):
        a = np.full(64, 3, np.uint8)
        a[i] = 200
        assert summaries(a)[0] == 200, i


@njit
def counts_of_words(a, out):
    simd.store(out, 0, simd.popcount_words(simd.load(a, 0)))


def test_popcount_of_each_word():
    for a in vectors():
        out = np.zeros(8, np.uint64)
        counts_of_words(a, out)
        assert out.tolist() == [word.bit_count() for word in a.tolist()]


@njit
def transposed_words(source, first, step, out, to, out_step):
    simd.transpose_words(source, first, step, out, to, out_step)


def test_transpose_of_words():
    rng = np.random.default_rng(0)
    source, out = rng.integers(0, 1 << 64, 130, np.uint64), np.zeros(100, np.uint64)
    transposed_words(source, 3, 16, out, 2, 10)
    rows = np.array([source[3 + 16 * i : 11 + 16 * i] for i in range(8)])
    for k in range(8):
        assert (out[2 + 10 * k : 10 + 10 * k] == rows[:, k]).all()
        assert not out[10 + 10 * k : 12 + 10 * k].any()


@njit
def lanes(counts, values, limit, above, narrow):
    values = simd.load(values, 0)
    simd.store(above, 0, simd.count_above(simd.load(counts, 0), values, simd.splat_short(limit)))
    simd.store(narrow, 0, simd.narrow(simd.load(counts, 0), values))


@pytest.mark.parametrize("limit", [-32768, -32767, -1, 0, 1, 32766, 32767])
def test_lanes_of_16_bits(limit):
    rng = np.random.default_rng(limit + 32768)
    for _ in range(20):
        counts, near = (rng.integers(0, 65536, 32, dtype=np.uint16) for _ in range(2))
        close = np.clip(limit + rng.integers(-1, 2, 32), -32768, 32767).astype(np.int16)
        values = np.where(rng.random(32) < 0.5, near.view(np.int16), close)
        above, narrow = np.zeros(32, np.uint16), np.zeros(64, np.uint8)
        lanes(counts, values, np.int16(limit), above, narrow)
        assert (above == counts + (values > limit).astype(np.uint16)).all()
        assert narrow.tolist() == (np.concatenate([counts, values.view(np.uint16)]) % 256).tolist()


@njit
def bits_of_a_word(word):
    return simd.count_trailing_zeros(word), simd.popcount(word)


@given(word=st.one_of(st.integers(1, 2**64 - 1), st.integers(0, 63).map(lambda i: 1 << i)))
def test_bits_of_a_word(word):
    assert bits_of_a_word(np.uint64(word)) == ((word & -word).bit_length() - 1, word.bit_count())


def test_popcount_of_nothing_is_zero():
    @njit
    def count(word):
        return simd.popcount(word)

    assert count(np.uint64(0)) == 0


@njit
def shorts(word, out):
    simd.store(out, 0, simd.shorts_of_mask(word))


@given(word=st.integers(0, 2**64 - 1))
def test_shorts_of_a_mask(word):
    out = np.zeros(32, np.uint16)
    shorts(np.uint64(word), out)
    assert out.tolist() == [0xFFFF * (word >> i & 1) for i in range(32)]


def test_prefetch_changes_nothing():
    @njit
    def ask(array, index):
        simd.prefetch(array, index)

    for dtype in (np.uint8, np.int32, np.uint64):
        array = np.arange(100).astype(dtype)
        ask(array, 3)
        ask(array, 99)
        assert array.tolist() == list(range(100))
