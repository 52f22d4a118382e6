"""Train all machines for some epochs, and measure the model after each epoch."""

import functools
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from wtm.machine.class_machine import FeedbackCounts, Machine
from wtm.machine.examples import words_per_row
from wtm.machine.model_state import Model, machine_class
from wtm.machine.schedule import Schedule, draw_schedule
from wtm.machine.training_rows import TrainingRows
from wtm.machine.voting import VotingModel
from wtm.utils.interruption import interruptible


@dataclass(frozen=True)
class Votes:
    """A model's votes on labelled rows.

    Attributes
    ----------
    score : float
        What `TrainingRows.score` says of them.
    sums : ndarray of int64
        The sums in fixed point of the rows of `TrainingRows.sample`.
    """

    score: float
    sums: np.ndarray


@dataclass(frozen=True)
class EpochResult:
    """A model after an epoch.

    Attributes
    ----------
    entry : dict
        An entry of `WTMClassifier.history_`.
    voting : VotingModel
        The model, compiled.
    training, validation : Votes
        On a sample of the training rows, and on all validation rows; None without validation data.
    """

    entry: dict[str, Any]
    voting: VotingModel
    training: Votes
    validation: Votes | None


def train(
    model: Model,
    training: TrainingRows,
    validation: TrainingRows | None,
    *,
    weights: np.ndarray | None = None,
    n_epochs: int,
    shuffle: bool,
    n_threads: int,
) -> Generator[EpochResult, None, None]:
    """Train `model` in place: each item taken from the generator trains one epoch.

    `weights`, float64 of shape (n_samples,) or None, give how many times an epoch sees each row; scores count rows by
    their own weights.

    Yields
    ------
    EpochResult
    """
    measured = training.sample()
    n_machines = len(model.machines)
    kind: Any = machine_class(model.parameters)  # else mypy takes the class for one of its machines, which has no hash
    interruptible(functools.partial(_load_kernels, kind, model.parameters.engine))
    with Parallel(n_jobs=min(n_threads, n_machines), prefer="threads") as workers:
        for _ in range(n_epochs):
            start = time.perf_counter()
            schedule, n_examples = training.schedule(
                n_machines, seed=model.seed, n_seen=model.n_seen, shuffle=shuffle, weights=weights
            )
            counts = _train_machines(workers, model, training.examples.literals, schedule)
            seconds = time.perf_counter() - start
            model.end_epoch(max(n_examples, len(training)))
            del schedule  # what the caller does before the next epoch may need the space
            yield _measure_epoch(model, seconds, counts, measured, validation, n_threads)


@functools.cache
def _load_kernels(kind: type[Machine], engine: str) -> None:
    """Load or compile what an epoch calls, so that the seconds of the first one are of training alone.

    Kernels are compiled for the types of their arguments, which are the same for all machines with this engine: here a
    machine of two clauses, whose epoch has no examples.
    """
    parameters = kind.parameters_class(n_features=1, n_clauses=2, T=1.0, s=2.0, gamma=1.0, engine=engine)
    nothing = draw_schedule(np.empty(0, np.int64), 2, seed=0, n_seen=0, shuffle=True)
    kind.new(parameters, 0, 0).train(np.empty((0, words_per_row(1)), np.uint64), nothing[0])


def measure(voting: VotingModel, data: TrainingRows, T: float, n_threads: int) -> Votes:
    """Vote on rows whose answers are known."""
    sums = voting.sums(data.examples, n_threads=n_threads)
    return Votes(data.score(sums, voting.unit / T), sums[data.sampled_rows()])


def _measure_epoch(
    model: Model,
    seconds: float,
    counts: list[FeedbackCounts],
    training: TrainingRows,
    validation: TrainingRows | None,
    n_threads: int,
) -> EpochResult:
    voting, T = model.voting_model(), model.parameters.T
    on_training = measure(voting, training, T, n_threads)
    on_validation = None if validation is None else measure(voting, validation, T, n_threads)
    entry = {
        "epoch": model.n_epochs,
        "seconds": seconds,
        f"train_{training.metric}": on_training.score,
        f"valid_{training.metric}": None if on_validation is None else on_validation.score,
        "type_i": sum(count.type_i for count in counts),
        "type_ii": sum(count.type_ii for count in counts),
        "weights_saturated": sum(count.weights_saturated for count in counts),
        "literals_per_clause": len(voting.literal_list) / len(voting.clause_votes),
    }
    return EpochResult(entry, voting, on_training, on_validation)


def _train_machines(
    workers: Parallel, model: Model, literals: np.ndarray, schedule: list[Schedule]
) -> list[FeedbackCounts]:
    # The longest first, so that no thread is left with a long epoch at the end.
    longest_first = sorted(range(len(schedule)), key=lambda i: -len(schedule[i].rows))
    results = workers(
        delayed(_train_machine)(model.machines[i], literals, schedule[i], model.n_epochs) for i in longest_first
    )
    for i, (machine, _) in zip(longest_first, results, strict=True):
        model.machines[i] = machine  # another object only where the workers are processes
    return [count for _, count in results]


def _train_machine(
    machine: Machine, literals: np.ndarray, schedule: Schedule, n_epochs: int
) -> tuple[Machine, FeedbackCounts]:
    return machine, interruptible(lambda: machine.train(literals, schedule, n_epochs))
