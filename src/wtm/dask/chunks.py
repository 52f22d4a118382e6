"""Chunks of rows of Dask's collections."""

from typing import Any

import dask.array as da
import numpy as np
import scipy.sparse as sp
from dask.base import is_dask_collection


def is_frame(X: Any) -> bool:
    """Whether X is a data frame or series of Dask, whose package `dask.dataframe` need not be there."""
    is_other = is_dask_collection(X) and not isinstance(X, da.Array)
    return is_other and all(hasattr(X, name) for name in ("npartitions", "to_delayed", "_meta"))


def chunks_of(X: Any, name: str) -> list[Any]:
    """Return the chunks of rows of a collection, in order, as objects of :func:`dask.delayed`.

    Raises
    ------
    TypeError
        X is no array or data frame of Dask.
    """
    if isinstance(X, da.Array):
        return list(X.rechunk(dict.fromkeys(range(1, X.ndim), -1)).to_delayed().ravel())
    if is_frame(X):
        # Full optimization may join partitions of Parquet files, more of them the fewer columns are needed.
        return list(X.simplify().to_delayed(optimize_graph=False))
    raise TypeError(
        f"{name} must be an array or a data frame of Dask, got {type(X).__name__}. For data in memory, call the method "
        "of the estimator."
    )


def chunks_like(X: Any, other: Any, name: str) -> list[Any]:
    """Return the chunks of a collection called `name`, one for each chunk of X; their rows are counted when read.

    Raises
    ------
    TypeError
        X or the other is not a collection.
    ValueError
        They have different numbers of chunks or rows.
    """
    if isinstance(X, da.Array) and isinstance(other, da.Array) and X.chunks[0] != other.chunks[0]:
        if np.isnan([*X.chunks[0], *other.chunks[0]]).any():
            raise ValueError(f"X and {name} have chunks of unknown lengths. Call compute_chunk_sizes() of both first.")
        if X.shape[0] != other.shape[0]:
            raise ValueError(f"X and {name} must have the same rows, got {X.shape[0]:,} and {other.shape[0]:,}.")
        other = other.rechunk({0: X.chunks[0]})
    n_chunks, found = len(chunks_of(X, "X")), chunks_of(other, name)
    if n_chunks != len(found):
        raise ValueError(
            f"X and {name} must have the same chunks, got {n_chunks} and {len(found)}. Take both from one data frame, "
            "or repartition one like the other."
        )
    return found


def example_of(X: Any) -> Any:
    """Return a table of no rows like a chunk of X, for its columns and their types."""
    if is_frame(X):
        return X._meta
    shape = (0, *X.shape[1:])
    return sp.csr_array(shape, dtype=X.dtype) if sp.issparse(X._meta) else np.empty(shape, X.dtype)


def n_rows_of(X: Any) -> list[float]:
    """Return the number of rows of each chunk, NaN where it is unknown."""
    return list(X.chunks[0]) if isinstance(X, da.Array) else [np.nan] * X.npartitions
