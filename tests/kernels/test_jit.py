"""Kernels are kept on disk, and a folder that is damaged or can't be written to is no obstacle."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

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
@pytest.mark.parametrize("damage", ["truncated", "altered"])
def test_a_damaged_kernel_is_compiled_anew(folder, pattern, damage):
    (path,) = kept(folder, pattern)
    content = path.read_bytes()
    middle = len(content) // 2
    altered = content[:middle] + bytes([content[middle] ^ 0x55]) + content[middle + 1 :]
    path.write_bytes({"truncated": content[:middle], "altered": altered}[damage])
    assert run(folder)[1] == 0
    assert run(folder)[:2] == (1, 0), "and is whole again"


def test_a_folder_that_cannot_be_made_is_told_once(tmp_path):
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
    with pytest.raises(TypeError, match="draw_decrement can be called by kernels only"):
        draw_decrement(None, 1, None)
