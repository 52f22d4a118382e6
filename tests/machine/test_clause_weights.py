"""Weights and their fixed-point integers against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from wtm import reference
from wtm.machine.clause_weights import WeightTable

GAMMAS = (1e-7, 1e-5, 0.0025, 0.01, 0.1, 0.5, 1.0, 10.0, 1000.0)
N_CLAUSES = (2, 20, 500, 5000)


def exact_in_fixed_point(table, exponents):
    """(1 + gamma)**k in units of the last binary digit, as fractions; gamma is the float that it is."""
    base = 1 + Fraction(table.gamma)
    return [base ** int(k) * 2**table.fraction_bits for k in exponents]


def some_exponents(table):
    """Up to some 60 exponents: both edges and what lies around 0 among them; few where powers take long."""
    far = min(table.max_exponent, 5000)
    spread = np.linspace(-far, far, 41).round().astype(int)
    near = np.arange(-min(10, far), min(10, far) + 1)
    return np.unique(np.concatenate([spread, near]))


@pytest.mark.parametrize("n_clauses", N_CLAUSES)
@pytest.mark.parametrize("gamma", [g for g in GAMMAS if g >= 0.0025])
def test_fixed_point_is_off_by_at_most_one_unit(gamma, n_clauses):
    table = WeightTable(gamma, n_clauses)
    exponents = some_exponents(table)
    fixed = table.to_fixed(exponents).tolist()
    errors = [abs(f - e) for f, e in zip(fixed, exact_in_fixed_point(table, exponents), strict=True)]
    assert max(errors) <= 1


@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("n_clauses", [2, 100, 500])
def test_sums_are_exact_to_one_unit_per_clause(n_clauses, gamma):
    rng = np.random.default_rng(n_clauses)
    table = WeightTable(gamma, n_clauses)
    edge = min(table.max_exponent, 300)
    for _ in range(3):
        exponents = rng.integers(-edge, edge + 1, n_clauses)
        signs = reference.polarities(n_clauses) * rng.integers(0, 2, n_clauses)
        total = int((table.to_fixed(exponents) * signs).sum())
        powers = exact_in_fixed_point(table, exponents)
        exact = sum(sign * power for sign, power in zip(signs.tolist(), powers, strict=True))
        assert abs(total - exact) <= int(np.count_nonzero(signs))


@pytest.mark.parametrize("n_clauses", [2, 3, 20, 2**24])
def test_no_sum_can_overflow(n_clauses):
    for gamma in (*GAMMAS, 0.0):
        assert int(WeightTable(gamma, n_clauses).fixed.max()) * n_clauses < 2**63


@pytest.mark.parametrize("gamma", GAMMAS)
def test_exponents_end_at_the_range_of_the_weights(gamma):
    table = WeightTable(gamma, 20)
    edge = table.max_exponent
    assert len(table.fixed) == 2 * edge + 1
    assert table.fixed.min() > 0
    assert (np.diff(table.fixed) >= 0).all()
    if edge not in (1, 2**20):
        assert math.log2(1 + gamma) * edge <= 16 + 1e-9 < math.log2(1 + gamma) * (edge + 1) + 2e-9


@pytest.mark.parametrize("gamma", [5e-324, 1e-310, 1e-300, 1e-20])
def test_the_smallest_learning_rates_end_at_2_to_the_20(gamma):
    assert WeightTable(gamma, 2).max_exponent == 2**20


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_weight_of_a_new_clause_is_exactly_one(gamma):
    for n_clauses in N_CLAUSES:
        table = WeightTable(gamma, n_clauses)
        assert table.weight(np.zeros(3, np.int32)).tolist() == [1.0, 1.0, 1.0]
        assert table.unit * int(table.to_fixed(np.zeros(1, np.int32))[0]) == 1.0


def test_without_learning_rate_there_is_one_weight():
    table = WeightTable(0.0, 20)
    assert (table.max_exponent, len(table.fixed)) == (0, 1)
    assert table.weight(np.zeros(2, np.int32)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("gamma", [0.0025, 0.1])
def test_weights_are_those_of_the_reference(gamma):
    table = WeightTable(gamma, 20)
    exponents = np.arange(-50, 51)
    expected = reference.weight(exponents, gamma)
    np.testing.assert_allclose(table.weight(exponents), expected, rtol=1e-12, atol=table.unit)


def test_tables_are_not_to_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        WeightTable(0.1, 2).fixed[0] = 0
