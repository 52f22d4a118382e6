"""Time of an epoch of fuzzy clauses with the lazy and with the direct engine, on copies of the same machines."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.choosing.problems import load_problem
from benchmarks.choosing.trials import append, read_lines
from benchmarks.fuzzy.settings import Setting
from wtm.machine.examples import pack_examples
from wtm.machine.model_state import Model
from wtm.machine.schedule import Schedule
from wtm.machine.training_rows import LabelledExamples
from wtm.paper.environment import environment

__all__ = ["EPOCH", "NAME", "N_CLAUSES", "Times", "read_engines", "run_engines"]

NAME, N_CLAUSES, EPOCH = "MNIST", 200, 12
ROUNDS = 5
"""Turns of each engine."""

Times = dict[str, list[float]]
"""Seconds of each engine, in the order of the rounds."""


def read_engines(path: Path) -> Times:
    """Read what is kept; empty if there is nothing."""
    return next((line["engines"] for line in read_lines(path) if "engines" in line), {})


def run_engines(setting: Setting, data_dir: Path, path: Path) -> None:
    """Train both engines in turn, always from the same state, unless the file has their times already; one thread."""
    if read_engines(path):
        return
    problem = load_problem(NAME, data_dir)
    clf = setting.classifier(N_CLAUSES, 0).set_params(n_epochs=EPOCH - 1).fit(problem.X_train, problem.y_train)
    model = clf._model
    data = LabelledExamples(pack_examples(problem.X_train), np.searchsorted(clf.classes_, problem.y_train))
    schedules, _ = data.schedule(len(model.machines), seed=model.seed, n_seen=model.n_seen, shuffle=True, weights=None)
    times: Times = {"lazy": [], "direct": []}
    for number in range(-1, ROUNDS):
        for engine, seconds in times.items():
            needed = _seconds(model, engine, data.examples.literals, schedules)
            if number >= 0:  # before, kernels are compiled
                seconds.append(round(needed, 4))
    append(path, {"problem": NAME, "of": "engines", **environment()})
    append(path, {"engines": times})
    print(times, flush=True)


def _seconds(model: Model, engine: str, literals: np.ndarray, schedules: list[Schedule]) -> float:
    """Return the seconds of processor time that an epoch of a copy takes."""
    copy = model.resumed(replace(model.parameters, engine=engine))
    start = time.process_time()
    for machine, schedule in zip(copy.machines, schedules, strict=True):
        machine.train(literals, schedule, model.n_epochs)
    return time.process_time() - start
