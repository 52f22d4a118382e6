"""Clause outputs and votes, bit for bit what the reference says."""

import numpy as np
import pytest
from numba import njit

from tests.helpers.machines import SIZES, machine_in, packed_rows, parameters, random_rows, sparse_states
from wtm import reference
from wtm.kernels.evaluate import ClauseLists, clause_fires, list_literals, new_vote_buffers, votes

N_ROWS = (1, 2, 31, 63, 64, 65, 511, 512, 513)


def outputs_by_reference(p, states, X, training):
    """The reference's clause outputs: bool (n_rows, n_clauses)."""
    rows = [reference.clause_outputs(states, reference.literals(x), p.n_states // 2, training=training) for x in X]
    return np.array(rows).reshape(len(X), p.n_clauses)


@njit
def fires_in_training(include, literals, n_clauses, n_words, out):
    for row in range(len(literals)):
        for clause in range(n_clauses):
            out[row, clause] = clause_fires(include, clause, literals.ravel(), row * literals.shape[1], n_words)


@pytest.mark.parametrize("n_features", SIZES)
@pytest.mark.parametrize("n_clauses", [2, 20])
def test_a_clause_fires_in_training_as_in_the_reference(n_clauses, n_features):
    rng = np.random.default_rng(n_features)
    p = parameters(n_features, n_clauses)
    X = random_rows(rng, 40, n_features)
    states = sparse_states(rng, p, X)
    machine = machine_in(p, states)
    out = np.zeros((40, n_clauses), np.bool_)
    fires_in_training(machine.include_bits, packed_rows(X), n_clauses, p.n_words, out)
    assert (out == outputs_by_reference(p, states, X, training=True)).all()


@pytest.mark.parametrize("n_features", SIZES)
def test_every_single_literal_can_silence_a_clause(n_features):
    p = parameters(n_features, 2)
    X = np.ones((1, n_features), np.uint8)
    for literal in range(p.n_literals):
        states = np.zeros((2, p.n_literals), int)
        states[1, literal] = 255
        out = np.zeros((1, 2), np.bool_)
        fires_in_training(machine_in(p, states).include_bits, packed_rows(X), 2, p.n_words, out)
        assert out.tolist() == [[True, literal < n_features]]


def compiled(machine):
    """Ends and literals of the clauses of a machine, as `list_literals` writes them in its two passes."""
    p = machine.parameters
    ends = np.zeros(p.n_clauses + 1, np.int64)
    list_literals(machine.include_bits, p.n_clauses, p.n_words, ends, np.empty(0, np.int32))
    literal_list = np.full(ends[-1], -1, np.int32)
    if literal_list.size:
        list_literals(machine.include_bits, p.n_clauses, p.n_words, ends, literal_list)
    return ends, literal_list


@pytest.mark.parametrize("n_features", SIZES)
def test_listed_literals_are_the_included_ones(n_features):
    rng = np.random.default_rng(n_features)
    p = parameters(n_features, 6)
    states = rng.integers(0, 256, (6, p.n_literals))
    states[2] = 0
    ends, literal_list = compiled(machine_in(p, states))
    for clause in range(6):
        expected = np.flatnonzero(states[clause] >= 128)
        assert literal_list[ends[clause] : ends[clause + 1]].tolist() == expected.tolist()


def sums_of(machine, X, rows, first=0, last=None):
    p = machine.parameters
    ends, literal_list = compiled(machine)
    signed = p.weight_table.to_fixed(machine.exponents) * machine.polarity
    sums = np.full((len(rows), 1), -99, np.int64)
    last = len(rows) if last is None else last
    literals = packed_rows(X)
    clauses, buffers = ClauseLists(ends, literal_list, signed, signed.argsort()), new_vote_buffers(p.n_features)
    votes(literals.ravel(), literals.shape[1], p.n_features, rows, first, last, clauses, buffers, sums)
    return sums[:, 0]


def assert_votes(n_features, n_rows, n_clauses, seed=0, n_weights=None):
    rng = np.random.default_rng(seed)
    p = parameters(n_features, n_clauses)
    X = random_rows(rng, n_rows, n_features)
    states = sparse_states(rng, p, X)
    exponents = rng.integers(-p.weight_table.max_exponent, p.weight_table.max_exponent + 1, n_clauses)
    if n_weights is not None:
        exponents = rng.choice(exponents[:n_weights], n_clauses)
    machine = machine_in(p, states, exponents)
    sums = sums_of(machine, X, np.arange(n_rows))

    outputs = outputs_by_reference(p, states, X, training=False)
    fixed = [int(w) for w in p.weight_table.to_fixed(exponents) * reference.polarities(n_clauses)]
    assert sums.tolist() == [sum(w for w, fires in zip(fixed, row, strict=True) if fires) for row in outputs]

    truth = reference.Machine(states, p.n_states // 2, p.T, 1 / p.s, p.gamma)
    truth.exponents = exponents
    expected = [truth.class_sum(x) for x in X]
    # The largest weights are near 2**16, and as floats precise to 2**-37.
    np.testing.assert_allclose(sums * p.weight_table.unit, expected, rtol=1e-12, atol=n_clauses * 1e-9)


@pytest.mark.parametrize("n_features", SIZES)
@pytest.mark.parametrize("n_clauses", [2, 20])
def test_votes_for_any_number_of_features(n_clauses, n_features):
    assert_votes(n_features, 70, n_clauses)


@pytest.mark.parametrize("n_rows", N_ROWS)
@pytest.mark.parametrize("n_clauses", [2, 34, 300])
def test_votes_for_any_number_of_rows(n_clauses, n_rows):
    assert_votes(33, n_rows, n_clauses)


@pytest.mark.parametrize("n_weights", [1, 2, 7])
def test_votes_of_clauses_that_share_weights(n_weights):
    assert_votes(33, 600, 300, n_weights=n_weights)


def test_votes_of_chosen_rows_and_of_a_part_of_them():
    rng = np.random.default_rng(0)
    p = parameters(20, 30)
    X = random_rows(rng, 90, 20)
    machine = machine_in(p, sparse_states(rng, p, X), rng.integers(-9, 9, 30))
    everything = sums_of(machine, X, np.arange(90))
    assert len(np.unique(everything)) > 10
    rows = rng.integers(0, 90, 1300)
    assert (sums_of(machine, X, rows) == everything[rows]).all()
    part = sums_of(machine, X, rows, 512, 1200)
    assert (part[512:1200] == everything[rows[512:1200]]).all()
    assert (part[:512] == -99).all()
    assert (part[1200:] == -99).all()


def test_clauses_without_literals_have_no_vote_but_fire_in_training():
    p = parameters(5, 4)
    states = np.zeros((4, 10), int)
    states[3, 0] = 255
    machine = machine_in(p, states, [1, 2, 3, 4])
    X = np.array([[1, 0, 0, 0, 0], [0, 1, 1, 1, 1]])
    assert sums_of(machine, X, np.arange(2)).tolist() == [-int(p.weight_table.to_fixed(np.array([4]))[0]), 0]
    out = np.zeros((2, 4), np.bool_)
    fires_in_training(machine.include_bits, packed_rows(X), 4, p.n_words, out)
    assert out.tolist() == [[True] * 4, [True] * 3 + [False]]
    nothing = machine_in(p, np.zeros((4, 10), int))
    assert sums_of(nothing, X, np.arange(2)).tolist() == [0, 0]
