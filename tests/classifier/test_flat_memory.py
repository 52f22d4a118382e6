"""The memory of a process does not grow with the number of fits and predictions."""

import subprocess
import sys
import textwrap

import pytest

N_WARM, N_FITS, ALLOWED = 100, 1000, 2 << 20

PROGRAM = textwrap.dedent(
    """
    import gc, mmap, sys, warnings
    from pathlib import Path
    import numpy as np
    from wtm import WTMClassifier

    warnings.simplefilter("ignore")
    kind, n_jobs, n_warm, n_fits = sys.argv[1], *map(int, sys.argv[2:])
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (100, 60)) if kind == "bits" else rng.normal(size=(100, 12))
    y = (X[:, 0] > 0).astype(int)

    def resident():
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE

    def work(seed):
        model = WTMClassifier(20, 10, 4, n_epochs=2, n_jobs=n_jobs, random_state=seed).fit(X, y)
        model.partial_fit(X, y)
        model.predict(X)
        model.predict_proba(X)
        return sum(machine.states.nbytes + machine.exponents.nbytes for machine in model.machines_)

    for seed in range(n_warm):
        work(seed)
    before = resident()
    for seed in range(n_warm, n_fits):
        of_a_model = work(seed)
    print(resident() - before, of_a_model)
    """
)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this system does not tell what is resident")
@pytest.mark.parametrize(("kind", "n_jobs"), [("bits", 1), ("numbers", 2)])
def test_a_thousand_fits_leave_memory_flat(kind, n_jobs):
    command = [sys.executable, "-c", PROGRAM, kind, n_jobs, N_WARM, N_FITS]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    rise, of_a_model = map(int, done.stdout.split())
    assert rise < ALLOWED
    assert (N_FITS - N_WARM) * of_a_model > ALLOWED, "a model that stays behind each time would be found"
