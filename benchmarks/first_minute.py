"""Time what a newcomer waits for: import, first fit, small predictions and the help, without and with compiled kernels.

python -m benchmarks.first_minute [--rounds 3]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

from wtm.paper.environment import environment

PROGRAM = """
import json, sys, time, timeit
cpu, clock = time.process_time(), time.perf_counter()
import wtm
seconds = {"import wtm": time.process_time() - cpu}
cpu = time.process_time()
from wtm import WTMClassifier
seconds["import of WTMClassifier"] = time.process_time() - cpu
from sklearn.datasets import load_breast_cancer
X, y = load_breast_cancer(return_X_y=True)


def measure(name, work, n=1, rounds=1):
    times = []
    for _ in range(rounds):
        start = time.process_time() if rounds == 1 else time.perf_counter()
        for _ in range(n):
            work()
        times.append(((time.process_time() if rounds == 1 else time.perf_counter()) - start) / n)
    seconds[name] = min(times)


clf = WTMClassifier(random_state=0)
measure("first fit", lambda: clf.fit(X, y))
measure("first predict and rules", lambda: (clf.predict(X), clf.rules(X, y)))
measure("second fit", lambda: clf.fit(X, y))
measure("predict 1 row", lambda: clf.predict(X[:1]), 50, 9)
measure("predict 100 rows, n_jobs=1", lambda: clf.set_params(n_jobs=1).predict(X[:100]), 50, 9)
measure("predict 100 rows, n_jobs=-1", lambda: clf.set_params(n_jobs=-1).predict(X[:100]), 50, 9)
print(json.dumps(seconds))
"""


def run(kernels: str, bytecode: str) -> dict[str, float]:
    """Seconds of one new process that keeps its kernels and its modules' bytecode in these folders."""
    env = os.environ | {"NUMBA_CACHE_DIR": kernels, "PYTHONPYCACHEPREFIX": bytecode}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True)
    seconds: dict[str, float] = json.loads(done.stdout)
    before = os.times()
    subprocess.run([sys.executable, "-m", "wtm", "--help"], env=env, capture_output=True, check=True)
    after = os.times()
    seconds["wtm --help"] = sum(after[2:4]) - sum(before[2:4])
    return seconds


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="rounds, each with an empty folder; medians are shown")
    rounds = parser.parse_args().rounds
    runs: dict[str, list[dict[str, float]]] = {"no compiled kernels": [], "compiled kernels": []}
    with tempfile.TemporaryDirectory() as bytecode:
        for i in range(-1, rounds):
            with tempfile.TemporaryDirectory() as kernels:
                for times in runs.values():  # the first run fills the folder
                    seconds = run(kernels, bytecode)
                    if i >= 0:  # before, modules are compiled to bytecode, which pip does when it installs them
                        times.append(seconds)
    print("# The first minute\n\nPrinted by `python -m benchmarks.first_minute`; do not edit.\n")
    found = environment()
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    machine = found["machine"]
    print(f"{machine['processor']} ({machine['llvm_target']}), {machine['cores']} cores; {versions}.")
    if hasattr(os, "getloadavg"):
        print(f"Load average {os.getloadavg()[0]:.1f}: above the number of cores, all times are too long.")
    print()
    print(f"Medians of {rounds} rounds in milliseconds: of processor time, but of wall time for predictions.")
    print("Modules were compiled to bytecode before, as pip does.\n")
    print(f"| | {' | '.join(runs)} |\n| --- | --- | --- |")
    for name in next(iter(runs.values()))[0]:
        medians = (1000 * statistics.median(one[name] for one in times) for times in runs.values())
        cells = [f"{median:,.0f}" if median >= 100 else f"{median:.2f}" for median in medians]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
