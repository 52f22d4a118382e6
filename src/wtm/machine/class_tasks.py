"""Train classes as tasks of a joblib backend whose workers are processes, on this machine or on others.

A task trains one machine for some epochs. It is a function of its arguments alone and changes none of them, so a
backend may run it anywhere, and run it again if a worker is lost.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from wtm.machine.class_machine import FeedbackCounts
from wtm.machine.examples import Examples
from wtm.machine.model_state import Model
from wtm.machine.schedule import Schedule
from wtm.machine.training_rows import TrainingRows
from wtm.utils.interruption import interruptible

_MOST_ATTEMPTS = 3
RunTasks: TypeAlias = Callable[[Sequence[tuple[Any, ...]], Sequence[Any]], list[Any]]
"""What runs a task for each tuple of arguments, with the rows, which all tasks have in common, as further arguments."""


class MachineEpoch(NamedTuple):
    """What is known of one machine after an epoch.

    Attributes
    ----------
    counts : FeedbackCounts
    n_literals, n_clauses : int
        Included literals and clauses that vote; those of several epochs if votes are averaged.
    unit : float
        Value of 1 in fixed point.
    training_sums, validation_sums : ndarray of int64
        Sums in fixed point of the rows of `TrainingRows.sample`, and of all validation rows.
    """

    counts: FeedbackCounts
    n_literals: int
    n_clauses: int
    unit: float
    training_sums: np.ndarray
    validation_sums: np.ndarray


@dataclass(frozen=True)
class Round:
    """What all tasks of a round have in common, besides their rows."""

    n_machines: int
    n_epochs: int
    shuffle: bool


def hands_out_tasks() -> bool:
    """Whether a :func:`joblib.parallel_config` context names a backend whose workers don't share memory."""
    backend, _ = get_active_backend(prefer="threads")
    return not getattr(backend, "supports_sharedmem", False)


@contextmanager
def open_workers(n_workers: int) -> Iterator[RunTasks]:
    """Give a function that runs the tasks of a round where the context of joblib says."""
    backend, _ = get_active_backend()
    client = getattr(backend, "client", None)  # of Dask
    if client is None:
        with Parallel(n_jobs=n_workers) as workers:
            yield partial(_run_in_joblib, workers)
        return
    from wtm.utils.dask_errors import clear_errors

    with clear_errors(client):
        yield partial(_run_on_dask, client, {})


def _run_in_joblib(workers: Parallel, tasks: Sequence[tuple[Any, ...]], rows: Sequence[Any]) -> list[Any]:
    """Run a round again if a worker was lost, unless that happens again and again, as when memory is too small."""
    for _ in range(_MOST_ATTEMPTS - 1):
        try:
            return workers(delayed(_train_part)(*task, *rows) for task in tasks)
        except BrokenProcessPool:
            continue
    return workers(delayed(_train_part)(*task, *rows) for task in tasks)


def _run_on_dask(client: Any, sent: dict[int, Any], tasks: Sequence[tuple[Any, ...]], rows: Sequence[Any]) -> list[Any]:
    """Run a round as tasks of Dask, which run again if their worker is lost; `sent` are the rows of earlier rounds.

    joblib would scatter the rows: what a worker has is lost with it, and if this happens while they are being sent,
    joblib waits indefinitely. Here they are results of tasks, which the scheduler can repeat.
    """
    submit = partial(client.submit, pure=False)
    for array in rows:
        if id(array) not in sent:
            sent[id(array)] = array, submit(_unchanged, array)  # with the array, whose id is not given to another
    arguments = [sent[id(array)][1] for array in rows]
    found: list[Any] = client.gather([submit(_train_part, *task, *arguments) for task in tasks])
    return found


def _unchanged(array: Any) -> Any:
    return array


def train_round(
    run: RunTasks,
    model: Model,
    training: TrainingRows,
    validation: TrainingRows | None,
    weights: np.ndarray | None,
    this_round: Round,
) -> list[list[MachineEpoch]]:
    """Train `model` in place for a round of epochs, one task per machine.

    Parameters
    ----------
    run : callable
        Of `open_workers`.
    model, training, validation, weights
        As in `wtm.machine.training.train`.
    this_round : Round

    Returns
    -------
    list of n_epochs lists of n_machines MachineEpoch
    """
    parts, index = model.parts(), range(len(model.machines))
    schedule, _ = training.schedule(
        len(parts), seed=model.seed, n_seen=model.n_seen, shuffle=this_round.shuffle, weights=weights
    )
    # The longest first, so that no worker is left with a long task at the end. All epochs have similar lengths.
    lengths = [len(part.rows) for part in schedule]
    longest_first = sorted(index, key=lambda i: -lengths[i])
    del schedule
    # Large arrays are arguments of their own, which are sent once.
    nothing = np.empty(0)
    frame = replace(training, examples=replace(training.examples, literals=nothing), answers=nothing, weights=None)
    held_out = training.examples.literals[:0] if validation is None else validation.examples.literals
    rows = (training.examples.literals, training.answers, training.weights, weights, held_out)

    found = dict(zip(longest_first, run([(parts[i], i, this_round, frame) for i in longest_first], rows), strict=True))
    model.take_parts([found[i][0].copy() for i in index])  # arrays may be read-only
    return [list(epoch) for epoch in zip(*(found[i][1] for i in index), strict=True)]


def _train_part(
    part: Model,
    index: int,
    this_round: Round,
    frame: TrainingRows,
    literals: np.ndarray,
    answers: np.ndarray,
    row_weights: np.ndarray | None,
    epoch_weights: np.ndarray | None,
    held_out: np.ndarray,
) -> tuple[Model, list[MachineEpoch]]:
    examples = replace(frame.examples, literals=as_writable(literals))
    training = replace(frame, examples=examples, answers=answers, weights=row_weights)
    drawn = draw_round(training, epoch_weights, this_round, part.seed, part.n_seen)
    own = ((schedule[index], n_numbers) for schedule, n_numbers in drawn)
    validation = replace(examples, literals=as_writable(held_out))
    return train_part(part, examples.literals, own, training.sample().examples, validation)


def draw_round(
    training: TrainingRows, weights: np.ndarray | None, this_round: Round, seed: int, n_seen: int
) -> Iterator[tuple[list[Schedule], int]]:
    """Draw the epochs of a round: yield the schedules of all machines, and how many running numbers an epoch uses."""
    for _ in range(this_round.n_epochs):
        schedules, n_examples = training.schedule(
            this_round.n_machines, seed=seed, n_seen=n_seen, shuffle=this_round.shuffle, weights=weights
        )
        n_numbers = max(n_examples, len(training))
        yield schedules, n_numbers
        n_seen += n_numbers


def train_part(
    part: Model,
    literals: np.ndarray,
    epochs: Iterable[tuple[Schedule, int]],
    sample: Examples,
    validation: Examples,
) -> tuple[Model, list[MachineEpoch]]:
    """Train a copy of a model of one machine, and measure it after each epoch.

    Parameters
    ----------
    part : Model
    literals : ndarray of shape (n_rows, n_words), uint64
        The rows that the schedules number.
    epochs : iterable of (Schedule, int)
        The machine's schedule of each epoch, and how many running numbers the epoch uses.
    sample, validation : Examples
        Rows to measure it on.

    Returns
    -------
    part : Model
    epochs : list of MachineEpoch
    """
    part = part.copy()
    measured = []
    for schedule, n_numbers in epochs:
        counts = interruptible(partial(part.machines[0].train, literals, schedule, part.n_epochs))
        part.end_epoch(n_numbers)
        measured.append(_measured(part, counts, sample, validation))
    return part, measured


def _measured(part: Model, counts: FeedbackCounts, sample: Examples, validation: Examples) -> MachineEpoch:
    voting = part.voting_model()
    return MachineEpoch(
        counts=counts,
        n_literals=len(voting.literal_list),
        n_clauses=len(voting.clause_votes),
        unit=voting.unit,
        training_sums=voting.sums(sample)[:, 0],
        validation_sums=voting.sums(validation)[:, 0],
    )


class _Writable:
    """The memory of an array, described to NumPy as if it could be written to."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array  # kept alive
        interface = array.__array_interface__
        self.__array_interface__ = interface | {"data": (interface["data"][0], False)}


def as_writable(array: np.ndarray) -> np.ndarray:
    """Return a view that kernels take, though nothing may be written to it.

    Kernels are compiled for arrays that can be written to. Those that a backend maps from a file or from shared memory
    can't be, and a kernel would be compiled again for them.
    """
    return array if array.flags.writeable else np.asarray(_Writable(array))
