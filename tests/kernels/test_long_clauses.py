"""Clauses of 40 to 190 literals, which the lazy engine watches in different ways: both engines and the reference.

Feedback is certain here: trials of Type I feedback succeed always or never, and one clause with a large weight holds
the sum at T or -T. So all must train the same machine, automaton by automaton.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.helpers.machines import assert_consistent, machine_in, packed_rows, parameters
from wtm import reference
from wtm.machine.schedule import Schedule

N_FEATURES, N_LONG, N_ROWS = 200, 12, 600
HEAVY = 1000
"""Exponent of a weight that all others together don't reach."""


def nearly_equal_rows(rng):
    """Rows that differ from one pattern in about one feature, never in feature 0, which is always 1."""
    pattern = rng.integers(0, 2, N_FEATURES)
    X = pattern ^ (rng.random((N_ROWS, N_FEATURES)) < 1 / N_FEATURES)
    X[:, 0] = 1
    return X.astype(np.uint8)


def long_clause(rng, row, n_literals):
    """States of a clause with this many literals that are all true in `row`; some others are about to be included."""
    true = np.flatnonzero(np.concatenate([row, 1 - row]))
    states = rng.choice([0, 60, 118, 126, 127], 2 * N_FEATURES)
    states[rng.choice(true, n_literals, replace=False)] = rng.integers(128, 134, n_literals)
    return states


def problem(seed, heavy_is_positive):
    """Rows, schedule, states and exponents; the last clause of either half includes feature 0 alone."""
    rng = np.random.default_rng(seed)
    X = nearly_equal_rows(rng)
    lengths = np.linspace(40, 190, N_LONG).astype(int)
    states = np.zeros((2 * N_LONG + 2, 2 * N_FEATURES), int)
    for half in range(2):
        for i, length in enumerate(lengths):
            states[half * (N_LONG + 1) + i] = long_clause(rng, X[rng.integers(N_ROWS)], length)
    states[[N_LONG, -1], 0] = 255
    exponents = np.zeros(len(states), int)
    exponents[N_LONG if heavy_is_positive else -1] = HEAVY
    wrong = (
        -1.0 if heavy_is_positive else 1.0
    )  # the sum is as far from it as can be; for the others there is no feedback
    targets = np.where(rng.random(N_ROWS) < 0.05, wrong, -wrong)
    return X, Schedule(rng.permutation(N_ROWS), targets), states, exponents


def train_reference(p, states, exponents, X, schedule, p_s):
    machine = reference.Machine(states, 128, p.T, p_s, p.gamma, boost=p.boost_true_positive)
    machine.exponents[:] = exponents
    for row, target in zip(schedule.rows, schedule.targets, strict=True):
        machine.train(X[row], target * p.T, np.random.default_rng(0))
    return SimpleNamespace(states=machine.states, exponents=machine.exponents)


@pytest.mark.parametrize("p_s", [0.0, 1.0])
@pytest.mark.parametrize("heavy_is_positive", [True, False])
@pytest.mark.parametrize("boost", [True, False])
def test_long_clauses_are_trained_as_the_reference_trains_them(p_s, heavy_is_positive, boost):
    X, schedule, states, exponents = problem(7, heavy_is_positive)
    literals = packed_rows(X)
    s = 1.0 if p_s else 1e12
    lengths = [(states >= 128).sum(axis=1)]
    for _ in range(3):
        settings = {"T": 2.0, "s": s, "gamma": 0.01, "boost_true_positive": boost}
        machines = {}
        for engine in ("lazy", "direct"):
            p = parameters(N_FEATURES, len(states), engine=engine, **settings)
            machines[engine] = machine_in(p, states, exponents)
            machines[engine].train(literals, schedule)
            assert_consistent(machines[engine])
        machines["reference"] = train_reference(p, states, exponents, X, schedule, p_s)
        for machine in machines.values():
            assert (machine.states == machines["reference"].states).all()
            assert (machine.exponents == machines["reference"].exponents).all()
        states, exponents = machines["reference"].states, machines["reference"].exponents
        lengths.append((states >= 128).sum(axis=1))
    assert ((lengths[0] > 64) & (lengths[0] <= 128)).sum() >= N_LONG // 2
    for limit in (64, 128):
        is_longer = np.array(lengths) > limit
        assert (is_longer[1:] != is_longer[:-1]).any(), "some clauses pass the limit"
