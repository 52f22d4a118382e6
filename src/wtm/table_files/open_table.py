"""Tables in CSV and Parquet files."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wtm.table_files.arrow import require_pyarrow
from wtm.table_files.csv_file import CsvFile
from wtm.table_files.csv_format import CsvFormat
from wtm.table_files.file_kinds import check_kind, compression_of
from wtm.table_files.parquet_file import ParquetFile
from wtm.table_files.parquet_files import ParquetFiles

PARQUET = (".parquet", ".pq")
"""How names of Parquet files end."""

STANDARD_STREAM = Path("-")

_MAGIC_BYTES = 100


TableFile = CsvFile | ParquetFile
TableSource = TableFile | ParquetFiles


@contextmanager
def open_table(path: Path, format: CsvFormat) -> Iterator[TableFile]:
    """Open a file, as Parquet or CSV by its first bytes; ``-`` is standard input."""
    require_pyarrow()
    name = "standard input" if path == STANDARD_STREAM else str(path)
    if path.is_dir():
        raise ValueError(f"{name} is a folder: give the name of a CSV or Parquet file.")
    with tempfile.TemporaryDirectory() as folder:
        if path.is_file():
            file = path
        else:  # a pipe, which can be read only once
            file = Path(folder) / "pipe"
            with sys.stdin.buffer if path == STANDARD_STREAM else path.open("rb") as pipe, file.open("wb") as copy:
                shutil.copyfileobj(pipe, copy)
        with file.open("rb") as opened:
            start = opened.read(_MAGIC_BYTES)
        check_kind(start, name)
        if start.startswith(b"PAR1"):
            yield ParquetFile(file, name)
        elif path.suffix.lower() in PARQUET:
            raise ValueError(f"{name} is not a Parquet file, or is damaged: it does not begin with PAR1.")
        else:
            csv = CsvFile(file, name, format, compression_of(start), is_tsv=".tsv" in path.suffixes)
            yield csv.opened(Path(folder) / "utf-8")
