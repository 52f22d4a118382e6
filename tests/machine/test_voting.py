"""Votes of several machines against the reference, for any number of threads."""

import threading

import numpy as np
import pytest

import wtm.machine.voting
from tests.helpers.machines import SIZES, machine_in, parameters, random_rows, sparse_states
from wtm import reference
from wtm.kernels.votes import votes
from wtm.machine.examples import pack_examples
from wtm.machine.voting import VotingModel
from wtm.utils.interruption import run_in_threads


def some_model(n_features, n_clauses, n_machines, X, seed=0, edge=9):
    rng = np.random.default_rng(seed)
    p = parameters(n_features, n_clauses)
    return [
        machine_in(p, sparse_states(rng, p, X), rng.integers(-edge, edge + 1, n_clauses)) for _ in range(n_machines)
    ]


def sums_by_reference(machines, X):
    """The sums in fixed point, added up in Python's integers from the reference's outputs: int (n, n_machines)."""
    columns = []
    for machine in machines:
        p = machine.parameters
        votes = (p.weight_table.to_fixed(machine.exponents) * reference.polarities(p.n_clauses)).tolist()
        states = machine.states.astype(int)
        outputs = (reference.clause_outputs(states, reference.literals(x), p.n_states // 2, training=False) for x in X)
        columns.append([sum(v for v, fires in zip(votes, row, strict=True) if fires) for row in outputs])
    return np.array(columns, dtype=np.int64).reshape(len(machines), len(X)).T


@pytest.mark.parametrize("n_features", SIZES)
@pytest.mark.parametrize("n_machines", [2, 5])
def test_sums_of_all_machines(n_machines, n_features):
    X = random_rows(np.random.default_rng(1), 65, n_features)
    machines = some_model(n_features, 12, n_machines, X)
    sums = VotingModel.of(machines).sums(pack_examples(X))
    assert sums.dtype == np.int64
    assert (sums == sums_by_reference(machines, X)).all()
    assert len(np.unique(sums)) > 2


@pytest.mark.parametrize("n_rows", [0, 1, 31, 63, 64, 65, 511, 512, 513])
@pytest.mark.parametrize("n_clauses", [2, 300])
def test_sums_for_any_number_of_rows(n_clauses, n_rows):
    X = random_rows(np.random.default_rng(2), max(n_rows, 1), 20)
    machines = some_model(20, n_clauses, 3, X)
    X = X[:n_rows]
    sums = VotingModel.of(machines).sums(pack_examples(X))
    assert (sums == sums_by_reference(machines, X)).all()
    assert sums.shape == (n_rows, 3)


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8, 10_000])
def test_threads_change_nothing(n_threads, monkeypatch):
    monkeypatch.setattr(wtm.machine.voting, "_ANDS_PER_THREAD", 1)
    X = random_rows(np.random.default_rng(3), 3000, 20)
    voting = VotingModel.of(some_model(20, 30, 3, X))
    examples = pack_examples(X)
    assert (voting.sums(examples, n_threads=n_threads) == voting.sums(examples)).all()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_main_thread_stays_free_to_hear_of_ctrl_c(monkeypatch, n_threads):
    monkeypatch.setattr(wtm.machine.voting, "_ANDS_PER_THREAD", 1)
    X = random_rows(np.random.default_rng(3), 3000, 20)
    voting = VotingModel.of(some_model(20, 30, 3, X))
    threads = []

    def noted(*arguments):
        threads.append(threading.current_thread())
        votes(*arguments)

    monkeypatch.setattr(wtm.machine.voting, "votes", noted)
    sums = voting.sums(pack_examples(X), n_threads=n_threads)
    assert len(threads) == n_threads
    assert threading.main_thread() not in threads
    monkeypatch.undo()
    assert (sums == voting.sums(pack_examples(X))).all()


def test_chosen_rows_in_their_order():
    rng = np.random.default_rng(4)
    X = random_rows(rng, 100, 20)
    voting = VotingModel.of(some_model(20, 30, 3, X))
    rows = rng.integers(0, 100, 777)
    examples = pack_examples(X)
    assert (voting.sums(examples, rows) == voting.sums(examples)[rows]).all()
    one_by_one = np.concatenate([voting.sums(examples, np.array([i])) for i in range(100)])
    assert (one_by_one == voting.sums(examples)).all()


def test_the_heaviest_clauses_do_not_overflow():
    p = parameters(1, 2000, gamma=1.0)
    states = np.zeros((2000, 2), int)
    states[:1000, 0] = 255  # every positive clause is x
    machine = machine_in(p, states, np.full(2000, p.weight_table.max_exponent))
    voting = VotingModel.of([machine, machine])
    sums = voting.sums(pack_examples(np.array([[1], [0]])))
    assert (sums * voting.unit).tolist() == [[1000 * 2.0**16] * 2, [0.0] * 2]


def test_machines_without_literals_have_nothing_to_say():
    p = parameters(7, 10)
    empty = machine_in(p, np.zeros((10, 14), int))
    voting = VotingModel.of([empty, empty])
    assert voting.literal_list.size == 0
    assert not voting.sums(pack_examples(np.ones((3, 7)))).any()


def test_a_model_lists_its_included_literals():
    X = random_rows(np.random.default_rng(5), 30, 20)
    machines = some_model(20, 12, 3, X)
    voting = VotingModel.of(machines)
    assert (voting.n_machines, voting.n_clauses) == (3, 12)
    include = np.concatenate([m.include for m in machines])
    assert np.diff(voting.clause_ends).tolist() == include.sum(axis=1).tolist()
    assert voting.literal_list.tolist() == np.nonzero(include)[1].tolist()


def test_little_work_starts_no_threads(monkeypatch):
    X = random_rows(np.random.default_rng(3), 1500, 20)
    voting, examples = VotingModel.of(some_model(20, 10, 3, X)), pack_examples(X)
    in_one_thread = []

    def run(calls, n_threads):
        in_one_thread.append(n_threads == 1)
        run_in_threads(calls, n_threads)

    monkeypatch.setattr(wtm.machine.voting, "run_in_threads", run)
    assert voting.sums(examples, n_threads=8).shape == (1500, 3)
    assert in_one_thread == [True]
