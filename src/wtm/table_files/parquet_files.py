"""Parquet files with the same columns, of which row groups are read."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wtm.table_files.arrow import pa, require_pyarrow, unreadable
from wtm.table_files.parquet_file import index_columns
from wtm.tables.reading import first_duplicate
from wtm.utils.paths import as_path
from wtm.utils.printable import short_repr

_CELLS_PER_CHUNK = 1 << 23


class ParquetFiles:
    """The row groups of files, in the order of the files.

    Parameters
    ----------
    paths : str, path-like, or list of them
        As in `wtm.stream.ParquetRows`.
    argument : str
        What the caller calls `paths`, for messages.

    Attributes
    ----------
    name : str
        What is given as `paths`, for messages.
    paths : list of Path
    names : list of str
        The columns of the first file, without those that pandas wrote as index.
    index : list of str
        The columns of some file that pandas wrote as index.
    groups : list of (Path, int)
        File and number of each row group that has rows.
    sizes : list of int
        Their numbers of rows.

    Raises
    ------
    FileNotFoundError
        A file does not exist, or none fits.
    TypeError, ValueError
        A file can't be read or has two columns of one name, there are no rows, or pyarrow is not installed.
    """

    cells = None
    hint = ""

    def __init__(self, paths: Any, argument: str = "paths") -> None:
        require_pyarrow()
        self.paths = _existing_files(paths, argument)
        self._argument = argument
        self.name = ", ".join(map(str, [paths] if isinstance(paths, str | os.PathLike) else paths))
        self.groups: list[tuple[Path, int]] = []
        self.sizes: list[int] = []
        self._metadata: dict[Path, Any] = {}  # read once: it can be larger than a row group
        self._schemas: dict[Path, Any] = {}
        for path in self.paths:
            self._add(path)
        if not self.sizes:
            raise ValueError(f"{', '.join(map(str, self.paths))} must have at least one row, got none.")
        self.index = list(dict.fromkeys(name for found in self._schemas.values() for name in index_columns(found)))
        self.names: list[str] = [name for name in self._schemas[self.paths[0]].names if name not in self.index]

    def _add(self, path: Path) -> None:
        """List the row groups of a file."""
        try:
            _check_is_parquet(path)
            metadata = self._metadata[path] = pa.parquet.read_metadata(path)
            schema = self._schemas[path] = metadata.schema.to_arrow_schema()
        except (pa.ArrowException, OSError) as error:
            raise unreadable(str(path), error) from None
        if (duplicate := first_duplicate(schema.names)) is not None:
            raise ValueError(f"{path} has more than one column called {duplicate!r}. Rename the columns.")
        sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        self.groups += [(path, i) for i, size in enumerate(sizes) if size]
        self.sizes += [size for size in sizes if size]

    def require(self, columns: Sequence[str], source: str) -> None:
        """Raise a ValueError if a file lacks a column; `source` says where it is from, such as "target names"."""
        for path, schema in self._schemas.items():
            if missing := [name for name in columns if name not in schema.names]:
                raise ValueError(f"{source} {missing[0]!r}, which {path} doesn't have. It has {schema.names}.")

    def join_types(self, columns: Sequence[str]) -> None:
        """Raise a ValueError if rows of the files can't be in one table."""
        with_rows = {path for path, _ in self.groups}
        joined = pa.schema([])
        for path in (path for path in self.paths if path in with_rows):
            wanted = pa.schema([self._schemas[path].field(name) for name in dict.fromkeys(columns)])
            try:
                joined = pa.unify_schemas([joined, wanted], promote_options="permissive")
            except pa.ArrowException as error:
                raise ValueError(
                    f"{self._argument} must be files whose columns have types that can be joined, but {path} differs "
                    f"from those before it: {error}. Write them with the same types."
                ) from None

    def chunks(self, n_columns: int) -> list[slice]:
        """Divide the row groups into chunks for a task each, of which this many columns are read."""
        rows_per_chunk = max(1, _CELLS_PER_CHUNK // n_columns)
        starts = np.cumsum([0, *self.sizes[:-1]])
        firsts = np.unique(starts // rows_per_chunk, return_index=True)[1].tolist()
        return [slice(a, b) for a, b in zip(firsts, [*firsts[1:], len(self.sizes)], strict=True)]

    def read(self, numbers: Sequence[int], columns: Sequence[str]) -> Any:
        """Return columns of some row groups as a table of pyarrow."""
        groups = [self.groups[i] for i in numbers]
        return _joined([_read_group(path, i, columns, self._metadata[path]) for path, i in groups])


def read_groups(groups: Sequence[tuple[Path, int]], columns: Sequence[str]) -> Any:
    """Return columns of row groups of `ParquetFiles.groups` as a table of pyarrow."""
    return _joined([_read_group(path, i, columns) for path, i in groups])


def _joined(tables: list[Any]) -> Any:
    return pa.concat_tables(tables, promote_options="permissive")


def _read_group(path: Path, group: int, columns: Sequence[str], metadata: Any = None) -> Any:
    try:
        with pa.parquet.ParquetFile(path, metadata=metadata) as file:
            return file.read_row_group(group, columns=list(columns), use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(str(path), error) from None


def _check_is_parquet(path: Path) -> None:
    with path.open("rb") as file:
        start = file.read(4)
    if start != b"PAR1":
        raise ValueError(
            f"{path} is not a Parquet file, or is damaged: it does not begin with PAR1. Write the table as Parquet, "
            "such as with to_parquet of pandas."
        )


def _existing_files(paths: Any, argument: str) -> list[Path]:
    """Return the files that `paths` stands for."""
    if not np.iterable(paths) and not isinstance(paths, os.PathLike):
        raise TypeError(f"{argument} must be a path or a list of them, got {short_repr(paths)}.")
    found: list[Path] = []
    for each in [paths] if isinstance(paths, str | os.PathLike) else paths:
        path = as_path(each, argument)
        if path.is_dir():
            inside = [file for file in sorted(path.iterdir()) if file.suffix.lower() in (".parquet", ".pq")]
            if not inside:
                raise FileNotFoundError(
                    f"{argument} has {str(path)!r}, a folder without files that end in .parquet or .pq."
                )
            found += inside
        elif path.exists():
            found.append(path)
        elif matching := sorted(path.parent.glob(path.name)):
            found += matching
        else:
            raise FileNotFoundError(f"{argument} has {str(path)!r}, but there is no such file.")
    if not found:
        raise ValueError(f"{argument} must name at least one file, got none.")
    return found
