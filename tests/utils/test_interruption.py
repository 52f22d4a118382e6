"""Ctrl-C during an epoch that takes minutes, and work in other threads."""

import functools
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from wtm.utils.interruption import interruptible, run_in_threads

WITHIN = 20  # seconds; far more than the two promised, since test machines may be slow


class OwnError(Exception):
    """Raised by work."""


def test_results_and_errors_come_back():
    assert interruptible(lambda: 3) == 3
    with pytest.raises(OwnError):
        interruptible(functools.partial(_raise, OwnError()))


def _raise(error):
    raise error


def test_only_the_main_thread_hands_its_work_to_another():
    assert interruptible(threading.current_thread) is not threading.main_thread()
    found = []

    def other():
        found.append((threading.current_thread(), interruptible(threading.current_thread)))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert found == [(thread, thread)]


def test_threads_work_at_the_same_time_and_return_results_in_order():
    barrier = threading.Barrier(3)
    works = [lambda i=i: (barrier.wait(WITHIN), i)[1] for i in range(6)]
    assert run_in_threads(works, 3) == list(range(6))


def test_no_more_threads_work_than_asked_for():
    working, most = [], []

    def work():
        working.append(1)
        time.sleep(0.01)
        most.append(len(working))
        working.pop()

    run_in_threads([work] * 10, 2)
    assert max(most) == 2


@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_earliest_error_is_raised_and_what_was_not_begun_is_left_out(n_threads):
    done = []
    failing = [functools.partial(_raise, OwnError()), functools.partial(_raise, KeyError())]
    with pytest.raises(OwnError):
        run_in_threads([lambda: time.sleep(0.01), *failing, *[lambda: done.append(1)] * 1000], n_threads)
    assert len(done) < 1000


# The weights make the epoch take minutes without needing much memory.
PROGRAM = """
import sys, threading, time
import numpy as np
from tests.helpers.problems import small, three_classes
X, y = three_classes()
model = small(n_clauses=400, T=1e9, engine="direct", n_jobs={n_jobs})
model.partial_fit(X, y, [0, 1, 2])  # compiles
sums = model.class_sums(X)
weights = np.full(len(y), 100_000.0)
print("training", flush=True)
try:
    model.partial_fit(X, y, sample_weight=weights)
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert (model.class_sums(X) == sums).all() and model.n_epochs_ == 1
model.partial_fit(X, y)
print("usable", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
@pytest.mark.parametrize("n_jobs", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_ctrl_c_in_a_long_epoch_leaves_a_usable_process(n_jobs):
    listen = functools.partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-c", PROGRAM.format(n_jobs=n_jobs)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, preexec_fn=listen, **pipes) as process:
        try:
            assert process.stdout.readline() == "training\n"
            time.sleep(3)  # into the epoch
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=WITHIN)
        finally:
            process.kill()
    assert output == "interrupted\nusable\n"
    assert process.returncode == 0
