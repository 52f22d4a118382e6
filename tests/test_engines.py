"""Every engine, with each of its samplers, against the exact distributions of tiny machines."""

import functools
from collections import Counter

import numpy as np
import pytest

from enumeration import CASES, assert_matches
from models import assert_consistent, packed_rows
from wtm.machine import ENGINES, SAMPLERS, Machine, MachineParameters
from wtm.schedule import ClassSchedule

# An engine is tested as soon as it is in ENGINES. Only the direct one draws with the sampler that it is told.
WAYS = [(engine, sampler) for engine in ENGINES for sampler in (SAMPLERS if engine == "direct" else ["bits"])]

N_SEEDS = 4_000


def simulate(case, n_seeds, engine, sampler, in_one_call):
    """Outcomes of new machines of the seeds 0 .. n_seeds - 1 after the examples of the case."""
    p = MachineParameters(
        n_features=case.o, n_clauses=case.n_clauses, T=case.T, s=1 / case.p_s, gamma=case.gamma,
        n_states=2 * case.n_half, boost_true_positive=case.boost, init=case.init, engine=engine, sampler=sampler,
    )  # fmt: skip
    literals = packed_rows([x for x, _ in case.examples])
    whole = ClassSchedule(np.arange(len(literals)), np.array([target for _, target in case.examples]))
    parts = [whole] if in_one_call else [ClassSchedule(*(a[i : i + 1] for a in whole)) for i in whole.rows]
    outcomes = Counter()
    for seed in range(n_seeds):
        machine = Machine.new(p, seed, seed % 5)
        for part in parts:
            machine.train(literals, part)
        outcomes[tuple(machine.states.ravel().tolist()), tuple(machine.exponents.tolist())] += 1
    assert_consistent(machine)
    return outcomes


@pytest.mark.parametrize(("engine", "sampler"), WAYS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_machines_follow_the_exact_distribution(case, engine, sampler):
    assert_matches(case, functools.partial(simulate, engine=engine, sampler=sampler, in_one_call=True), N_SEEDS)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES[::3], ids=lambda case: case.name)
def test_machines_trained_by_single_examples_follow_it_too(case, engine):
    assert_matches(case, functools.partial(simulate, engine=engine, sampler="bits", in_one_call=False), N_SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "sampler"), WAYS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_machines_follow_the_exact_distribution_closely(case, engine, sampler):
    assert_matches(case, functools.partial(simulate, engine=engine, sampler=sampler, in_one_call=True), 100_000)
