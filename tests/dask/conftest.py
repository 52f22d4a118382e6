"""Clusters: one in this process, and one of two processes."""

import pytest

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="package")
def in_process():
    """A client of a cluster whose two workers are threads of this process."""
    with _cluster(processes=False) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="package")
def two_processes():
    """A client of a cluster of two processes, which its nannies start again when they die."""
    with _cluster(processes=True) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def new_processes():
    """A client of a cluster of two processes that have just started."""
    with _cluster(processes=True) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(params=["in_process", "two_processes"])
def client(request):
    """A client of either cluster."""
    return request.getfixturevalue(request.param)


def _cluster(**more):
    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", **more)
