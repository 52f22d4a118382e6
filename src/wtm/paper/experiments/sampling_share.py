"""The share of drawing feedback in the first epoch, by sampler (the paper, "Feedback Generation Speedup")."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from wtm.datasets import DATA_DIR_VARIABLE, DatasetNotFoundError
from wtm.machine.class_machine import Machine
from wtm.machine.machine_parameters import SAMPLERS, MachineParameters
from wtm.machine.schedule import draw_schedule
from wtm.paper.problem import Problem, load_problem
from wtm.paper.run_options import quick_setting
from wtm.paper.settings import COMPRESSION
from wtm.paper.text_table import Table, say

PAPER_TYPE_I = 12.6e6
"""Type I feedbacks in the paper's first epoch on MNIST with 2,000 clauses and p_s 0.1."""
PAPER_DRAWING_SECONDS = 61.2
_PAPER_OTHER_SECONDS = 23.5  # recognizing the images
_SETTING = COMPRESSION["mnist"].classic.setting


@dataclass(frozen=True)
class FirstEpoch:
    """The first epoch with one sampler, on one thread.

    Attributes
    ----------
    seconds : float
    type_i : int
        Type I feedbacks given; each draws a mask.
    drawing_seconds : float
        For drawing them, from the time of a mask alone.
    """

    seconds: float
    type_i: int
    drawing_seconds: float

    @property
    def share(self) -> float:
        """The share of drawing in the epoch."""
        return self.drawing_seconds / self.seconds


def mnist_if_there(data_dir: Path | None, *, quick: bool) -> Problem | None:
    """Return MNIST from a folder; None if no folder is given and WTM_DATA has none.

    Raises
    ------
    DatasetNotFoundError
        `data_dir` is given and does not hold MNIST.
    """
    if data_dir is not None:
        return load_problem("mnist", data_dir, quick=quick)
    try:
        if named := os.environ.get(DATA_DIR_VARIABLE):
            return load_problem("mnist", Path(named), quick=quick)
    except DatasetNotFoundError:
        pass
    say("No MNIST: the share of drawing in the first epoch is not measured. --data-dir names the folder.")
    return None


def time_first_epochs(problem: Problem, nanoseconds: dict[str, float], seed: int) -> dict[str, FirstEpoch]:
    """Train the first epoch on MNIST with each sampler of the direct engine.

    Parameters
    ----------
    problem : Problem
        MNIST; the machine is small if this is a small sample.
    nanoseconds : dict of str to float
        Time of a mask by each sampler at MNIST's number of literals and the paper's p_s.
    seed : int
    """
    setting = quick_setting(_SETTING) if problem.quick else _SETTING
    found = {}
    for sampler in sorted(SAMPLERS):
        parameters = MachineParameters(
            n_features=problem.description["features"],
            n_clauses=setting.n_clauses,
            T=float(setting.T),
            s=1 / setting.p_s,
            gamma=setting.gamma,
            engine="direct",
            sampler=sampler,
        )
        say(f"First epoch on MNIST with {setting.n_clauses:,} clauses per class, one thread, sampler {sampler}")
        found[sampler] = _time_epoch(problem, parameters, nanoseconds[sampler], seed)
    return found


def _time_epoch(problem: Problem, parameters: MachineParameters, nanoseconds: float, seed: int) -> FirstEpoch:
    training, n_classes = problem.packed("train").by_content(), len(problem.classes)
    literals = training.examples.literals
    few, schedule = (
        draw_schedule(labels, n_classes, seed=seed, n_seen=0, shuffle=True)
        for labels in (training.labels[:8], training.labels)
    )
    Machine.new(parameters, seed, 0).train(literals, few[0])  # compiles, or reads the compiled kernel from disk
    machines = [Machine.new(parameters, seed, i) for i in range(n_classes)]
    start = time.perf_counter()
    counts = [machine.train(literals, part) for machine, part in zip(machines, schedule, strict=True)]
    seconds = time.perf_counter() - start
    type_i = sum(count.type_i for count in counts)
    return FirstEpoch(seconds, type_i, type_i * nanoseconds / 1e9)


def first_epoch_table(epochs: dict[str, FirstEpoch]) -> Table:
    """Return a row per sampler, after the paper's."""
    paper_seconds = PAPER_DRAWING_SECONDS + _PAPER_OTHER_SECONDS
    rows = [_row("bernoulli, the paper", PAPER_TYPE_I, PAPER_DRAWING_SECONDS, paper_seconds, "“about 2/3”")]
    rows += [
        _row(f"{sampler}, here", epoch.type_i, epoch.drawing_seconds, epoch.seconds, f"{epoch.share:.0%}")
        for sampler, epoch in epochs.items()
    ]
    return Table(["sampler", "Type I, millions", "s of drawing", "s of the epoch", "share"], rows)


def _row(name: str, type_i: float, drawing: float, seconds: float, share: str) -> list[str]:
    return [name, f"{type_i / 1e6:.1f}", f"{drawing:.1f}", f"{seconds:.1f}", share]
