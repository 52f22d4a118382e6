"""The decorators of every kernel, and where compiled kernels are kept.

Numba's own disk cache checks only the file of a kernel, so it would reuse a kernel whose *callee* in another file has
changed. Kernels are therefore kept in a folder whose name is a digest of all kernel sources: a changed or upgraded
package never loads old code. The package and the folder may both be read-only.
"""

import functools
import hashlib
import os
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import caching
from numba.core.registry import CPUDispatcher
from numba.misc.appdirs import AppDirs

_DIGEST_BYTES = 32


@functools.cache
def kernel_digest() -> str:
    """Sixteen hexadecimal digits of a digest of all kernel sources."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path:
    """Folder of this version's compiled kernels, in ``NUMBA_CACHE_DIR`` if set, else in the user's cache folder."""
    root = os.environ.get("NUMBA_CACHE_DIR") or AppDirs("wtm", appauthor=False).user_cache_dir
    return Path(root) / f"wtm-kernels-{kernel_digest()}"


class _SourcesLocator(caching._CacheLocator):
    """Makes Numba keep kernels in `cache_folder`, and treat them as fresh while the name of the folder is the same."""

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
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_SourcesLocator":
        return cls(py_func, py_file)


class _KernelFiles(caching.IndexDataCacheFile):
    """Numba's files with a digest before the machine code: damaged files count as missing and are compiled again."""

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()
        except Exception:  # whatever unpickling of anything may raise, or a folder that can't be read
            return {}

    def _save_data(self, name: str, data: Any) -> None:
        payload = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(payload).digest() + payload)

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        digest, payload = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if hashlib.sha256(payload).digest() != digest:
            raise OSError(f"{name} is damaged")  # which the caller takes for a file that is not there
        return pickle.loads(payload)


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = (_SourcesLocator,)


class _KernelCache(caching.Cache):
    _impl_class = _KernelCacheImpl

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._cache_file = _KernelFiles(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_that_kernels_are_not_kept(str(error))


@functools.cache
def _warn_that_kernels_are_not_kept(reason: str) -> None:
    warnings.warn(
        f"Compiled kernels can't be kept in {cache_folder()} ({reason}), so every process compiles them again, "
        "which takes a while. Set NUMBA_CACHE_DIR to a writable folder.",
        RuntimeWarning,
        stacklevel=2,
    )


# Kernels get all their arrays from Python and keep none, so they do without Numba's reference counting: its atomic
# increments at every use of an array would take longer than the work.
_jit = functools.partial(numba.njit, nogil=True, _nrt=False)


def kernel(func: Callable[..., Any]) -> Any:
    """Compile `func` on its first call, to run without the GIL, and keep the machine code on disk if possible.

    A kernel allocates nothing: Numba refuses one that does.
    """
    dispatcher = _jit()(func)
    dispatcher._cache = _KernelCache(func)
    return dispatcher


class _InnerDispatcher(CPUDispatcher):
    """A function that only compiled code can call."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} can only be called by kernels: it has no wrapper for Python.")


def _inner(func: Callable[..., Any], **options: Any) -> Any:
    # The wrapper through which Python calls a function unpacks some 40 arrays. Without one for each inner function,
    # the kernels compile in two thirds of the time.
    dispatcher = _jit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(func)
    dispatcher.__class__ = _InnerDispatcher
    return dispatcher


def function(func: Callable[..., Any]) -> Any:
    """Compile a larger part of a kernel as a function of its own, kept on disk with the kernel."""
    return _inner(func)


def inline(func: Callable[..., Any]) -> Any:
    """Inline a part of a kernel, so that vectors stay in registers and no records are passed."""
    return _inner(func, forceinline=True)


splice = _jit(inline="always")
"""For parts that a kernel calls in one place: they are not compiled on their own, which halves its compile time.

Numba crashes where a spliced function calls another.
"""
