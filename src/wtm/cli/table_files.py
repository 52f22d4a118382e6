"""Tables in CSV and Parquet files, read by pyarrow some rows at a time."""

import codecs
import io
import re
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

from wtm.cli.csv_format import CsvFormat
from wtm.tables.reading import first_duplicate
from wtm.utils.printable import short_repr, shorten

PARQUET = (".parquet", ".pq")
"""How names of Parquet files end."""

STANDARD_STREAM = Path("-")

_BLOCK = 2 << 20  # bytes of CSV at a time; a row must fit in, and pyarrow reads up to 32 blocks ahead
_BYTES_PER_BATCH = 1 << 25
_ROWS_PER_BATCH = 1 << 16  # of Parquet, at most
_CELLS_PER_BATCH = 1 << 24
_BYTES_PER_TEXT = 12  # of a cell: its place in a column and in a list of objects
_START = 1 << 16  # bytes in which other kinds of files show
_LONGEST_REASON = 300
_OTHER_FILES = {
    rb"PK\x03\x04": "a zip archive or an Excel workbook",
    rb"\xd0\xcf\x11\xe0": "an old Excel workbook",
    rb"ARROW1|FEA1": "a Feather file",
    rb"\x80[\x02-\x05]": "a pickle",
    rb"SQLite format 3": "an SQLite database",
    rb'\s*(\{\s*"|\[\s*[\[{])': "JSON",
}
_OPEN_QUOTE = "Is there a quotation mark that is not closed?"


class TableFile(Protocol):
    """A file with a table.

    Attributes
    ----------
    names : list of str
        The columns, each name once.
    index : list of str
        More columns, of a Parquet file: those that pandas wrote as the index.
    n_rows : int or None
        Number of rows, if the file gives it.
    is_csv : bool
        Whether every column is text: cells as they are written, without nulls.
    """

    names: list[str]
    index: list[str]
    n_rows: int | None
    is_csv: bool

    def bytes_per_row(self, columns: Sequence[str]) -> int:
        """Return what a row of these columns takes in memory, at the least."""

    def batches(self, columns: Sequence[str]) -> Generator[Any, None, None]:
        """Read these columns, some rows at a time: pyarrow tables, at least one, in the order of the file."""


def import_pyarrow() -> Any:
    """Return pyarrow; a ValueError with the remedy if it is not installed."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise ValueError(
            "pyarrow, which reads CSV and Parquet files, is not installed: "
            "python -m pip install 'weighted-tsetlin-machine[tables]'"
        ) from None
    return pyarrow


@contextmanager
def open_table(path: Path, format: CsvFormat) -> Iterator[TableFile]:
    """Open a file, as Parquet or CSV by its first bytes; ``-`` is standard input.

    Raises
    ------
    ValueError
        The file is empty, or holds neither CSV nor Parquet.
    OSError
        The file does not exist, or can't be read.
    """
    import_pyarrow()
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
            start = opened.read(4)
            _check_kind(start + opened.read(100), path, name)
        if start == b"PAR1":
            yield _Parquet(file, name)
            return
        csv = _Csv(file, name, format, ".tsv" in path.suffixes, "gzip" if start[:2] == b"\x1f\x8b" else "detect")
        yield csv.as_utf_8(Path(folder) / "utf-8")


def _check_kind(start: bytes, path: Path, name: str) -> None:
    if not start:
        raise ValueError(f"{name} is empty.")
    for pattern, kind in _OTHER_FILES.items():
        if re.match(pattern, start):
            raise ValueError(f"{name} is {kind}, not CSV or Parquet.")
    if path.suffix.lower() in PARQUET and not start.startswith(b"PAR1"):
        raise ValueError(f"{name} is not a Parquet file, or is damaged: it does not begin with PAR1.")


class _Csv:
    index: list[str] = []  # noqa: RUF012
    n_rows: int | None = None
    is_csv = True

    def __init__(self, path: Path, name: str, format: CsvFormat, is_tsv: bool, compression: str | None) -> None:
        self._path = path
        self._name = name
        self._compression = compression
        self._encoding = format.encoding or "utf-8"
        self._separator = format.separator or ("\t" if is_tsv else ",")
        self._has_header = format.header is not False

    def as_utf_8(self, copy: Path) -> "_Csv":
        """Read the columns' names, from a copy in UTF-8 if the encoding is another.

        pyarrow's own transcoder would call Python from a thread of pyarrow, even while the interpreter ends.
        """
        with self._clear_errors():
            if codecs.lookup(self._encoding).name not in ("utf-8", "utf-8-sig"):
                source = io.TextIOWrapper(self._stream(), self._encoding, newline="")
                with source, copy.open("w", encoding="utf-8", newline="") as target:
                    shutil.copyfileobj(source, target)
                self._path, self._compression = copy, None
            self._check_first_line()
            with self._open(import_pyarrow().csv.ConvertOptions()) as reader:
                self._names_in_file: list[str] = reader.schema.names
        if self._has_header:  # empty names as in pandas
            self.names = [column or f"Unnamed: {i}" for i, column in enumerate(self._names_in_file)]
        else:
            self.names = [f"x{i}" for i in range(len(self._names_in_file))]
        _check_names(self.names, self._name)
        return self

    def bytes_per_row(self, columns: Sequence[str]) -> int:
        return _BYTES_PER_TEXT * len(columns)

    def batches(self, columns: Sequence[str]) -> Generator[Any, None, None]:
        pa = import_pyarrow()
        in_file = dict(zip(self.names, self._names_in_file, strict=True))
        wanted = [in_file[column] for column in columns]
        # The last column is read in any case: a quotation mark that is not closed shows in it.
        types = {self._names_in_file[-1]: pa.binary()} | dict.fromkeys(wanted, pa.string())
        conversion = pa.csv.ConvertOptions(column_types=types, include_columns=list(types), strings_can_be_null=False)
        n_rows, last = 0, b""
        with self._clear_errors(), self._open(conversion) as reader:
            for table in _gathered(reader):
                if len(table):
                    n_rows += len(table)
                    last = table[self._names_in_file[-1]][-1].cast(pa.binary()).as_py()
                if len(self.names) == 1:
                    self._check_blank_lines(table)
                yield table.select(wanted).rename_columns(list(columns))
            if n_rows:
                self._check_end(last, n_rows)

    def _stream(self) -> Any:
        return import_pyarrow().input_stream(str(self._path), compression=self._compression)

    @contextmanager
    def _open(self, conversion: Any) -> Iterator[Any]:
        pa = import_pyarrow()
        reading = pa.csv.ReadOptions(
            block_size=_BLOCK, autogenerate_column_names=not self._has_header, use_threads=False
        )
        parsing = pa.csv.ParseOptions(delimiter=self._separator, newlines_in_values=True)
        with (
            closing(self._stream()) as stream,
            pa.csv.open_csv(stream, read_options=reading, parse_options=parsing, convert_options=conversion) as reader,
        ):
            yield reader

    def _check_first_line(self) -> None:
        with closing(self._stream()) as stream:
            start = stream.read(_START).removeprefix(codecs.BOM_UTF8)
        if b"\0" in start:
            raise ValueError(f"{self._name} holds null characters: pass its encoding, such as --encoding utf-16.")
        if re.match(rb"sep=.\r?\n", start, re.IGNORECASE):
            raise ValueError(
                f"{self._name} begins with the line {short_repr(start[:5].decode(errors='replace'))}, which is not "
                "part of the table: remove it, and pass --separator."
            )

    def _check_blank_lines(self, table: Any) -> None:
        compute = import_pyarrow().compute
        if compute.any(compute.match_substring_regex(table[0], r"^[ \t]+$")).as_py():
            raise ValueError(
                f"{self._name} has one column, and a line of white space alone, which may or may not be a row: remove "
                "it, or leave the cell empty."
            )

    def _check_end(self, last: bytes, n_rows: int) -> None:
        r"""Refuse a file that ends inside the quotation marks of a value.

        This value is the last one, and has swallowed the rest of the file: the file ends in a quotation mark and the
        value, in which quotation marks are double. A closed value can't look like this: another mark follows it, or no
        separator precedes what seems to open it. (In one column, a value of line breaks alone can; nothing is lost.)
        """
        value = b'"' + last.replace(b'"', b'""')
        with closing(self._stream()) as stream:
            end = _tail(stream, len(value) + 1)
        opens_after = (b"\n", b"\r", b"") if len(self.names) == 1 else (self._separator.encode(),)
        may_be_closed = len(self.names) == 1 and last.strip(b"\r\n") != last
        if end.endswith(value) and end.removesuffix(value) in opens_after and not may_be_closed:
            raise ValueError(
                f"{self._name} ends inside a quoted value, in column {short_repr(self.names[-1])} of row {n_rows:,}: "
                "its quotation mark is not closed."
            )

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Errors of pyarrow in words that name the file and the remedy."""
        try:
            yield
        except UnicodeError:
            raise self._encoding_error() from None
        except LookupError:
            raise ValueError(f"--encoding {short_repr(self._encoding)} is not an encoding that Python knows.") from None
        except import_pyarrow().ArrowException as error:
            raise self._clear_error(str(error)) from None
        except OSError as error:
            if error.errno:
                raise
            raise ValueError(f"{self._name} can't be read: {_one_line(error)}") from None

    def _clear_error(self, reason: str) -> ValueError:
        if "UTF8" in reason:
            return self._encoding_error()
        if "Empty CSV" in reason:
            return ValueError(f"{self._name} has no rows.")
        if "straddling" in reason:
            return ValueError(f"{self._name} has a row of more than {_BLOCK >> 20} MiB. {_OPEN_QUOTE}")
        found = re.search(r"Row #([0-9]+): Expected ([0-9]+) columns, got ([0-9]+)", reason)
        if not found:
            return ValueError(f"{self._name} can't be read: {_one_line(reason)}")
        row, expected, n_fields = map(int, found.groups())
        row -= self._has_header
        text = f"{self._name}: row {row:,} has {n_fields:,} fields, and the rows before it have {expected:,}."
        if row == self._has_header:
            text = f"{self._name}: the header has {expected:,} fields, and the first row has {n_fields:,}."
            if n_fields == expected + 1:
                text += " If R wrote row names into it, use row.names=FALSE."
        return ValueError(f"{text} Is --separator {short_repr(self._separator)} right? {_OPEN_QUOTE}")

    def _encoding_error(self) -> ValueError:
        others = [other for other in ("utf-8", "latin-1", "utf-16") if other != self._encoding]
        return ValueError(
            f"{self._name} is not encoded in {short_repr(self._encoding)}: pass its encoding, such as --encoding "
            f"{' or '.join(others)}."
        )


class _Parquet:
    is_csv = False

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name
        with self._open() as file:
            schema = file.schema_arrow
            self.n_rows: int | None = file.metadata.num_rows
        stored = (schema.pandas_metadata or {}).get("index_columns", [])
        self.index = [column for column in stored if isinstance(column, str)]  # a range is stored as a dict
        self.names: list[str] = [column for column in schema.names if column not in self.index]
        _check_names(schema.names, name)
        self._types = dict(zip(schema.names, schema.types, strict=True))

    def bytes_per_row(self, columns: Sequence[str]) -> int:
        is_primitive = import_pyarrow().types.is_primitive
        types = [self._types[column] for column in columns]
        return sum(kind.bit_width // 8 if is_primitive(kind) else _BYTES_PER_TEXT for kind in types)

    def batches(self, columns: Sequence[str]) -> Generator[Any, None, None]:
        pa = import_pyarrow()
        columns = list(columns)
        with self._open() as file:
            schema = file.schema_arrow
            n_rows = max(1, min(_ROWS_PER_BATCH, _CELLS_PER_BATCH // max(1, len(columns))))
            for batch in file.iter_batches(batch_size=n_rows, columns=columns, use_threads=False):
                yield pa.Table.from_batches([batch]).select(columns)
            if not self.n_rows:
                yield schema.empty_table().select(columns)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        pa = import_pyarrow()
        try:
            with pa.parquet.ParquetFile(self._path) as file:
                yield file
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{self._name} can't be read: {_one_line(error)}") from None


def _gathered(reader: Any) -> Iterator[Any]:
    """Tables of several batches each, since a block holds few rows of a wide file; at least one."""
    pa = import_pyarrow()
    batches: list[Any] = []
    n_bytes = 0
    is_first = True
    for batch in reader:
        batches.append(batch)
        n_bytes += batch.nbytes
        if n_bytes >= _BYTES_PER_BATCH:
            yield pa.Table.from_batches(batches).combine_chunks()
            batches, n_bytes, is_first = [], 0, False
    if batches or is_first:
        yield pa.Table.from_batches(batches, reader.schema).combine_chunks()


def _tail(stream: Any, size: int) -> bytes:
    if stream.seekable():
        stream.seek(max(0, stream.size() - size))
    end = b""
    while chunk := stream.read(_BLOCK):
        end = (end + chunk)[-size:]
    return end


def _check_names(names: Sequence[str], name: str) -> None:
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ValueError(
            f"{name} has more than one column called {short_repr(duplicate)}: rename them, or pass --no-header if the "
            "file has no header."
        )


def _one_line(reason: object) -> str:
    return shorten(" ".join(str(reason).split()), _LONGEST_REASON)
