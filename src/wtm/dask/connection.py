"""Connections to clusters."""

from typing import Any

from distributed import Client, get_client

from wtm.utils.printable import short_repr


def connect(address: str, seconds: float) -> Client:
    """Connect to the scheduler at an address, or raise an OSError, ValueError or TypeError after so many seconds."""
    return Client(address, timeout=seconds, set_as_default=False)


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
