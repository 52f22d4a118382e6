"""Classes as tasks of processes: the same model as with threads, whatever happens to the processes."""

import os
import signal
from dataclasses import replace

import joblib
import numpy as np
import pytest
from joblib.externals.loky import reusable_executor

from tests.helpers.fits import KINDS, assert_same_fit, fitted
from tests.helpers.problems import small, three_classes
from wtm.machine import class_tasks
from wtm.machine.class_tasks import Round, as_writable, hands_out_tasks
from wtm.machine.model_state import Model


@pytest.mark.parametrize(
    ("backend", "expected"), [("loky", True), ("multiprocessing", True), ("threading", False), ("sequential", False)]
)
def test_the_context_decides(backend, expected):
    assert not hands_out_tasks()
    with joblib.parallel_config(n_jobs=2):
        assert not hands_out_tasks()
    with joblib.parallel_config(backend, n_jobs=2):
        assert hands_out_tasks() == expected


@pytest.mark.parametrize("kind", KINDS)
def test_processes_change_nothing(kind):
    with joblib.parallel_config("loky", n_jobs=2):
        found = fitted(kind)
    assert_same_fit(found, fitted(kind))


def test_what_is_mapped_from_a_file_is_not_written_to():
    X, y = three_classes(200)
    options = {"n_clauses": 20_000, "n_epochs": 1, "T": 1000}
    with joblib.parallel_config("loky", n_jobs=2):
        large = small(**options).fit(X, y)  # 1.3 MB of automata
        many = small(n_epochs=1).fit(np.tile(X, (100, 1)), np.tile(y, 100))  # 1.3 MB of rows
    assert_same_fit(large, small(**options).fit(X, y))
    assert_same_fit(many, small(n_epochs=1).fit(np.tile(X, (100, 1)), np.tile(y, 100)))


def test_a_task_changes_none_of_its_arguments():
    model = fitted("strict")
    part = model._model.parts()[1]
    before = [array.copy() for array in (part.machines[0].automata, part.machines[0].random)]
    data = model._training_data(*three_classes(), None, resumes=True)
    frame = replace(data, examples=replace(data.examples, literals=np.empty(0)), answers=np.empty(0))
    literals = data.examples.literals.copy()
    literals.flags.writeable = False
    task = (part, 1, Round(3, 2, shuffle=True), frame, literals, data.answers, None, None, literals[:0])
    (a, of_a), (b, of_b) = class_tasks._train_part(*task), class_tasks._train_part(*task)
    assert (part.machines[0].automata == before[0]).all()
    assert (part.machines[0].random == before[1]).all()
    assert (a.machines[0].automata == b.machines[0].automata).all()
    assert (a.machines[0].automata != before[0]).any()
    assert [epoch.counts for epoch in of_a] == [epoch.counts for epoch in of_b]
    assert len(of_a) == 2


def test_parts_are_joined_to_the_same_model():
    model = fitted("averaged")._model
    joined = Model([], model.seed, logit_scale=model.logit_scale, n_averaged=model.n_averaged)
    joined.take_parts(model.parts())
    assert joined.n_seen == model.n_seen
    expected, found = model.for_prediction(), joined.for_prediction()
    for name in ("exponents", "clause_ends", "literal_list"):
        assert (getattr(found, name) == getattr(expected, name)).all()


def test_a_view_that_looks_writable_shares_the_memory():
    array = np.arange(6.0).reshape(2, 3)
    assert as_writable(array) is array
    array.flags.writeable = False
    view = as_writable(array)
    assert view.flags.writeable
    assert np.shares_memory(view, array)
    assert (view == array).all()


def _kill_one_worker(epoch):
    if epoch.number == 2:
        victim = next(iter(reusable_executor._executor._processes))
        os.kill(victim, signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_worker_that_is_killed_changes_nothing():
    X, y = three_classes()
    with joblib.parallel_config("loky", n_jobs=2):
        found = small(callbacks=_kill_one_worker).fit(X, y)
    assert_same_fit(found, small().fit(X, y))


def test_a_worker_that_is_lost_each_time_ends_the_fit():
    calls = []

    def lose(tasks):
        calls.append(1)
        raise class_tasks.BrokenProcessPool("killed")

    with pytest.raises(class_tasks.BrokenProcessPool):
        class_tasks._run_in_joblib(lose, [], [])
    assert len(calls) == class_tasks._MOST_ATTEMPTS
