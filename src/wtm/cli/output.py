"""Files that commands write: checked before any work, whole or not there, and never in place of what is read."""

import csv
import gzip
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import typer

from wtm.cli.files import PARQUET, import_pyarrow
from wtm.utils.atomic_write import atomic_write, check_writable

__all__ = ["STDOUT", "check_output", "check_table_output", "table_writer"]

STDOUT = Path("-")
_CSV = (".csv", ".csv.gz")


def check_output(out: Path, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Make sure that a file can be written, before there is anything to lose.

    Raises
    ------
    ValueError
        It is one of the inputs, it is there and `overwrite` is not said, or it has no folder that can be written to.
    """
    if not out.parent.is_dir():
        raise ValueError(f"--out {out}: there is no folder {out.parent}.")
    try:
        check_writable(out)
    except OSError as error:
        raise ValueError(f"--out {out} can't be written: {error.strerror or error}.") from None
    except ValueError as error:
        raise ValueError(f"--out {error}") from None
    if not out.exists():
        return
    for path in inputs:
        if path.exists() and out.samefile(path):
            raise ValueError(f"--out {out} is {path}, which is read and must not be replaced.")
    if not overwrite:
        raise ValueError(f"--out {out} is there already: take another name, or say --overwrite.")


def check_table_output(out: Path, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Check a table's file in the same way, and whether its name tells what to write."""
    if out == STDOUT:
        return
    if not out.name.lower().endswith((*_CSV, *PARQUET)):
        raise ValueError(f"--out must end in .csv, .csv.gz or .parquet, or be - for standard output; got {out}.")
    check_output(out, inputs, overwrite=overwrite)


@contextmanager
def table_writer(out: Path) -> Iterator[Callable[[Any], None]]:
    """A function that writes tables of pyarrow with the same columns, one after the other.

    Parameters
    ----------
    out : Path
        CSV, also gzip'd, or Parquet, by its name; ``-`` is CSV on standard output.
    """
    if out == STDOUT:
        with _csv_writer(typer.get_binary_stream("stdout")) as write:
            yield write
        return
    name = out.name.lower()
    with atomic_write(out) as file:
        if name.endswith(PARQUET):
            with _parquet_writer(file) as write:
                yield write
        elif name.endswith(".gz"):
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed, _csv_writer(packed) as write:
                yield write
        else:
            with _csv_writer(file) as write:
                yield write


class _UnixLines:
    """What `csv.writer` writes to, a row at a time: its lines end in a line feed alone.

    Told so itself, it would leave carriage returns in values without quotes, and nobody could read them back.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(row.removesuffix("\r\n") + "\n")


@contextmanager
def _csv_writer(file: Any) -> Iterator[Callable[[Any], None]]:
    stream = io.TextIOWrapper(file, encoding="utf-8", newline="")
    rows = csv.writer(_UnixLines(stream), lineterminator="\r\n")
    has_header = False

    def write(table: Any) -> None:
        nonlocal has_header
        if not has_header:
            rows.writerow(table.column_names)
            has_header = True
        rows.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))

    try:
        yield write
        stream.flush()
    finally:
        stream.detach()  # the file is closed by whoever opened it


@contextmanager
def _parquet_writer(file: Any) -> Iterator[Callable[[Any], None]]:
    pa = import_pyarrow()
    writer = None

    def write(table: Any) -> None:
        nonlocal writer
        if writer is None:
            writer = pa.parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
