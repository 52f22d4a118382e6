"""The rows of a chunk that are learnt from, with their targets and weights."""

from typing import Any, NamedTuple

import numpy as np

from wtm.label_training import LabelTrainable
from wtm.tables.table import SparseTable, Table
from wtm.validation.labels import check_labels
from wtm.validation.real_numbers import real_numbers
from wtm.validation.row_weights import WeightScale
from wtm.validation.targets import check_numbers


class Chunk(NamedTuple):
    """A chunk as Dask holds it; `sample_weight` may be None."""

    X: Any
    y: Any
    sample_weight: Any


class ChunkRows(NamedTuple):
    """What a chunk holds, without rows of weight 0.

    Attributes
    ----------
    table : Table or SparseTable
    targets : ndarray
        Labels or numbers.
    weights : ndarray of float64, or None
        As the estimator's `fit` scales them.
    """

    table: Table | SparseTable
    targets: np.ndarray
    weights: np.ndarray | None


def in_messages(name: str) -> str:
    """Return what messages call a chunk of an argument, in which they count rows."""
    return f"A chunk of {name}"


def read_chunk(estimator: Any, chunk: Chunk, scale: WeightScale | None) -> ChunkRows:
    """Read a chunk; `estimator` knows the columns."""
    table = estimator._table(chunk.X, min_rows=0)
    name = in_messages("y")
    if isinstance(estimator, LabelTrainable):
        targets = check_labels(chunk.y, name, warn=False)  # `wtm.dask.fit` warns of a column once
    else:
        targets = check_numbers(chunk.y, name)
    _check_length(table, targets, "y")
    if scale is None:
        return ChunkRows(table, targets, None)
    weights = real_numbers(chunk.sample_weight, in_messages("sample_weight"))
    _check_length(table, weights, "sample_weight")
    present = np.flatnonzero(weights)
    return ChunkRows(table[present], targets[present], scale.scaled(weights[present]))


def _check_length(table: Table | SparseTable, other: np.ndarray, name: str) -> None:
    if len(other) != len(table):
        raise ValueError(f"Chunks of X and {name} must have the same rows, got {len(table):,} and {len(other):,}.")
