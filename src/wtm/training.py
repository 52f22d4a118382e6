"""Epochs of all machines, and what is measured after each."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from wtm.features import Examples
from wtm.machine import FeedbackCounts, Machine, MachineParameters
from wtm.schedule import ClassSchedule, draw_schedule
from wtm.votes import VotingModel

__all__ = ["LabelledExamples", "Model", "train"]

_MEASURED_ROWS = 5_000


@dataclass(frozen=True)
class LabelledExamples:
    """Examples with their class indices, int64 of shape (n_rows,)."""

    examples: Examples
    labels: np.ndarray


@dataclass
class Model:
    """All that training changes, and all that it depends on besides the data.

    Attributes
    ----------
    machines : list of Machine
        One a class.
    seed : int
        Of the schedules; 63 bits.
    n_seen : int
        Number of examples trained on so far.
    n_epochs : int
        Number of epochs trained so far.
    logit_scale : float
        What sums are multiplied with before they become probabilities.
    """

    machines: list[Machine]
    seed: int
    n_seen: int = 0
    n_epochs: int = 0
    logit_scale: float = 1.0

    @property
    def parameters(self) -> MachineParameters:
        """What all machines have in common."""
        return self.machines[0].parameters

    def voting_model(self) -> VotingModel:
        """Compile the machines for prediction."""
        return VotingModel.of(self.machines)


def train(
    model: Model,
    training: LabelledExamples,
    validation: LabelledExamples | None,
    *,
    n_epochs: int,
    shuffle: bool,
    n_jobs: int | None,
) -> Iterator[dict[str, Any]]:
    """Train `model` in place, one epoch for each item taken.

    Yields
    ------
    dict
        An entry of `WTMClassifier.history_`.
    """
    measured = _measured_rows(len(training.labels))
    n_classes = len(model.machines)
    # More workers than classes would only wait.
    with Parallel(n_jobs=min(effective_n_jobs(n_jobs), n_classes), prefer="threads") as workers:
        for _ in range(n_epochs):
            start = time.perf_counter()
            schedule = draw_schedule(training.labels, n_classes, seed=model.seed, n_seen=model.n_seen, shuffle=shuffle)
            counts = _train_classes(workers, model, training.examples.literals, schedule)
            seconds = time.perf_counter() - start
            model.n_seen += len(training.labels)
            model.n_epochs += 1
            voting = VotingModel.of(model.machines)
            yield {
                "epoch": model.n_epochs,
                "seconds": seconds,
                "train_accuracy": _accuracy(voting, training, measured, n_jobs),
                "valid_accuracy": None if validation is None else _accuracy(voting, validation, None, n_jobs),
                "type_i": sum(count.type_i for count in counts),
                "type_ii": sum(count.type_ii for count in counts),
                "weights_at_edge": sum(count.weights_at_edge for count in counts),
                "literals_per_clause": len(voting.literal_list) / len(voting.clause_votes),
            }


def _train_classes(
    workers: Parallel, model: Model, literals: np.ndarray, schedule: list[ClassSchedule]
) -> list[FeedbackCounts]:
    # The longest first, so that no thread is left with a long class at the end.
    longest_first = sorted(range(len(schedule)), key=lambda i: -len(schedule[i].rows))
    results = workers(delayed(_train_class)(model.machines[i], literals, schedule[i]) for i in longest_first)
    for i, (machine, _) in zip(longest_first, results, strict=True):
        model.machines[i] = machine  # another object only where the workers are processes
    return [count for _, count in results]


def _train_class(machine: Machine, literals: np.ndarray, schedule: ClassSchedule) -> tuple[Machine, FeedbackCounts]:
    return machine, machine.train(literals, schedule)


def _measured_rows(n_rows: int) -> np.ndarray:
    """The training rows that accuracy is measured on: all, or 5,000 spread evenly."""
    return np.linspace(0, n_rows - 1, min(n_rows, _MEASURED_ROWS)).astype(np.int64)


def _accuracy(voting: VotingModel, data: LabelledExamples, rows: np.ndarray | None, n_jobs: int | None) -> float:
    labels = data.labels if rows is None else data.labels[rows]
    return float(np.mean(voting.sums(data.examples, rows, n_jobs=n_jobs).argmax(axis=1) == labels))
