"""Where compiled kernels are kept.

Numba's own disk cache checks only the file of a kernel, so it would reuse a kernel whose *callee* in another file has
changed. Kernels are therefore kept in a folder whose name is a digest of all kernel modules: a changed or upgraded
package never loads old code. Numba itself checks its own version, Python's and the processor. The package and the
folder may both be read-only.
"""

import functools
import hashlib
import importlib.util
import logging
import marshal
import os
import pickle
import pkgutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.misc.appdirs import AppDirs

_DIGEST_BYTES = 32


@functools.cache
def kernel_digest() -> str | None:
    """Sixteen hexadecimal digits of a digest of all kernel modules, or None if they can't be read.

    It is a digest of the sources, or of the bytecode in an installation without sources.
    """
    return _package_digest(__name__.rpartition(".")[0])


def _package_digest(package: str) -> str | None:
    """Digest the modules of a package, wherever it is imported from: a folder, a ZIP file or a frozen program."""
    spec = importlib.util.find_spec(package)
    found = pkgutil.iter_modules(spec.submodule_search_locations if spec else None, f"{package}.")
    modules = {f"{name.rpartition('.')[2]}.py": name for _, name, _ in found}
    if not modules:
        return None
    digest = hashlib.sha256()
    for file, name in sorted({"__init__.py": package, **modules}.items()):
        content = _module_content(name)
        if content is None:
            return None
        digest.update(file.encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _module_content(name: str) -> bytes | None:
    """Return the file that a module is imported from, or its bytecode if there is no file, or None without either."""
    spec = importlib.util.find_spec(name)
    loader: Any = spec and spec.loader
    try:
        content: bytes = loader.get_data(loader.get_filename(name))
    except (AttributeError, ImportError, OSError):
        try:
            code = loader.get_code(name)
        except (AttributeError, ImportError):
            return None
        return None if code is None else marshal.dumps(code, 2)  # later versions depend on what else refers to it
    return content


@functools.cache
def cache_folder() -> Path | None:
    """Folder of this version's compiled kernels, in ``NUMBA_CACHE_DIR`` if set, else in the user's cache folder.

    None if `kernel_digest` is None: other versions would share the folder.
    """
    digest = kernel_digest()
    if digest is None:
        return None
    root = os.environ.get("NUMBA_CACHE_DIR") or AppDirs("wtm", appauthor=False).user_cache_dir
    return Path(root) / f"wtm-kernels-{digest}"


class _FolderLocator(caching._CacheLocator):
    """Makes Numba keep kernels in `cache_folder`, and treat them as fresh while the name of the folder is the same."""

    def __init__(self, folder: Path, py_func: Callable[..., Any], py_file: str) -> None:
        self._folder = folder
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._lineno)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_FolderLocator | None":
        folder = cache_folder()
        return None if folder is None else cls(folder, py_func, py_file)


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
    _locator_classes = (_FolderLocator,)


class _KernelCache(caching.Cache):
    _impl_class = _KernelCacheImpl

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._cache_file = _KernelFiles(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        kept = super().load_overload(sig, target_context)
        if kept is None:
            _announce_compilation()
        return kept

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_that_kernels_are_not_kept(
                f"in {cache_folder()} ({error})", "Set NUMBA_CACHE_DIR to a writable folder."
            )


class _NoCache(caching.NullCache):
    """In the place of `_KernelCache` where `cache_folder` is None."""

    def load_overload(self, sig: Any, target_context: Any) -> None:
        _announce_compilation()

    def save_overload(self, sig: Any, data: Any) -> None:
        _warn_that_kernels_are_not_kept(
            "on disk (the modules of wtm.kernels can't be read)", "Install wtm as a folder or a ZIP file."
        )


@functools.cache
def _warn_that_kernels_are_not_kept(where: str, remedy: str) -> None:
    warnings.warn(
        f"Compiled kernels can't be kept {where}, so every process compiles them again, which takes a while. {remedy}",
        RuntimeWarning,
        stacklevel=2,
    )


@functools.cache
def _announce_compilation() -> None:
    """Say why the first call takes long: where somebody waits for it, on standard error, else in the log.

    A level of the logger "wtm" above INFO silences it.
    """
    logger = logging.getLogger("wtm")
    if logger.level > logging.INFO:
        return
    message = "compiling kernels for this processor, once: about 10 s"
    if sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules):
        print(message, file=sys.stderr, flush=True)
    else:
        logger.info(message)


def cache_of(func: Callable[..., Any]) -> Any:
    """Return the cache of a kernel, as Numba's dispatchers take it."""
    return _NoCache() if cache_folder() is None else _KernelCache(func)
