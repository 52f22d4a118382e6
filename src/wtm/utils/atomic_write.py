"""Files that are written whole or not at all."""

import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["check_replaceable", "replacing"]


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file beside `path`, which takes its place when all is written and safe on disk.

    Whatever goes wrong, a file that was there stays as it was, and nothing else is left.

    Raises
    ------
    ValueError
        `path` is something that must not be replaced, such as a folder or a device.
    OSError
        The file can't be written.
    """
    target = _target(path)
    with _name_beside(target, path) as temporary:
        with temporary.open("xb") as file:
            if target.exists():
                shutil.copymode(target, temporary)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    _sync_folder(target.parent)


def check_replaceable(path: Path) -> None:
    """Find out whether `replacing` can write, by writing nothing in the same way: before there is anything to lose.

    Raises
    ------
    ValueError, OSError
        As `replacing`.
    """
    target = _target(path)
    with _name_beside(target, path) as temporary:
        temporary.open("xb").close()
        with contextlib.suppress(FileNotFoundError):
            target.lstat()  # a name may be too long


def _target(path: Path) -> Path:
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    if target.exists() and not target.is_file():
        raise ValueError(f"{path} is a folder, a pipe or a device: give the name of a file.")
    return target


@contextlib.contextmanager
def _name_beside(target: Path, path: Path) -> Iterator[Path]:
    """A name for a temporary file, which is not there afterwards; errors tell of `path`, the name that users know."""
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
    except OSError as error:
        # A full disk is told of without any name.
        if error.errno is not None and error.filename in (None, str(temporary)):
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the new name safe on disk, where the system lets us; the file is whole in any case."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
