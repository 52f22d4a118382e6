"""The random streams, and the three samplers against exact distributions.

Bound: the statistical tests below compute fewer than 1,000 p-values. With fixed seeds each is one draw from
[0, 1], and a right program fails where one is below 1e-10: for all of them less than once in 10**7 choices
of the seeds. The factor of 10 to the 10**6 aimed at covers chi-square being an approximation.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy import stats

from tests.helpers.enumeration import chi_square
from tests.helpers.random_streams import Streams, Xoroshiro, fresh_random, unpacked
from wtm.kernels.sampling import (
    BERNOULLI,
    BINOMIAL,
    BITS,
    CERTAIN,
    Sampler,
    bernoulli_vector,
    draw_gap,
    fill_mask,
    fill_masks,
    next_vector,
    next_word,
)
from wtm.kernels.simd import load, store
from wtm.machine.distributions import binomial_table, gap_table, threshold

P_BOUND = 1e-10
KINDS = {"bernoulli": BERNOULLI, "binomial": BINOMIAL, "bits": BITS}
SIZES = (5, 26, 130, 168, 1568, 10_000)
PROBABILITIES = (0.0005, 0.0065, 0.037, 0.1, 0.25, 0.5, 0.9)


def make_sampler(kind, u, p):
    """The sampler of u trials of probability p."""
    return Sampler(KINDS[kind], threshold(p), binomial_table(u, threshold(p)))


def two_sided(statistic, distribution):
    return 2 * min(distribution.cdf(statistic), distribution.sf(statistic))


# --- Streams ------------------------------------------------------------------------------------------------


def test_numpy_twin_is_xoroshiro128plusplus():
    # The first outputs from the state (1, 2), as its other implementations are tested with.
    stream = Xoroshiro(1, 2)
    assert [int(stream.next()[0]) for _ in range(4)] == [
        393217, 669327710093319, 1732421326133921491, 11394790081659126983,
    ]  # fmt: skip


@njit
def scalar_words(random, out):
    for i in range(out.size):
        out[i] = next_word(random)


@pytest.mark.parametrize("seed", range(3))
def test_scalar_stream(seed):
    random, twin = fresh_random(seed), Streams(fresh_random(seed))
    out = np.empty(200, np.uint64)
    scalar_words(random, out)
    assert out.tolist() == [int(twin.scalar.next()[0]) for _ in range(200)]
    assert (random == twin.words()).all()


@njit
def vector_words(random, out):
    a, b = load(random, 0), load(random, 8)
    for i in range(out.size // 8):
        drawn, a, b = next_vector(a, b)
        store(out, i * 8, drawn)
    store(random, 0, a)
    store(random, 8, b)


def test_vector_stream():
    random, twin = fresh_random(5), Streams(fresh_random(5))
    out = np.empty(80, np.uint64)
    vector_words(random, out)
    assert out.tolist() == np.concatenate([twin.vector.next() for _ in range(10)]).tolist()
    assert (random == twin.words()).all()


@njit
def vector_of_bits(random, threshold, out):
    store(out, 0, bernoulli_vector(random, threshold))


THRESHOLDS = (1, 2, 3, 1 << 16, (1 << 16) + 1, 0x12345679, 1 << 31, (1 << 31) + 1, CERTAIN - 1, CERTAIN)


@settings(max_examples=60)
@given(limit=st.one_of(st.sampled_from(THRESHOLDS), st.integers(1, CERTAIN)), seed=st.integers(0, 2**32))
def test_bernoulli_vector_compares_all_digits_and_stops_when_all_are_settled(limit, seed):
    random, twin = fresh_random(seed), Streams(fresh_random(seed))
    out = np.empty(8, np.uint64)
    for _ in range(3):
        vector_of_bits(random, limit, out)
        assert (unpacked(out) == twin.bernoulli_bits(limit)).all()
        assert (random == twin.words()).all()


# --- Masks ----------------------------------------------------------------------------------------------------


@njit
def draw_masks(random, masks, n_literals, sampler):
    for i in range(len(masks)):
        fill_mask(random, masks[i], n_literals, sampler)


def drawn_bits(sampler, u, p, n, seed):
    """n masks: bool (n, u)."""
    masks = np.empty((n, -(-u // 512) * 8), np.uint64)
    draw_masks(fresh_random(seed), masks, u, make_sampler(sampler, u, p))
    return unpacked(masks.ravel()).reshape(n, -1)[:, :u]


def drawn_counts(sampler, u, p, n, seed, by_place=True):
    """How often each number of successes came in n masks, and how often each place succeeded."""
    counts = np.zeros(u + 1, np.int64)
    places = np.zeros(u if by_place else 0, np.int64)
    mask = np.zeros(-(-u // 512) * 8, np.uint64)
    fill_masks(fresh_random(seed), mask, u, make_sampler(sampler, u, p), n, counts, places)
    return counts, places


@pytest.mark.parametrize("sampler", KINDS)
@pytest.mark.parametrize("p", PROBABILITIES)
@pytest.mark.parametrize("u", SIZES)
def test_counts_are_binomial_and_places_alike(u, p, sampler):
    n = int(np.clip(4_000_000 // u, 2_000, 100_000))
    counts, places = drawn_counts(sampler, u, p, n, seed=u)
    assert counts.sum() == n
    exact = dict(enumerate(stats.binom.pmf(np.arange(u + 1), u, p)))
    possible = {k: probability for k, probability in exact.items() if probability > 0}
    assert chi_square({k: int(c) for k, c in enumerate(counts) if c}, possible, n) > P_BOUND

    # Trials are independent, so the standardised numbers of successes at the places, or at runs of places
    # where one alone expects too few, add up to chi-square.
    width = min(u, int(np.ceil(25 / (n * p * (1 - p)))))
    starts = np.arange(0, u, width)
    sizes = np.diff(np.append(starts, u))
    by_run = (np.add.reduceat(places, starts) - n * sizes * p) ** 2 / (n * sizes * p * (1 - p))
    assert two_sided(by_run.sum(), stats.chi2(len(starts))) > P_BOUND


@pytest.mark.parametrize("sampler", KINDS)
@pytest.mark.parametrize("u", SIZES)
def test_certain_trials_all_succeed(u, sampler):
    assert drawn_bits(sampler, u, 1.0, 20, seed=u).all()


@pytest.mark.parametrize("sampler", KINDS)
@pytest.mark.parametrize(("p", "n"), [(0.0065, 10_000), (0.1, 4_000), (0.5, 2_000)])
def test_places_are_pairwise_independent(p, n, sampler):
    u = 1568
    drawn = drawn_bits(sampler, u, p, n, seed=7)
    exact = {(a, b): (p if a else 1 - p) * (p if b else 1 - p) for a in (False, True) for b in (False, True)}

    def assert_independent(first, second):
        both, ones, others = (int(m.sum()) for m in (first & second, first, second))
        observed = {(True, True): both, (True, False): ones - both, (False, True): others - both}
        observed[False, False] = first.size - sum(observed.values())
        assert chi_square(observed, exact, first.size) > P_BOUND

    # Pairs that share no place: neighbours, next words, next vectors, the ends, and one draw after another.
    assert_independent(drawn[:, 0::2], drawn[:, 1::2])
    blocks = drawn[:, :1536].reshape(n, -1, 64)
    assert_independent(blocks[:, 0::2], blocks[:, 1::2])
    assert_independent(drawn[:, :512], drawn[:, 512:1024])
    assert_independent(drawn[:, :784], drawn[:, :783:-1])
    assert_independent(drawn[0::2], drawn[1::2])


@pytest.mark.parametrize("sampler", KINDS)
@pytest.mark.parametrize("p", [0.1, 0.7])
def test_every_pattern_of_few_literals(p, sampler):
    u, n = 5, 100_000
    patterns = drawn_bits(sampler, u, p, n, seed=3) @ (1 << np.arange(u))
    exact = {i: p ** i.bit_count() * (1 - p) ** (u - i.bit_count()) for i in range(2**u)}
    assert chi_square(Counter(patterns.tolist()), exact, n) > P_BOUND


@pytest.mark.parametrize("sampler", ["bits", "binomial"])
def test_probability_is_honoured_beyond_16_digits(sampler):
    # Half way between two fractions of 2**16. Cut to 16 digits, either of them is some 15 standard errors off.
    p, u, n = 32.5 / 2**16, 10_000, 200_000
    counts, _ = drawn_counts(sampler, u, p, n, seed=11, by_place=False)
    successes = int(counts @ np.arange(u + 1))
    assert two_sided(successes, stats.binom(n * u, p)) > P_BOUND
    for cut in (32 / 2**16, 33 / 2**16):
        assert two_sided(successes, stats.binom(n * u, cut)) < P_BOUND


@pytest.mark.parametrize("u", [1, 2, 63, 64, 65, 511, 512, 513, 1026])
@pytest.mark.parametrize("seed", range(3))
def test_bits_are_vectors_of_the_stream(u, seed):
    random, twin = fresh_random(seed), Streams(fresh_random(seed))
    masks = np.zeros((4, -(-u // 512) * 8), np.uint64)
    draw_masks(random, masks, u, make_sampler("bits", u, 0.3))
    for mask in masks:
        assert (unpacked(mask)[:u] == twin.bits_mask(u, threshold(0.3))).all()
    assert (random == twin.words()).all()


@pytest.mark.parametrize("u", [1, 2, 63, 64, 65, 130])
def test_bernoulli_compares_one_number_per_literal(u):
    random, twin = fresh_random(u), Streams(fresh_random(u))
    masks = np.zeros((4, -(-u // 512) * 8), np.uint64)
    draw_masks(random, masks, u, make_sampler("bernoulli", u, 0.3))
    for mask in masks:
        assert (unpacked(mask)[:u] == (twin.uniforms(u) < threshold(0.3) / 2**32)).all()
    assert (random == twin.words()).all()


# --- Gaps ---------------------------------------------------------------------------------------------------


@njit
def draw_gaps(random, table, out):
    for i in range(out.size):
        out[i] = draw_gap(random, table)


@pytest.mark.parametrize("p", [0.0002, 0.004, 0.1, 0.5, 0.9, 1.0])
def test_gaps_are_geometric(p):
    """6 p-values: below this bound one of a right program is found for less than one choice of seeds in 10**8."""
    drawn = np.empty(50_000, np.int64)
    draw_gaps(fresh_random(3), gap_table(threshold(p)), drawn)
    longest = int(np.ceil(10 / p))  # as good as no gap is longer
    found, counts = np.unique(np.minimum(drawn, longest), return_counts=True)
    exact = [p * (1 - p) ** g for g in range(longest)] + [(1 - p) ** longest]
    possible = {g: probability for g, probability in enumerate(exact) if probability > 0}
    assert chi_square(dict(zip(found.tolist(), counts.tolist(), strict=True)), possible, len(drawn)) > 1e-9
