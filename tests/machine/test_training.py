"""The clock of an epoch."""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = textwrap.dedent(
    """
    import importlib, pkgutil, sys, time, types
    import numpy as np
    import wtm.kernels
    from numba.core.registry import CPUDispatcher
    from wtm import WTMClassifier
    from wtm.machine import training

    modules = [importlib.import_module(m.name) for m in pkgutil.iter_modules(wtm.kernels.__path__, "wtm.kernels.")]
    kernels = {k for m in modules for k in vars(m).values() if isinstance(k, CPUDispatcher)}
    ready = []

    def clock():
        ready.append(sum(len(kernel.overloads) for kernel in kernels))
        return time.perf_counter()

    training.time = types.SimpleNamespace(perf_counter=clock)
    X = np.random.default_rng(0).integers(0, 2, (60, 5))
    for changes in ({}, {"shuffle": False}, {"T": 7, "s": 1, "gamma": 0}, {"init": "random", "n_jobs": 2}):
        for sampler in ("bits", "binomial", "bernoulli"):
            for weights in (None, np.full(60, 1.5)):
                clf = WTMClassifier(4, n_epochs=1, engine=sys.argv[1], sampler=sampler, random_state=0, **changes)
                clf.fit(np.asfortranarray(X), X[:, 0], weights)
    print(*ready)
    """
)


@pytest.mark.parametrize("engine", ["lazy", "direct"])
def test_no_kernel_is_compiled_or_loaded_while_the_clock_runs(engine):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, engine], capture_output=True, text=True, check=True
    )
    ready = [int(count) for count in done.stdout.split()]
    assert len(ready) == 2 * 24
    assert ready[::2] == ready[1::2]
    assert ready[0] >= 2  # the epoch and the assignment of its examples
