"""What failures of a cluster of Dask mean; imported only where there is a client."""

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

import dask
from distributed import KilledWorker


@contextmanager
def clear_errors(client: Any) -> Iterator[None]:
    """Say what to do when the cluster fails; all its tasks are given up with the last reference to them."""
    try:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):  # tasks hold machines
            yield
    except KilledWorker as error:
        raise RuntimeError(
            f"Workers died again and again: {error} They may have too little memory for the packed rows that a class "
            "sees in an epoch. Use workers with more memory, or fewer threads per worker. The estimator is as it was."
        ) from error
    except Exception as error:  # which one depends on what was going on, and on the version of Dask
        if client.status == "running" and not isinstance(error, CancelledError):
            raise
        raise ConnectionError(
            "The connection to Dask's scheduler was lost, so training ended. The estimator is as it was: connect "
            "again and repeat the call."
        ) from error
