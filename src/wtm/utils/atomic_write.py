"""Files that are written whole or not at all."""

import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file next to `path`, which replaces `path` once it is complete and safe on disk.

    On any error an existing file stays as it was, and the temporary file is removed.

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
        raise ValueError(f"{path} is a folder, a pipe or a device: give the name of a file.")
    return target


@contextlib.contextmanager
def _temporary_name(target: Path, path: Path) -> Iterator[Path]:
    """Give a name next to `target`, and remove the file of this name at the end; errors name `path` instead."""
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(temporary)):  # None: the disk is full
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


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
