"""Pending decrements of one automaton against the exact binomial; `test_engines` has those of whole clauses."""

import numpy as np
import pytest
from numba import njit
from scipy import stats

from tests.helpers.enumeration import chi_square
from tests.helpers.random_streams import fresh_random
from wtm.kernels import pending
from wtm.machine.distributions import pending_table, threshold


@njit
def draw_decrements(random, n, table, out):
    for i in range(out.size):
        out[i] = pending.draw_decrement(random, n, table)


@pytest.mark.parametrize("n", [1, 2, 7, 255, 256, 257, 700, 5000, 300_000])
@pytest.mark.parametrize("p", [0.0005, 0.01, 0.1, 0.5, 0.9])
def test_a_decrement_is_binomial_and_at_most_255(n, p):
    """45 p-values: below this bound one of a right program is found for less than one choice of seeds in 10**7."""
    drawn = np.empty(50_000, np.int64)
    draw_decrements(fresh_random(n), n, pending_table(threshold(p)), drawn)
    pmf = stats.binom.pmf(np.arange(255), n, p)
    exact = {k: probability for k, probability in enumerate(pmf.tolist()) if probability > 0}
    exact[255] = float(stats.binom.sf(254, n, p))
    possible = {k: probability for k, probability in exact.items() if probability > 0}
    found, counts = np.unique(drawn, return_counts=True)
    assert chi_square(dict(zip(found.tolist(), counts.tolist(), strict=True)), possible, len(drawn)) > 1e-9
