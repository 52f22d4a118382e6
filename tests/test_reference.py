"""The reference against the paper's tables and exact distributions, and on problems that it must learn."""

import functools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from tests.helpers.enumeration import (
    CASES,
    FUZZY_CASES,
    P_BOUND,
    SHARD_CASES,
    Case,
    assert_matches,
    chi_square,
    exact_distribution,
    simulate_reference,
)
from wtm import reference
from wtm.reference import BinaryMachine, Machine, MultiClassMachine

N = 3  # half the states: 0 and 5 are the ends, 2 the last that excludes, 3 the first that includes
SAMPLERS = [reference.bernoulli_sampling, reference.binomial_uniform_sampling]
N_SEEDS, MANY_SEEDS = 500, 5_000


def bools(*values):
    return np.array(values, dtype=bool)


# --- Tables 1 and 2, cell by cell -------------------------------------------------------------------------

# Clause value, literal value, state; then the state after a trial that succeeds, and after one that fails.
TABLE_1 = [
    # Inclusion: p_s-penalty.                Exclusion: p_s-reward.
    (0, 0, 3, 2, 3), (0, 0, 5, 4, 5),        (0, 0, 2, 1, 2), (0, 0, 0, 0, 0),
    (0, 1, 3, 2, 3), (0, 1, 5, 4, 5),        (0, 1, 2, 1, 2), (0, 1, 0, 0, 0),
    # Inclusion: NA.                         Exclusion: p_s-reward.
                                             (1, 0, 2, 1, 2), (1, 0, 0, 0, 0),
    # Inclusion: reward.                     Exclusion: penalty.
    (1, 1, 3, 4, 4), (1, 1, 5, 5, 5),        (1, 1, 2, 3, 3), (1, 1, 0, 1, 1),
]  # fmt: skip

# The rule before the paper differs where clause and literal are true: reward and penalty with 1 - p_s.
TABLE_1_UNBOOSTED = [cell for cell in TABLE_1 if cell[:2] != (1, 1)] + [
    (1, 1, 3, 3, 4), (1, 1, 5, 5, 5),        (1, 1, 2, 2, 3), (1, 1, 0, 0, 1),
]  # fmt: skip

# Clause value, literal value, state, state afterwards.
TABLE_2 = [
    # Inclusion: nothing.                    Exclusion: nothing.
    (0, 0, 3, 3), (0, 0, 5, 5),              (0, 0, 2, 2), (0, 0, 0, 0),
    (0, 1, 3, 3), (0, 1, 5, 5),              (0, 1, 2, 2), (0, 1, 0, 0),
    # Inclusion: NA.                         Exclusion: penalty.
                                             (1, 0, 2, 3), (1, 0, 0, 1),
    # Inclusion: nothing.                    Exclusion: nothing.
    (1, 1, 3, 3), (1, 1, 5, 5),              (1, 1, 2, 2), (1, 1, 0, 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("boost", "clause", "literal", "state", "after_success", "after_failure"),
    [(True, *cell) for cell in TABLE_1] + [(False, *cell) for cell in TABLE_1_UNBOOSTED],
)
def test_type_i_follows_table_1(boost, clause, literal, state, after_success, after_failure):
    row, lits = np.array([state]), bools(literal)
    for drawn, expected in [(True, after_success), (False, after_failure)]:
        after = reference.type_i(row, lits, bool(clause), bools(drawn), N, boost=boost)
        assert after.tolist() == [expected]
    assert row.tolist() == [state], "the row given is left alone"


@pytest.mark.parametrize(("clause", "literal", "state", "expected"), TABLE_2)
def test_type_ii_follows_table_2(clause, literal, state, expected):
    row = np.array([state])
    assert reference.type_ii(row, bools(literal), bool(clause), N).tolist() == [expected]
    assert row.tolist() == [state], "the row given is left alone"


def test_feedback_treats_each_automaton_by_its_own_literal_and_trial():
    row, lits, drawn = np.array([2, 2, 0, 5]), bools(1, 0, 0, 1), bools(0, 1, 0, 1)
    assert reference.type_i(row, lits, True, drawn, N, boost=True).tolist() == [3, 1, 0, 5]
    assert reference.type_i(row, lits, True, drawn, N, boost=False).tolist() == [3, 1, 0, 5]
    assert reference.type_i(row, lits, True, ~drawn, N, boost=False).tolist() == [2, 2, 0, 5]
    assert reference.type_i(row, lits, False, drawn, N, boost=True).tolist() == [2, 1, 0, 4]
    assert reference.type_ii(row, lits, True, N).tolist() == [2, 3, 1, 5]


def test_rows_of_bytes_stop_at_both_ends():
    row = np.array([0, 255], dtype=np.uint8)
    assert reference.type_i(row, bools(1, 1), False, bools(1, 0), 128, boost=True).tolist() == [0, 255]
    assert reference.type_i(row, bools(0, 1), True, bools(1, 1), 128, boost=True).tolist() == [0, 255]


# --- Evaluation -------------------------------------------------------------------------------------------


def test_literals_are_the_features_then_their_negations():
    assert reference.literals([1, 0, 1]).tolist() == [True, False, True, False, True, False]


def test_a_clause_is_the_and_of_its_literals():
    # x_0 and not x_1; x_0 alone; both x_0 and its negation, never true.
    states = np.array([[3, 0, 0, 3], [5, 2, 2, 2], [3, 0, 3, 0]])
    for x, expected in [
        ((0, 0), [0, 0, 0]),
        ((0, 1), [0, 0, 0]),
        ((1, 0), [1, 1, 0]),
        ((1, 1), [0, 1, 0]),
    ]:
        for training in (True, False):
            outputs = reference.clause_outputs(states, reference.literals(x), N, training=training)
            assert outputs.tolist() == expected


def test_a_clause_without_literals_is_true_in_training_only():
    empty = np.full((2, 4), N - 1)
    lits = reference.literals([1, 0])
    assert reference.clause_outputs(empty, lits, N, training=True).tolist() == [True, True]
    assert reference.clause_outputs(empty, lits, N, training=False).tolist() == [False, False]


def test_weights_are_powers_and_exactly_one_without_learning_rate():
    assert reference.weight(np.array([-1, 0, 2]), 0.5) == pytest.approx([2 / 3, 1.0, 2.25], rel=1e-15)
    assert reference.weight(np.array([0, 0]), 0.0).tolist() == [1.0, 1.0]


def test_sum_counts_true_clauses_with_weight_and_sign():
    polarity = reference.polarities(4)
    assert polarity.tolist() == [1, 1, -1, -1]
    weights = np.array([1.5, 4.0, 0.25, 8.0])
    assert reference.clause_sum(bools(1, 0, 1, 0), weights, polarity) == 1.25
    assert reference.clause_sum(bools(1, 1, 1, 1), weights, polarity) == -2.75


@pytest.mark.parametrize("n_clauses", [0, 1, 5])
def test_clauses_that_cannot_be_halved_are_refused(n_clauses):
    with pytest.raises(ValueError, match=rf"n_clauses must be even .* got {n_clauses}\b"):
        reference.polarities(n_clauses)


@pytest.mark.parametrize(
    ("total", "target", "expected"),
    [
        (-9.0, True, 1.0), (-4.0, True, 1.0), (-1.0, True, 0.625), (0.0, True, 0.5), (3.0, True, 0.125),
        (4.0, True, 0.0), (9.0, True, 0.0),
        (-9.0, False, 0.0), (-4.0, False, 0.0), (-1.0, False, 0.375), (0.0, False, 0.5), (3.0, False, 0.875),
        (4.0, False, 1.0), (9.0, False, 1.0),
    ],
)  # fmt: skip
def test_update_probability_follows_equation_5(total, target, expected):
    assert reference.update_probability(total, 4.0, 4.0 if target else -4.0) == expected


@pytest.mark.parametrize(
    ("total", "target", "expected"),
    [(-9.0, -2.0, 2.0), (-1.0, -2.0, -1.0), (3.0, 3.0, 0.0), (9.0, 1.0, -3.0), (0.0, 4.0, 4.0), (4.0, -4.0, -8.0)],
)
def test_the_error_is_that_of_the_clamped_sum(total, target, expected):
    assert reference.error(total, 4.0, target) == expected
    assert reference.update_probability(total, 4.0, target) == abs(expected) / 8


# --- Chance -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", SAMPLERS)
@pytest.mark.parametrize(("u", "p"), [(6, 0.3), (5, 0.05), (6, 0.8), (7, 1.0)])
def test_samplers_draw_every_pattern_as_often_as_independent_trials(sampling, u, p):
    rng, n = np.random.default_rng(1), 10_000
    patterns = (tuple(map(bool, np.unravel_index(i, (2,) * u))) for i in range(2**u))
    exact = {pattern: p ** sum(pattern) * (1 - p) ** (u - sum(pattern)) for pattern in patterns}
    observed = Counter(tuple(sampling(u, p, rng).tolist()) for _ in range(n))
    assert chi_square(observed, exact, n) > P_BOUND


@pytest.mark.parametrize("sampling", SAMPLERS)
@pytest.mark.parametrize(("u", "p"), [(130, 0.1), (130, 0.004)])
def test_samplers_draw_the_binomial_count_at_equally_likely_places(sampling, u, p):
    rng, n = np.random.default_rng(2), 4_000
    draws = np.array([sampling(u, p, rng) for _ in range(n)])
    counts = dict(enumerate(stats.binom.pmf(range(u + 1), u, p)))
    assert chi_square(Counter(draws.sum(axis=1).tolist()), counts, n) > P_BOUND
    # The places of a draw are independent, so the standardised sums by place add up to chi-square.
    by_place = (draws.sum(axis=0) - n * p) ** 2 / (n * p * (1 - p))
    assert stats.chi2.sf(by_place.sum(), u) > P_BOUND


def test_initial_states():
    rng = np.random.default_rng(3)
    assert (reference.initial_states(4, 3, N, "border", rng) == np.full((4, 6), N - 1)).all()
    coin = Counter(reference.initial_states(100, 50, N, "random", rng).ravel().tolist())
    assert chi_square(coin, {N - 1: 0.5, N: 0.5}, 10_000) > P_BOUND
    with pytest.raises(ValueError, match=r"init must be .* got 'middle'"):
        reference.initial_states(4, 3, N, "middle", rng)


def test_other_classes_are_uniform_and_never_the_own():
    rng, n = np.random.default_rng(4), 3_000
    for own in range(4):
        drawn = Counter(reference.other_classes(np.full(n, own), 4, rng).tolist())
        assert chi_square(drawn, {c: 1 / 3 for c in range(4) if c != own}, n) > P_BOUND


# --- The machine against exact distributions --------------------------------------------------------------


def test_enumeration_agrees_with_a_step_worked_out_by_hand():
    case = Case("by hand", (((1,), True),), T=2, p_s=0.25, gamma=0.5)
    # Both clauses are empty, hence true, and the sum is 0: each is selected with probability 1/2. Then the
    # positive one takes x in and lets its negation go with p_s; the negative one takes the negation in.
    positive = {(1, 1, 0): 1 / 2, (2, 0, 1): 1 / 8, (2, 1, 1): 3 / 8}
    negative = {(1, 1, 0): 1 / 2, (1, 2, -1): 1 / 2}
    by_hand = {((*a[:2], *b[:2]), (a[2], b[2])): p * q for a, p in positive.items() for b, q in negative.items()}
    assert exact_distribution(case) == by_hand


@pytest.mark.parametrize("case", [*CASES, *FUZZY_CASES, *SHARD_CASES], ids=lambda case: case.name)
def test_machine_follows_the_exact_distribution(case):
    assert sum(exact_distribution(case).values()) == pytest.approx(1.0, abs=1e-12)
    assert_matches(case, simulate_reference, N_SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize("case", [*CASES, *FUZZY_CASES, *SHARD_CASES], ids=lambda case: case.name)
def test_machine_follows_the_exact_distribution_closely(case):
    assert_matches(case, simulate_reference, MANY_SEEDS)


@pytest.mark.parametrize("case", CASES[:2], ids=lambda case: case.name)
def test_machine_follows_the_exact_distribution_with_algorithm_1(case):
    simulate = functools.partial(simulate_reference, sampling=reference.binomial_uniform_sampling)
    assert_matches(case, simulate, N_SEEDS)


def test_chi_square_rejects_wrong_counts():
    exact = {0: 0.5, 1: 0.49, 2: 0.01}
    assert chi_square({0: 500, 1: 490, 2: 10}, exact, 1000) == 1.0
    assert chi_square({0: 400, 1: 590, 2: 10}, exact, 1000) < 1e-6
    assert chi_square({0: 5, 1: 5}, {0: 0.5, 1: 0.5, 2: 0.0}, 10) == 1.0
    assert chi_square({0: 500, 1: 499, 3: 1}, exact, 1000) == 0.0
    assert chi_square({0: 500, 1: 499, 2: 1}, {0: 0.5, 1: 0.5, 2: 0.0}, 1000) == 0.0


# --- The machine ------------------------------------------------------------------------------------------


def machine_by_hand(**changes):
    """Four clauses over x_0: two false positive ones, a true and a false negative one, where x_0 = 1."""
    states = [[2, 3], [0, 5], [3, 2], [2, 4]]
    return Machine(np.array(states), **{"n_half": N, "T": 1, "p_s": 1.0, "gamma": 0.5} | changes)


def test_a_step_of_certain_feedback_moves_and_counts_as_the_rules_say():
    # The sum is -1 = -T, so towards +T every clause is selected; p_s = 1, so every trial succeeds.
    machine = machine_by_hand()
    machine.train([1], machine.T, np.random.default_rng(0))
    assert machine.states.tolist() == [[1, 2], [0, 4], [3, 3], [2, 4]]
    assert machine.exponents.tolist() == [0, 0, -1, 0]
    assert machine.weights.tolist() == [1.0, 1.0, 1 / 1.5, 1.0]
    assert (machine.n_type_i, machine.n_type_ii) == (2, 1)


def test_a_machine_at_its_target_does_not_change():
    machine = machine_by_hand()
    machine.train([1], -machine.T, np.random.default_rng(0))
    assert machine.states.tolist() == machine_by_hand().states.tolist()
    assert machine.exponents.tolist() == [0, 0, 0, 0]
    assert (machine.n_type_i, machine.n_type_ii) == (0, 0)


def test_a_machine_leaves_the_callers_states_alone():
    states = reference.initial_states(2, 1, N, "border", np.random.default_rng(0))
    machine = Machine(states, N, T=1, p_s=0.5, gamma=0.1)
    for _ in range(10):
        machine.train([1], machine.T, np.random.default_rng(0))
    assert (machine.states != states).any()
    assert (states == N - 1).all()


def xor_examples(rng, n=40, o=3):
    X = rng.integers(2, size=(n, o)).astype(bool)
    return X, X[:, 0] ^ X[:, 1]


def train_without_weights(states, X, targets, rng, *, T, p_s):
    """The Tsetlin machine without weights: equations 3 and 5, clauses counted as they are."""
    polarity = reference.polarities(len(states))
    for x, target in zip(X, targets, strict=True):
        lits = reference.literals(x)
        outputs = reference.clause_outputs(states, lits, N, training=True)
        total = int(outputs[polarity > 0].sum()) - int(outputs[polarity < 0].sum())
        selected = rng.random(len(states)) < reference.update_probability(total, T, T if target else -T)
        for j in np.flatnonzero(selected):
            if polarity[j] == (1 if target else -1):
                drawn = reference.bernoulli_sampling(len(lits), p_s, rng)
                states[j] = reference.type_i(states[j], lits, outputs[j], drawn, N, boost=True)
            else:
                states[j] = reference.type_ii(states[j], lits, outputs[j], N)


def test_without_learning_rate_it_is_the_classic_machine():
    X, targets = xor_examples(np.random.default_rng(5), n=200)
    start = reference.initial_states(10, 3, N, "random", np.random.default_rng(5))

    def trained(gamma):
        machine = Machine(start, N, T=3, p_s=0.3, gamma=gamma)
        rng = np.random.default_rng(6)
        for x, target in zip(X, targets, strict=True):
            machine.train(x, machine.T if target else -machine.T, rng)
        return machine

    unweighted, weighted, classic = trained(0.0), trained(0.2), start.copy()
    train_without_weights(classic, X, targets, np.random.default_rng(6), T=3, p_s=0.3)
    assert (unweighted.states == classic).all()
    assert (unweighted.exponents == 0).all()
    assert (unweighted.weights == 1.0).all()
    # What weights would change, so that the equalities above say something.
    assert (weighted.states != classic).any()
    assert (weighted.weights > 1.0).any()
    assert (weighted.weights < 1.0).any()


# --- Several classes, and one machine for two -------------------------------------------------------------


def fresh_machine(rng, o, **changes):
    hyper = {"n_half": 20, "T": 5, "p_s": 0.4, "gamma": 0.1} | changes
    return Machine(reference.initial_states(20, o, hyper["n_half"], "border", rng), **hyper)


@pytest.mark.parametrize("sampling", SAMPLERS)
def test_multi_class_machine_learns_xor(sampling):
    rng = np.random.default_rng(7)
    X, targets = xor_examples(rng)
    y = targets.astype(int)
    model = MultiClassMachine([fresh_machine(rng, 3, sampling=sampling) for _ in range(2)])
    for _ in range(20):
        order = rng.permutation(len(y))
        model.fit_epoch(X, y, order, reference.other_classes(y[order], 2, rng), rng)
    assert (model.predict(X) == y).all()


def test_an_example_teaches_its_class_and_the_drawn_other_alone():
    rng = np.random.default_rng(8)
    other, bystander, own = machines = [fresh_machine(rng, 1) for _ in range(3)]
    order = np.zeros(30, dtype=int)
    MultiClassMachine(machines).fit_epoch([[1]], np.array([2]), order, np.zeros(30, dtype=int), rng)
    assert own.class_sum([1]) > 0 > other.class_sum([1])
    assert (bystander.n_type_i, bystander.n_type_ii) == (0, 0)


def voting(*signs):
    """Machines whose sum is the given sign on x = (1,): the clause of that polarity includes x_0."""
    states = {1: [[N, 0], [0, 0]], -1: [[0, 0], [N, 0]], 0: [[0, 0], [0, 0]]}
    return [Machine(np.array(states[sign]), N, T=1, p_s=0.5, gamma=0.1) for sign in signs]


@pytest.mark.parametrize(("signs", "expected"), [((0, 0, 0), 0), ((-1, 1, 1), 1), ((-1, -1, 0), 2), ((1, 0, 1), 0)])
def test_ties_go_to_the_first_class(signs, expected):
    model = MultiClassMachine(voting(*signs))
    assert model.class_sums([[1]]).tolist() == [list(signs)]
    assert model.predict([[1]]).tolist() == [expected]


@pytest.mark.parametrize(("sign", "expected"), [(1, 1), (0, 1), (-1, 0)])
def test_binary_machine_predicts_one_unless_the_sum_is_negative(sign, expected):
    (machine,) = voting(sign)
    assert BinaryMachine(machine).predict([[1]]).tolist() == [expected]


def test_binary_machine_learns_xor():
    rng = np.random.default_rng(9)
    X, targets = xor_examples(rng)
    y = targets.astype(int)
    model = BinaryMachine(fresh_machine(rng, 3))
    for _ in range(20):
        model.fit_epoch(X, y, rng.permutation(len(y)), rng)
    assert (model.predict(X) == y).all()
