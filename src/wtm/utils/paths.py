"""Names of files and folders that callers give."""

import os
from pathlib import Path
from typing import Any

__all__ = ["checked_path"]


def checked_path(path: Any, name: str) -> Path:
    """Return the path that the argument called `name` is.

    Raises
    ------
    TypeError
        It is neither a string nor path-like, or its name is bytes.
    ValueError
        It is empty, or no file can have such a name.
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        remedy = "; os.fsdecode makes a string of bytes" if isinstance(path, bytes) or text is not None else ""
        raise TypeError(
            f"{name} must be a string or path-like, such as a pathlib.Path, got {path!r} of type "
            f"{type(path).__name__}{remedy}."
        )
    if not text:
        raise ValueError(f"{name} is empty, and must name a file or folder: is a variable not set?")
    if "\0" in text:
        raise ValueError(f"{name} must not hold a null character, got {text!r}: no file's name does.")
    return Path(text)
