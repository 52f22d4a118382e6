"""Rows that lie in chunks: in arrays mapped from files, and in the row groups of Parquet files."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length

from wtm.table_files.arrow import pa, require_pyarrow, unreadable
from wtm.table_files.parquet_file import index_columns
from wtm.tables.reading import first_duplicate
from wtm.utils.paths import as_path
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
        Anything that NumPy can cut into ranges of rows: a memory-mapped array, or a data set of h5py or zarr. A
        DataFrame loses the names of its columns.
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
        self._X, self._y = X, y
        self._starts = range(0, n_rows, chunk_size)
        self._ends = [min(start + chunk_size, n_rows) for start in self._starts]
        self.chunk_sizes = [end - start for start, end in zip(self._starts, self._ends, strict=True)]

    def read(self, chunks: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Return the rows of some chunks, and their targets."""
        ranges = [slice(self._starts[i], self._ends[i]) for i in chunks]
        X, y = ([np.asarray(array[rows]) for rows in ranges] for array in (self._X, self._y))
        return np.concatenate(X), np.concatenate(y)

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
        Files. A name with ``*`` or ``?`` stands for all files of that folder that fit, in the order of their names.
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
        require_pyarrow()
        self._target = target
        self._targets = [target] if isinstance(target, str) else _column_names(target, "target")
        self._paths = _existing_files(paths)
        self._groups: list[tuple[Path, int]] = []
        self._metadata: dict[Path, Any] = {}  # read once: it can be larger than a row group
        self.chunk_sizes: list[int] = []
        self._columns = None if columns is None else _column_names(columns, "columns")
        if shared := set(self._targets).intersection(self._columns or ()):
            raise ValueError(f"columns must not hold the target, got {min(shared)!r}. Leave it out.")
        self._schema = pa.schema([])  # of the wanted columns, in all files together
        for path in self._paths:
            self._add(path)
        if not self.chunk_sizes:
            raise ValueError(f"{', '.join(map(str, self._paths))} must have at least one row, got none.")

    def read(self, chunks: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Return the rows of some chunks as a table of pyarrow, and their targets."""
        assert self._columns is not None
        tables = [self._read(*self._groups[i], [*self._columns, *self._targets]) for i in chunks]
        table = pa.concat_tables(tables, promote_options="permissive")
        return table.select(self._columns), self._target_of(table)

    def targets(self) -> Iterator[np.ndarray]:
        """Read all targets, some at a time."""
        for path, group in self._groups:
            yield self._target_of(self._read(path, group, self._targets))

    def _add(self, path: Path) -> None:
        """List the row groups of a file."""
        try:
            metadata = self._metadata[path] = pa.parquet.read_metadata(path)
            schema = metadata.schema.to_arrow_schema()
        except (pa.ArrowException, OSError) as error:
            raise unreadable(str(path), error) from None
        names = schema.names
        if (duplicate := first_duplicate(names)) is not None:
            raise ValueError(f"{path} has more than one column called {duplicate!r}. Rename the columns.")
        if self._columns is None:
            others = {*self._targets, *index_columns(schema)}
            self._columns = [name for name in names if name not in others]
        for argument, wanted in (("target", self._targets), ("columns", self._columns)):
            if missing := [name for name in wanted if name not in names]:
                raise ValueError(f"{argument} names {missing[0]!r}, which {path} doesn't have. It has {names}.")
        sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        if any(sizes):
            self._join_types(schema, path)
        self._groups += [(path, i) for i, size in enumerate(sizes) if size]
        self.chunk_sizes += [size for size in sizes if size]

    def _join_types(self, schema: Any, path: Path) -> None:
        """Raise a ValueError if the rows of a file can't be in one table with those of the files before it."""
        assert self._columns is not None
        wanted = pa.schema([schema.field(name) for name in dict.fromkeys([*self._columns, *self._targets])])
        try:
            self._schema = pa.unify_schemas([self._schema, wanted], promote_options="permissive")
        except pa.ArrowException as error:
            raise ValueError(
                f"paths must be files whose columns have types that can be joined, but {path} differs from those "
                f"before it: {error}. Write them with the same types."
            ) from None

    def _read(self, path: Path, group: int, columns: list[str]) -> Any:
        try:
            with pa.parquet.ParquetFile(path, metadata=self._metadata[path]) as file:
                return file.read_row_group(group, columns=columns, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(str(path), error) from None

    def _target_of(self, table: Any) -> np.ndarray:
        columns = [_decoded(table.column(name)).to_numpy() for name in self._targets]
        return columns[0] if isinstance(self._target, str) else np.stack(columns, axis=1)


def _column_names(names: Any, argument: str) -> list[str]:
    """Return a list of names of columns, or raise a TypeError or ValueError."""
    found: list[Any] = list(names) if np.iterable(names) and not isinstance(names, str | bytes) else [None]
    if not all(isinstance(name, str) for name in found):
        raise TypeError(f"{argument} must be a list of names of columns, got {short_repr(names)}.")
    if not found:
        raise ValueError(f"{argument} must name at least one column, got none.")
    return found


def _decoded(column: Any) -> Any:
    """Return the values of a column with a dictionary: pyarrow's own conversion to NumPy gives nulls some value."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _existing_files(paths: Any) -> list[Path]:
    """Return the files that `paths` stands for."""
    if not np.iterable(paths) and not isinstance(paths, os.PathLike):
        raise TypeError(f"paths must be a path or a list of them, got {short_repr(paths)}.")
    found: list[Path] = []
    for each in [paths] if isinstance(paths, str | os.PathLike) else paths:
        path = as_path(each, "paths")
        if path.exists():
            found.append(path)
        elif matching := sorted(path.parent.glob(path.name)):
            found += matching
        else:
            raise FileNotFoundError(f"paths has {str(path)!r}, but there is no such file.")
    if not found:
        raise ValueError("paths must name at least one file, got none.")
    return found
