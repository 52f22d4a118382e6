"""Connections to clusters."""

from distributed import Client, get_client


def connect(address: str, seconds: float) -> Client:
    """Connect to the scheduler at an address, or raise an OSError, ValueError or TypeError after so many seconds."""
    return Client(address, timeout=seconds, set_as_default=False)


def default_client() -> Client:
    """Return the client that is used if none is given, or raise a ValueError."""
    try:
        return get_client()
    except ValueError:
        raise ValueError(
            "client is None, and there is no default one. Connect to a cluster with dask.distributed.Client(address), "
            "or start one here with dask.distributed.Client()."
        ) from None
