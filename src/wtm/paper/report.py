"""What all experiments share: the folder of results, the JSON file, where it was computed, and what is said."""

import importlib.metadata
import json
import os
import platform
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib
from llvmlite import binding
from rich.console import Console

import wtm

__all__ = ["environment", "prepare_folder", "say", "show", "write_json"]


def prepare_folder(folder: Path) -> None:
    """Make the folder of results, and make sure that files can be written there, before any long work.

    Raises
    ------
    OSError
        It can't be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(f"--out must name a folder, but {folder} is a file.") from None
    with tempfile.TemporaryFile(dir=folder):
        pass


def write_json(path: Path, results: dict[str, Any]) -> None:
    """Write `results`, with where and when they were computed, as JSON."""
    content = {**results, **environment(), "finished": datetime.now(UTC).isoformat(timespec="seconds")}
    path.write_text(json.dumps(content, indent=2, allow_nan=False) + "\n", encoding="utf-8")


def environment() -> dict[str, Any]:
    """The versions and the machine that results and times depend on."""
    return {
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


def say(line: str) -> None:
    """Tell on standard error how the work goes."""
    print(line, file=sys.stderr, flush=True)


def show(*parts: Any) -> None:
    """Print tables and lines of text on standard output, as they are."""
    console = Console(markup=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part)
