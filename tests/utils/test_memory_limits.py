"""Available memory of the machine and of the process's control groups."""

import subprocess
import sys

import pytest

from wtm.utils import memory_limits
from wtm.utils.memory_limits import available_memory, check_memory

MIB = 1 << 20


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A function that writes Linux's files about memory; without calls there are none."""
    monkeypatch.setattr(memory_limits, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory_limits, "_OWN_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory_limits, "_GROUPS", tmp_path / "groups")

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    return write


@pytest.fixture
def unknown(monkeypatch):
    """A system that does not report its memory."""

    def sysconf(name):
        raise ValueError(name)

    monkeypatch.setattr(memory_limits.os, "sysconf", sysconf, raising=False)


def group(system, folder, limit, used, **statistics):
    """Write a control group of version 2."""
    system(f"groups/{folder}/memory.max", f"{limit}\n")
    system(f"groups/{folder}/memory.current", f"{used}\n")
    system(f"groups/{folder}/memory.stat", "".join(f"{name} {value}\n" for name, value in statistics.items()))


def test_available_memory_counts_not_total_memory(system):
    system("meminfo", "MemTotal:       9999999 kB\nMemFree:  10 kB\nMemAvailable:    102400 kB\nHugePages_Total: 0\n")
    assert available_memory() == 100 * MIB
    system("meminfo", "MemAvailable:    102400 kB\nSwapTotal:   204800 kB\nSwapFree:    20480 kB\n")
    assert available_memory() == 120 * MIB


def test_a_group_has_its_limit_minus_its_use_without_cache(system):
    system("meminfo", "MemAvailable: 1048576 kB\n")
    group(system, ".", 500 * MIB, 400 * MIB, anon=300 * MIB, file=100 * MIB, inactive_file=60 * MIB, active_file=MIB)
    assert available_memory() == (100 + 61) * MIB


def test_the_tightest_of_the_groups_around_a_process_counts(system):
    system("cgroup", "0::/outer/inner\n")
    group(system, "outer/inner", "max", 10 * MIB)
    group(system, "outer", 50 * MIB, 20 * MIB)
    group(system, ".", 90 * MIB, 20 * MIB)
    assert available_memory() == 30 * MIB
    group(system, "outer/inner", 20 * MIB, 30 * MIB)
    assert available_memory() == 0
    group(system, "outer/inner", 20 * MIB, 30 * MIB, inactive_file=99 * MIB)
    assert available_memory() == 20 * MIB


def test_groups_of_version_1(system, unknown):
    system("cgroup", "9:name=systemd:/\n4:memory:/job\n0::/\n")
    system("groups/memory/memory.limit_in_bytes", "9223372036854771712")
    system("groups/memory/memory.usage_in_bytes", f"{400 * MIB}")
    assert available_memory() == 9223372036854771712 - 400 * MIB
    system("groups/memory/job/memory.limit_in_bytes", f"{64 * MIB}")
    system("groups/memory/job/memory.usage_in_bytes", f"{40 * MIB}")
    system("groups/memory/job/memory.stat", f"inactive_file 7\ntotal_inactive_file {8 * MIB}\ntotal_active_file 0\n")
    assert available_memory() == 32 * MIB


@pytest.mark.parametrize("content", ["", "max\n", "\n\n", "MemAvailable:", "MemAvailable: much kB\n", "a:b\n"])
def test_files_without_numbers_count_as_absent(system, unknown, content):
    for name in ("meminfo", "cgroup", "groups/memory.max", "groups/memory.current"):
        system(name, content)
    assert available_memory() is None
    check_memory(2**60, "An exbibyte", "")


def test_on_other_systems_all_memory_counts(system, monkeypatch):
    sizes = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory_limits.os, "sysconf", sizes.__getitem__, raising=False)
    assert available_memory() == 4096000


def test_the_error_names_both_sizes_and_the_remedy(monkeypatch):
    monkeypatch.setattr(memory_limits, "available_memory", lambda: 1000 * MIB)
    check_memory(900 * MIB, "Much", "Take less.")
    message = r"^Too much would take 3\.3 GiB of memory, but only 1,000\.0 MiB are available\. Take less\.$"
    with pytest.raises(MemoryError, match=message):
        check_memory(6 << 29, "Too much", "Take less.")
    with pytest.raises(MemoryError):
        check_memory(999 * MIB, "All that there is, and nothing for the rest of the process,", "Take less.")


def test_small_amounts_are_never_refused(monkeypatch):
    monkeypatch.setattr(memory_limits, "available_memory", lambda: 0)
    check_memory(MIB, "A mebibyte", "")
    with pytest.raises(MemoryError, match=r"but only 0 bytes are available"):
        check_memory(100 * MIB, "Some", "")


LIMITED = """
import resource
from wtm.utils.memory_limits import available_memory
before = available_memory()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))
print(before > 64 << 20, 0 <= available_memory() <= 64 << 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_ulimit_v_counts():
    done = subprocess.run([sys.executable, "-c", LIMITED], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "True True\n"
