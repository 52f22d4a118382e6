"""Train on the rows of collections: the bits of each class's examples go to its task, epoch by epoch."""

import copy
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import dask
import numpy as np
from dask.delayed import delayed
from distributed import Client, KilledWorker, get_client

from wtm.dask.chunks import example_of, pairs_of_chunks
from wtm.dask.packed_rows import (
    ClassEpoch,
    Index,
    LabelsOnCluster,
    NumbersOnCluster,
    RowsByBlock,
    make_index,
    outline_of,
    pack,
    plan_epoch,
    schedule_of,
    take,
)
from wtm.dask.summaries import add_summaries, learn, summarize
from wtm.label_training import LabelTrainable
from wtm.machine.class_machine import FeedbackCounts, Machine
from wtm.machine.examples import Examples
from wtm.machine.model_state import Model
from wtm.machine.training import EpochResult, measured_epochs
from wtm.machine.training_rows import LabelledExamples, NumberedExamples, TrainingRows
from wtm.number_training import NumberTrainable
from wtm.trainable import Trainable

_FAN_IN = 8  # summaries that are added up at a time


def fit_collection(estimator: Any, X: Any, y: Any, X_val: Any, y_val: Any, client: Client | None) -> Any:
    """Do what `wtm.dask.fit` does."""
    if not isinstance(estimator, Trainable):
        raise TypeError(f"estimator must be a classifier or regressor of wtm, got {type(estimator).__name__}.")
    client = _client(client)
    fitted = copy.copy(estimator)
    with _clear_errors(client):
        return fitted._fit_rows(partial(_read, fitted, X, y, client), X_val, y_val, _train)


def _client(client: Client | None) -> Client:
    if client is not None:
        return client
    try:
        return get_client()
    except ValueError:
        raise ValueError(
            "client is None, and there is no default one. Connect to a cluster with dask.distributed.Client(address), "
            "or start one here with dask.distributed.Client()."
        ) from None


@contextmanager
def _clear_errors(client: Client) -> Iterator[None]:
    """Say what to do when the cluster fails; all its tasks are given up with the last reference to them."""
    try:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):  # tasks hold machines
            yield
    except KilledWorker as error:
        raise RuntimeError(
            f"Workers died again and again: {error} They may have too little memory for the packed rows that a class "
            "sees in an epoch. Use workers with more memory, or fewer threads per worker. The estimator is as it was."
        ) from error
    except Exception as error:  # which one depends on what was going on, and on the version of Dask
        if client.status == "running" and not isinstance(error, CancelledError):
            raise
        raise ConnectionError(
            "The connection to Dask's scheduler was lost, so training ended. The estimator is as it was: connect "
            "again and repeat the call."
        ) from error


def _read(fitted: Any, X: Any, y: Any, client: Client, resumes: bool) -> TrainingRows:
    """Pack the rows on the cluster, and learn from them what features and targets are, unless training resumes."""
    pairs = pairs_of_chunks(X, y)
    fitted._table(example_of(X), reset=not resumes, min_rows=0)
    if not resumes:
        learn(fitted, _summary(fitted, pairs, client))
    elif isinstance(fitted, NumberTrainable) and fitted.y_range is not None:
        fitted._check_range_is_kept()
    shared, packed = delayed(_for_workers(fitted), traverse=False), delayed(pack)
    blocks = client.compute([packed(shared, *pair) for pair in pairs])
    outlines = [client.submit(outline_of, block, pure=False) for block in blocks]
    kind = LabelledExamples if isinstance(fitted, LabelTrainable) else NumberedExamples
    far_index = client.submit(make_index, outlines, kind, bool(fitted.shuffle), pure=False)
    index: Index = far_index.result()
    if not len(index.rows):
        raise ValueError("X must have at least one row, got none.")
    return _rows_on_cluster(Blocks(client, blocks, far_index), index)


def _rows_on_cluster(blocks: "Blocks", index: Index) -> TrainingRows:
    rows = index.rows
    sampled = np.arange(len(rows))[rows.sampled_rows()]
    near = type(rows)(Examples(blocks.take(index.by_block(sampled)), rows.examples.n_features), rows.answers[sampled])
    if isinstance(near, LabelledExamples):
        return LabelsOnCluster(rows.examples, rows.answers, near=near, blocks=blocks)
    assert isinstance(near, NumberedExamples)
    return NumbersOnCluster(rows.examples, rows.answers, near=near, blocks=blocks)


def _summary(fitted: Any, pairs: list[tuple[Any, Any]], client: Client) -> Any:
    shared = delayed(_for_workers(fitted), traverse=False)
    summarized, added = delayed(summarize), delayed(add_summaries)
    level = [summarized(shared, *pair) for pair in pairs]
    while len(level) > 1:
        level = [added(shared, level[i : i + _FAN_IN]) for i in range(0, len(level), _FAN_IN)]
    return client.compute(level[0]).result()


def _for_workers(fitted: Any) -> Any:
    """Return a copy with only what reading and packing need."""
    alone = copy.copy(fitted)
    for name in ("_model", "history_"):
        alone.__dict__.pop(name, None)
    alone.__dict__ |= {"callbacks": None, "random_state": None}
    return alone


@dataclass(frozen=True)
class Blocks:
    """Packed rows on a cluster.

    Attributes
    ----------
    client : Client
    blocks : list of Future of TrainingRows
    index : Future of Index
    """

    client: Client
    blocks: list[Any]
    index: Any

    def take(self, found: RowsByBlock) -> np.ndarray:
        """Fetch rows, in the order in which they were asked for."""
        pieces = [self.client.submit(take, block, found, b, pure=False) for b, block in enumerate(self.blocks)]
        literals: np.ndarray = np.concatenate(self.client.gather(pieces))[found.position]
        return literals

    def train(self, model: Model, weights: Any, shuffle: bool) -> tuple[list[FeedbackCounts], int]:
        """Train all machines of `model` for an epoch, one task per machine.

        The machines that the last epoch left are arguments of the tasks, so a task whose worker is lost runs again from
        there, and blocks that are lost are read again.
        """
        submit = partial(self.client.submit, pure=False)
        n_machines = len(model.machines)
        plan = submit(plan_epoch, self.index, weights, n_machines, model.seed, model.n_seen, shuffle)
        lengths, n_examples = submit(attrgetter("lengths"), plan), submit(attrgetter("n_examples"), plan)
        lengths = lengths.result()
        tasks = {}
        for i in sorted(range(n_machines), key=lambda i: -lengths[i]):
            part = submit(_part_of, plan, i)
            pieces = [submit(_take, block, part, b) for b, block in enumerate(self.blocks)]
            tasks[i] = submit(_train_machine, model.machines[i], part, pieces, model.n_epochs)
        found = self.client.gather([tasks[i] for i in range(n_machines)])
        model.machines = [machine.copy(machine.parameters) for machine, _ in found]  # arrays may be read-only
        return [counts for _, counts in found], n_examples.result()


def _part_of(plan: Any, machine: int) -> ClassEpoch:
    part: ClassEpoch = plan.classes[machine]
    return part


def _take(block: TrainingRows, part: ClassEpoch, number: int) -> np.ndarray:
    return take(block, part.found, number)


def _train_machine(
    machine: Machine, part: ClassEpoch, pieces: list[np.ndarray], n_epochs: int
) -> tuple[Machine, FeedbackCounts]:
    machine = machine.copy(machine.parameters)  # a task must not change its arguments
    return machine, machine.train(np.concatenate(pieces), schedule_of(part), n_epochs)


def _train(
    model: Model,
    training: Any,
    validation: TrainingRows | None,
    *,
    weights: np.ndarray | None,
    n_epochs: int,
    shuffle: bool,
    n_threads: int,
    is_watched: bool,
) -> Generator[EpochResult, None, None]:
    """Do what `wtm.machine.training.train` does, on a cluster."""
    blocks: Blocks = training.blocks
    far_weights = None if weights is None else blocks.client.submit(_same, weights, pure=False)
    train_machines = partial(blocks.train, model, far_weights, shuffle)
    return measured_epochs(model, training, validation, n_epochs, n_threads, train_machines)


def _same(argument: Any) -> Any:
    return argument
