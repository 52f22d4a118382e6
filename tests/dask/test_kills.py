"""A worker that is killed at any moment changes nothing: `pytest -m slow -rP tests/dask/test_kills.py` kills 40."""

import random
import threading
import time

import dask.array as da
import joblib
import pytest

import wtm.dask
from tests.dask.kills import kill_a_worker, needs_kill
from tests.helpers.fits import assert_same_fit
from tests.helpers.problems import small, three_classes

X, Y = three_classes(5000, 60)


def estimator():
    return small(n_clauses=200, n_epochs=12)  # of two rounds


def through_joblib(client):
    with joblib.parallel_config("dask", client=client):
        return estimator().fit(X, Y)


def as_collections(client):
    return wtm.dask.fit(estimator(), da.from_array(X, chunks=(700, -1)), da.from_array(Y, chunks=700), client=client)


@pytest.fixture(scope="module")
def expected():
    return estimator().fit(X, Y)


@pytest.fixture(scope="module", params=[through_joblib, as_collections])
def timed_fit(request, two_processes):
    """A function that fits on a cluster, and the seconds that it takes if no worker is killed."""
    request.param(two_processes)  # which loads kernels
    start = time.perf_counter()
    request.param(two_processes)
    return request.param, time.perf_counter() - start


@needs_kill
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_worker_killed_at_a_random_moment_changes_nothing(new_processes, expected, timed_fit, seed):
    fit, seconds = timed_fit
    drawn, killed = random.Random(seed), []

    def kill():
        kill_a_worker(new_processes, drawn.choice)
        killed.append(time.perf_counter() - start)

    fit(new_processes)  # which loads kernels
    start = time.perf_counter()
    timer = threading.Timer(drawn.uniform(0, seconds), kill)
    timer.start()
    found = fit(new_processes)
    ended = time.perf_counter() - start
    timer.join()
    print(f"killed after {killed[0]:.2f} s of {seconds:.2f} s; the fit took {ended:.2f} s")
    assert_same_fit(found, expected)
