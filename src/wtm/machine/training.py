"""Train all machines for some epochs, and measure the model after each epoch."""

import functools
import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.machine.class_machine import FeedbackCounts, Machine
from wtm.machine.class_tasks import MachineEpoch, Round, hands_out_tasks, open_workers, train_round
from wtm.machine.examples import words_per_row
from wtm.machine.model_state import Model, machine_class
from wtm.machine.schedule import Schedule, draw_schedule
from wtm.machine.training_rows import TrainingRows
from wtm.machine.voting import VotingModel
from wtm.utils.interruption import interruptible, run_in_threads

EPOCHS_PER_ROUND = 10
"""Epochs of a task that nothing watches: what is lost at most with a worker."""


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
        The model, compiled; after the last epoch of its round.
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
    is_watched: bool = True,
) -> Generator[EpochResult, None, None]:
    """Train `model` in place: each item taken from the generator trains one epoch, or is one of a round of epochs.

    Machines train in threads; inside a :func:`joblib.parallel_config` context whose backend has processes, here or on
    other computers, each round of epochs of a machine is a task for them.

    Parameters
    ----------
    model : Model
    training : TrainingRows
    validation : TrainingRows or None
    weights : ndarray of shape (n_samples,), float64, or None
        How many times an epoch sees each row; scores count rows by their own weights.
    n_epochs : int
    shuffle : bool
    n_threads : int
    is_watched : bool, default=True
        Whether the caller looks at `model` after every epoch, so that a round has a single epoch.

    Yields
    ------
    EpochResult
    """
    if hands_out_tasks():
        yield from _train_in_tasks(model, training, validation, weights, n_epochs, shuffle, n_threads, is_watched)
        return
    n_machines = len(model.machines)
    kind: Any = machine_class(model.parameters)  # else mypy takes the class for one of its machines, which has no hash
    interruptible(functools.partial(_load_kernels, kind, model.parameters.engine, min(2, model.parameters.n_shards)))

    measured = training.sample()
    for _ in range(n_epochs):
        start = time.perf_counter()
        schedule, n_examples = training.schedule(
            n_machines, seed=model.seed, n_seen=model.n_seen, shuffle=shuffle, weights=weights
        )
        counts = _train_machines(model, training.examples.literals, schedule, n_threads)
        seconds = time.perf_counter() - start
        model.end_epoch(max(n_examples, len(training)))
        yield _measure_epoch(model, seconds, counts, measured, validation, n_threads)


def _train_in_tasks(
    model: Model,
    training: TrainingRows,
    validation: TrainingRows | None,
    weights: np.ndarray | None,
    n_epochs: int,
    shuffle: bool,
    n_workers: int,
    is_watched: bool,
) -> Generator[EpochResult, None, None]:
    longest = 1 if is_watched else EPOCHS_PER_ROUND
    with open_workers(n_workers) as run_tasks:
        run = functools.partial(train_round, run_tasks, model, training, validation, weights)
        yield from epochs_of_rounds(model, training, validation, n_epochs, shuffle, longest, run)


def epochs_of_rounds(
    model: Model,
    training: TrainingRows,
    validation: TrainingRows | None,
    n_epochs: int,
    shuffle: bool,
    longest: int,
    run: Callable[[Round], list[list[MachineEpoch]]],
) -> Generator[EpochResult, None, None]:
    """Train `model` for some epochs in rounds of at most `longest` epochs.

    Parameters
    ----------
    model, training, validation, n_epochs, shuffle
        As in `train`.
    longest : int
    run : callable
        Trains `model` for a round, and returns what is known of each machine after each of its epochs.

    Yields
    ------
    EpochResult
    """
    measured = training.sample()
    for first in range(0, n_epochs, longest):
        start, n_before = time.perf_counter(), model.n_epochs
        epochs = run(Round(len(model.machines), min(longest, n_epochs - first), shuffle))
        seconds = (time.perf_counter() - start) / len(epochs)
        voting = model.voting_model()
        for number, machines in enumerate(epochs, n_before + 1):
            yield _joined(number, seconds, machines, voting, model.parameters.T, measured, validation)


def _joined(
    number: int,
    seconds: float,
    machines: list[MachineEpoch],
    voting: VotingModel,
    T: float,
    training: TrainingRows,
    validation: TrainingRows | None,
) -> EpochResult:
    """Return the result of an epoch whose machines were trained and measured apart."""
    unit = machines[0].unit / T
    sums = np.stack([machine.training_sums for machine in machines], axis=1)
    on_training = Votes(training.score(sums, unit), sums)
    on_validation = None
    if validation is not None:
        sums = np.stack([machine.validation_sums for machine in machines], axis=1)
        on_validation = Votes(validation.score(sums, unit), sums[validation.sampled_rows()])
    literals_per_clause = sum(m.n_literals for m in machines) / sum(m.n_clauses for m in machines)
    counts = [machine.counts for machine in machines]
    entry = _entry(number, seconds, counts, training.metric, on_training, on_validation, literals_per_clause)
    return EpochResult(entry, voting, on_training, on_validation)


@functools.cache
def _load_kernels(kind: type[Machine], engine: str, n_shards: int) -> None:
    """Load or compile what an epoch calls, so that the seconds of the first one are of training alone.

    Kernels are compiled for the types of their arguments, which are the same for all machines with this engine: here a
    machine of a few clauses, whose epoch has no examples.
    """
    parameters = kind.parameters_class(
        n_features=1, n_clauses=2 * n_shards, T=1.0, s=2.0, gamma=1.0, engine=engine, n_shards=n_shards
    )
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
    literals_per_clause = len(voting.literal_list) / len(voting.clause_votes)
    entry = _entry(model.n_epochs, seconds, counts, training.metric, on_training, on_validation, literals_per_clause)
    return EpochResult(entry, voting, on_training, on_validation)


def _entry(
    number: int,
    seconds: float,
    counts: list[FeedbackCounts],
    metric: str,
    on_training: Votes,
    on_validation: Votes | None,
    literals_per_clause: float,
) -> dict[str, Any]:
    return {
        "epoch": number,
        "seconds": seconds,
        f"train_{metric}": on_training.score,
        f"valid_{metric}": None if on_validation is None else on_validation.score,
        "type_i": sum(count.type_i for count in counts),
        "type_ii": sum(count.type_ii for count in counts),
        "weights_saturated": sum(count.weights_saturated for count in counts),
        # Summed exactly: threads and tasks have the machines in different orders.
        "vote_drift": math.fsum(count.vote_drift for count in counts) / len(counts),
        "literals_per_clause": literals_per_clause,
    }


def _train_machines(
    model: Model, literals: np.ndarray, schedule: list[Schedule], n_threads: int
) -> list[FeedbackCounts]:
    # The longest first, so that no thread is left with a long epoch at the end.
    longest_first = sorted(range(len(schedule)), key=lambda i: -len(schedule[i].rows))
    n_at_once = min(n_threads, len(schedule))
    for_shards = n_threads // n_at_once
    works = [
        functools.partial(model.machines[i].train, literals, schedule[i], model.n_epochs, n_threads=for_shards)
        for i in longest_first
    ]
    return run_in_threads(works, n_at_once)
