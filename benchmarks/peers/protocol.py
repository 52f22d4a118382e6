"""The protocol of a timed program: a process that trains and predicts on command and answers in lines of JSON.

A script describes its program as a subclass of `Program` and passes it to `serve`. The process reads the data, imports
the program, makes the machine, reports that it is ready, and then executes the lines of its standard input: "train"
(one epoch), "predict" (all test rows, repeated if short), "test" (all test rows, once), "memory", and the program's own
`commands`. It ends at the end of the input. It needs only NumPy and the standard library, to run in any environment.
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
MIN_SECONDS = 0.5  # shorter predictions are repeated until they take this long


class Program:
    """A program to time.

    Attributes
    ----------
    distribution : str
        Name of the installed distribution.
    notes : list of str
        How its work or its timing differs from the others'.
    commands : tuple of str
        Further methods that a command "name argument" may call.
    """

    distribution = ""
    commands: tuple[str, ...] = ()

    def __init__(self, settings, data):
        self.settings = settings
        self.data = data
        self.notes = []
        self.n_classes = int(max(data["y_train"].max(), data["y_test"].max())) + 1

    def load(self):
        """Import the program, and compile what is compiled at run time."""

    def build(self):
        """Make the machine, and convert the data to the form that the program trains on."""

    def train(self):
        """Train one epoch; return the seconds if the program reports them, else None."""
        raise NotImplementedError

    def predict(self):
        """Return the labels of all test rows, with the seconds if the program reports them."""
        raise NotImplementedError

    def n_clauses_visited(self):
        """Return the clauses visited per example: in training, those of two classes; in prediction, those of all."""
        return 2 * self.settings.clauses, self.n_classes * self.settings.clauses

    def n_automata(self):
        """Return the number of automata of all machines."""
        return self.n_classes * self.settings.clauses * 2 * self.data["X_train"].shape[1]


class _Clock:
    """Wall-clock and processor seconds of a block of code."""

    def __enter__(self):
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *exc):
        self.wall, self.cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu

    def answer(self, seconds=None, repeats=1):
        """Return the times; `seconds` is what the program itself reports."""
        return {
            "seconds": round((self.wall if seconds is None else seconds) / repeats, 6),
            "wall_seconds": round(self.wall, 4),
            "cpu_seconds": round(self.cpu, 4),
        }


def serve(program_class):
    """Run a program in this process; see the module."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a program prints is not an answer
    settings = _settings(program_class.__name__)
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(settings.threads)
    data = _read(settings.data)
    data_mib = _status_mib("VmRSS")
    program = program_class(settings, data)
    program.load()
    loaded_mib = _status_mib("VmRSS")
    exact_peak = _reset_peak()
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
        return _timed_prediction(program, MIN_SECONDS if name == "predict" else 0)
    if name != "train" and name not in program.commands:
        raise ValueError(f"no such command: {name}")
    with _Clock() as clock:
        seconds = getattr(program, name)(*arguments)
    return clock.answer(seconds)


def _timed_prediction(program, min_seconds):
    reported, repeats = [], 0
    with _Clock() as clock:
        start = time.perf_counter()
        while not repeats or (not reported and time.perf_counter() - start < min_seconds):
            labels = program.predict()
            if isinstance(labels, tuple):
                labels, seconds = labels
                reported.append(seconds)
            repeats += 1
    accuracy = float(np.mean(np.asarray(labels) == program.data["y_test"]))
    answer = clock.answer(sum(reported) if reported else None, repeats)
    return {**answer, "repeats": repeats, "rows": len(program.data["y_test"]), "accuracy": round(accuracy, 5)}


def _settings(name):
    parser = argparse.ArgumentParser(description=f"{name}, timed on command; see protocol.py")
    parser.add_argument("--data", required=True, help=".npz with X_train, y_train, X_test, y_test: bits, labels from 0")
    parser.add_argument("--clauses", type=int, required=True, help="clauses per class")
    parser.add_argument("--T", type=float, required=True)
    parser.add_argument("--s", type=float, required=True)
    parser.add_argument("--gamma", type=float, default=0.0, help="0: no weights, if the program supports this")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="lazy", help="of wtm")
    return parser.parse_args()


def _read(path):
    """Read bits as uint8 and labels as int64, in C order."""
    with np.load(path) as archive:
        data = {name: archive[name] for name in ("X_train", "y_train", "X_test", "y_test")}
    return {
        name: np.ascontiguousarray(array, np.uint8 if name.startswith("X") else np.int64)
        for name, array in data.items()
    }


def _status_mib(field):
    """Return resident memory (VmRSS) or its peak (VmHWM) in MiB; None on systems other than Linux."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((round(int(line.split()[1]) / 1024, 1) for line in lines if line.startswith(field + ":")), None)


def _reset_peak():
    """Reset the peak of memory, so that reading data and compiling don't count; return False if that is impossible."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True
