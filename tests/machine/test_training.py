"""The clock of an epoch."""

import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent(
    """
    import importlib, itertools, pkgutil, time, types
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
    ways = ({}, {"shuffle": False}, {"T": 7, "s": 1, "gamma": 0}, {"init": "random", "n_jobs": 2})
    samplers, weights = ("bits", "binomial", "bernoulli"), (None, np.full(60, 1.5))
    for engine, changes, sampler, w in itertools.product(("lazy", "direct"), ways, samplers, weights):
        clf = WTMClassifier(4, n_epochs=1, engine=engine, sampler=sampler, random_state=0, **changes)
        clf.fit(np.asfortranarray(X), X[:, 0], w)
    print(*ready)
    """
)


def test_no_kernel_is_compiled_or_loaded_while_the_clock_runs():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=True)
    ready = [int(count) for count in done.stdout.split()]
    assert len(ready) == 2 * 2 * 24
    assert ready[::2] == ready[1::2]
    assert ready[0] >= 2  # the epoch and the assignment of its examples
