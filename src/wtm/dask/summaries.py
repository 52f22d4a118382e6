"""What is learnt of a collection before its rows are packed: conditions on columns, labels, ranges of numbers."""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.dask.chunk_rows import Chunk, read_chunk
from wtm.encoding import booleanizer_of_counts
from wtm.image_training import ImageClassifier
from wtm.label_training import LabelTrainable
from wtm.number_training import NumberTrainable
from wtm.tables.counted_columns import CountedColumn, add_counts, count_columns
from wtm.tables.table import SparseTable, Table
from wtm.utils.caller import forget_warnings
from wtm.validation.labels import check_classes
from wtm.validation.row_weights import WeightScale


@dataclass(frozen=True)
class Summary:
    """What is known of the rows of some chunks.

    Attributes
    ----------
    n_rows : int
    is_binary : bool
        Whether they hold only 0 and 1.
    columns : list of CountedColumn, or None
        None for images and sparse tables.
    targets : ndarray or None
        The labels, each once; or the smallest and the largest numbers, float64 of shape (2, n_outputs) or (2,).
    """

    n_rows: int
    is_binary: bool
    columns: list[CountedColumn] | None
    targets: np.ndarray | None

    def __reduce__(self) -> tuple[Any, ...]:
        # As one string of bytes, since Dask would send each of the arrays, two per column, by itself.
        return _unpickled, (pickle.dumps((self.n_rows, self.is_binary, self.columns, self.targets)),)


def _unpickled(packed: bytes) -> Summary:
    return Summary(*pickle.loads(packed))


def summarize(estimator: Any, chunk: Chunk, scale: WeightScale | None) -> Summary:
    """Summarize a chunk; `estimator` knows the columns."""
    table, targets, weights = read_chunk(estimator, chunk, scale)
    times = None if weights is None or scale is None else scale.integers(weights)
    return Summary(
        n_rows=len(table),
        is_binary=isinstance(table, Table | SparseTable) and table.is_binary(),
        columns=count_columns(table, times) if isinstance(table, Table) and not estimator._is_strict() else None,
        targets=_summary_of(estimator, targets),
    )


def _summary_of(estimator: Any, targets: np.ndarray) -> np.ndarray | None:
    if isinstance(estimator, LabelTrainable):
        return np.unique(targets)
    return np.stack([targets.min(axis=0), targets.max(axis=0)]) if len(targets) else None


def add_summaries(estimator: Any, parts: Sequence[Summary]) -> Summary:
    """Return the summary of all parts, at least one."""
    columns = [part.columns for part in parts if part.columns is not None]
    targets = [part.targets for part in parts if part.targets is not None]
    if len({found.dtype.kind in "OUT" for found in targets if len(found)}) > 1:
        raise ValueError("y holds text in some chunks and numbers in others. Convert it to one kind.")
    filled = [found for found in targets if len(found)] or targets
    return Summary(
        n_rows=sum(part.n_rows for part in parts),
        is_binary=all(part.is_binary for part in parts),
        columns=add_counts(columns) if columns else None,
        targets=_summary_of(estimator, np.concatenate(filled)) if filled else None,
    )


def learn(estimator: Any, summary: Summary) -> None:
    """Set the attributes of an estimator that say what features and targets are."""
    if not summary.n_rows or summary.targets is None:
        raise ValueError("X must have at least one row, got none.")
    if isinstance(estimator, LabelTrainable):
        estimator.classes_ = check_classes(summary.targets, "y")
    else:
        assert isinstance(estimator, NumberTrainable)
        estimator._learn_targets(summary.targets)
    if isinstance(estimator, ImageClassifier):
        estimator._learn_features(None, None, summary.targets)
        return
    estimator.booleanizer_ = booleanizer_of_counts(
        estimator.booleanizer,
        summary.columns,
        (summary.n_rows, estimator.n_features_in_),
        getattr(estimator, "feature_names_in_", None),
        is_binary=summary.is_binary,
        n_thresholds=estimator._n_thresholds,
    )
    forget_warnings(estimator)
