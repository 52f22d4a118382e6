"""Gaps between successes against the geometric distribution."""

import numpy as np
import pytest
from numba import njit

from tests.helpers.enumeration import chi_square
from tests.helpers.streams import fresh_random
from wtm.kernels import gaps
from wtm.machine.distributions import gap_table, threshold


@njit
def draw_gaps(random, table, out):
    for i in range(out.size):
        out[i] = gaps.draw_gap(random, table)


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
