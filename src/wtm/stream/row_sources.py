"""Rows that lie in chunks: in arrays mapped from files, and in the row groups of Parquet files."""

import os
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length

from wtm.table_files.arrow import pa
from wtm.table_files.parquet_files import ParquetFiles
from wtm.utils.printable import short_repr
from wtm.validation.parameters import check_integer


class RowSource(Protocol):
    """What `batches` and `fit` need of rows. Own sources of rows may be of any class that has these three.

    Attributes
    ----------
    chunk_sizes : sequence of int
        Number of rows of each chunk.
    """

    chunk_sizes: Sequence[int]

    def read(self, chunks: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Return the rows of some chunks, whose numbers ascend, and their targets."""
        ...

    def targets(self) -> Iterator[np.ndarray]:
        """Read all targets, some at a time."""
        ...


class ArrayRows:
    """Rows of arrays, such as those that ``numpy.load(path, mmap_mode="r")`` maps from files.

    Parameters
    ----------
    X : array of shape (n_samples, ...)
        A data frame, or anything that NumPy can cut into ranges of rows: a memory-mapped array, or a data set of h5py
        or zarr.
    y : array of shape (n_samples,) or (n_samples, n_outputs)
    chunk_size : int
        Number of rows that are read together. Small chunks mix rows better, and large ones are faster to read.

    Raises
    ------
    TypeError, ValueError
        `chunk_size` is not a positive integer, there are no rows, the lengths differ, or an argument is a path or a
        sparse matrix.
    """

    def __init__(self, X: Any, y: Any, *, chunk_size: int = 1024) -> None:
        for name, array in (("X", X), ("y", y)):
            if isinstance(array, str | os.PathLike):
                raise TypeError(f"{name} must be an array, got a path. Pass numpy.load(path, mmap_mode='r').")
            if sp.issparse(array):
                raise TypeError(
                    f"{name} must be an array, got a sparse matrix. Call partial_fit with some rows at a time."
                )
        check_consistent_length(X, y)
        n_rows = len(y)
        if not n_rows:
            raise ValueError("X must have at least one row, got none.")
        check_integer({"chunk_size": chunk_size}, "chunk_size", 1)
        self._X = nw.from_native(X, eager_only=True, pass_through=True)
        self._y = y
        self._starts = range(0, n_rows, chunk_size)
        self._ends = [min(start + chunk_size, n_rows) for start in self._starts]
        self.chunk_sizes = [end - start for start, end in zip(self._starts, self._ends, strict=True)]

    def read(self, chunks: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Return the rows of some chunks, and their targets."""
        ranges = [slice(self._starts[i], self._ends[i]) for i in chunks]
        y = np.concatenate([np.asarray(self._y[rows]) for rows in ranges])
        if isinstance(self._X, nw.DataFrame):
            return nw.concat([self._X[rows] for rows in ranges]).to_native(), y
        return np.concatenate([np.asarray(self._X[rows]) for rows in ranges]), y

    def targets(self) -> Iterator[np.ndarray]:
        """Read all targets, some at a time."""
        step = 1 << 20
        for start in range(0, len(self._y), step):
            yield np.asarray(self._y[start : start + step])


class ParquetRows:
    """Rows of Parquet files, whose chunks are their row groups.

    Parameters
    ----------
    paths : str, path-like, or list of them
        Files. A name with ``*`` or ``?`` stands for all files of that folder that fit, and a folder for its files that
        end in .parquet or .pq, in the order of their names.
    target : str or list of str
        The column to predict, or several of numbers.
    columns : list of str, optional
        The columns to learn from. If omitted, all but the target and the columns that pandas wrote as index.

    Raises
    ------
    FileNotFoundError
        A file does not exist, or none fits.
    TypeError, ValueError
        A file can't be read or has no such column, a column has types in the files that can't be joined, there are no
        rows, or pyarrow is not installed.
    """

    def __init__(self, paths: Any, *, target: str | list[str], columns: list[str] | None = None) -> None:
        self._target = target
        self._targets = [target] if isinstance(target, str) else _column_names(target, "target")
        self._files = ParquetFiles(paths)
        self._files.require(self._targets, "target names")
        if columns is None:
            self._columns = [name for name in self._files.names if name not in self._targets]
        else:
            self._columns = _column_names(columns, "columns")
        if shared := set(self._targets).intersection(self._columns):
            raise ValueError(f"columns must not hold the target, got {min(shared)!r}. Leave it out.")
        self._files.require(self._columns, "columns names")
        self._files.join_types([*self._columns, *self._targets])
        self.chunk_sizes = self._files.sizes

    def read(self, chunks: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Return the rows of some chunks as a table of pyarrow, and their targets."""
        table = self._files.read(chunks, [*self._columns, *self._targets])
        return table.select(self._columns), self._target_of(table)

    def targets(self) -> Iterator[np.ndarray]:
        """Read all targets, some at a time."""
        for chunk in range(len(self.chunk_sizes)):
            yield self._target_of(self._files.read([chunk], self._targets))

    def _target_of(self, table: Any) -> np.ndarray:
        columns = [_values(table.column(name)) for name in self._targets]
        return columns[0] if isinstance(self._target, str) else np.stack(columns, axis=1)


def _column_names(names: Any, argument: str) -> list[str]:
    """Return a list of names of columns, or raise a TypeError or ValueError."""
    found: list[Any] = list(names) if np.iterable(names) and not isinstance(names, str | bytes) else [None]
    if not all(isinstance(name, str) for name in found):
        raise TypeError(f"{argument} must be a list of names of columns, got {short_repr(names)}.")
    if not found:
        raise ValueError(f"{argument} must name at least one column, got none.")
    return found


def _values(column: Any) -> np.ndarray:
    """Return a column of pyarrow as an array; decimal numbers as float64."""
    if pa.types.is_dictionary(column.type):  # pyarrow's own conversion to NumPy gives nulls some value
        column = column.cast(column.type.value_type)
    values: np.ndarray = column.to_numpy()
    if pa.types.is_decimal(column.type):
        return np.array([np.nan if value is None else float(value) for value in values])
    return values
