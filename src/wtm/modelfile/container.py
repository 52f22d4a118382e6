"""The container: a header and arrays in a safetensors file with a checksum, written whole or not at all.

`wtm.modelfile.writer` and `wtm.modelfile.reader` know what the header and the arrays mean.
"""

import contextlib
import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import safetensors
import safetensors.numpy

from wtm.modelfile.values import parse_json
from wtm.utils.atomic_write import atomic_write

_KEY = "wtm"  # of the header in the metadata of safetensors
_BLANK = "0" * 64
_DIGEST = re.compile("[0-9a-f]{64}")
_MAX_HEADER_BYTES = 100_000_000  # what safetensors reads
_CHUNK = 1 << 20
_ATTEMPTS = 100


@dataclass(frozen=True)
class Contents:
    """An open file with a correct checksum.

    Attributes
    ----------
    header : dict
    layout : dict of str to (str, tuple of int)
        Type, by its name in safetensors, and shape of every array.
    read : callable
        ``read(name)`` returns an array, ``read(name, i)`` only its part ``[i]``.
    """

    header: dict[str, Any]
    layout: dict[str, tuple[str, tuple[int, ...]]]
    read: Callable[..., np.ndarray]


def write_file(path: Path, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a file, or replace it; if writing fails, an existing file stays as it was.

    Raises
    ------
    ValueError
        `path` is a folder, a pipe or a device, or the header is too large.
    OSError
        The file can't be written.
    """
    # A single entry, which starts with the checksum: so its place is known, and equal contents make equal files.
    text = json.dumps({"sha256": _BLANK, **header}, allow_nan=False, separators=(",", ":"))
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    data = memoryview(safetensors.numpy.save(arrays, metadata={_KEY: text}))
    end = 8 + int.from_bytes(data[:8], "little")
    if end - 8 > _MAX_HEADER_BYTES:
        raise ValueError(
            f"The model's header has {end - 8:,} bytes, more than the {_MAX_HEADER_BYTES:,} that safetensors allows. "
            "Use shorter feature names."
        )
    digest = hashlib.sha256(data).hexdigest()
    with atomic_write(path) as file:
        file.write(bytes(data[:end]).replace(_BLANK.encode(), digest.encode(), 1))
        file.write(data[end:])


@contextlib.contextmanager
def open_file(path: Path, check_version: Callable[[dict[str, Any]], None]) -> Iterator[Contents]:
    """Open a file. Arrays take no memory until they are read, whatever the header says.

    Parameters
    ----------
    path : Path
    check_version : callable
        Called with the header before the checksum is checked, which another version may store elsewhere.

    Raises
    ------
    ValueError
        The file is not a model file, is incomplete, or was altered.
    OSError
        The file can't be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):  # reading from a pipe or a device might never end
        raise ValueError("it is a folder, a pipe or a device, and not a file")
    with contextlib.ExitStack() as stack:
        raw, file = _open_twice(path, stack)
        header = _header(file.metadata())
        check_version(header)
        _check_digest(raw, header.get("sha256"))
        parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
        layout = {name: (part.get_dtype(), tuple(part.get_shape())) for name, part in parts.items()}
        yield Contents(header, layout, lambda name, i=None: file.get_tensor(name) if i is None else parts[name][i])


def _open_twice(path: Path, stack: contextlib.ExitStack) -> tuple[BinaryIO, Any]:
    """Open a file as bytes and as safetensors, and make sure that it wasn't replaced in between."""
    for _ in range(_ATTEMPTS):
        raw = stack.enter_context(path.open("rb"))
        try:
            file = stack.enter_context(safetensors.safe_open(path, framework="numpy"))
        except safetensors.SafetensorError as error:
            raise ValueError(f"it is not a safetensors file, or is cut short or damaged ({error})") from error
        if os.path.samestat(os.fstat(raw.fileno()), path.stat()):
            return raw, file
        stack.close()
    raise ValueError("it keeps being replaced while it is read")


def _header(metadata: dict[str, str] | None) -> dict[str, Any]:
    if not metadata or set(metadata) != {_KEY}:
        raise ValueError("it is a safetensors file, but not one that wtm wrote")
    header = parse_json(metadata[_KEY])
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    return header


def _check_digest(file: BinaryIO, stated: Any) -> None:
    """Check the SHA-256 of the whole file, in which its own digits count as zeros."""
    if not isinstance(stated, str) or not _DIGEST.fullmatch(stated):
        raise ValueError("its checksum is missing")
    start = file.read(8)
    header = file.read(int.from_bytes(start, "little"))
    digest = hashlib.sha256(start + header.replace(stated.encode(), _BLANK.encode(), 1))
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    if digest.hexdigest() != stated:
        raise ValueError("its checksum is wrong: it was altered or damaged")
