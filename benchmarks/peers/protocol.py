"""How a program is timed: a process of its own that trains and predicts on command, and answers in lines of JSON.

A script describes its program as a subclass of `Program` and hands it to `serve`. The process reads the data, imports
the program, makes the machine, says that it is ready, and then obeys the lines of its standard input: "train" (one
epoch), "predict" (all test rows), "test" (the same, once), "memory", and what else a program names in `commands`. It
ends with the input. Needs NumPy and the standard library alone, so that it runs in every program's own environment.
"""

import argparse
import json
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
LEAST_SECONDS = 0.5  # shorter predictions are repeated until they take that long


class Program:
    """A program to be timed.

    Attributes
    ----------
    distribution : str
        Name of the installed distribution, for its version.
    notes : list of str
        In what its work or its timing differs from the others'.
    commands : tuple of str
        Methods besides `train` and `predict` that may be called by a command "name argument".
    """

    distribution = ""
    commands: tuple[str, ...] = ()

    def __init__(self, settings, data):
        self.settings = settings
        self.data = data
        self.notes = []
        self.n_classes = int(max(data["y_train"].max(), data["y_test"].max())) + 1

    def load(self):
        """Import the program, and compile what it compiles at run time."""

    def build(self):
        """Make the machine, and bring the data into the form that the program wants before training."""

    def train(self):
        """Train one epoch. Returns the seconds where the program tells them, else None."""
        raise NotImplementedError

    def predict(self):
        """Labels of all test rows; or those and the seconds where the program tells them."""
        raise NotImplementedError

    def n_clauses_visited(self):
        """Clauses that the rules visit for an example, in training and in prediction.

        In training they are those of two machines: the label's and another class's.
        """
        return 2 * self.settings.clauses, self.n_classes * self.settings.clauses

    def n_automata(self):
        """Automata of all machines together."""
        return self.n_classes * self.settings.clauses * 2 * self.data["X_train"].shape[1]


class _Clock:
    """Wall and processor seconds of a block of code."""

    def __enter__(self):
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *exc):
        self.wall, self.cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu

    def answer(self, seconds=None, repeats=1):
        """`seconds` is what the program says itself."""
        return {
            "seconds": round((self.wall if seconds is None else seconds) / repeats, 6),
            "wall_seconds": round(self.wall, 4),
            "cpu_seconds": round(self.cpu, 4),
        }


def serve(program_class):
    """Run a program as this process: see the module."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a program prints is no answer
    settings = _settings(program_class.__name__)
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(settings.threads)
    data = _read(settings.data)
    data_mib = _status_mib("VmRSS")
    program = program_class(settings, data)
    program.load()
    loaded_mib = _status_mib("VmRSS")
    exact_peak = _forget_peak()
    program.build()
    n_train, n_predict = program.n_clauses_visited()
    ready = {
        "version": version(program.distribution),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "notes": program.notes,
        "rows_training": len(data["y_train"]),
        "automata": program.n_automata(),
        "visited_training": n_train,
        "visited_prediction": n_predict,
    }
    memory = {"data_mib": data_mib, "loaded_mib": loaded_mib, "exact_peak": exact_peak}
    print(json.dumps(ready), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(_obey(program, line.split(), memory)), file=answers, flush=True)


def _obey(program, words, memory):
    name, arguments = words[0], words[1:]
    if name == "memory":
        return {**memory, "peak_mib": _status_mib("VmHWM")}
    if name in ("predict", "test"):
        return _timed_prediction(program, LEAST_SECONDS if name == "predict" else 0)
    if name != "train" and name not in program.commands:
        raise ValueError(f"no such command: {name}")
    with _Clock() as clock:
        seconds = getattr(program, name)(*arguments)
    return clock.answer(seconds)


def _timed_prediction(program, least_seconds):
    told, repeats = [], 0
    with _Clock() as clock:
        start = time.perf_counter()
        while not repeats or (not told and time.perf_counter() - start < least_seconds):
            labels = program.predict()
            if isinstance(labels, tuple):
                labels, seconds = labels
                told.append(seconds)
            repeats += 1
    accuracy = float(np.mean(np.asarray(labels) == program.data["y_test"]))
    answer = clock.answer(sum(told) if told else None, repeats)
    return {**answer, "repeats": repeats, "rows": len(program.data["y_test"]), "accuracy": round(accuracy, 5)}


def _settings(name):
    parser = argparse.ArgumentParser(description=f"{name}, timed on command: see protocol.py")
    parser.add_argument("--data", required=True, help=".npz with X_train, y_train, X_test, y_test: bits, labels from 0")
    parser.add_argument("--clauses", type=int, required=True, help="of each class")
    parser.add_argument("--T", type=float, required=True)
    parser.add_argument("--s", type=float, required=True)
    parser.add_argument("--gamma", type=float, default=0.0, help="0: no weights, where the program can do without")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="lazy", help="of wtm")
    return parser.parse_args()


def _read(path):
    """Bits as uint8 and labels as int64, in C order."""
    with np.load(path) as archive:
        data = {name: archive[name] for name in ("X_train", "y_train", "X_test", "y_test")}
    return {
        name: np.ascontiguousarray(array, np.uint8 if name.startswith("X") else np.int64)
        for name, array in data.items()
    }


def _status_mib(field):
    """Resident memory now (VmRSS) or its peak (VmHWM), MiB; None where the system does not tell, as Linux does."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((round(int(line.split()[1]) / 1024, 1) for line in lines if line.startswith(field + ":")), None)


def _forget_peak():
    """Let the peak of memory begin here, so that reading data and compiling don't count; False where that can't be."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True
