"""The direct engine against the reference, step by step."""

from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from tests.helpers.machines import (
    SIZES,
    assert_consistent,
    machine_in,
    packed_rows,
    parameters,
    random_rows,
    sparse_states,
)
from tests.helpers.random_streams import Streams, fresh_random
from wtm import reference
from wtm.kernels import direct
from wtm.machine.distributions import threshold
from wtm.machine.machine_parameters import SAMPLERS
from wtm.machine.schedule import Schedule

TARGETS = (-1.0, -0.3, 0.0, 0.6, 1.0)  # shares of T


def reference_of(machine, sampling=reference.bernoulli_sampling):
    """The reference's machine in the same states and with the same exponents."""
    p = machine.parameters
    states = machine.states.astype(int)
    truth = reference.Machine(
        states, p.n_states // 2, p.T, 1 / p.s, p.gamma, p.boost_true_positive, p.max_literals, sampling
    )
    truth.exponents = machine.exponents.astype(np.int64)
    return truth


def assert_equal(machine, truth):
    assert (machine.states == truth.states).all()
    assert (machine.exponents == truth.exponents).all()
    assert_consistent(machine)


def total_in_training(truth, x):
    outputs = reference.clause_outputs(truth.states, reference.literals(x), truth.n_half, training=True)
    return reference.clause_sum(outputs, truth.weights, truth.polarity)


# --- The whole process, chance included, from one stream ------------------------------------------------------


class Replay:
    """What the reference asks of its generator and its sampler, answered from a machine's random words.

    The sampler "bits" leaves the scalar stream to the selection of clauses, one number per clause.
    """

    def __init__(self, random):
        self.streams = Streams(random)

    def random(self, n):
        return self.streams.uniforms(n)

    def sampling(self, u, p, rng):
        return self.streams.bits_mask(u, threshold(p))


def assert_replayed(p, n_rows, n_examples, seed, start="sparse"):
    """Train a machine and the reference on the same examples with the same stream; equal to the last bit."""
    rng = np.random.default_rng(seed)
    X = random_rows(rng, n_rows, p.n_features)
    border = np.full((p.n_clauses, p.n_literals), p.n_states // 2 - 1)
    machine = machine_in(p, sparse_states(rng, p, X) if start == "sparse" else border)
    machine.random[:] = fresh_random(seed)
    replay = Replay(machine.random)
    truth = reference_of(machine, replay.sampling)
    rows, targets = rng.integers(0, n_rows, n_examples), rng.choice(TARGETS, n_examples)
    for row, target in zip(rows, targets, strict=True):
        # Where no clause can be selected, to within 2**-32, the kernel draws nothing.
        if reference.update_probability(total_in_training(truth, X[row]), p.T, target * p.T) >= 2**-32:
            truth.train(X[row], target * p.T, replay)
    counts = machine.train(packed_rows(X), Schedule(rows, targets))
    assert_equal(machine, truth)
    assert (counts.type_i, counts.type_ii) == (truth.n_type_i, truth.n_type_ii)
    assert counts.type_i > 0
    assert (machine.random == replay.streams.words()).all()


@pytest.mark.parametrize("boost", [True, False])
@pytest.mark.parametrize("n_features", SIZES)
def test_replays_the_reference_for_any_number_of_features(n_features, boost):
    p = parameters(n_features, 6, T=3.0, s=3.9, gamma=0.3, boost_true_positive=boost)
    assert_replayed(p, 5, 25, seed=n_features)


@pytest.mark.parametrize("n_states", [2, 4, 6, 100, 256])
@pytest.mark.parametrize("boost", [True, False])
def test_replays_the_reference_for_any_number_of_states(n_states, boost):
    p = parameters(9, 10, T=4.0, s=2.5, gamma=0.2, n_states=n_states, boost_true_positive=boost)
    assert_replayed(p, 20, 80, seed=n_states)


@pytest.mark.parametrize(
    "changes",
    [
        {"T": 0.01},
        {"T": 2.0**31 - 1},
        {"s": 1.0},
        {"s": 1e9},
        {"gamma": 0.0},
        {"gamma": 1e-6},
        {"gamma": 1.0, "T": 40.0},
        {"max_literals": 1},
        {"max_literals": 3, "boost_true_positive": False},
        {"max_literals": 2**70},
    ],
    ids=str,
)
def test_replays_the_reference_at_the_ends_of_the_parameters(changes):
    p = parameters(7, 12, **{"T": 5.0, "s": 4.0, "gamma": 0.05} | changes)
    assert_replayed(p, 12, 120, seed=1)


def test_replays_the_reference_from_empty_clauses():
    assert_replayed(parameters(40, 8, T=6.0, n_states=20), 30, 200, seed=2, start="border")


# --- Where nothing is left to chance: every sampler -------------------------------------------------------------


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("boost", [True, False])
@pytest.mark.parametrize("n_features", [1, 31, 32, 33, 64, 65, 257])
def test_certain_feedback_equals_the_reference(n_features, boost, sampler):
    """With s = 1 every trial succeeds, and with a tiny T every clause is selected or none."""
    rng = np.random.default_rng(n_features)
    p = parameters(n_features, 8, T=1e-6, s=1.0, gamma=0.3, n_states=6, boost_true_positive=boost, sampler=sampler)
    X = random_rows(rng, 10, n_features)
    machine = machine_in(p, sparse_states(rng, p, X), rng.integers(-3, 4, 8))
    truth = reference_of(machine)
    rows, targets = [], []
    for _ in range(200):
        row = int(rng.integers(10))
        total = total_in_training(truth, X[row])
        if abs(total) < 1e-3:
            continue
        # Mostly examples whose sum is on the wrong side: on the right side nothing happens.
        target = 1.0 if (total < 0) ^ (rng.random() < 0.1) else -1.0
        truth.train(X[row], target * p.T, rng)
        rows.append(row)
        targets.append(target)
    counts = machine.train(packed_rows(X), Schedule(np.array(rows), np.array(targets)))
    assert counts == (truth.n_type_i, truth.n_type_ii, 0, 0.0)
    assert counts.type_i > 0
    assert counts.type_ii > 0
    assert_equal(machine, truth)


# --- The parts ------------------------------------------------------------------------------------------------


@njit
def update_threshold(total, params, target):
    return direct.update_threshold(direct.error_of(total, params, target), params)


@pytest.mark.parametrize("target", [1.0, 0.5, 0.0, -0.25, -1.0])
@pytest.mark.parametrize("T", [0.01, 1.0, 15.0, 2.0**31 - 1])
@pytest.mark.parametrize("share", [-3.0, -1.0, -0.999, -0.5, -1e-6, 0.0, 0.3, 0.7, 1.0, 2.0])
def test_update_threshold_is_equation_5(share, T, target):
    params = parameters(3, T=T).kernel_params._replace(unit=2.0**-20)
    total = round(share * T / params.unit)
    clamped = min(max(Fraction(total) * Fraction(params.unit), -Fraction(T)), Fraction(T))
    probability = abs(Fraction(target) * Fraction(T) - clamped) / (2 * Fraction(T))
    drawn_below = update_threshold(total, params, target)
    assert abs(drawn_below - probability * 2**32) <= 1
    if probability in (0, 1):
        assert drawn_below == probability * 2**32


@njit
def move_weight(exponents, votes, clause, slot, step, fixed_weights):
    return direct.move_weight(exponents, votes, clause, slot, step, fixed_weights)


@pytest.mark.parametrize(("clause", "sign"), [(0, 1), (1, 1), (2, -1), (3, -1)])
def test_a_weight_moves_by_one_power_and_stays_at_the_edge(clause, sign):
    fixed = np.array([1, 2, 4, 8, 16])
    exponents, votes = np.zeros(4, np.int32), np.full(9, 4)
    held = [move_weight(exponents, votes, clause, 7, step, fixed) for step in (1, 1, 1, -1, -1, -1, -1, -1, 1)]
    assert held == [False, False, True, False, False, False, False, True, False]
    assert exponents.tolist() == [-(j == clause) for j in range(4)]
    assert votes.tolist() == [4] * 7 + [sign * 2, 4]


def test_without_learning_rate_weights_neither_move_nor_count_as_held():
    exponents, votes = np.zeros(2, np.int32), np.array([4, -4])
    assert not move_weight(exponents, votes, 0, 0, 1, np.array([4]))
    assert (exponents.tolist(), votes.tolist()) == ([0, 0], [4, -4])


def test_weights_held_at_the_edge_are_counted():
    p = parameters(3, 2, T=1e9, s=1e9, gamma=1000.0)  # the table ends at the exponents -1 and 1
    machine = machine_in(p, np.zeros((2, 6), int))
    schedule = Schedule(np.zeros(400, np.int64), np.ones(400))
    counts = machine.train(packed_rows(np.ones((1, 3))), schedule)
    assert machine.exponents.tolist() == [1, -1]
    # Every feedback moved a weight or met the edge.
    assert counts.weights_saturated == counts.type_i + counts.type_ii - 2
    assert min(counts.type_i, counts.type_ii) > 100
