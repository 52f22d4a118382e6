"""Connections to clusters."""

import asyncio
from typing import Any

import dask.config
from distributed import Client, Security, get_client
from distributed.comm.core import connect as open_connection

from wtm.utils.printable import short_repr


def connect(address: str, seconds: float) -> Client:
    """Connect to the scheduler at an address.

    Raises
    ------
    ValueError
        `address` is not an address.
    ConnectionError
        No scheduler answers within so many seconds.
    """
    # First without a client: one that fails to connect would wait at the end of the program, and print a traceback.
    if dask.config.get("distributed.client.security-loader", None) is None:
        try:
            asyncio.run(_try(address, seconds))
        except (OSError, TypeError) as error:  # TypeError if TLS is not configured
            raise ConnectionError(str(error) or "what listens there is not one") from error
    return Client(address, timeout=seconds, set_as_default=False)


async def _try(address: str, seconds: float) -> None:
    async with asyncio.timeout(seconds + 1):  # Dask may wait indefinitely for another server to introduce itself
        comm = await open_connection(address, timeout=seconds, **Security().get_connection_args("client"))
        await comm.close()


def checked_client(client: Any) -> Client:
    """Return a client, the default one for None, or raise a TypeError or ValueError."""
    if client is not None:
        if not isinstance(client, Client):
            raise TypeError(
                f"client must be a distributed.Client, got {short_repr(client)}. Pass Client(...) of a cluster or of "
                "the address of its scheduler."
            )
        return client
    try:
        return get_client()
    except ValueError:
        raise ValueError(
            "client is None, and there is no default one. Connect to a cluster with dask.distributed.Client(address), "
            "or start one here with dask.distributed.Client()."
        ) from None
