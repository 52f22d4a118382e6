"""Models are the same, bit for bit, in other processes and on other processors."""

import json
import os
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import pytest
from llvmlite.binding import get_host_cpu_features
from sklearn.exceptions import ConvergenceWarning

from tests.helpers import fingerprint
from tests.images import fingerprint as image_fingerprint

# Models of rows and of images share many kernels, so one process compiles for both.
PROGRAM = textwrap.dedent(
    """
    import json, numba
    from tests.helpers import fingerprint
    from tests.images import fingerprint as image_fingerprint

    found = [fingerprint.digests(2), image_fingerprint.digests(2)]
    print(json.dumps({"processor": numba.config.CPU_NAME, "digests": found}))
    """
)


def start_process(processor):
    """Another process that prints the digests, its code made for the named processor; None for the machine's own."""
    # Without features of its own the name would keep those of the machine, such as AVX-512.
    other = {} if processor is None else {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    return subprocess.Popen(
        command, cwd=Path(__file__).parents[1], env=os.environ | other, stdout=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="module")
def processes():
    """Two other processes, which run at the same time."""
    started = {processor: start_process(processor) for processor in (None, "generic")}
    yield started
    for process in started.values():
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def digests():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # two epochs are few
        return [fingerprint.digests(1), image_fingerprint.digests(1)]


def printed_by(process):
    printed, _ = process.communicate(timeout=600)
    return json.loads(printed)


@pytest.mark.parametrize("processor", [None, "generic"], ids=str)
def test_other_processes_and_processors_change_nothing(processes, digests, processor):
    assert printed_by(processes[processor]) == {"processor": processor, "digests": digests}


@pytest.mark.slow
@pytest.mark.parametrize("processor", ["haswell", "skylake-avx512"])
def test_vector_units_change_nothing(digests, processor):
    unit = {"haswell": "avx2", "skylake-avx512": "avx512bw"}[processor]
    if not get_host_cpu_features().get(unit):
        pytest.skip(f"needs a processor with {unit}")
    assert printed_by(start_process(processor)) == {"processor": processor, "digests": digests}
