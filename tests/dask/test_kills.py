"""A worker that is killed at any moment changes nothing: `pytest -m slow tests/dask/test_kills.py` kills 40."""

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


def through_joblib(estimator, client):
    with joblib.parallel_config("dask", client=client):
        return estimator.fit(X, Y)


def as_collections(estimator, client):
    return wtm.dask.fit(estimator, da.from_array(X, chunks=(700, -1)), da.from_array(Y, chunks=700), client=client)


@pytest.fixture(scope="module")
def expected():
    return big().fit(X, Y)


def big():
    return small(n_clauses=200, n_epochs=12)  # of two rounds


@needs_kill
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("fit", [through_joblib, as_collections])
def test_a_worker_killed_at_a_random_moment_changes_nothing(new_processes, expected, fit, seed):
    fit(big(), new_processes)  # which loads kernels
    start = time.perf_counter()
    fit(big(), new_processes)
    seconds, drawn, killed = time.perf_counter() - start, random.Random(seed), []

    def kill():
        kill_a_worker(new_processes, drawn.choice)
        killed.append(time.perf_counter() - start)

    start = time.perf_counter()
    timer = threading.Timer(drawn.uniform(0, seconds), kill)
    timer.start()
    found = fit(big(), new_processes)
    ended = time.perf_counter() - start
    timer.join()
    print(f"killed after {killed[0]:.2f} s of {seconds:.2f} s; the fit took {ended:.2f} s")
    assert_same_fit(found, expected)
