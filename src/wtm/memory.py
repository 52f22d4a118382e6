"""Refusing in time what memory can't hold."""

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["check_memory"]

_LIMITS_OF_CONTAINERS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def check_memory(n_bytes: int, wanted: str) -> None:
    """Refuse to allocate more than there is in all: a process that tries may be killed without a word.

    Parameters
    ----------
    n_bytes : int
    wanted : str
        What takes them, for the message.

    Raises
    ------
    MemoryError
        The machine, or the container on it, has less memory in all. Where neither tells how much, nothing is refused.
    """
    available = min(_limits(), default=n_bytes)
    if available < n_bytes:
        raise MemoryError(f"{wanted} take {n_bytes / 2**30:,.1f} GiB, and this machine has {available / 2**30:,.1f}.")


def _limits() -> Iterator[int]:
    """Bytes of the machine's memory, where it tells (not on Windows), and of the container's, if there is one."""
    try:
        n_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        n_bytes = -1
    if n_bytes > 0:
        yield n_bytes
    for path in _LIMITS_OF_CONTAINERS:
        try:
            yield int(path.read_text())
        except (OSError, ValueError):  # there is no such file, or it says "max"
            continue
