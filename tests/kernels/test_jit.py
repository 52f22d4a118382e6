"""Kernels are kept on disk; damaged files and read-only folders are handled."""

import compileall
import importlib.machinery
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from py_compile import PycInvalidationMode

import numpy as np
import pytest

import wtm
from wtm.kernels import kernel_cache
from wtm.kernels.jit import kernel
from wtm.kernels.pending import draw_decrement

PROGRAM = textwrap.dedent(
    """
    import numpy as np
    from wtm.kernels import bits
    literals = np.array([[5, 0, 0, 0, 0, 0, 0, 0]], np.uint64)
    bits.complete_literals(literals, 3)
    assert literals[0, 0] == 0xFFFFFFFFFFFFFFD5, hex(literals[0, 0])
    print(sum(bits.complete_literals.stats.cache_hits.values()))
    """
)


def test_the_second_process_finds_the_kernel(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", PROGRAM]
    for hits in ("0\n", "1\n"):
        assert subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout == hits


@pytest.fixture
def forget():
    """Forget which folder kernels are kept in, and that anything was warned of."""
    found = (kernel_cache.kernel_digest, kernel_cache.cache_folder, kernel_cache._warn_that_kernels_are_not_kept)

    def clear():
        for function in found:
            function.cache_clear()

    clear()
    yield
    clear()


@pytest.fixture
def folder(tmp_path, monkeypatch, forget):
    """Where kernels are kept."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def double(numbers):
    numbers[0] *= 2


def hits():
    """Call a kernel as a new process would; return how often it was found on disk."""
    compiled, numbers = kernel(double), np.array([4])
    compiled(numbers)
    assert numbers.tolist() == [8]
    return sum(compiled.stats.cache_hits.values())


@pytest.mark.parametrize("pattern", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["truncated", "altered"])
def test_a_damaged_kernel_is_compiled_again(folder, pattern, damage):
    assert [hits(), hits()] == [0, 1]
    (path,) = folder.glob(f"*/test_jit.double-*.{pattern}")
    content = path.read_bytes()
    middle = len(content) // 2
    altered = content[:middle] + bytes([content[middle] ^ 0x55]) + content[middle + 1 :]
    path.write_bytes({"truncated": content[:middle], "altered": altered}[damage])
    found = hits()
    assert pattern == "nbi" or found == 0, "an index may be whole enough, machine code never"
    assert hits() == 1, "and is whole again"


def test_a_folder_that_cannot_be_made_is_reported_once(folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder / "file"))
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR") as caught:
        assert [hits(), hits()] == [0, 0]
    assert len(caught) == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions bind nobody here")
def test_kernels_that_can_only_be_read_are_used(folder):
    assert hits() == 0
    for path in folder.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert hits() == 1


def test_inner_functions_refuse_calls_from_python_instead_of_crashing():
    with pytest.raises(TypeError, match="draw_decrement can only be called by kernels"):
        draw_decrement(None, 1, None)


@pytest.fixture
def package(tmp_path):
    """A folder with a copy of the kernels and of what importing them needs."""
    source = Path(wtm.__file__).parent
    folder = tmp_path / "as files"
    shutil.copytree(source / "kernels", folder / "wtm" / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source / "__init__.py", folder / "wtm")
    return folder


def keep_bytecode_only(package):
    compileall.compile_dir(package, quiet=2, legacy=True, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    for source in package.rglob("*.py"):
        source.unlink()


def zip_package(package):
    return Path(shutil.make_archive(str(package), "zip", package))


def called_for_digest():
    return sys._getframe(2).f_code.co_name == "_module_content"


class Frozen(importlib.machinery.SourceFileLoader):
    """As in a frozen program: modules come from an importer that has bytecode, and no file that could be read."""

    def get_data(self, path):
        if called_for_digest():
            raise OSError(path)
        return super().get_data(path)


class WithoutCode(Frozen):
    def get_code(self, fullname):
        return None if called_for_digest() else super().get_code(fullname)


def digest_of(path, loader=None):
    """Digest of the kernels that are imported from `path`, by `loader` instead of Python's own ones."""
    hooks = [] if loader is None else [importlib.machinery.FileFinder.path_hook((loader, [".py"]))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(path)])
        patch.setattr(sys, "path_hooks", hooks or sys.path_hooks)
        patch.setattr(sys, "path_importer_cache", {})
        for name in [name for name in sys.modules if name.partition(".")[0] == "wtm"]:
            patch.delitem(sys.modules, name)
        digest = kernel_cache._package_digest("wtm.kernels")
        assert sys.modules["wtm"].__file__.startswith(str(path))
        del sys.modules["wtm"]
    return digest


@pytest.mark.parametrize("kind", ["files", "ZIP", "bytecode", "ZIP of bytecode", "frozen"])
def test_every_kind_of_installation_has_a_digest_of_its_kernels(package, kind):
    def digest(package):
        if "bytecode" in kind:
            keep_bytecode_only(package)
        return digest_of(zip_package(package) if "ZIP" in kind else package, Frozen if kind == "frozen" else None)

    changed = package.parent / "changed files"
    shutil.copytree(package, changed)
    kernel = changed / "wtm" / "kernels" / "bits.py"
    text = kernel.read_text().replace("& ONE", "| ONE")
    assert text != kernel.read_text()
    kernel.write_text(text)
    found = digest(package)
    assert re.fullmatch("[0-9a-f]{16}", found)
    assert (found == kernel_cache.kernel_digest()) == (kind in ("files", "ZIP"))
    assert digest(changed) != found


def test_a_process_that_imports_a_zip_file_keeps_its_kernels_by_their_digest(package):
    code = "from wtm.kernels import kernel_cache; print(kernel_cache.__file__, kernel_cache.cache_folder(), sep='\\n')"
    zipped = zip_package(package)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(zipped), "NUMBA_CACHE_DIR": "cache"},
        capture_output=True, text=True, check=True, cwd=package.parent,
    )  # fmt: skip
    file, folder = done.stdout.splitlines()
    assert file.startswith(str(zipped))
    assert folder == f"cache/wtm-kernels-{kernel_cache.kernel_digest()}"


def test_kernels_that_cannot_be_read_have_no_digest(package):
    assert digest_of(package, WithoutCode) is None


def test_kernels_that_cannot_be_listed_are_not_kept(folder, monkeypatch):
    monkeypatch.setattr(pkgutil, "iter_modules", lambda *_: iter(()))
    with pytest.warns(RuntimeWarning, match="^Compiled kernels can't be kept on disk") as caught:
        assert [hits(), hits()] == [0, 0]
    assert len(caught) == 1
    assert kernel_cache.cache_folder() is None
    assert not list(folder.iterdir())
