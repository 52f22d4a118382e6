"""Train on the rows of collections: the bits of each class's examples go to its task, some epochs at a time."""

import copy
from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from dask.delayed import delayed
from distributed import Client
from sklearn.exceptions import DataConversionWarning
from toolz import identity

from wtm.dask.chunk_rows import Chunk, in_messages
from wtm.dask.chunks import chunks_like, chunks_of, example_of
from wtm.dask.connection import checked_client
from wtm.dask.packed_rows import (
    FoundRows,
    Index,
    LabelsOnCluster,
    NumbersOnCluster,
    PartOfRound,
    joined,
    make_index,
    outline_of,
    pack,
)
from wtm.dask.summaries import Summary, add_summaries, learn, summarize
from wtm.dask.worker_copy import for_workers
from wtm.label_training import LabelTrainable
from wtm.machine.class_tasks import MachineEpoch, Round, as_writable, train_part
from wtm.machine.examples import Examples, words_per_row
from wtm.machine.model_state import Model
from wtm.machine.schedule import Schedule
from wtm.machine.training import EPOCHS_PER_ROUND, EpochResult, epochs_of_rounds
from wtm.machine.training_rows import LabelledExamples, NumberedExamples, TrainingRows
from wtm.number_training import NumberTrainable
from wtm.trainable import Trainable
from wtm.utils.caller import warn_caller
from wtm.utils.dask_errors import clear_errors
from wtm.validation.real_numbers import real_numbers
from wtm.validation.row_weights import WeightScale, sample_weights

_FAN_IN = 8  # summaries that are added up at a time
_BLOCK_BYTES = 1 << 26  # of packed rows, about: with fewer, tasks would cost more than what they do


def fit_collection(
    estimator: Any, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any, client: Client | None
) -> Any:
    """Do what `wtm.dask.fit` does."""
    if not isinstance(estimator, Trainable):
        raise TypeError(f"estimator must be a classifier or regressor of wtm, got {type(estimator).__name__}.")
    client = checked_client(client)
    if estimator.early_stopping and X_val is None:  # before rows are read
        raise ValueError("early_stopping needs X_val and y_val here, since all rows of X are trained on. Pass them.")
    of_X, of_y = chunks_of(X, "X"), chunks_like(X, y, "y")
    if isinstance(estimator, LabelTrainable) and y.ndim == 2 and y.shape[1] == 1:
        warn_caller(
            DataConversionWarning(
                "A column-vector y was passed when a 1d array was expected. Pass y[:, 0], or a series of a data frame."
            )
        )
    of_weights = [None] * len(of_X) if sample_weight is None else chunks_like(X, sample_weight, "sample_weight")
    chunks = [Chunk(*parts) for parts in zip(of_X, of_y, of_weights, strict=True)]
    return fit_chunks(estimator, chunks, example_of(X), X_val, y_val, client)


def fit_chunks(estimator: Any, chunks: list[Chunk], example: Any, X_val: Any, y_val: Any, client: Client) -> Any:
    """Fit a copy of an estimator to chunks, whose parts are objects of :func:`dask.delayed`.

    Parameters
    ----------
    estimator : Trainable
    chunks : list of Chunk
    example : table of no rows
        For the columns of X and their types.
    X_val, y_val, client
        As in `wtm.dask.fit`.
    """
    fitted = copy.copy(estimator)
    with clear_errors(client):
        return fitted._fit_rows(partial(_read, fitted, chunks, example, client), X_val, y_val, _train)


def _read(fitted: Any, chunks: list[Chunk], example: Any, client: Client, resumes: bool) -> TrainingRows:
    """Pack the rows on the cluster, and learn from them what features and targets are, unless training resumes."""
    fitted._table(example, reset=not resumes, min_rows=0)
    of_weights = [chunk.sample_weight for chunk in chunks if chunk.sample_weight is not None]
    scale = _scale_of(client.gather(client.compute(of_weights))) if of_weights else None
    if not resumes:
        learn(fitted, _summary(fitted, chunks, scale, client))
    elif isinstance(fitted, NumberTrainable) and fitted.y_range is not None:
        fitted._check_range_is_kept()
    shared, packed = delayed(for_workers(fitted), traverse=False), delayed(pack)
    parts = client.compute([packed(shared, chunk, scale) for chunk in chunks])
    outlines = [client.submit(outline_of, part, pure=False) for part in parts]
    kind = LabelledExamples if isinstance(fitted, LabelTrainable) else NumberedExamples
    index = client.submit(make_index, outlines, kind, bool(fitted.shuffle), pure=False)
    rows: TrainingRows = index.result().rows
    if not len(rows):
        raise ValueError("X must have at least one row, got none.")
    blocks = Blocks.of_parts(client, parts, index)
    sampled = np.arange(len(rows))[rows.sampled_rows()]
    sample = rows.rows(sampled)
    sample = replace(sample, examples=replace(sample.examples, literals=blocks.take(sampled)))
    if isinstance(sample, LabelledExamples):
        return LabelsOnCluster(rows.examples, rows.answers, rows.weights, local_sample=sample, blocks=blocks)
    assert isinstance(sample, NumberedExamples)
    return NumbersOnCluster(rows.examples, rows.answers, rows.weights, local_sample=sample, blocks=blocks)


def _scale_of(parts: list[Any]) -> WeightScale:
    """Check the weights of all chunks, and say how they are scaled."""
    weights = np.concatenate([real_numbers(part, in_messages("sample_weight")) for part in parts])
    checked = sample_weights(weights, len(weights))
    assert checked is not None
    return WeightScale.of(checked[checked > 0])


def _summary(fitted: Any, chunks: list[Chunk], scale: WeightScale | None, client: Client) -> Summary:
    shared = delayed(for_workers(fitted), traverse=False)
    summarized, added = delayed(summarize), delayed(add_summaries)
    level = [summarized(shared, chunk, scale) for chunk in chunks]
    while len(level) > 1:
        level = [added(shared, level[i : i + _FAN_IN]) for i in range(0, len(level), _FAN_IN)]
    summary: Summary = client.compute(level[0]).result()
    return summary


@dataclass(frozen=True)
class Blocks:
    """Packed rows on a cluster.

    Attributes
    ----------
    client : Client
    blocks : list of Future of ndarray of shape (n_rows, n_words), uint64
        The bits of rows; a block holds those of some chunks that follow each other.
    index : Future of Index
    """

    client: Client
    blocks: list[Any]
    index: Any

    @classmethod
    def of_parts(cls, client: Client, parts: list[Any], index: Any) -> "Blocks":
        """Join packed chunks, whose blocks in `index` are the chunks."""
        known: Index = index.result()
        row_bytes = 8 * words_per_row(known.rows.examples.n_features)
        firsts = np.unique(known.starts[:-1] * row_bytes // _BLOCK_BYTES, return_index=True)[1]
        ends = [*firsts[1:], len(parts)]
        blocks = [client.submit(joined, parts[a:b], pure=False) for a, b in zip(firsts, ends, strict=True)]
        starts = np.append(known.starts[firsts], known.starts[-1])
        return cls(client, blocks, client.submit(Index.in_blocks, index, starts, pure=False))

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Fetch rows, in the order in which they are asked for."""
        found = self.client.submit(Index.find, self.index, rows, pure=False)
        pieces = [
            self.client.submit(FoundRows.take, found, block, b, pure=False) for b, block in enumerate(self.blocks)
        ]
        literals: np.ndarray = np.concatenate(self.client.gather(pieces))[found.result().position]
        return literals

    def train_round(
        self, model: Model, order: list[int], weights: Any, sample: Any, validation: Any, this_round: Round
    ) -> list[list[MachineEpoch]]:
        """Train all machines of `model` for some epochs, one task per machine.

        The state that the last round left is an argument of the tasks, so a task whose worker is lost runs again from
        there, and blocks that are lost are read again.

        Parameters
        ----------
        model : Model
        order : list of int
            The machines in the order in which they are to be trained.
        weights, sample, validation : Future of ndarray, or None; Futures of Examples
        this_round : Round

        Returns
        -------
        list of n_epochs lists of n_machines MachineEpoch
        """
        submit, parts = partial(self.client.submit, pure=False), model.parts()
        plan = submit(Index.draw_round, self.index, weights, this_round, model.seed, model.n_seen)
        tasks = {}
        for i in order:
            found, epochs = (submit(_get, plan, i, name) for name in PartOfRound._fields)  # each goes where it is used
            pieces = [submit(FoundRows.take, found, block, b) for b, block in enumerate(self.blocks)]
            tasks[i] = submit(_train_part, parts[i], epochs, pieces, sample, validation)
        trained = self.client.gather([tasks[i] for i in range(len(parts))])
        model.take_parts([part.copy() for part, _ in trained])  # arrays may be read-only
        return [list(epoch) for epoch in zip(*(measured for _, measured in trained), strict=True)]


def _get(plan: list[PartOfRound], machine: int, name: str) -> Any:
    return getattr(plan[machine], name)


def _train_part(
    model: Model,
    epochs: list[tuple[Schedule, int]],
    pieces: list[np.ndarray],
    sample: Examples,
    validation: Examples,
) -> tuple[Model, list[MachineEpoch]]:
    rows = [replace(examples, literals=as_writable(examples.literals)) for examples in (sample, validation)]
    return train_part(model, np.concatenate(pieces), epochs, *rows)


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
    # Results of tasks, which run again if their worker is lost; what `Client.scatter` sends would be lost with it.
    keep = partial(blocks.client.submit, identity, pure=False)
    sample = training.sample().examples
    held_out = replace(sample, literals=sample.literals[:0]) if validation is None else validation.examples
    arguments = (None if weights is None else keep(weights), keep(sample), keep(held_out))
    # Rows of one block are so few that a task may have those of several epochs.
    longest = EPOCHS_PER_ROUND if len(blocks.blocks) == 1 and not is_watched else 1
    run = partial(blocks.train_round, model, _longest_first(training, weights, len(model.machines)), *arguments)
    return epochs_of_rounds(model, training, validation, n_epochs, shuffle, longest, run)


def _longest_first(training: TrainingRows, weights: np.ndarray | None, n_machines: int) -> list[int]:
    """Order machines by the examples of their own that they see, so that no worker has a long task at the end."""
    if not isinstance(training, LabelledExamples):
        return list(range(n_machines))
    order: list[int] = np.argsort(-np.bincount(training.labels, weights, minlength=n_machines), kind="stable").tolist()
    return order
