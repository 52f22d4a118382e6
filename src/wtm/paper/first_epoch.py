"""What share of the first epoch is drawing feedback, by sampler (the paper, "Feedback Generation Speedup")."""

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from wtm.datasets import DATA_DIR_VARIABLE, DatasetNotFoundError
from wtm.machine.machine import Machine
from wtm.machine.machine_parameters import SAMPLERS, MachineParameters
from wtm.machine.schedule import draw_schedule
from wtm.paper.console import Table, say
from wtm.paper.problem import QUICK_CLAUSES, Problem, load_problem
from wtm.paper.settings import ECONOMY

__all__ = ["PAPER", "FirstEpoch", "first_epoch_table", "mnist_if_there", "time_first_epochs"]

PAPER = {"type_i": 12.6e6, "drawing_seconds": 61.2, "other_seconds": 23.5, "share": 2 / 3}
"""The paper's first epoch on MNIST with 2,000 clauses and p_s 0.1: Type I feedbacks, seconds of drawing for them,
seconds of recognizing the images, and the share of drawing in training."""

SETTING = ECONOMY["mnist"].classic.setting


@dataclass(frozen=True)
class FirstEpoch:
    """The first epoch with one sampler, on one thread.

    Attributes
    ----------
    seconds : float
        Of the epoch.
    type_i : int
        Type I feedbacks given: so many masks were drawn.
    drawing_seconds : float
        Of drawing them, from the time that one takes alone.
    """

    seconds: float
    type_i: int
    drawing_seconds: float

    @property
    def share(self) -> float:
        """What part of the epoch is drawing."""
        return self.drawing_seconds / self.seconds


def mnist_if_there(data_dir: Path | None, *, quick: bool) -> Problem | None:
    """MNIST from a folder; None, and a line that says so, where no folder is named or WTM_DATA's has none.

    Raises
    ------
    DatasetNotFoundError
        `data_dir` is given and does not hold MNIST.
    """
    if data_dir is not None:
        return load_problem("mnist", data_dir, quick=quick)
    try:
        named = os.environ.get(DATA_DIR_VARIABLE)
        if named:
            return load_problem("mnist", Path(named), quick=quick)
    except DatasetNotFoundError:
        pass
    say("No MNIST, so the share of drawing in the first epoch is not measured; --data-dir names its folder.")
    return None


def time_first_epochs(problem: Problem, nanoseconds: dict[str, float], seed: int) -> dict[str, FirstEpoch]:
    """Train the first epoch on MNIST with each sampler of the direct engine.

    Parameters
    ----------
    problem : Problem
        MNIST; where it is a small sample, the machine is small too.
    nanoseconds : dict of str to float
        Time of a mask by each sampler at MNIST's number of literals and the paper's p_s.
    seed : int
    """
    setting = replace(SETTING, n_clauses=min(SETTING.n_clauses, QUICK_CLAUSES)) if problem.quick else SETTING
    parameters = MachineParameters(
        n_features=problem.training.examples.n_features,
        n_clauses=setting.n_clauses,
        T=float(setting.T),
        s=1 / setting.p_s,
        gamma=setting.gamma,
        engine="direct",
    )
    found = {}
    for sampler in sorted(SAMPLERS):
        say(f"First epoch on MNIST with {setting.n_clauses:,} clauses a class, one thread, sampler {sampler}")
        found[sampler] = _time_epoch(problem, replace(parameters, sampler=sampler), nanoseconds[sampler], seed)
    return found


def _time_epoch(problem: Problem, parameters: MachineParameters, nanoseconds: float, seed: int) -> FirstEpoch:
    n_classes = len(problem.classes)
    schedule = draw_schedule(problem.training.labels, n_classes, seed=seed, n_seen=0, shuffle=True)
    literals = problem.training.examples.literals
    few = draw_schedule(problem.training.labels[:8], n_classes, seed=seed, n_seen=0, shuffle=True)
    Machine.new(parameters, seed, 0).train(literals, few[0])  # compiles, or reads the compiled kernel from disk
    machines = [Machine.new(parameters, seed, i) for i in range(n_classes)]
    start = time.perf_counter()
    counts = [machine.train(literals, part) for machine, part in zip(machines, schedule, strict=True)]
    seconds = time.perf_counter() - start
    type_i = sum(count.type_i for count in counts)
    return FirstEpoch(seconds, type_i, type_i * nanoseconds / 1e9)


def first_epoch_table(epochs: dict[str, FirstEpoch]) -> Table:
    """A row a sampler, after the paper's."""
    paper = [
        "bernoulli, the paper",
        f"{PAPER['type_i'] / 1e6:.1f}",
        f"{PAPER['drawing_seconds']:.1f}",
        f"{PAPER['drawing_seconds'] + PAPER['other_seconds']:.1f}",
        "“about 2/3”",
    ]
    rows = [
        [
            f"{sampler}, here",
            f"{epoch.type_i / 1e6:.1f}",
            f"{epoch.drawing_seconds:.1f}",
            f"{epoch.seconds:.1f}",
            f"{epoch.share:.0%}",
        ]
        for sampler, epoch in epochs.items()
    ]
    return Table(["sampler", "Type I, millions", "s of drawing", "s of the epoch", "share"], [paper, *rows])
