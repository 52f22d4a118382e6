"""Tables in CSV files, read by pyarrow some rows at a time."""

import codecs
import io
import re
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from wtm.table_files.arrow import compute, pa, unreadable
from wtm.table_files.column_names import check_unique, named_as_in_pandas
from wtm.table_files.csv_cells import Cells
from wtm.table_files.csv_format import CsvFormat, option_words
from wtm.table_files.file_kinds import check_kind, wide_encoding
from wtm.utils.printable import counted, short_repr

_BLOCK = 2 << 20  # bytes at a time; a row must fit in, and pyarrow reads up to 32 blocks ahead
_LARGEST_BLOCK = 16 << 20  # for wide tables, since each column of a block takes as long as some tens of cells
_ROWS_PER_BLOCK = 32
_MANY_COLUMNS = 1000
_BYTES_PER_BATCH = 1 << 25
_START = 1 << 16  # bytes in which the kind of the file shows
_SEPARATORS = (",", ";", "\t", "|")  # in the order in which they are suggested
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_OPEN_QUOTE = "Is there a quotation mark that is not closed?"


class CsvFile:
    """A table whose columns are all text: cells as they are written, without nulls.

    Attributes
    ----------
    name : str
        Of the file, for messages.
    names : list of str
        The columns, each name once; `opened` reads them.
    hint : str
        What may be the reason if a column is not there, or nothing.
    cells : Cells
        How they are read.
    """

    index: tuple[str, ...] = ()
    n_rows = None  # unknown

    def __init__(self, path: Path, name: str, format: CsvFormat, compression: str | None, *, is_tsv: bool) -> None:
        self.name = name
        self._path = path
        self._compression = compression
        self._encoding = format.encoding or "utf-8"
        self._separator = format.separator or ("\t" if is_tsv else ",")
        self._is_separator_given = format.separator is not None
        self._has_header = format.header is not False
        self.cells = Cells.of(format)

    def opened(self, copy: Path) -> "CsvFile":
        """Read the columns' names, from a copy in UTF-8 if the encoding is another.

        pyarrow's own transcoder would call Python from a thread of pyarrow, even while the interpreter ends.
        """
        with self._clear_errors():
            self._start = self._read_start(_START)
            check_kind(self._start, self.name)
            if codecs.lookup(self._encoding).name not in ("utf-8", "utf-8-sig"):
                source = io.TextIOWrapper(self._stream(), self._encoding, newline="")
                with source, copy.open("w", encoding="utf-8", newline="") as target:
                    shutil.copyfileobj(source, target)
                self._path, self._compression = copy, None
            self._check_first_line()
            first_row = self._read_first_row()
            numbered = [f"f{i}" for i in range(len(first_row))]  # by pyarrow
            if self._has_header:
                names = [name.decode() for name in first_row]
                self.names = named_as_in_pandas(names)
                # pyarrow would take the first of several columns without a name for all of them.
                self._names_in_file = names if names.count("") < 2 else numbered
            else:
                self._names_in_file = numbered
                self.names = [f"x{i}" for i in range(len(first_row))]
            self._header_is_read = self._has_header and self._names_in_file is numbered
        check_unique(self.names, self.name)
        return self

    def batches(self, columns: Sequence[str]) -> Generator[Any, None, None]:
        """Read these columns, some rows at a time."""
        in_file = dict(zip(self.names, self._names_in_file, strict=True))
        wanted = [in_file[column] for column in columns]
        # The last column is read in any case: a quotation mark that is not closed shows in it.
        types = {self._names_in_file[-1]: pa.binary()} | dict.fromkeys(wanted, pa.string())
        conversion = pa.csv.ConvertOptions(column_types=types, include_columns=list(types), strings_can_be_null=False)
        n_rows, last = 0, b""
        is_header = self._header_is_read
        has_names = self._has_header and not is_header
        with self._clear_errors(), self._open(conversion, has_header=has_names) as reader:
            for gathered in _gathered(reader):
                table, is_header = gathered.slice(int(is_header)), False
                if len(table):
                    n_rows += len(table)
                    last = table[self._names_in_file[-1]][-1].cast(pa.binary()).as_py()
                if len(self.names) == 1:
                    self._check_blank_lines(table)
                yield table.select(wanted).rename_columns(list(columns))
            if n_rows:
                self._check_end(last, n_rows)

    def _stream(self) -> Any:
        return pa.input_stream(str(self._path), compression=self._compression)

    def _read_start(self, size: int) -> bytes:
        with closing(self._stream()) as stream:
            start: bytes = stream.read(size)
        return start

    def _read_first_row(self) -> list[bytes]:
        """Return the cells of the first row. pyarrow would also find out the types of all columns, which takes long."""
        n_columns = self._first_line.count(self._separator.encode()) + 1
        if n_columns >= _MANY_COLUMNS and self._first_line_is_row:  # and it would parse all of the first block
            return self._first_line.split(self._separator.encode())
        while True:
            conversion = pa.csv.ConvertOptions(column_types={f"f{i}": pa.binary() for i in range(n_columns)})
            with self._open(conversion, has_header=False) as reader:
                if len(reader.schema) <= n_columns:
                    return [column[0].as_py() for column in reader.read_next_batch().columns]
                n_columns = len(reader.schema)  # the first line is not all of the first row

    @contextmanager
    def _open(self, conversion: Any, *, has_header: bool) -> Iterator[Any]:
        reading = pa.csv.ReadOptions(
            block_size=self._block, autogenerate_column_names=not has_header, use_threads=False
        )
        parsing = pa.csv.ParseOptions(delimiter=self._separator, newlines_in_values=True)
        with (
            closing(self._stream()) as stream,
            pa.csv.open_csv(stream, read_options=reading, parse_options=parsing, convert_options=conversion) as reader,
        ):
            yield reader

    def _check_first_line(self) -> None:
        """Check the first line, and keep what may be wrong with the separator as the hint."""
        start = self._read_start(_BLOCK).removeprefix(codecs.BOM_UTF8)
        if b"\0" in start[:_START]:
            encoding = wide_encoding(self._start)
            if encoding is not None and encoding != self._encoding:
                raise ValueError(f"{self.name} seems to be encoded in {encoding}: pass --encoding {encoding}.")
            raise ValueError(
                f"{self.name} holds null characters, so it does not seem to be text: give the name of a CSV or "
                "Parquet file."
            )
        self._first_line, *others = re.split(rb"[\r\n]", start, maxsplit=1)
        self._first_line_is_row = bool(others) and b'"' not in self._first_line
        line = self._first_line.decode(errors="replace")
        self._block = min(max(_BLOCK, _ROWS_PER_BLOCK * len(line)), _LARGEST_BLOCK)
        if re.match(r"sep=.$", line, re.IGNORECASE):
            raise ValueError(
                f"{self.name} begins with the line {short_repr(line)}, which is not part of the table: remove it, and "
                f"pass {option_words({'separator': line[-1]})}."
            )
        self.hint = ""
        found = [separator for separator in _SEPARATORS if separator in line]
        if found and self._separator not in line:
            verb = "change it to" if self._is_separator_given else "pass"
            self.hint = (
                f"The separator {short_repr(self._separator)} does not occur in the first line. If "
                f"{short_repr(found[0])} separates the columns, {verb} {option_words({'separator': found[0]})}."
            )

    def _check_blank_lines(self, table: Any) -> None:
        if compute.any(compute.match_substring_regex(table[0], r"^[ \t]+$")).as_py():
            raise ValueError(
                f"{self.name} has one column, and a line of white space alone, which may or may not be a row: remove "
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
                f"{self.name} ends inside a quoted value, in column {short_repr(self.names[-1])} of row {n_rows:,}: "
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
        except pa.ArrowException as error:
            raise self._clear_error(str(error)) from None
        except OSError as error:
            if error.errno:
                raise
            raise unreadable(self.name, error) from None

    def _clear_error(self, reason: str) -> ValueError:
        if "UTF8" in reason:
            return self._encoding_error()
        if "Empty CSV" in reason:
            is_open = self._start.count(b'"') % 2
            return ValueError(f"{self.name} has no rows.{f' {_OPEN_QUOTE}' if is_open else ''}")
        if "straddling" in reason:
            return ValueError(f"{self.name} has a row of more than {self._block >> 20} MiB. {_OPEN_QUOTE}")
        found = re.search(r"Row #([0-9]+): Expected ([0-9]+) columns, got ([0-9]+)", reason)
        if not found:
            return unreadable(self.name, reason)
        if self._is_binary():
            return ValueError(f"{self.name} holds control characters, so it does not seem to be text.")
        row, expected, n_fields = map(int, found.groups())
        row -= self._has_header
        text = f"{self.name}: row {row:,} has {counted(n_fields, 'field')}, and the rows before it have {expected:,}."
        remedy = f"Is --separator {short_repr(self._separator)} right? {_OPEN_QUOTE}"
        if row == self._has_header:
            text = f"{self.name}: the header has {counted(expected, 'field')}, and the first row has {n_fields:,}."
            if expected == 1:
                remedy = self.hint or "Is the first line a title or a comment? Then remove it."
            elif n_fields == expected + 1:
                remedy = f"If R wrote row names into it, use row.names=FALSE. {remedy}"
        return ValueError(f"{text} {remedy}")

    def _is_binary(self) -> bool:
        return not wide_encoding(self._start) and _CONTROL.search(self._start) is not None

    def _encoding_error(self) -> ValueError:
        wide = wide_encoding(self._start)
        others = [wide] if wide else [other for other in ("utf-8", "latin-1", "cp1252") if other != self._encoding]
        doubt = ", or is not text" if self._is_binary() else ""
        return ValueError(
            f"{self.name} is not encoded in {short_repr(self._encoding)}{doubt}: "
            f"pass its encoding, such as --encoding {' or '.join(others)}."
        )


def _gathered(reader: Any) -> Iterator[Any]:
    """Tables of several batches each, since a block holds few rows of a wide file; at least one."""
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
