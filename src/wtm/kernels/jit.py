"""The decorators of every kernel, and where compiled kernels are kept.

Numba's own disk cache looks at the file of a kernel alone, so it would go on using a kernel whose *callee* in another
file has changed. Kernels are therefore kept in a folder whose name is a digest of all kernel sources: a changed or
upgraded package never meets old code, and an installation that cannot be written to works as well.
"""

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import caching
from numba.misc.appdirs import AppDirs

__all__ = ["cache_folder", "function", "inline", "kernel", "splice"]


@functools.cache
def cache_folder() -> Path:
    """Folder of this version's compiled kernels: under ``NUMBA_CACHE_DIR`` where set, else the user's cache folder."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    root = os.environ.get("NUMBA_CACHE_DIR") or AppDirs("wtm", appauthor=False).user_cache_dir
    return Path(root) / f"wtm-kernels-{digest.hexdigest()[:16]}"


class _SourcesLocator(caching._CacheLocator):
    """Tells Numba to keep a kernel in `cache_folder`, and that it is fresh for as long as that folder's name holds."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return cache_folder().name

    def get_disambiguator(self) -> str:
        return str(self._lineno)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_SourcesLocator | None":
        locator = cls(py_func, py_file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = (_SourcesLocator,)


class _KernelCache(caching.Cache):
    _impl_class = _KernelCacheImpl


# Kernels get all their arrays from Python and keep none, so Numba's reference counting is left out of them: its atomic
# increments at every use of an array would take longer than the work.
_jit = functools.partial(numba.njit, nogil=True, _nrt=False)


def kernel(func: Callable[..., Any]) -> Any:
    """Compile `func` on its first call, without the GIL, and keep the machine code on disk where that is possible.

    A kernel allocates nothing: Numba refuses one that does.
    """
    dispatcher = _jit()(func)
    try:
        dispatcher._cache = _KernelCache(func)
    except RuntimeError:  # no folder can be written to: compile anew in every process
        return dispatcher
    return dispatcher


function = _jit()
"""For the larger parts of a kernel: compiled once and called, and kept on disk with the kernel."""

inline = _jit(forceinline=True)
"""For the small parts: written into the caller, so that vectors stay in registers."""

splice = _jit(inline="always")
"""For parts that are called in one place of a kernel: not compiled by themselves, which halves a kernel's compile time.

Numba crashes where a spliced function calls another.
"""
