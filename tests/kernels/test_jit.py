"""Kernels are kept on disk; damaged files and read-only folders are handled."""

import compileall
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest

import wtm
from wtm.kernels.kernel_cache import kernel_digest
from wtm.kernels.pending import draw_decrement

PROGRAM = textwrap.dedent(
    """
    import sys, warnings
    import numpy as np
    from wtm.kernels import bits
    warnings.simplefilter("always")
    literals = np.array([[5, 0, 0, 0, 0, 0, 0, 0]], np.uint64)
    with warnings.catch_warnings(record=True) as caught:
        bits.complete_literals(literals, 3)
        bits.pack_csr_rows(np.array([0, 1]), np.array([0]), np.array([True]), literals)
    assert literals[0, 0] == 0xFFFFFFFFFFFFFFD5, hex(literals[0, 0])
    print(sum(bits.complete_literals.stats.cache_hits.values()), len(caught), *(str(w.message) for w in caught))
    """
)


def run(folder):
    """Cache hits, number of warnings and their text of a process whose kernels are kept in `folder`."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    hits, n_warnings, *text = done.stdout.split(maxsplit=2)
    return int(hits), int(n_warnings), "".join(text)


def kept(folder, pattern):
    return sorted(folder.glob(f"*/bits.complete_literals-*.{pattern}"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder in which a first process has left its kernels."""
    folder = tmp_path_factory.mktemp("kernels")
    assert run(folder)[:2] == (0, 0)
    return folder


@pytest.fixture
def folder(filled, tmp_path):
    """A copy of it."""
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_the_second_process_finds_the_kernel(folder):
    assert run(folder)[:2] == (1, 0)


@pytest.mark.parametrize("pattern", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [pytest.param("truncated", marks=pytest.mark.slow), "altered"])
def test_a_damaged_kernel_is_compiled_again(folder, pattern, damage):
    (path,) = kept(folder, pattern)
    content = path.read_bytes()
    middle = len(content) // 2
    altered = content[:middle] + bytes([content[middle] ^ 0x55]) + content[middle + 1 :]
    path.write_bytes({"truncated": content[:middle], "altered": altered}[damage])
    assert run(folder)[1] == 0
    assert run(folder)[:2] == (1, 0), "and is whole again"


def test_a_folder_that_cannot_be_made_is_reported_once(tmp_path):
    (tmp_path / "file").write_text("")
    hits, n_warnings, text = run(tmp_path / "file")
    assert (hits, n_warnings) == (0, 1)
    assert "NUMBA_CACHE_DIR" in text


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions bind nobody here")
def test_kernels_that_can_only_be_read_are_used(folder):
    for path in folder.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert run(folder)[:2] == (1, 0)


def test_inner_functions_refuse_calls_from_python_instead_of_crashing():
    with pytest.raises(TypeError, match="draw_decrement can only be called by kernels"):
        draw_decrement(None, 1, None)


DIGEST = "from wtm.kernels.kernel_cache import cache_folder, kernel_digest; print(kernel_digest(), cache_folder())"


def digest_of(path, prelude=""):
    """Digest and cache folder of the package that is imported from `path`."""
    environment = os.environ | {"PYTHONPATH": str(path), "NUMBA_CACHE_DIR": "cache"}
    program = f"{prelude}\nimport wtm; assert wtm.__file__.startswith({str(path)!r}), wtm.__file__\n{DIGEST}"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, cwd=path.parent
    )
    return done.stdout.split()


@pytest.fixture
def package(tmp_path):
    """A folder with a copy of the package."""
    source = Path(wtm.__file__).parent
    shutil.copytree(source, tmp_path / "as files" / "wtm", ignore=shutil.ignore_patterns("__pycache__", "data"))
    return tmp_path / "as files"


def keep_bytecode_only(package):
    compileall.compile_dir(package, quiet=2, legacy=True, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    for source in package.rglob("*.py"):
        source.unlink()


def zip_package(package):
    return Path(shutil.make_archive(str(package.parent / "zipped"), "zip", package))


# A frozen program: modules come from an importer that has bytecode, and no file that could be read.
FROZEN = """
import importlib.machinery, pkgutil, sys
class Frozen(importlib.machinery.SourceFileLoader):
    def get_data(self, path):
        if sys._getframe(1).f_code.co_name == "_module_content":
            raise OSError(path)
        return super().get_data(path)
finder = importlib.machinery.FileFinder.path_hook((Frozen, [".py"]))
sys.path_hooks.insert(0, lambda path: finder(path) if "as files" in path else (_ for _ in ()).throw(ImportError))
sys.path_importer_cache.clear()
"""
WITHOUT_CODE = f"""{FROZEN}
def get_code(self, name):
    return None if sys._getframe(1).f_code.co_name == "_module_content" else super(Frozen, self).get_code(name)
Frozen.get_code = get_code
"""
HIDDEN = "import pkgutil; pkgutil.iter_modules = lambda *args: iter(())"
"""A frozen program that can't list its modules."""


@pytest.mark.parametrize("kind", ["files", "ZIP", "bytecode", "ZIP of bytecode", "frozen"])
def test_every_kind_of_installation_has_a_digest_of_its_kernels(package, kind):
    def installed():
        if "bytecode" in kind:
            keep_bytecode_only(package)
        return zip_package(package) if "ZIP" in kind else package

    kernel = package / "wtm" / "kernels" / "bits.py"
    changed = kernel.read_text().replace("& ONE", "| ONE")
    assert changed != kernel.read_text()
    changed_package = package.parent / "changed as files"
    shutil.copytree(package, changed_package)
    prelude = FROZEN if kind == "frozen" else ""
    digest, folder = digest_of(installed(), prelude)
    assert folder == f"cache/wtm-kernels-{digest}"
    assert re.fullmatch("[0-9a-f]{16}", digest)
    assert (digest == kernel_digest()) == (kind in ("files", "ZIP"))
    package = changed_package
    (package / "wtm" / "kernels" / "bits.py").write_text(changed)
    assert digest_of(installed(), prelude)[0] != digest


@pytest.mark.parametrize("prelude", [HIDDEN, WITHOUT_CODE], ids=["not listed", "without code"])
def test_kernels_that_cannot_be_read_are_not_kept(package, prelude):
    assert digest_of(package, prelude) == ["None", "None"]


def test_the_warning_about_kernels_that_are_not_kept_comes_with_the_first(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", f"{HIDDEN}\n{PROGRAM}"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("0 1 Compiled kernels can't be kept on disk")
    assert not list(tmp_path.iterdir())
