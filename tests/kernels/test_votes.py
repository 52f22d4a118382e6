"""Votes of many examples at once, bit for bit what the reference says."""

import numpy as np
import pytest

from tests.helpers.machines import SIZES, machine_in, packed_rows, parameters, random_rows, sparse_states
from wtm import reference
from wtm.kernels.votes import new_vote_buffers, plan_votes, votes
from wtm.machine.voting import VotingModel

N_ROWS = (1, 2, 31, 63, 64, 65, 511, 512, 513)


def sums_of(machine, X, rows, first=0, last=None):
    p = machine.parameters
    plan, buffers = VotingModel.of([machine]).plan, new_vote_buffers(p.n_features, p.n_clauses)
    sums = np.full((len(rows), 1), -99, np.int64)
    last = len(rows) if last is None else last
    literals = packed_rows(X)
    votes(literals.ravel(), literals.shape[1], p.n_features, rows, first, last, plan, buffers, sums)
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

    truth = reference.Machine(states, p.n_states // 2, p.T, 1 / p.s, p.gamma)
    outputs = [reference.clause_outputs(states, reference.literals(x), truth.n_half, training=False) for x in X]
    fixed = [int(w) for w in p.weight_table.to_fixed(exponents) * reference.polarities(n_clauses)]
    assert sums.tolist() == [sum(w for w, fires in zip(fixed, row, strict=True) if fires) for row in outputs]

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


def test_clauses_without_literals_have_no_vote():
    p = parameters(5, 4)
    states = np.zeros((4, 10), int)
    states[3, 0] = 255
    machine = machine_in(p, states, [1, 2, 3, 4])
    X = np.array([[1, 0, 0, 0, 0], [0, 1, 1, 1, 1]])
    assert sums_of(machine, X, np.arange(2)).tolist() == [-int(p.weight_table.to_fixed(np.array([4]))[0]), 0]
    nothing = machine_in(p, np.zeros((4, 10), int))
    assert sums_of(nothing, X, np.arange(2)).tolist() == [0, 0]


@pytest.mark.parametrize("n_equal", [1, 2, 3, 4, 7, 8, 14, 15, 16, 29, 30, 31, 45, 256, 4_100])
@pytest.mark.parametrize("share", [0.02, 0.5, 1.0])
def test_any_number_of_clauses_with_one_vote_is_counted(n_equal, share):
    """Counts need from one to 13 planes; many are full, so that carries run far."""
    rng = np.random.default_rng(n_equal)
    p = parameters(9, 2 * n_equal)
    X = (rng.random((520, 9)) < share).astype(np.uint8)
    states = np.zeros((2 * n_equal, 18), int)
    states[np.arange(n_equal), rng.integers(0, 9, n_equal)] = 255  # a feature each, for; the clauses against are empty
    machine = machine_in(p, states)
    one = int(p.weight_table.to_fixed(np.zeros(1, int))[0])
    assert (sums_of(machine, X, np.arange(520)) == X[:, states[:n_equal].argmax(axis=1)].sum(axis=1) * one).all()


@pytest.mark.parametrize("n_literals", [1, 3, 4, 5, 31, 32, 33, 35, 36, 37, 63, 64, 65, 68, 69, 127, 128, 129, 200])
def test_every_literal_of_a_list_counts(n_literals):
    """Row i lacks only feature i, so it makes a clause with that feature false."""
    p = parameters(200, 4, gamma=1.0)
    states = np.zeros((4, 400), int)
    states[0, :n_literals], states[1, 200 - n_literals : 200], states[2, 7] = 255, 255, 255
    machine = machine_in(p, states, [3, 1, 2, 0])
    X = np.ones((201, 200), np.uint8)
    X[np.arange(200), np.arange(200)] = 0
    row = np.arange(201)
    expected = 8 * (row >= n_literals) + 2 * ((row < 200 - n_literals) | (row == 200)) - 4 * (row != 7)
    assert (sums_of(machine, X, row) * p.weight_table.unit == expected).all()


def test_a_plan_has_each_clause_once_by_length_and_by_vote():
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 40, 60)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    literals = rng.integers(0, 1000, ends[-1]).astype(np.int32)
    signed = rng.integers(-3, 4, (3, 20))
    plan = plan_votes(ends, literals, signed)
    for machine in range(3):
        planned = range(plan.machine_ends[machine], plan.machine_ends[machine + 1])
        assert len(planned) == np.count_nonzero(sizes[machine * 20 : machine * 20 + 20])
        lists = [plan.literals[plan.ends[i] : plan.ends[i + 1]] for i in planned]
        lengths = [len(entries) for entries in lists]
        assert lengths == sorted(lengths)
        groups = slice(plan.machine_groups[machine], plan.machine_groups[machine + 1])
        vote_at = np.repeat(plan.group_votes[groups], np.diff(plan.group_ends[groups], prepend=0))
        found = [(sorted(set(entries)), vote_at[plan.places[i]]) for i, entries in zip(planned, lists, strict=True)]
        expected = [
            (sorted(set(literals[ends[c] : ends[c + 1]])), signed[machine, c - machine * 20])
            for c in range(machine * 20, machine * 20 + 20)
            if sizes[c]
        ]
        assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("n_clauses", [2, 16, 500])
def test_clauses_with_different_votes_are_in_different_groups(n_clauses):
    """Many votes for the table, some of which have the same slot."""
    signed = np.random.default_rng(n_clauses).permutation(8 * n_clauses)[: 2 * n_clauses].reshape(2, n_clauses) * 2**32
    ends = np.arange(2 * n_clauses + 1)
    plan = plan_votes(ends, np.zeros(2 * n_clauses, np.int32), signed)
    assert plan.machine_groups.tolist() == [0, n_clauses, 2 * n_clauses]
    assert plan.group_ends.tolist() == [*range(1, n_clauses + 1)] * 2
    for machine in range(2):
        votes_of_groups = plan.group_votes[machine * n_clauses : (machine + 1) * n_clauses]
        places = plan.places[machine * n_clauses : (machine + 1) * n_clauses]
        assert votes_of_groups[places].tolist() == signed[machine].tolist()


def test_buffers_start_where_vectors_lie_in_one_line_of_the_cache():
    for _ in range(20):
        buffers = new_vote_buffers(7, 12)
        assert all(buffer.ctypes.data % 64 == 0 for buffer in buffers)
        assert [buffer.size for buffer in buffers] == [112, 512, 96, 192, 8, 512]
        addresses = [buffer.ctypes.data for buffer in buffers]
        ends = [buffer.ctypes.data + buffer.nbytes for buffer in buffers]
        assert all(end <= start for end, start in zip(ends, addresses[1:], strict=False))
