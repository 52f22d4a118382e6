"""The container: a header and arrays in a safetensors file with a checksum, written completely or not at all.

`wtm.modelfile.writer` and `wtm.modelfile.reader` define the content of the header and of the arrays.
"""

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from wtm.modelfile.values import check_containers, parse_json
from wtm.utils.atomic_write import atomic_write
from wtm.utils.memory_limits import check_memory
from wtm.utils.printable import short_repr

_KEY = "wtm"  # of the header in the metadata of safetensors
_BLANK = "0" * 64
_DIGEST = re.compile("[0-9a-f]{64}")
_MAX_HEADER_BYTES = 100_000_000  # what safetensors reads
_DTYPES = {"U8": "|u1", "U16": "<u2", "U64": "<u8", "I32": "<i4"}


@dataclass(frozen=True)
class Contents:
    """What a file with a correct checksum holds.

    Attributes
    ----------
    header : dict
    arrays : dict of str to ndarray
        Read-only.
    """

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]


def write_file(path: Path, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a file, or replace it; if writing fails, an existing file stays as it was.

    Raises
    ------
    ValueError
        `path` is a folder, a pipe or a device, or the header is too large or has too many lists.
    OSError
        The file can't be written.
    """
    # A single entry, which starts with the checksum: so its place is known, and equal contents make equal files.
    text = json.dumps({"sha256": _BLANK, **header}, allow_nan=False, separators=(",", ":"))
    check_containers(text)
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


def read_file(path: Path, check_version: Callable[[dict[str, Any]], None]) -> Contents:
    """Read a file into memory, once: what is checked is what is used, even if the file is overwritten meanwhile.

    Parameters
    ----------
    path : Path
    check_version : callable
        Called with the header before the checksum is checked, which another version may store elsewhere.

    Raises
    ------
    ValueError
        The file is not a model file, is incomplete, or was altered.
    MemoryError
        The file is larger than the memory that is free.
    OSError
        The file can't be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe might never end
        raise ValueError("it is a folder, a pipe or a device, not a file")
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(8)
        n_bytes = int.from_bytes(start, "little")
        if len(start) < 8 or n_bytes > size - 8:
            raise ValueError("it is not a safetensors file, or is cut short")
        if n_bytes > _MAX_HEADER_BYTES:
            raise ValueError(f"its header has {n_bytes:,} bytes, more than the {_MAX_HEADER_BYTES:,} that are allowed")
        described = file.read(n_bytes)
        entries = _entries(described)
        header = _header(entries.pop("__metadata__", None))
        check_version(header)
        places = _places(entries, size - 8 - n_bytes)
        check_memory(size, f"Reading {path}", "Save the model with prediction_only=True, which makes a smaller file.")
        data = file.read(size - 8 - n_bytes + 1)  # one byte more: the checksum is wrong if the file has grown
    _check_digest(start + described, data, header.get("sha256"))
    arrays = {
        name: np.frombuffer(data, dtype, math.prod(shape), offset).reshape(shape)
        for name, (dtype, shape, offset) in places.items()
    }
    return Contents(header, arrays)


def _entries(described: bytes) -> dict[str, Any]:
    """Parse the header of the safetensors file."""
    try:
        entries = parse_json(described.decode())
    except UnicodeDecodeError:
        raise ValueError("it is not a safetensors file, or is damaged") from None
    if not isinstance(entries, dict):
        raise ValueError("it is not a safetensors file: its header is not a JSON object")
    return entries


def _places(entries: dict[str, Any], n_bytes: int) -> dict[str, tuple[np.dtype[Any], tuple[int, ...], int]]:
    """Return type, shape and offset of each array, all within `n_bytes` bytes."""
    places = {}
    for name, entry in entries.items():
        match entry:
            case {"dtype": str(kind), "shape": list(shape), "data_offsets": [int(first), int(last)], **others} if (
                not others and kind in _DTYPES and all(type(length) is int and length >= 0 for length in shape)
            ):
                dtype = np.dtype(_DTYPES[kind])
            case _:
                raise ValueError(f"its entry {short_repr(name)} does not describe an array of a type that wtm writes")
        if not 0 <= first <= last <= n_bytes or last - first != math.prod(shape) * dtype.itemsize:
            raise ValueError(f"it is cut short or damaged: its array {short_repr(name)} is not within it")
        places[name] = dtype, tuple(shape), first
    return places


def _header(metadata: Any) -> dict[str, Any]:
    if not isinstance(metadata, dict) or set(metadata) != {_KEY} or not isinstance(metadata[_KEY], str):
        raise ValueError("it is a safetensors file, but not one that wtm wrote")
    header = parse_json(metadata[_KEY])
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    return header


def _check_digest(start: bytes, data: bytes, stated: Any) -> None:
    """Check the SHA-256 of the whole file, in which its own digits count as zeros."""
    if not isinstance(stated, str) or not _DIGEST.fullmatch(stated):
        raise ValueError("its checksum is missing")
    digest = hashlib.sha256(start.replace(stated.encode(), _BLANK.encode(), 1))
    digest.update(data)
    if digest.hexdigest() != stated:
        raise ValueError("its checksum is wrong: it was altered or damaged. Copy or save it again")
