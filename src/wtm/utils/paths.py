"""Check paths passed by the caller."""

import os
from pathlib import Path
from typing import Any


def as_path(path: Any, name: str) -> Path:
    """Return the argument called `name` as a path.

    Raises
    ------
    TypeError
        It is not a string or path-like, or its name is bytes.
    ValueError
        It is empty or holds a null character.
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        remedy = "; os.fsdecode turns bytes into a string" if isinstance(path, bytes) or text is not None else ""
        raise TypeError(
            f"{name} must be a string or path-like, such as a pathlib.Path, got {path!r} of type "
            f"{type(path).__name__}{remedy}."
        )
    if not text:
        raise ValueError(f"{name} must name a file or folder, got an empty string. Is a variable not set?")
    if "\0" in text:
        raise ValueError(f"{name} must not contain a null character, got {text!r}.")
    return Path(text)
