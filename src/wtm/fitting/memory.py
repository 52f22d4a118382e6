"""Refusing in time what memory can't hold."""

import os

__all__ = ["check_memory"]


def check_memory(n_bytes: int, wanted: str) -> None:
    """Refuse to allocate more than the machine has: a process that tries may be killed without a word.

    Parameters
    ----------
    n_bytes : int
    wanted : str
        What takes them, for the message.

    Raises
    ------
    MemoryError
        The machine has less memory in all. Where it does not tell how much, nothing is refused.
    """
    try:
        available = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not on Windows
        return
    if 0 < available < n_bytes:
        raise MemoryError(f"{wanted} take {n_bytes / 2**30:,.1f} GiB, and this machine has {available / 2**30:,.1f}.")
