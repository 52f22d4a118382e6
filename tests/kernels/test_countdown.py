"""Counters in bit planes against plain integers, and gaps against the geometric distribution."""

import numpy as np
import pytest
from numba import njit

from enumeration import chi_square
from streams import fresh_random, packed, unpacked
from wtm.binomial import gap_table, threshold
from wtm.kernels import countdown
from wtm.kernels.lazy_state import PLANES
from wtm.kernels.simd import load, store


@njit
def count_down(planes, group, subset, out):
    store(out, 0, countdown.count_down(planes, group, load(subset, 0)))


@njit
def read_counter(planes, slot):
    return countdown.read_counter(planes, slot)


@njit
def write_counter(planes, slot, count):
    countdown.write_counter(planes, slot, count)


@pytest.mark.parametrize("seed", range(3))
def test_counters_count_down_and_tell_when_they_run_out(seed):
    rng = np.random.default_rng(seed)
    n_slots, longest = 3 * 512, countdown.LONGEST_COUNT
    assert longest == 2**PLANES - 1
    counters = rng.choice([0, 1, 2, 3, 64, 255, 256, longest - 1, longest], n_slots)
    planes = rng.integers(0, 2**64, 3 * PLANES * 8, dtype=np.uint64)
    for slot, count in enumerate(counters):
        write_counter(planes, slot, count)
    for _ in range(60):
        group = int(rng.integers(3))
        subset = rng.random(512) < rng.random()
        out = np.empty(8, np.uint64)
        count_down(planes, group, packed(subset), out)
        part = counters[group * 512 : (group + 1) * 512]
        assert (unpacked(out) == (subset & (part == 0))).all()
        part[subset] = (part[subset] - 1) % 2**PLANES
        assert [read_counter(planes, slot) for slot in range(n_slots)] == counters.tolist()


@njit
def draw_gaps(random, table, limit, out):
    for i in range(out.size):
        out[i] = countdown.draw_gap(random, table, limit)


@pytest.mark.parametrize("limit", [1, 5, 300, 40_000])
@pytest.mark.parametrize("p", [0.0002, 0.004, 0.1, 0.5, 0.9, 1.0])
def test_gaps_are_geometric_up_to_the_limit(p, limit):
    """24 p-values: below this bound one of a right program is found for less than one choice of seeds in 10**7."""
    gaps = np.empty(50_000, np.int64)
    draw_gaps(fresh_random(limit), gap_table(threshold(p)), limit, gaps)
    found, counts = np.unique(np.minimum(gaps, limit), return_counts=True)
    exact = [p * (1 - p) ** g for g in range(limit)] + [(1 - p) ** limit]
    possible = {g: probability for g, probability in enumerate(exact) if probability > 0}
    assert chi_square(dict(zip(found.tolist(), counts.tolist(), strict=True)), possible, len(gaps)) > 1e-9
