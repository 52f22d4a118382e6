"""Votes of fuzzy clauses against plain counts and the reference."""

import numpy as np
import pytest

from tests.helpers.machines import machine_in, packed_rows, random_rows
from wtm import reference
from wtm.kernels.bits import transpose_block
from wtm.kernels.fuzzy_lazy import new_fuzzy_block, new_fuzzy_clauses
from wtm.kernels.fuzzy_votes import (
    add_false,
    count_false,
    false_column,
    most_votes,
    new_fuzzy_buffers,
    planes_for,
    set_votes,
    subtract_false,
)
from wtm.kernels.jit import kernel
from wtm.machine.distributions import gap_table
from wtm.machine.examples import pack_examples
from wtm.machine.fuzzy_machine import FuzzyMachine, FuzzyParameters
from wtm.machine.fuzzy_voting import FuzzyVotingModel


@kernel
def _votes_of(literals, row_words, rows, n_features, clause, n_before, n_after, failures, buffers):
    """Votes of the first `n_after` literals, whose counts were made for the first `n_before`."""
    transpose_block(literals, row_words, rows, 0, rows.size, n_features, buffers.tile, buffers.columns)
    planes, n_planes = buffers.planes, buffers.planes.size // 8
    count_false(buffers.columns, clause, 0, n_before, n_features, planes, 0, n_planes)
    for i in range(n_before, n_after):
        add_false(planes, 0, n_planes, false_column(buffers.columns, clause[i], n_features))
    for i in range(n_after, n_before):
        subtract_false(planes, 0, n_planes, false_column(buffers.columns, clause[i], n_features))
    set_votes(planes, 0, n_planes, most_votes(n_after, failures), buffers.digits, buffers.votes, 0)


def votes_of(X, clause, n_before, n_after, failures):
    literals = packed_rows(X)
    buffers = new_fuzzy_buffers(X.shape[1])
    rows = np.arange(len(X), dtype=np.int64)
    shape = literals.ravel(), literals.shape[1], rows, X.shape[1]
    _votes_of(*shape, clause.astype(np.int32), n_before, n_after, failures, buffers)
    return buffers.votes[: len(X)]


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 14, 15, 16, 30, 31, 63, 64, 255, 256])
@pytest.mark.parametrize("failures", [1, 2, 8, 255])
@pytest.mark.parametrize("change", [0, 3, -3])
def test_planes_count_as_numpy_does(n, failures, change):
    rng = np.random.default_rng(n)
    X = (rng.random((512, 200)) < rng.random((512, 1))).astype(np.uint8)
    clause = rng.permutation(400)
    n_before = max(0, n + change)
    lits = np.concatenate([X, 1 - X], axis=1)
    n_false = (1 - lits[:, clause[:n]]).sum(axis=1, dtype=int)
    expected = np.maximum(0, (min(n, failures) if n else failures) - n_false)
    assert (votes_of(X, clause, n_before, n, failures) == expected).all()


def test_there_are_planes_for_all_literals():
    assert [planes_for(n) for n in (2, 15, 16, 255, 256, 70_000)] == [4, 4, 5, 8, 9, 17]


@pytest.mark.parametrize("n_features", [1, 33, 64, 300])
@pytest.mark.parametrize("failures", [1, 5])
@pytest.mark.parametrize("n_rows", [0, 1, 513])
def test_sums_are_those_of_the_reference(n_features, failures, n_rows):
    rng = np.random.default_rng(0)
    p = FuzzyParameters(n_features, 6, T=2.0, s=4.0, gamma=0.1, literal_failures=failures)
    machines, X = [], random_rows(rng, n_rows, n_features)
    for seed in range(3):
        states = rng.integers(100, 128, (6, p.n_literals))
        for row in states[1:]:  # the first clause is empty
            row[rng.choice(p.n_literals, min(9, p.n_literals), replace=False)] = 200
        machines.append(machine_in(p, states, rng.integers(-9, 9, 6), seed, kind=FuzzyMachine))
    voting = FuzzyVotingModel.of(machines, literal_failures=failures)
    sums = voting.sums(pack_examples(X)) * voting.unit
    assert (voting.sums(pack_examples(X), n_threads=2) * voting.unit == sums).all()
    for machine, found in zip(machines, sums.T, strict=True):
        twin = reference.FuzzyMachine(machine.states, 128, 2.0, 0.25, 0.1, failures=failures)
        twin.exponents = machine.exponents.astype(np.int64)
        assert found == pytest.approx(np.array([twin.class_sum(x) for x in X[:40]] + list(found[40:])))


@pytest.mark.parametrize(("n_features", "n_clauses"), [(1, 2_000), (700, 2_000), (40_000, 20)])
def test_the_working_space_is_counted(n_features, n_clauses):
    p = FuzzyParameters(n_features, n_clauses, T=2.0, s=4.0, gamma=0.1, literal_failures=5)
    machine = FuzzyMachine.new(p, 0, 0)
    of_machine = (machine.automata, machine.include_bits, machine.exponents, machine.random)
    table = gap_table(p.kernel_params.p_threshold)
    clauses = new_fuzzy_clauses(*of_machine, machine.weights, p.n_literals, None, table)
    block = new_fuzzy_block(np.empty(0, np.uint64), p.n_literals, p.kernel_params.row_words)
    arrays = [a for a in (*clauses, *block) if isinstance(a, np.ndarray) and not any(a is b for b in of_machine)]
    assert p.work_bytes == pytest.approx(sum(a.nbytes for a in arrays), rel=0.02, abs=20_000)
