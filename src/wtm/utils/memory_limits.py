"""Refuse allocations that don't fit into memory, before the system kills the process for them."""

import os
from collections.abc import Iterator
from pathlib import Path

_ALWAYS_ALLOWED = 1 << 24
_MARGIN = 1.1  # for what is not counted, such as the allocator's overhead
_MEMINFO = Path("/proc/meminfo")
_OWN_SIZE = Path("/proc/self/statm")
_OWN_GROUPS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")
_UNITS = ((30, "GiB"), (20, "MiB"), (10, "KiB"), (0, "bytes"))


def check_memory(n_bytes: int, wanted: str, remedy: str) -> None:
    """Refuse to allocate more memory than is available now.

    Parameters
    ----------
    n_bytes : int
    wanted : str
        What needs the memory, for the message.
    remedy : str
        What would need less, for the message: a sentence.

    Raises
    ------
    MemoryError
        The computer or its container has less memory. If neither reports how much, nothing is refused.
    """
    if n_bytes <= _ALWAYS_ALLOWED:
        return
    needed, available = int(n_bytes * _MARGIN), available_memory()
    if available is not None and available < needed:
        raise MemoryError(
            f"{wanted} would take {_with_unit(needed)} of memory, but only {_with_unit(available)} are available. "
            f"{remedy}"
        )


def available_memory() -> int | None:
    """Return the bytes that can be allocated now, page cache and swap included, or None if unknown.

    On Linux this is the memory that the computer, the control groups of this process and ``ulimit -v`` leave; elsewhere
    it is all memory of the computer.
    """
    return min(_limits(), default=None)


def _limits() -> Iterator[int]:
    machine = _available_on_linux()
    if machine is None:
        machine = _physical_memory()
    if machine is not None:
        yield machine
    yield from _left_in_control_groups()
    yield from _left_of_address_space()


def _left_of_address_space() -> Iterator[int]:
    """Yield what ``ulimit -v`` leaves, on Linux."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        n_pages = int(_OWN_SIZE.read_text().split()[0])
    except (ImportError, OSError, ValueError, IndexError):
        return
    if limit != resource.RLIM_INFINITY:
        yield max(0, limit - n_pages * resource.getpagesize())


def _available_on_linux() -> int | None:
    found = _numbers(_MEMINFO)
    if "MemAvailable:" not in found:
        return None
    return found["MemAvailable:"] + found.get("SwapFree:", 0) << 10


def _physical_memory() -> int | None:
    """Return the bytes of the machine's memory, or None if unknown (on Windows)."""
    try:
        n_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
    return n_bytes if n_bytes > 0 else None


def _left_in_control_groups() -> Iterator[int]:
    """Yield the bytes that each limit on this process leaves, in version 2 and version 1 of Linux's control groups."""
    try:
        lines = _OWN_GROUPS.read_text().splitlines()
    except (OSError, ValueError):
        lines = []
    controllers_and_paths = [line.split(":", 2)[1:] for line in lines if line.count(":") >= 2]
    # In a container the path may be the host's while the folders are the container's, so look at all folders above too.
    paths = {"": "/", "memory": "/"} | dict(controllers_and_paths)
    for folder in _upward(_GROUPS, paths[""]):
        yield from _left(folder, "memory.max", "memory.current", "")
    for folder in _upward(_GROUPS / "memory", paths["memory"]):
        yield from _left(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_")


def _upward(root: Path, path: str) -> Iterator[Path]:
    """Yield a group's folder and its parents, up to the root."""
    parts = [part for part in path.split("/") if part]
    for depth in range(len(parts), -1, -1):
        yield root.joinpath(*parts[:depth])


def _left(folder: Path, limit_name: str, used_name: str, prefix: str) -> Iterator[int]:
    try:
        limit, used = (int((folder / name).read_text()) for name in (limit_name, used_name))
    except (OSError, ValueError):  # no such file, or no limit ("max")
        return
    statistics = _numbers(folder / "memory.stat")
    cache = sum(statistics.get(f"{prefix}{name}_file", 0) for name in ("active", "inactive"))
    yield max(0, limit - max(0, used - cache))


def _numbers(path: Path) -> dict[str, int]:
    """Return the first number after each name in a file of lines; empty if there is no such file."""
    try:
        rows = [line.split() for line in path.read_text().splitlines()]
        return {row[0]: int(row[1]) for row in rows if len(row) > 1}
    except (OSError, ValueError):
        return {}


def _with_unit(n_bytes: int) -> str:
    shift, unit = next(((shift, unit) for shift, unit in _UNITS if n_bytes >> shift), _UNITS[-1])
    return f"{n_bytes / (1 << shift):,.1f} {unit}" if shift else f"{n_bytes} {unit}"
