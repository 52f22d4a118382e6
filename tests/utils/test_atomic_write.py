"""Temporary files of a write that was killed are named for people, and removed by the next one."""

import signal
import subprocess
import sys

import pytest

from wtm.utils.atomic_write import atomic_write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")

WRITE = """
import sys
from pathlib import Path
from wtm.utils.atomic_write import atomic_write
with atomic_write(Path(sys.argv[1])) as file:
    file.write(b"half")
    print("ready", flush=True)
    sys.stdin.read()
"""


def start_writing(path):
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    return process


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.communicate()


def write(path, data=b"whole"):
    with atomic_write(path) as file:
        file.write(data)


def others(path):
    return sorted(entry.name for entry in path.parent.iterdir() if entry != path)


@pytest.mark.parametrize("name", ["model.safetensors", "ü " + "x" * 240, "[a]*.csv", "a.wtm-b"])
def test_what_a_killed_process_left_is_removed_by_the_next_write(tmp_path, name):
    path = tmp_path / name
    write(path)
    process = start_writing(path)
    kill(process)
    (left,) = others(path)
    assert left.startswith(f".{name[:190]}")
    assert f"-{process.pid}-" in left
    assert ".wtm-" in left
    assert path.read_bytes() == b"whole"
    write(path, b"new")
    assert others(path) == []
    assert path.read_bytes() == b"new"


def test_what_may_be_in_use_stays(tmp_path):
    path = tmp_path / "model.safetensors"
    process = start_writing(path)
    try:
        (used,) = others(path)
        name, _, number = used.rpartition("-")
        strange = [
            used.replace(f"-{process.pid}-", "-999999999-").replace(".wtm-", ".wtm-0"),  # of another host
            f".other{used.removeprefix('.model')}".replace(f"-{process.pid}-", "-999999999-"),
            f"{name}-{number}x",
            ".model.safetensors.tmp",
        ]
        for other in strange:
            (tmp_path / other).write_text("not ours")
        (tmp_path / used.replace(f"-{process.pid}-", "-999999999-")).symlink_to(path)
        write(path)
        assert len(others(path)) == 2 + len(strange)
        process.communicate("", timeout=60)
        assert path.read_bytes() == b"half"
    finally:
        process.kill()
        process.wait()
