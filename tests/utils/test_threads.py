"""Threads for `n_jobs`, in every place that a fit may be called from."""

import multiprocessing
import os
import warnings

import joblib
import pytest

from tests.helpers.problems import small, three_classes
from wtm.utils.threads import resolve_n_threads


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (1, 1), (3, 3), (10**4, 10**4)])
def test_positive_numbers_are_taken_as_they_are(n_jobs, expected):
    assert resolve_n_threads(n_jobs) == expected


def test_negative_numbers_count_from_the_cores():
    cores = joblib.cpu_count()
    assert resolve_n_threads(-1) == cores
    assert resolve_n_threads(-2) == max(1, cores - 1)
    assert resolve_n_threads(-(10**4)) == 1


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_context_decides_where_nothing_is_said(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        assert resolve_n_threads(None) == 2
        assert resolve_n_threads(3) == 3


def _threads_and_sums(seed):
    X, y = three_classes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return resolve_n_threads(2), small(random_state=seed, n_jobs=2).fit(X, y).class_sums(X).tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process that is spawned would have to import this module")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_worker_of_a_pool_of_processes_has_its_threads():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(_threads_and_sums, [1, 2]) == [_threads_and_sums(1), _threads_and_sums(2)]
