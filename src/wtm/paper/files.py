"""Files that are either whole or not there, and what every file of results says of its origin."""

import importlib.metadata
import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib
from llvmlite import binding

import wtm
from wtm.utils.atomic_write import atomic_write

__all__ = [
    "check_checkpoint",
    "check_name",
    "check_not_there",
    "environment",
    "missing_runs",
    "prepare_folder",
    "read_json",
    "read_runs",
    "write_atomically",
    "write_json",
]


def prepare_folder(folder: Path) -> None:
    """Make the folder of results, and make sure that files can be written there, before any long work.

    Raises
    ------
    OSError
        It can't be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (FileExistsError, NotADirectoryError):
        file = next(path for path in (folder, *folder.parents) if path.exists())
        raise NotADirectoryError(f"--out must name a folder, but {file} is a file.") from None
    except OSError as error:
        raise type(error)(f"--out: no results can be written to {folder}: {error.strerror}.") from None


def check_not_there(path: Path, *, resumable: bool) -> None:
    """Refuse to replace results of a former run, which --resume would go on from where it is `resumable`.

    Raises
    ------
    ValueError
        The file exists.
    """
    if path.exists():
        choose = "Go on from there with --resume, choose" if resumable else "Choose"
        raise ValueError(
            f"{path} holds results of a former run, which are not replaced. {choose} another folder with --out, or "
            "remove the file."
        )


def check_name(path: Path, name: str) -> None:
    """Make sure that a file of results has the name that its content belongs to.

    Raises
    ------
    ValueError
        It has another.
    """
    if path.stem != name:
        raise ValueError(f"{path} holds what belongs into {name}.json: give it back its name, or remove it.")


def check_checkpoint(checkpoint: Path, result: Path, n_epochs: int) -> None:
    """Refuse to go on from results whose checkpoint is gone: a new start would replace them.

    Raises
    ------
    ValueError
        There is no checkpoint.
    """
    if not checkpoint.exists():
        raise ValueError(
            f"{result} holds {n_epochs:,} epochs, but there is no {checkpoint} to go on from. Train anew in another "
            "folder, with --out, or remove the file."
        )


def missing_runs(folder: Path, wanted: Iterable[tuple[str, int]], *, resume: bool) -> list[tuple[str, int, Path]]:
    """Name, seed and file, ``NAME-seedK.json``, of the runs that are wanted and not there.

    Raises
    ------
    ValueError
        One is there, without `resume`.
    """
    runs = [(name, seed, folder / f"{name}-seed{seed}.json") for name, seed in wanted]
    if not resume:
        for *_, path in runs:
            check_not_there(path, resumable=True)
    return [(name, seed, path) for name, seed, path in runs if not path.exists()]


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that, whatever happens, `path` is the old file or the new one, whole."""
    with atomic_write(path) as file:
        file.write(content)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write `content` as JSON, atomically; lists of plain values take one line each."""
    write_atomically(path, (_json(content, "\n") + "\n").encode())


def _json(value: Any, newline: str) -> str:
    """JSON that has a line for each entry of an object, and for each item of a list that holds objects or lists."""
    inner = newline + " "
    if isinstance(value, dict) and value:
        entries = (f"{json.dumps(key)}: {_json(entry, inner)}" for key, entry in value.items())
        return "{" + inner + f",{inner}".join(entries) + newline + "}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "[" + inner + f",{inner}".join(_json(item, inner) for item in value) + newline + "]"
    return json.dumps(value, allow_nan=False)


def read_json(path: Path) -> dict[str, Any]:
    """Read what `write_json` wrote.

    Raises
    ------
    ValueError
        The file is no JSON object.
    """
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON file ({error}): remove it, or get it again.") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds no results, which are a JSON object: remove it, or get it again.")
    return content


def read_runs(
    folder: Path, names: Iterable[str], read: Callable[[Path], dict[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """Read the files ``NAME-seedK.json`` of each name, one a seed; names without any are left out."""
    found = {name: [read(path) for path in sorted(folder.glob(f"{name}-seed*.json"))] for name in names}
    return {name: runs for name, runs in found.items() if runs}


def environment() -> dict[str, Any]:
    """When, with which versions and on which machine something is computed."""
    return {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "wtm": wtm.__version__,
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("numpy", "numba", "llvmlite", "scikit-learn")},
        },
        "machine": {
            "platform": platform.platform(),
            "processor": _processor_name(),
            "llvm_target": os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name(),
            "cores": joblib.cpu_count(),
        },
    }


def _processor_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")  # Linux alone has it; `platform` does not read the name there
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
