"""Clause outputs and votes, bit for bit what the reference says."""

import numpy as np
import pytest
from numba import njit

from tests.helpers.machines import SIZES, machine_in, packed_rows, parameters, random_rows, sparse_states
from wtm import reference
from wtm.kernels.evaluate import clause_fires, list_literals

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
    buffer = np.empty(p.n_words, np.int64)
    list_literals(machine.include_bits, p.n_clauses, p.n_words, ends, np.empty(0, np.int32), buffer)
    literal_list = np.full(ends[-1], -1, np.int32)
    if literal_list.size:
        list_literals(machine.include_bits, p.n_clauses, p.n_words, ends, literal_list, buffer)
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


def test_clauses_without_literals_fire_in_training():
    p = parameters(5, 4)
    states = np.zeros((4, 10), int)
    states[3, 0] = 255
    X = np.array([[1, 0, 0, 0, 0], [0, 1, 1, 1, 1]])
    out = np.zeros((2, 4), np.bool_)
    fires_in_training(machine_in(p, states).include_bits, packed_rows(X), 4, p.n_words, out)
    assert out.tolist() == [[True] * 4, [True] * 3 + [False]]
