"""Batches of rows from all over a source."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from wtm.stream.row_sources import RowSource
from wtm.utils.caller import warn_caller
from wtm.utils.printable import short_repr
from wtm.validation.parameters import check_integer, draw_seed

_MIN_CHUNKS = 8  # per batch: with fewer the labels of sorted rows vary much from one batch to the next


def batches(rows: RowSource, *, batch_size: int, random_state: Any = None) -> Iterator[tuple[Any, np.ndarray]]:
    """Read all rows once, in batches for `partial_fit`.

    Each batch consists of chunks from random places of the source, so that it resembles the whole even if the rows are
    sorted. `partial_fit` shuffles the rows of a batch itself, unless `shuffle=False`.

    Parameters
    ----------
    rows : ArrayRows, ParquetRows or another source of rows
    batch_size : int
        Number of rows at which a batch is full. Its last chunk is not cut, so batches can be larger.
    random_state : int, Generator, RandomState or None
        Decides the order of the chunks.

    Yields
    ------
    X : array or pyarrow.Table
    y : ndarray

    Raises
    ------
    TypeError, ValueError
        `rows` is not a source of rows or has none, `batch_size` is not a positive integer, or a file can't be read.

    Warns
    -----
    UserWarning
        A batch would hold only a few of the chunks, so it would not resemble the whole.
    """
    check_batches(rows, batch_size)
    return read_batches(rows, batch_size, np.random.default_rng(draw_seed(random_state)))


def check_batches(rows: RowSource, batch_size: Any) -> None:
    """Raise and warn as `batches` does."""
    if isinstance(rows, type) or not all(hasattr(rows, name) for name in ("chunk_sizes", "read", "targets")):
        raise TypeError(
            f"rows must be a source of rows with chunk_sizes, read and targets, got {short_repr(rows)}. Pass "
            "wtm.stream.ParquetRows(paths, target=...) or wtm.stream.ArrayRows(X, y)."
        )
    check_integer({"batch_size": batch_size}, "batch_size", 1)
    n_chunks, n_rows = len(rows.chunk_sizes), sum(rows.chunk_sizes)
    if n_rows < 1:
        raise ValueError("rows must have at least one row, but its chunk_sizes add up to 0.")
    n_per_batch = batch_size * n_chunks / n_rows
    if n_per_batch < min(n_chunks, _MIN_CHUNKS):
        text = (
            f"batch_size={batch_size:,} rows are about {n_per_batch:.1f} of the {n_chunks:,} chunks. If the rows are "
            "sorted, such batches differ much. Use a larger batch_size, or write the files with smaller row groups."
        )
        warn_caller(UserWarning(text))


def read_batches(rows: RowSource, batch_size: int, rng: np.random.Generator) -> Iterator[tuple[Any, np.ndarray]]:
    """Read all rows once, as `batches` does."""
    sizes = np.asarray(rows.chunk_sizes)
    order = rng.permutation(len(sizes))
    ends = np.cumsum(sizes[order])
    # Batches of nearly one size: a small rest would be an epoch of its own.
    n_batches = max(1, round(int(ends[-1]) / batch_size))
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, n_batches) / n_batches) + 1
    for chunks in np.split(order, np.unique(cuts)):
        if len(chunks):
            yield rows.read(np.sort(chunks).tolist())  # reading a file in order is fastest
