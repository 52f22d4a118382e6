"""Write files completely or not at all."""

import contextlib
import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import BinaryIO

_MAX_NAME_BYTES = 200  # of the target's name in that of a temporary file


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file next to `path`, which replaces `path` once it is complete and safe on disk.

    On any error an existing file stays as it was, and the temporary file is removed. If the process is killed, the
    temporary file stays, as ``.NAME.wtm-HOST-PID-RANDOM.tmp``; the next write to `path` removes it if it is the same
    user's, and the process with this number on this host is gone.

    Raises
    ------
    ValueError
        `path` is not a regular file, but a folder or a device.
    OSError
        The file can't be written.
    """
    target = _target(path)
    with _temporary_name(target, path) as temporary:
        with temporary.open("xb") as file:
            if target.exists():
                shutil.copymode(target, temporary)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    _sync_folder(target.parent)
    _remove_stale(target)


def check_writable(path: Path) -> None:
    """Check that `atomic_write` can write to `path`, without changing anything.

    Raises
    ------
    ValueError, OSError
        As in `atomic_write`.
    """
    target = _target(path)
    with _temporary_name(target, path) as temporary:
        temporary.open("xb").close()
        with contextlib.suppress(FileNotFoundError):
            target.lstat()  # the name may be too long


def _target(path: Path) -> Path:
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    if target.exists() and not target.is_file():
        raise ValueError(f"{path} is a folder, a pipe or a device: pass the name of a file.")
    return target


@contextlib.contextmanager
def _temporary_name(target: Path, path: Path) -> Iterator[Path]:
    """Give a name next to `target`, and remove the file of this name at the end; errors name `path` instead."""
    temporary = target.with_name(f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(temporary)):  # None: the disk is full
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _prefix(target: Path) -> str:
    """Return how names of temporary files of this host begin; a part of a long name, since names have a limit."""
    name = os.fsencode(target.name)[:_MAX_NAME_BYTES].decode(errors="ignore")
    return f".{name}.wtm-{_host()}-"


@cache
def _host() -> str:
    """Return 8 digits for the host and, in containers, the set of processes that `os.kill` sees."""
    parts = [platform.node().encode()]
    with contextlib.suppress(OSError):
        parts.append(Path("/etc/machine-id").read_bytes())
    with contextlib.suppress(OSError):
        parts.append(bytes(Path("/proc/self/ns/pid").readlink()))
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:8]


def _remove_stale(target: Path) -> None:
    """Remove temporary files for this target of processes that were killed."""
    if sys.platform == "win32":  # where `os.kill` ends processes
        return
    prefix = _prefix(target)
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            ending = re.fullmatch(r"([0-9]{1,9})-[0-9a-f]{8}\.tmp", entry.name.removeprefix(prefix))
            if entry.name.startswith(prefix) and ending and _is_own(entry) and not _is_alive(int(ending[1])):
                with contextlib.suppress(OSError):
                    Path(entry).unlink()


def _is_own(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.geteuid()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Make the new name safe on disk, on systems that can."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
