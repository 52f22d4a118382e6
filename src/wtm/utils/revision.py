"""The Git revision of the code, if it runs from a checkout."""

import functools
import subprocess
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]


@functools.cache
def git_revision() -> str | None:
    """Return what ``git rev-parse HEAD`` prints in the checkout; None for an installed package or without Git."""
    if not (_ROOT / ".git").exists():  # it may lie in the folder of another project that has one
        return None
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=_ROOT, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
