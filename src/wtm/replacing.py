"""Files that are written whole or not at all."""

import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["replacing"]


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
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    exists = target.exists()
    if exists and not target.is_file():
        raise ValueError(f"{path} is a folder, a pipe or a device: give the name of a file.")
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            if exists:
                shutil.copymode(target, temporary)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename == str(temporary):  # a name that the user has never heard of
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise
    _sync_folder(target.parent)


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
