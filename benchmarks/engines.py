"""The lazy engine beside the direct one: seconds for one epoch from the same state, as ratios.

    python benchmarks/engines.py --data-dir DIR [--clauses 2000] [--T 50] [--s 11.76] [--gamma 0.012] [--at 1,2,10,50]

Trains MNIST with the lazy engine; before each epoch named by --at, both engines train one epoch from copies of the
model, in turn, several times. Ratios are of CPU seconds of one thread, within a pair; the machine may be busy.
"""

import argparse
import platform
import statistics
import time

import numba
import numpy as np
from llvmlite.binding import get_host_cpu_name

from wtm import __version__
from wtm.datasets import load_mnist
from wtm.features import pack_examples
from wtm.machine import ENGINES, Machine, MachineParameters
from wtm.schedule import draw_schedule

SEED = 1


def train_epoch(machines, literals, schedule):
    """CPU seconds of one thread for one epoch of all machines, in place."""
    start = time.process_time()
    for machine, part in zip(machines, schedule, strict=True):
        machine.train(literals, part)
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", help="folder that holds mnist/; else WTM_DATA")
    parser.add_argument("--clauses", type=int, default=2000)
    parser.add_argument("--T", type=float, default=50)
    parser.add_argument("--s", type=float, default=1 / 0.085)
    parser.add_argument("--gamma", type=float, default=0.012)
    parser.add_argument("--at", default="1,2,10", help="epochs at which to compare, separated by commas")
    parser.add_argument("--pairs", type=int, default=3)
    options = parser.parse_args()
    compared = [int(epoch) for epoch in options.at.split(",")]

    data = load_mnist(options.data_dir)
    examples = pack_examples(data.X_train)
    labels = data.y_train.astype(np.int64)
    parameters = {
        engine: MachineParameters(
            examples.n_features, options.clauses, options.T, options.s, options.gamma, engine=engine
        )
        for engine in ENGINES
    }
    for engine in ENGINES:  # compile before anything is timed
        schedule = draw_schedule(labels[:100], 10, seed=SEED, n_seen=0, shuffle=True)
        train_epoch([Machine.new(parameters[engine], SEED, i) for i in range(10)], examples.literals, schedule)

    print(f"wtm {__version__}, Python {platform.python_version()}, Numba {numba.__version__}, NumPy {np.__version__}")
    print(f"{platform.machine()}, {get_host_cpu_name()}")
    print(f"MNIST, {options.clauses} clauses, T {options.T:g}, s {options.s:.4g}, gamma {options.gamma:g}, seed {SEED}")
    print(f"{'epoch':>5} {'direct, s':>10} {'lazy, s':>10} {'times as fast (all pairs)':>28}")
    machines = [Machine.new(parameters["lazy"], SEED, i) for i in range(10)]
    for epoch in range(1, max(compared) + 1):
        schedule = draw_schedule(labels, 10, seed=SEED, n_seen=(epoch - 1) * len(labels), shuffle=True)
        if epoch in compared:
            seconds = {engine: [] for engine in ENGINES}
            for _ in range(options.pairs):
                for engine in ENGINES:
                    copies = [machine.copy(parameters[engine]) for machine in machines]
                    seconds[engine].append(train_epoch(copies, examples.literals, schedule))
            ratios = sorted(d / z for d, z in zip(seconds["direct"], seconds["lazy"], strict=True))
            direct, lazy = (statistics.median(seconds[engine]) for engine in ("direct", "lazy"))
            spread = f"{statistics.median(ratios):.1f} ({ratios[0]:.1f}-{ratios[-1]:.1f})"
            print(f"{epoch:>5} {direct:>10.2f} {lazy:>10.3f} {spread:>28}", flush=True)
        train_epoch(machines, examples.literals, schedule)


if __name__ == "__main__":
    main()
