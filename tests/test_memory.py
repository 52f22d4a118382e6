"""Memory that there is, and memory that a container may have."""

import os

import pytest

from wtm import memory
from wtm.memory import check_memory


@pytest.fixture
def container(tmp_path, monkeypatch):
    """A function that writes what a container's file of limits says."""
    path = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_LIMITS_OF_CONTAINERS", (tmp_path / "missing", path))
    return path.write_text


def test_the_limit_of_a_container_counts(container):
    container("4096\n")
    check_memory(4096, "Few bytes")
    with pytest.raises(MemoryError, match=r"^Many bytes take 0\.0 GiB, and this machine has 0\.0"):
        check_memory(4097, "Many bytes")


@pytest.mark.parametrize("content", ["max\n", "", "9223372036854771712"])
def test_without_a_limit_the_machine_counts(container, content):
    container(content)
    check_memory(2**20, "A mebibyte")
    if hasattr(os, "sysconf"):
        with pytest.raises(MemoryError, match=r"take 1,073,741,824\.0 GiB, and this machine has"):
            check_memory(2**60, "An exbibyte")


def test_where_nothing_tells_nothing_is_refused(container, monkeypatch):
    def unknown(name):
        raise ValueError(name)

    container("max")
    monkeypatch.setattr(memory.os, "sysconf", unknown, raising=False)
    check_memory(2**60, "An exbibyte")
