"""What every file of results says about its origin."""

import importlib.metadata
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib
from llvmlite import binding

import wtm
from wtm.kernels.kernel_cache import kernel_digest
from wtm.utils.revision import git_revision

_REPOSITORY = Path(wtm.__file__).parents[2]
_LOCK_FILE = "requirements-reproduction.txt"


def environment() -> dict[str, Any]:
    """Return the time, the code, its versions and the machine of a computation."""
    return {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": git_revision(),
        "kernel_digest": kernel_digest(),
        "lock_file": _LOCK_FILE if (_REPOSITORY / _LOCK_FILE).is_file() else None,
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
    cpuinfo = Path("/proc/cpuinfo")  # on Linux `platform` does not read the name
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
