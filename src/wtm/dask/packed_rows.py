"""Rows packed into bits where their chunks are, and what the client knows of them."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, NoReturn

import numpy as np

from wtm.dask.chunk_rows import Chunk, in_messages, read_chunk
from wtm.label_training import LabelTrainable
from wtm.machine.class_tasks import Round, draw_round
from wtm.machine.examples import Examples
from wtm.machine.schedule import Schedule
from wtm.machine.training_rows import LabelledExamples, NumberedExamples, TrainingRows
from wtm.validation.labels import class_indices
from wtm.validation.row_weights import WeightScale


def pack(estimator: Any, chunk: Chunk, scale: WeightScale | None) -> TrainingRows:
    """Pack a chunk; `estimator` knows what features and targets are."""
    table, targets, weights = read_chunk(estimator, chunk, scale)
    examples = estimator._packed(table, in_messages("X"))
    if isinstance(estimator, LabelTrainable):
        return LabelledExamples(examples, class_indices(targets, estimator.classes_, "y"), weights)
    return NumberedExamples(examples, estimator._shares(estimator._columns(targets, "y"), "y"), weights)


class Outline(NamedTuple):
    """What is needed of a packed chunk to put all rows in order."""

    answers: np.ndarray
    weights: np.ndarray | None
    keys: np.ndarray
    n_features: int


def outline_of(packed: TrainingRows) -> Outline:
    """Return the outline of a packed chunk."""
    return Outline(packed.answers, packed.weights, packed.content_keys(), packed.examples.n_features)


def joined(packed: list[TrainingRows]) -> np.ndarray:
    """Return the bits of some packed chunks, in their order."""
    return np.concatenate([rows.examples.literals for rows in packed])


@dataclass(frozen=True)
class Index:
    """All rows without their bits, in the order in which `fit` has them.

    Attributes
    ----------
    rows : TrainingRows
        Rows of no words.
    places : ndarray of shape (n_rows,), int64
        Place of each row among those of all blocks.
    starts : ndarray of shape (n_blocks + 1,), int64
        Place of the first row of each block.
    """

    rows: TrainingRows
    places: np.ndarray
    starts: np.ndarray

    def in_blocks(self, starts: np.ndarray) -> "Index":
        """Return the index of the same rows in other blocks."""
        return replace(self, starts=starts)

    def find(self, rows: np.ndarray) -> "FoundRows":
        """Say where rows are."""
        places, position = np.unique(self.places[rows], return_inverse=True)
        bounds = np.searchsorted(places, self.starts)
        return FoundRows(places - np.repeat(self.starts[:-1], np.diff(bounds)), bounds, position)

    def draw_round(self, weights: np.ndarray | None, this_round: Round, seed: int, n_seen: int) -> list["PartOfRound"]:
        """Draw some epochs, and say where their rows are; a part for each machine."""
        drawn = list(draw_round(self.rows, weights, this_round, seed, n_seen))
        return [
            self._part([(schedules[i], n_numbers) for schedules, n_numbers in drawn])
            for i in range(this_round.n_machines)
        ]

    def _part(self, epochs: list[tuple[Schedule, int]]) -> "PartOfRound":
        found = self.find(np.concatenate([schedule.rows for schedule, _ in epochs]))
        ends = np.cumsum([len(schedule.rows) for schedule, _ in epochs])
        positions = np.split(found.position, ends[:-1])
        return PartOfRound(
            found._replace(position=found.position[:0]),  # blocks don't need it, and each gets a copy
            [
                (Schedule(position, schedule.targets), n_numbers)
                for position, (schedule, n_numbers) in zip(positions, epochs, strict=True)
            ],
        )


class FoundRows(NamedTuple):
    """Some rows, to be taken from their blocks, each once.

    Attributes
    ----------
    rows : ndarray of shape (n,), int64
        Row numbers in their blocks, block by block.
    bounds : ndarray of shape (n_blocks + 1,), int64
        The rows of block b are ``rows[bounds[b]:bounds[b + 1]]``.
    position : ndarray of int64
        Where each row that was asked for is among those taken.
    """

    rows: np.ndarray
    bounds: np.ndarray
    position: np.ndarray

    def take(self, block: np.ndarray, number: int) -> np.ndarray:
        """Return the rows that are in block `number`."""
        taken: np.ndarray = block[self.rows[self.bounds[number] : self.bounds[number + 1]]]
        return taken


class PartOfRound(NamedTuple):
    """The part of some epochs that trains one machine.

    Attributes
    ----------
    found : FoundRows
        The rows that it sees, without positions.
    epochs : list of (Schedule, int)
        Schedules for these rows, and how many running numbers each epoch uses.
    """

    found: FoundRows
    epochs: list[tuple[Schedule, int]]


def make_index(outlines: list[Outline], kind: type[TrainingRows], shuffle: bool) -> Index:
    """Put the rows of all chunks in order: by content, or with `shuffle` False as they are; a block is a chunk."""
    keys = np.concatenate([outline.keys for outline in outlines])
    answers = np.concatenate([outline.answers for outline in outlines])
    parts = [outline.weights for outline in outlines if outline.weights is not None]
    weights = np.concatenate(parts) if parts else None
    places = np.arange(len(keys))
    if shuffle:  # as `wtm.machine.schedule.order_by_content`
        places = np.argsort(keys, kind="stable") if weights is None else np.lexsort((weights, keys))
    starts = np.cumsum([0, *(len(outline.keys) for outline in outlines)])
    nothing = Examples(np.empty((len(keys), 0), np.uint64), outlines[0].n_features)
    return Index(kind(nothing, answers[places], None if weights is None else weights[places]), places, starts)


class _OnCluster:
    """The part of rows on a cluster that the client needs to measure and train a model.

    Attributes
    ----------
    local_sample : TrainingRows
        The rows of `sampled_rows`, with their bits.
    blocks : Blocks
        See `wtm.dask.training`.
    """

    local_sample: Any
    blocks: Any

    def sample(self) -> Any:
        """Return the rows of `sampled_rows`."""
        return self.local_sample

    def rows(self, rows: np.ndarray) -> NoReturn:
        """Not available: the rows are on the cluster."""
        raise NotImplementedError


@dataclass(frozen=True)
class LabelsOnCluster(_OnCluster, LabelledExamples):
    """Rows with labels whose bits are on a cluster."""

    local_sample: LabelledExamples | None = None
    blocks: Any = None


@dataclass(frozen=True)
class NumbersOnCluster(_OnCluster, NumberedExamples):
    """Rows with numbers whose bits are on a cluster."""

    local_sample: NumberedExamples | None = None
    blocks: Any = None
