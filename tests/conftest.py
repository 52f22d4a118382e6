import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Before NumPy is imported, and for all processes of the tests: on a busy machine, the threads of OpenMP and BLAS mostly
# wait for each other, and take most of the processor's time meanwhile. wtm's own threads are others.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No time limit per example: the first one may compile, and test machines may be busy.
settings.register_profile("wtm", deadline=None)
settings.load_profile("wtm")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the kernels before xdist starts its processes, each of which would compile them."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        subprocess.run([sys.executable, "-m", "wtm", "compile"], stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the real data sets: WTM_DATA, or else the folder shared/data next to the checkout."""
    named = os.environ.get("WTM_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"needs real data: {folder} does not exist; set WTM_DATA to the folder of the data sets")
    return folder


@pytest.fixture(scope="session")
def real_data(data_dir: Path) -> Callable[[str], Path]:
    """A function that returns the data folder, or skips the test if the data set is not in it."""

    def folder_with(name: str) -> Path:
        if not (data_dir / name).is_dir():
            pytest.skip(f"needs real data: {data_dir} has no folder {name}")
        return data_dir

    return folder_with


@pytest.fixture
def without_coverage() -> None:
    """Skip the test while coverage is measured, which takes memory for each thread."""
    coverage = sys.modules.get("coverage")
    if coverage is not None and coverage.Coverage.current() is not None:
        pytest.skip("measures memory, to which the measurement of coverage adds")
