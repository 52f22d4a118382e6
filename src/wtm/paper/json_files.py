"""The JSON files of results: written whole or not at all, and never replaced unasked."""

import json
import operator
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wtm.utils.atomic_write import atomic_write, check_writable

ENVIRONMENT = ("versions", "machine")
"""Entries that every file of results has, from `wtm.paper.environment`."""

_MACHINE = ("platform", "processor", "llvm_target", "cores")
_DAMAGE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


def prepare_folder(folder: Path) -> None:
    """Create a folder for results and check that it is writable, before any long work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_writable(folder / "results.json")
    except OSError as error:
        raise type(error)(f"--out: no results can be written to {folder}: {error.strerror}.") from None


def check_absent(*paths: Path, resumable: bool = True) -> None:
    """Refuse to replace files of an earlier run."""
    for path in paths:
        if path.exists():
            choose = "Pass --resume to continue, choose" if resumable else "Choose"
            raise ValueError(f"{path} already exists. {choose} another folder with --out, or remove the file.")


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write `content` atomically; lists of plain values take one line each."""
    text = _to_json(content, "\n") + "\n"
    with atomic_write(path) as file:
        file.write(text.encode())


def _to_json(value: Any, newline: str) -> str:
    """Return JSON with a line per entry of an object, and per item of a list that holds objects or lists."""
    inner = newline + " "
    if isinstance(value, dict) and value:
        entries = (f"{json.dumps(key)}: {_to_json(entry, inner)}" for key, entry in value.items())
        return "{" + inner + f",{inner}".join(entries) + newline + "}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "[" + inner + f",{inner}".join(_to_json(item, inner) for item in value) + newline + "]"
    return json.dumps(value, allow_nan=False)


def read_json(path: Path) -> dict[str, Any]:
    """Read what `write_json` wrote."""
    with naming(path):
        content: dict[str, Any] = json.loads(path.read_bytes())
        content.keys()
    return content


def read_seeds(folder: Path, name: str, entries: Iterable[str]) -> list[dict[str, Any]]:
    """Read the files ``NAME-seedK.json`` of a folder, each with these `entries`, in the order of their names."""
    found = []
    for path in sorted(folder.glob(f"{name}-seed*.json")):
        found.append(read_json(path))
        with naming(path):
            check_environment(found[-1])
            _ = [found[-1][name] for name in entries]
    return found


def check_environment(content: dict[str, Any]) -> None:
    """Look up all that reports say of the versions and the machine of a file of results, or of a session."""
    versions, machine = (content[name] for name in ENVIRONMENT)
    _ = versions["wtm"], operator.itemgetter(*_MACHINE)(machine)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn any error of damaged content into a ValueError that names the file."""
    try:
        yield
    except _DAMAGE as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{path} is damaged ({reason}). Remove it, or copy it again.") from error
