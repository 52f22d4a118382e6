"""Every engine, with each of its samplers, against the exact distributions of tiny machines."""

import functools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from tests.helpers.enumeration import CASES, FUZZY_CASES, SHARD_CASES, assert_matches, chi_square
from tests.helpers.machines import assert_consistent, machine_in, packed_rows, parameters, random_rows
from tests.helpers.problems import small, xor
from wtm.machine.class_machine import Machine
from wtm.machine.fuzzy_machine import FuzzyMachine, FuzzyParameters
from wtm.machine.machine_parameters import ENGINES, SAMPLERS, MachineParameters
from wtm.machine.schedule import Schedule

# An engine is tested as soon as it is in ENGINES. Only the direct engine uses the parameter `sampler`.
WAYS = [(engine, sampler) for engine in ENGINES for sampler in (SAMPLERS if engine == "direct" else ["bits"])]

N_SEEDS = 1_000


def simulate(case, n_seeds, engine, sampler, in_one_call):
    """Outcomes of new machines of the seeds 0 .. n_seeds - 1 after the examples of the case."""
    kind, machine_kind, more = MachineParameters, Machine, {}
    if case.failures is not None:
        kind, machine_kind = FuzzyParameters, FuzzyMachine
        more = {"literal_failures": case.failures, "gamma_start": 0 if case.moves_weights else 1}
    p = kind(
        n_features=case.o, n_clauses=case.n_clauses, T=float(case.T), s=1 / case.p_s, gamma=case.gamma,
        n_states=2 * case.n_half, boost_true_positive=case.boost, max_literals=case.max_literals, init=case.init,
        engine=engine, sampler=sampler, n_shards=case.n_shards, vote_block=case.vote_block, **more,
    )  # fmt: skip
    literals = packed_rows([x for x, _ in case.examples])
    whole = Schedule(np.arange(len(literals)), np.array([target for _, target in case.examples]))
    parts = [whole] if in_one_call else [Schedule(*(a[i : i + 1] for a in whole)) for i in whole.rows]
    outcomes = Counter()
    for seed in range(n_seeds):
        machine = machine_kind.new(p, seed, seed % 5)
        for part in parts:
            machine.train(literals, part)
        outcomes[tuple(machine.states.ravel().tolist()), tuple(machine.exponents.tolist())] += 1
    assert_consistent(machine)
    return outcomes


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", [*CASES, *FUZZY_CASES, *SHARD_CASES], ids=lambda case: case.name)
def test_machines_follow_the_exact_distribution(case, engine):
    assert_matches(case, functools.partial(simulate, engine=engine, sampler="bits", in_one_call=True), N_SEEDS)


# The samplers differ only in how a mask is drawn, which tests/kernels/test_sampling.py tests alone.
@pytest.mark.parametrize("sampler", [sampler for sampler in SAMPLERS if sampler != "bits"])
@pytest.mark.parametrize("case", [*CASES, *FUZZY_CASES, *SHARD_CASES][::4], ids=lambda case: case.name)
def test_the_direct_engine_follows_it_with_each_sampler(case, sampler):
    assert_matches(case, functools.partial(simulate, engine="direct", sampler=sampler, in_one_call=True), N_SEEDS)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", [*CASES, *FUZZY_CASES][::3], ids=lambda case: case.name)
def test_machines_trained_by_single_examples_follow_it_too(case, engine):
    assert_matches(case, functools.partial(simulate, engine=engine, sampler="bits", in_one_call=False), N_SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "sampler"), WAYS)
@pytest.mark.parametrize("case", [*CASES, *FUZZY_CASES, *SHARD_CASES], ids=lambda case: case.name)
def test_machines_follow_the_exact_distribution_closely(case, engine, sampler):
    assert_matches(case, functools.partial(simulate, engine=engine, sampler=sampler, in_one_call=True), 30_000)


# --- Long runs --------------------------------------------------------------------------------------------------

# Under 100 p-values below: with this bound a right engine fails one of them for less than one choice of the seeds
# in 10**6, and ten times less than that where the statistics are normal as the limit says.
P_BOUND = 1e-9


FLOOR = 60  # steps from where the excluded automata start down to state 0


def decrements(engine, n_examples, p_s, n_features, seed):
    """Steps down of all automata of a clause that is always false, and the number of its Type I feedbacks.

    The clause includes x_0 and NOT x_0, so deeply that they stay in. So does the other one, which gets no feedback.
    """
    p = parameters(n_features, 2, T=1e9, s=1 / p_s, engine=engine)
    start = np.full((2, p.n_literals), FLOOR)
    start[:, [0, n_features]] = 255
    machine = machine_in(p, start, seed=seed)
    literals = packed_rows(random_rows(np.random.default_rng(seed), 50, n_features))
    schedule = Schedule(np.arange(n_examples) % 50, np.ones(n_examples))
    counts = machine.train(literals, schedule)
    assert (machine.states[1] == start[1]).all()
    assert_consistent(machine)
    return (start - machine.states)[0], counts.type_i


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("n_examples", "p_s"),
    [(3, 0.4), (20, 0.3), (600, 0.2), (600, 1e-4), (5_000, 0.01), (60_000, 0.0005), (60_000, 0.002)],
)
def test_automata_of_a_false_clause_step_down_by_independent_trials(engine, n_examples, p_s):
    n_features, n_seeds = 200, 40
    runs = [decrements(engine, n_examples, p_s, n_features, seed) for seed in range(n_seeds)]
    steps, n_feedbacks = np.array([run[0] for run in runs]), np.array([run[1] for run in runs])
    included = np.isin(np.arange(2 * n_features), [0, n_features])
    for chosen, most in [(included, 127), (~included, FLOOR)]:
        # The numbers of feedbacks are given, so the counts vary by less than those of the mixture: never too much.
        pmf = stats.binom.pmf(np.arange(most), n_feedbacks[:, None], p_s).mean(axis=0)
        exact = {k: probability for k, probability in enumerate(pmf.tolist()) if probability > 0}
        exact[most] = max(0.0, 1 - pmf.sum())
        observed = Counter(steps[:, chosen].ravel().tolist())
        assert chi_square(observed, {k: v for k, v in exact.items() if v > 1e-15}, chosen.sum() * n_seeds) > P_BOUND
    # Of what automata might share nothing is seen: the sums over a clause have a variance of independent trials.
    if steps[:, ~included].max() < FLOOR:
        some = n_feedbacks > 0
        n_trials = n_feedbacks[some] * 2 * n_features
        z_squared = (steps[some].sum(axis=1) - n_trials * p_s) ** 2 / (n_trials * p_s * (1 - p_s))
        assert stats.chi2(some.sum()).sf(z_squared.sum()) > P_BOUND


def summary_numbers(model):
    """Summarize a fitted model and its history by a few numbers, to compare engines."""
    metrics = [model.history_[epoch][key] for epoch in (0, -1) for key in ("type_i", "type_ii", "literals_per_clause")]
    states = np.array([machine.states for machine in model.machines_], float)
    weights = np.array([machine.weights for machine in model.machines_])
    return [*metrics, states.mean(), states.std(), np.log(weights).std()]


@pytest.mark.slow
@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine != "direct"])
@pytest.mark.parametrize(
    "changes",
    [
        {"T": 12},
        {"T": 15, "gamma": 0.0, "boost_true_positive": False},
        {"s": 40.0, "n_states": 20},
        {"max_literals": 2},
    ],
    ids=str,
)
def test_engines_train_to_the_same_distribution(engine, changes):
    X, y = xor(300, 20)
    settings = {"n_clauses": 20, "n_epochs": 12} | changes
    numbers = [
        np.array([summary_numbers(small(engine=e, random_state=seed, **settings).fit(X, y)) for seed in range(40)])
        for e in ("direct", engine)
    ]
    assert numbers[0].std(axis=0)[0] > 0
    assert stats.ks_2samp(*numbers).pvalue.min() > P_BOUND
    differing = numbers[0].std(axis=0) + numbers[1].std(axis=0) > 0
    assert stats.ttest_ind(*(n[:, differing] for n in numbers), equal_var=False).pvalue.min() > P_BOUND


LONG_CLAUSES = {
    "some examples have a literal": lambda rng: rng.random((700, 300)) < 0.05,
    "each literal is in only a few examples": lambda rng: np.eye(400, dtype=np.bool_)[rng.integers(0, 400, 700)],
}


def numbers_of_long_clauses(engine, X, seed, **changes):
    """Train clauses that begin with the negations of all features, and summarize them by a few numbers."""
    n_features = X.shape[1]
    p = parameters(n_features, 6, T=20.0, s=25.0, gamma=0.05, engine=engine, **changes)
    rng = np.random.default_rng(seed)
    start = rng.integers(118, 128, (6, p.n_literals))
    start[:, n_features:] = rng.integers(128, 134, (6, n_features))
    machine = machine_in(p, start, seed=seed)
    schedule = Schedule(rng.permutation(len(X)), rng.choice([-1.0, 1.0], len(X)))
    counts = machine.train(packed_rows(X), schedule)
    assert_consistent(machine)
    states, included = machine.states.astype(float), machine.include
    halves = [half(part) for half in (np.mean, np.std) for part in np.hsplit(states, 2)]
    return [counts.type_i, counts.type_ii, *halves, included[:, :n_features].sum(), included[:, n_features:].sum(),
            machine.exponents.std()]  # fmt: skip


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine != "direct"])
@pytest.mark.parametrize("changes", [{}, {"boost_true_positive": False}, {"max_literals": 140}], ids=str)
@pytest.mark.parametrize("table", LONG_CLAUSES)
def test_engines_train_long_clauses_to_the_same_distribution(engine, changes, table):
    X = LONG_CLAUSES[table](np.random.default_rng(0)).astype(np.uint8)
    numbers = [
        np.array([numbers_of_long_clauses(e, X, seed, **changes) for seed in seeds])
        for e, seeds in (("direct", range(60)), (engine, range(60, 120)))
    ]
    assert stats.ks_2samp(*numbers).pvalue.min() > P_BOUND
    assert stats.ttest_ind(*numbers, equal_var=False).pvalue.min() > P_BOUND
