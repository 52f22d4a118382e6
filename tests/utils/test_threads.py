"""Workers for a number of jobs, in every place that a fit may be called from."""

import multiprocessing
import os
import warnings

import joblib
import pytest

from tests.helpers.problems import small, three_classes
from wtm.utils.threads import number_of_workers


@pytest.mark.parametrize(
    ("n_jobs", "n_tasks", "expected"), [(None, 9, 1), (1, 9, 1), (3, 9, 3), (3, 2, 2), (10**4, 5, 5), (2, 0, 1)]
)
def test_a_number_of_jobs_is_one_of_workers(n_jobs, n_tasks, expected):
    assert number_of_workers(n_jobs, n_tasks) == expected


def test_negative_numbers_count_from_the_cores():
    cores = joblib.cpu_count()
    assert number_of_workers(-1, 10**6) == cores
    assert number_of_workers(-2, 10**6) == max(1, cores - 1)
    assert number_of_workers(-(10**4), 10**6) == 1


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_context_decides_where_nothing_is_said(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        assert number_of_workers(None, 9) == 2
        assert number_of_workers(3, 9) == 3


def _workers_and_sums(seed):
    X, y = three_classes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return number_of_workers(2, 9), small(random_state=seed, n_jobs=2).fit(X, y).class_sums(X).tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process that is spawned would have to import this module")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_worker_of_a_pool_of_processes_has_its_threads():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(_workers_and_sums, [1, 2]) == [_workers_and_sums(1), _workers_and_sums(2)]
