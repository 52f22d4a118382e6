"""Tables in Parquet files, read by pyarrow some rows at a time."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wtm.table_files.arrow import pa, unreadable
from wtm.table_files.column_names import check_unique

_ROWS_PER_BATCH = 1 << 16  # at most
_CELLS_PER_BATCH = 1 << 24
_BYTES_PER_TEXT = 12  # of a cell: its place in a column and in a list of objects


class ParquetFile:
    """A table whose columns have types; attributes are as in `CsvFile`, and the columns that pandas wrote as index."""

    cells = None
    hint = ""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._path = path
        with self._open() as file:
            schema = file.schema_arrow
            self.n_rows: int = file.metadata.num_rows
        self.index = index_columns(schema)
        self.names: list[str] = [column for column in schema.names if column not in self.index]
        check_unique(schema.names, name)
        self._types = dict(zip(schema.names, schema.types, strict=True))

    def bytes_per_row(self, columns: Sequence[str]) -> int:
        """Return what a row of these columns takes in memory, at the least."""
        is_primitive = pa.types.is_primitive
        types = [self._types[column] for column in columns]
        return sum(kind.bit_width // 8 if is_primitive(kind) else _BYTES_PER_TEXT for kind in types)

    def batches(self, columns: Sequence[str]) -> Generator[Any, None, None]:
        """Read these columns, some rows at a time."""
        columns = list(columns)
        with self._open() as file:
            n_rows = max(1, min(_ROWS_PER_BATCH, _CELLS_PER_BATCH // max(1, len(columns))))
            for batch in file.iter_batches(batch_size=n_rows, columns=columns, use_threads=False):
                yield pa.Table.from_batches([batch]).select(columns)
            if not self.n_rows:
                yield file.schema_arrow.empty_table().select(columns)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        try:
            with pa.parquet.ParquetFile(self._path) as file:
                yield file
        except (pa.ArrowException, OSError) as error:
            raise unreadable(self.name, error) from None


def index_columns(schema: Any) -> tuple[str, ...]:
    """Return the names of the columns that pandas wrote as index."""
    stored = (schema.pandas_metadata or {}).get("index_columns", [])
    return tuple(column for column in stored if isinstance(column, str))  # a range is stored as a dict
