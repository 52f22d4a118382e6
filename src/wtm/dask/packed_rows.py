"""Rows packed into bits where their chunks are, and what the client knows of them."""

from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np

from wtm.dask.summaries import checked_targets
from wtm.label_training import LabelTrainable
from wtm.machine.examples import Examples
from wtm.machine.schedule import Schedule
from wtm.machine.training_rows import LabelledExamples, NumberedExamples, TrainingRows
from wtm.validation.labels import class_indices


def pack(estimator: Any, X: Any, y: Any) -> TrainingRows:
    """Pack a chunk; `estimator` knows what features and targets are."""
    table, targets = estimator._table(X, min_rows=0), checked_targets(estimator, y)
    if len(targets) != len(table):
        raise ValueError(f"Chunks of X and y must have the same rows, got {len(table):,} and {len(targets):,}.")
    examples = estimator._packed(table)
    if isinstance(estimator, LabelTrainable):
        return LabelledExamples(examples, class_indices(targets, estimator.classes_, "y"))
    return NumberedExamples(examples, estimator._shares(estimator._columns(targets, "y"), "y"))


class Outline(NamedTuple):
    """What is needed of a block of packed rows to put all rows in order."""

    answers: np.ndarray
    keys: np.ndarray
    n_features: int


def outline_of(block: TrainingRows) -> Outline:
    """Return the outline of a block."""
    return Outline(block.answers, block.content_keys(), block.examples.n_features)


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

    def by_block(self, rows: np.ndarray) -> "RowsByBlock":
        """Say where rows are."""
        places = self.places[rows]
        block_of = np.searchsorted(self.starts, places, side="right") - 1
        order = np.argsort(block_of, kind="stable")
        bounds = np.searchsorted(block_of[order], np.arange(len(self.starts)))
        position = np.empty(len(rows), np.int64)
        position[order] = np.arange(len(rows))
        return RowsByBlock((places - self.starts[block_of])[order], bounds, position)


@dataclass(frozen=True)
class RowsByBlock:
    """Some rows, to be taken from their blocks.

    Attributes
    ----------
    rows : ndarray of shape (n,), int64
        Row numbers in their blocks, block by block.
    bounds : ndarray of shape (n_blocks + 1,), int64
        The rows of block b are ``rows[bounds[b]:bounds[b + 1]]``.
    position : ndarray of shape (n,), int64
        Where each row is among those taken, in the order in which they were asked for.
    """

    rows: np.ndarray
    bounds: np.ndarray
    position: np.ndarray

    def of_block(self, block: int) -> np.ndarray:
        """Return the rows of a block."""
        return self.rows[self.bounds[block] : self.bounds[block + 1]]


def make_index(outlines: list[Outline], kind: type[TrainingRows], shuffle: bool) -> Index:
    """Put the rows of all blocks in order: by content, or with `shuffle` False as they are."""
    keys = np.concatenate([outline.keys for outline in outlines])
    answers = np.concatenate([outline.answers for outline in outlines])
    places = np.argsort(keys, kind="stable") if shuffle else np.arange(len(keys))
    starts = np.cumsum([0, *(len(outline.keys) for outline in outlines)])
    nothing = Examples(np.empty((len(keys), 0), np.uint64), outlines[0].n_features)
    return Index(kind(nothing, answers[places]), places, starts)


class ClassEpoch(NamedTuple):
    """The part of an epoch that trains one machine."""

    found: RowsByBlock
    targets: np.ndarray


class EpochPlan(NamedTuple):
    """An epoch of all machines, and the number of its examples."""

    classes: list[ClassEpoch]
    n_examples: int

    @property
    def lengths(self) -> list[int]:
        """Number of examples of each machine."""
        return [len(part.targets) for part in self.classes]


def plan_epoch(
    index: Index, weights: np.ndarray | None, n_machines: int, seed: int, n_seen: int, shuffle: bool
) -> EpochPlan:
    """Draw an epoch as `wtm.machine.training` does, and say where its rows are."""
    schedule, n_examples = index.rows.schedule(n_machines, seed=seed, n_seen=n_seen, shuffle=shuffle, weights=weights)
    return EpochPlan([ClassEpoch(index.by_block(part.rows), part.targets) for part in schedule], n_examples)


def take(block: TrainingRows, found: RowsByBlock, number: int) -> np.ndarray:
    """Return the bits of the rows that are in block `number`."""
    return block.examples.literals[found.of_block(number)]


def schedule_of(part: ClassEpoch) -> Schedule:
    """Return the schedule for rows as they are taken from the blocks."""
    return Schedule(part.found.position, part.targets)


class _OnCluster:
    """The part of rows on a cluster that the client needs to measure and train a model."""

    near: Any
    blocks: Any

    def sample(self) -> Any:
        """Return the rows of `sampled_rows`, which the client has."""
        return self.near

    def rows(self, rows: np.ndarray) -> NoReturn:
        """Not available: the rows are on the cluster."""
        raise ValueError("early_stopping needs X_val and y_val here, since all rows of X are trained on. Pass them.")


@dataclass(frozen=True)
class LabelsOnCluster(_OnCluster, LabelledExamples):
    """Rows with labels whose bits are on a cluster."""

    near: LabelledExamples | None = None
    blocks: Any = None


@dataclass(frozen=True)
class NumbersOnCluster(_OnCluster, NumberedExamples):
    """Rows with numbers whose bits are on a cluster."""

    near: NumberedExamples | None = None
    blocks: Any = None
