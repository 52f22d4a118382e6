"""Epochs of all machines, and what is measured after each."""

import math
import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from wtm.machine.examples import Examples
from wtm.machine.machine import FeedbackCounts, Machine, MachineParameters
from wtm.machine.schedule import ClassSchedule, draw_schedule, order_by_content
from wtm.machine.voting import VotingModel
from wtm.utils.interruptible import interruptible
from wtm.utils.memory_limits import check_memory
from wtm.utils.threads import number_of_workers

__all__ = ["LabelledExamples", "Model", "accuracy", "train"]

_MEASURED_ROWS = 5_000


@dataclass(frozen=True)
class LabelledExamples:
    """Examples with their labels.

    Attributes
    ----------
    examples : Examples
    labels : ndarray of shape (n_rows,), int64
        Class indices.
    weights : ndarray of shape (n_rows,), float64, or None
        How much each row counts, in training and in accuracies; None is 1 for each.
    """

    examples: Examples
    labels: np.ndarray
    weights: np.ndarray | None = None

    def sample(self) -> "LabelledExamples":
        """Return the rows to measure a model on while it trains: all, or 5,000 spread evenly."""
        n_rows = len(self.labels)
        if n_rows <= _MEASURED_ROWS:
            return self
        return self.rows(np.linspace(0, n_rows - 1, _MEASURED_ROWS).astype(np.int64))

    def weighted(self, class_weights: np.ndarray | None) -> "LabelledExamples":
        """Return the same rows with weights multiplied by their classes', float64 of shape (n_classes,)."""
        if class_weights is None:
            return self
        of_rows = class_weights[self.labels]
        return replace(self, weights=of_rows if self.weights is None else self.weights * of_rows)

    def by_content(self) -> "LabelledExamples":
        """Return the rows in an order that depends on what they hold alone."""
        return self.rows(order_by_content(self.examples.literals, self.labels))

    def rows(self, rows: np.ndarray) -> "LabelledExamples":
        """Return the given rows, int64, in the given order.

        Raises
        ------
        MemoryError
            They would not fit into the memory beside these.
        """
        n_words = self.examples.literals.shape[1]
        check_memory(
            8 * len(rows) * n_words,
            f"A copy of {len(rows):,} rows in {n_words} words",
            "Fewer rows or features would take less; so would partial_fit, some rows at a time.",
        )
        examples = replace(self.examples, literals=self.examples.literals[rows])
        return LabelledExamples(examples, self.labels[rows], None if self.weights is None else self.weights[rows])


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
        Number of examples trained on so far; with weights, of running numbers used up (see `wtm.machine.schedule`).
    n_epochs : int
        Number of epochs trained so far.
    logit_scale : float
        What sums are multiplied with before they become probabilities (see `wtm.machine.calibration`).
    """

    machines: list[Machine]
    seed: int
    n_seen: int = 0
    n_epochs: int = 0
    logit_scale: float = 1.0

    @classmethod
    def new(cls, parameters: MachineParameters, n_classes: int, seed: int) -> "Model":
        """Return a model before training.

        Raises
        ------
        MemoryError
            Its machines would not fit into the memory.
        """
        parameters.check_memory(n_classes)
        return cls([Machine.new(parameters, seed, i) for i in range(n_classes)], seed)

    @property
    def parameters(self) -> MachineParameters:
        """What all machines have in common."""
        return self.machines[0].parameters

    def voting_model(self) -> VotingModel:
        """Compile the machines for prediction."""
        return VotingModel.of(self.machines)

    def copy(self) -> "Model":
        """Return a model in the same state, which may be trained without this one."""
        return self.going_on(self.parameters)

    def going_on(self, parameters: MachineParameters) -> "Model":
        """Return a copy with other parameters, which hold from now on.

        Raises
        ------
        ValueError
            A trained model does not allow the change.
        """
        for name in ("n_clauses", "n_states", "gamma"):
            now, before = getattr(parameters, name), getattr(self.parameters, name)
            if now != before:
                raise ValueError(
                    f"{name} can't change while training goes on: it was {before!r} and is {now!r}. Set it back, or "
                    "fit anew with warm_start=False."
                )
        return replace(self, machines=[machine.copy(parameters) for machine in self.machines])


def train(
    model: Model,
    training: LabelledExamples,
    validation: LabelledExamples | None,
    *,
    weights: np.ndarray | None = None,
    n_epochs: int,
    shuffle: bool,
    n_jobs: int | None,
) -> Generator[dict[str, Any], None, None]:
    """Train `model` in place, one epoch for each item taken.

    `weights`, float64 of shape (n_rows,) or None, say how many times an epoch sees each row; accuracies count rows by
    their own weights.

    Yields
    ------
    dict
        An entry of `WTMClassifier.history_`.
    """
    measured = training.sample()
    n_classes = len(model.machines)
    labels = training.labels
    with Parallel(n_jobs=number_of_workers(n_jobs, n_classes), prefer="threads") as workers:
        for _ in range(n_epochs):
            start = time.perf_counter()
            schedule = draw_schedule(
                labels, n_classes, seed=model.seed, n_seen=model.n_seen, shuffle=shuffle, weights=weights
            )
            counts = _train_classes(workers, model, training.examples.literals, schedule)
            seconds = time.perf_counter() - start
            n_examples = sum(len(part.rows) for part in schedule) // 2  # each is dealt to two classes
            model.n_seen += max(n_examples, len(labels))
            model.n_epochs += 1
            del schedule  # what the caller does before the next epoch may need the space
            yield _entry(model, seconds, counts, measured, validation, n_jobs)


def _entry(
    model: Model,
    seconds: float,
    counts: list[FeedbackCounts],
    measured: LabelledExamples,
    validation: LabelledExamples | None,
    n_jobs: int | None,
) -> dict[str, Any]:
    """Measure `model` after an epoch."""
    voting = model.voting_model()
    return {
        "epoch": model.n_epochs,
        "seconds": seconds,
        "train_accuracy": accuracy(voting, measured, n_jobs),
        "valid_accuracy": None if validation is None else accuracy(voting, validation, n_jobs),
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
    return machine, interruptible(lambda: machine.train(literals, schedule))


def accuracy(voting: VotingModel, data: LabelledExamples, n_jobs: int | None) -> float:
    """Share of rows, by weight, whose label has the largest sum."""
    right = voting.sums(data.examples, n_jobs=n_jobs).argmax(axis=1) == data.labels
    if data.weights is None:
        return float(np.mean(right))
    # Exact sums: early stopping must not depend on the order in which a processor adds.
    return math.fsum(data.weights[right]) / math.fsum(data.weights)
