"""Files that commands write: checked before the work, written whole or not at all, never over what is read."""

import csv
import gzip
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import typer

from wtm.cli.errors import OptionError
from wtm.table_files.arrow import pa
from wtm.table_files.open_table import PARQUET, STANDARD_STREAM
from wtm.utils.atomic_write import atomic_write, check_writable

_CSV = (".csv", ".csv.gz")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how cells begin that spreadsheet programs may run


def check_output(out: Path, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Check that a file can be written, and replaces neither an input nor, without `overwrite`, another file."""
    if not out.parent.is_dir():
        raise ValueError(f"--out {out}: the folder {out.parent} does not exist.")
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
            raise ValueError(f"--out {out} is {path}, which is read: choose another name.")
    if not overwrite:
        raise ValueError(f"--out {out} already exists; choose another name or pass --overwrite.")


@contextmanager
def new_folder(out: Path) -> Iterator[None]:
    """Make a folder if it is missing and its parent is not; remove it if the work fails before it holds a file."""
    is_new = not out.exists() and out.parent.is_dir()
    if is_new:
        try:
            out.mkdir()
        except OSError as error:
            raise ValueError(f"--out {out} can't be made: {error.strerror or error}.") from None
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):  # it holds files
                out.rmdir()
        raise


def check_table_output(out: Path, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Check a table's file in the same way, and that its name gives the kind."""
    if out == STANDARD_STREAM:
        return
    if not out.name.lower().endswith((*_CSV, *PARQUET)):
        raise OptionError(f"--out must end in .csv, .csv.gz or .parquet, or be - for standard output; got {out}.")
    check_output(out, inputs, overwrite=overwrite)


@contextmanager
def table_writer(out: Path, *, escape_formulas: bool = False) -> Iterator[Callable[[Any], None]]:
    """Give a function that writes pyarrow tables with the same columns, one after the other.

    The file is CSV, gzipped CSV or Parquet, by its name; ``-`` is CSV on standard output.
    """
    if out == STANDARD_STREAM:
        with _csv_writer(typer.get_binary_stream("stdout"), escape_formulas) as write:
            yield write
        return
    with atomic_write(out) as file, ExitStack() as stack:
        if out.name.lower().endswith(PARQUET):
            writer = _parquet_writer(file)
        elif out.name.lower().endswith(".gz"):
            packed = stack.enter_context(gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0))
            writer = _csv_writer(packed, escape_formulas)
        else:
            writer = _csv_writer(file, escape_formulas)
        yield stack.enter_context(writer)


class _UnixLines:
    """Ends the rows of `csv.writer` in a line feed.

    With that as its own lineterminator, it would leave carriage returns unquoted, and they could not be read back.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(row.removesuffix("\r\n") + "\n")


@contextmanager
def _csv_writer(file: Any, escape_formulas: bool) -> Iterator[Callable[[Any], None]]:
    stream = io.TextIOWrapper(file, encoding="utf-8", newline="")
    rows = csv.writer(_UnixLines(stream), lineterminator="\r\n")
    has_header = False

    def cells(values: list[Any]) -> list[Any]:
        return [_without_formula(value) for value in values] if escape_formulas else values

    def write(table: Any) -> None:
        nonlocal has_header
        if not has_header:
            rows.writerow(cells(table.column_names))
            has_header = True
        rows.writerows(zip(*(cells(column.to_pylist()) for column in table.columns), strict=True))

    try:
        yield write
        stream.flush()
    finally:
        stream.detach()  # the caller closes the file


def _without_formula(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value  # a signed number is harmless


@contextmanager
def _parquet_writer(file: Any) -> Iterator[Callable[[Any], None]]:
    with ExitStack() as stack:
        writer = None

        def write(table: Any) -> None:
            nonlocal writer
            if writer is None:
                writer = stack.enter_context(pa.parquet.ParquetWriter(file, table.schema))
            writer.write_table(table)

        yield write
