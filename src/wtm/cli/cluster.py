"""The option ``--dask`` of commands: a cluster that does the work."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wtm.cli.errors import OptionError
from wtm.cli.shared_options import ALL_CORES
from wtm.cli.table_options import TableOptions
from wtm.table_files.open_table import STANDARD_STREAM
from wtm.table_files.parquet_files import ParquetFiles
from wtm.utils.printable import short_repr

_SECONDS_TO_CONNECT = 10


def refuse_several(options: TableOptions) -> None:
    """Raise an OptionError if there are several tables, which only a cluster reads."""
    if options.more:
        raise OptionError(f"DATA must be one file, got {len(options.files)}: pass --dask to read several on a cluster.")


def check_cluster_options(options: TableOptions, thresholds: str = "quantile", *, early_stopping: bool = False) -> None:
    """Raise an OptionError if an option is not for a cluster."""
    if STANDARD_STREAM in options.files:
        raise OptionError("--dask reads files, and DATA is standard input: give names of Parquet files.")
    if options.n_jobs != ALL_CORES:
        raise OptionError("--n-jobs does not go with --dask: the cluster decides how many threads there are.")
    if early_stopping:
        raise OptionError("--early-stopping does not go with --dask: choose --epochs by the result on held-out rows.")
    if thresholds == "splits":
        raise OptionError("--thresholds splits does not go with --dask: it needs all rows in one memory.")


def files_on_cluster(options: TableOptions) -> ParquetFiles:
    """Open the tables for workers, which have other working folders."""
    return ParquetFiles([path.resolve() for path in options.files], "DATA")


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to the scheduler at an address.

    Raises
    ------
    OptionError
        It is not an address.
    ValueError
        Dask is not installed, no scheduler answers, or a task lost its worker again and again.
    ConnectionError
        The scheduler went away.
    """
    try:
        from wtm.dask.connection import connect
        from wtm.utils.dask_errors import clear_errors
    except ImportError as error:
        raise ValueError(str(error)) from None
    try:
        client = connect(address, _SECONDS_TO_CONNECT)
    except ValueError as error:
        raise OptionError(
            "--dask must be the address that a scheduler prints when it starts, such as tcp://host:8786; got "
            f"{short_repr(address)} ({error})."
        ) from None
    except OSError as error:
        raise ValueError(
            f"--dask {address}: no scheduler answers ({error}). Give the address that it prints when it starts, such "
            "as tcp://host:8786."
        ) from None
    try:
        with client, clear_errors(client):
            yield client
    except RuntimeError as error:  # workers died
        raise ValueError(str(error)) from None
