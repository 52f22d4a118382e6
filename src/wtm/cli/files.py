"""Tables in files, CSV or Parquet, read by pyarrow some rows at a time.

pyarrow would guess the kinds of a CSV file's columns from its first rows; here they are all read as text, and
`wtm.cli.values` decides.
"""

import codecs
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wtm.cli.separators import separator_concern
from wtm.cli.text import BOM, Text, encoding_error, n_whole_rows
from wtm.tables.reading import first_duplicate
from wtm.utils.printable import short_repr

__all__ = ["PARQUET", "Format", "TableFile", "import_pyarrow", "open_table"]

PARQUET = (".parquet", ".pq")
"""How names of Parquet files end."""

_BLOCK = 2 << 20  # bytes of a CSV file at a time; a row must fit in, and pyarrow reads up to 32 blocks ahead
_LOOKED_AT = 1 << 16  # bytes of it in which a separator is looked for
_ROWS = 1 << 16  # rows of a Parquet file at a time
_LONGEST_REASON = 300
_IS_IT_OPEN = "Is there a quotation mark that is not closed?"


@dataclass(frozen=True)
class Format:
    """How a CSV file is written.

    Attributes
    ----------
    separator : str or None
        One character; None is the comma, or the tab in a file called ``.tsv``.
    header : bool
        Whether the first row holds the columns' names; if not, these are x0, x1 and so on.
    encoding : str
        A byte order mark is no part of the first name in any case.
    decimal : str
        The decimal point: a point or a comma.
    """

    separator: str | None = None
    header: bool = True
    encoding: str = "utf-8"
    decimal: str = "."


class TableFile(Protocol):
    """A file with a table.

    Attributes
    ----------
    names : list of str
        The columns, each name once.
    n_rows : int or None
        Number of rows, where the file tells.
    is_text : bool
        Whether every column is text, as in CSV.
    """

    names: list[str]
    n_rows: int | None
    is_text: bool

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Read these columns, some rows at a time: tables of pyarrow, at least one, in the order of the file."""


def import_pyarrow() -> Any:
    """Return pyarrow; a ValueError with the remedy where it is not installed."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise ValueError(
            "CSV and Parquet files are read by pyarrow, which is not installed: "
            "python -m pip install 'weighted-tsetlin-machine[tables]'"
        ) from None
    return pyarrow


def open_table(path: Path, format: Format) -> TableFile:
    """Open a file, of the kind that its first bytes tell.

    Raises
    ------
    ValueError
        It is empty, or can't be read as what it should be.
    OSError
        It is not there, or may not be read.
    """
    import_pyarrow()
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is a folder, a pipe or a device: give the name of a CSV or Parquet file.")
    with path.open("rb") as file:
        start = file.read(4)
    if not start:
        raise ValueError(f"{path} is empty.")
    if start == b"PAR1":
        return _Parquet(path)
    if path.suffix.lower() in PARQUET:
        raise ValueError(f"{path} is no Parquet file, as its name says, or a damaged one: it does not begin with PAR1.")
    return _Csv(path, format, is_gzip=start[:2] == b"\x1f\x8b")


class _Csv:
    is_text = True
    n_rows: int | None = None

    def __init__(self, path: Path, format: Format, *, is_gzip: bool) -> None:
        self._path = path
        self._format = format
        self._is_gzip = is_gzip
        with _clear_errors(path, format):
            start = self._checked_start()
            self._names_in_file = self._read_names(start)
        if format.header:
            self.names = [name.strip() for name in self._names_in_file]
        else:
            self.names = [f"x{i}" for i in range(len(self._names_in_file))]
        _check_names(self.names, path)

    def _checked_start(self) -> bytes:
        """Return the first block; a ValueError if it has another separator than the one that is taken for granted.

        One that the user named is right.
        """
        with closing(self._text()) as stream:
            start = stream.read(_BLOCK)
        if self._format.separator is None:
            text = start[:_LOOKED_AT].removeprefix(BOM).decode(errors="ignore")
            if len(start) > _LOOKED_AT:
                text = text[: text.rfind("\n") + 1]
            concern = separator_concern(text, self._separator, header=self._format.header, decimal=self._format.decimal)
            if concern is not None:
                raise ValueError(f"{self._path} seems to be separated otherwise: {concern}")
        return start

    def _read_names(self, start: bytes) -> list[str]:
        pa = import_pyarrow()
        try:
            with closing(self._text()) as text, self._open(text) as reader:
                return list(reader.schema.names)
        except pa.ArrowInvalid as error:
            if "straddling" in str(error):
                n_whole = n_whole_rows(start.removeprefix(BOM).decode(errors="ignore"), self._separator)
                raise self._long_row_error(n_whole - self._format.header) from None
            if "Empty CSV" in str(error):
                hint = f" {_IS_IT_OPEN}" if b'"' in start and b"\n" in start.strip() else ""
                raise ValueError(f"{self._path} has no rows.{hint}") from None
            raise

    def _long_row_error(self, n_before: int) -> ValueError:
        return ValueError(f"{self._path}: row {n_before + 1:,} is of more than {_BLOCK >> 20} MiB. {_IS_IT_OPEN}")

    @property
    def _separator(self) -> str:
        return self._format.separator or ("\t" if ".tsv" in self._path.suffixes else ",")

    def _text(self) -> Text:
        pa = import_pyarrow()
        encoding = self._format.encoding
        is_utf_8 = codecs.lookup(encoding).name == "utf-8"
        stream = pa.input_stream(str(self._path), compression="gzip" if self._is_gzip else "detect")
        if not is_utf_8:
            stream = pa.transcoding_input_stream(stream, encoding, "utf-8")
        return Text(stream, encoding, self._path, n_kept=3 * _BLOCK)  # a row is in two blocks at most

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        pa = import_pyarrow()
        in_file = dict(zip(self.names, self._names_in_file, strict=True))
        wanted = [in_file[column] for column in columns]
        errors = _clear_errors(self._path, self._format)
        with errors, closing(self._text()) as text, self._open(text, wanted) as reader:
            for batch in self._checked(reader, text):
                yield pa.Table.from_batches([batch]).select(wanted).rename_columns(list(columns))

    def _checked(self, reader: Any, text: Text) -> Iterator[Any]:
        """The reader's batches, at least one; a ValueError, before the last, if it holds what is no value."""
        batch = import_pyarrow().RecordBatch.from_pylist([], schema=reader.schema)
        n_rows = 0
        try:
            for following in reader:
                if len(batch) and len(following):
                    yield batch
                if len(following):
                    batch = following
                    n_rows += len(batch)
        except import_pyarrow().ArrowInvalid as error:
            if "straddling" not in str(error):
                raise
            raise self._long_row_error(n_rows) from None
        if n_rows:
            last = batch.column(self._names_in_file[-1])[-1].as_py()
            last = last.encode() if isinstance(last, str) else last
            if text.ends_in_quotes(last, self._separator if len(self._names_in_file) > 1 else None):
                raise ValueError(
                    f"{self._path} ends within a value, in column {short_repr(self.names[-1])} of row {n_rows:,}: its "
                    "quotation mark is not closed."
                )
        yield batch

    def _open(self, text: Text, columns: Sequence[str] | None = None) -> Any:
        """A reader of these columns as text, or one that knows the names.

        The last column is there in any case, perhaps as bytes: an open quotation mark shows in it.
        """
        pa = import_pyarrow()
        if columns is None:
            conversion = pa.csv.ConvertOptions(null_values=[])
        else:
            types = {self._names_in_file[-1]: pa.binary()} | dict.fromkeys(columns, pa.string())
            conversion = pa.csv.ConvertOptions(
                column_types=types, include_columns=list(types), strings_can_be_null=False
            )
        reading = pa.csv.ReadOptions(
            block_size=_BLOCK,
            autogenerate_column_names=not self._format.header,
            use_threads=False,
        )
        # In a file with one column an empty line is a row whose value is missing.
        skips = columns is None or len(self._names_in_file) > 1
        parsing = pa.csv.ParseOptions(delimiter=self._separator, newlines_in_values=True, ignore_empty_lines=skips)
        return pa.csv.open_csv(text, read_options=reading, parse_options=parsing, convert_options=conversion)


class _Parquet:
    is_text = False

    def __init__(self, path: Path) -> None:
        pa = import_pyarrow()
        self._path = path
        with _clear_errors(path), pa.parquet.ParquetFile(path) as file:
            self.names = list(file.schema_arrow.names)
            self.n_rows: int | None = file.metadata.num_rows
        _check_names(self.names, path)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        pa = import_pyarrow()
        with _clear_errors(self._path), pa.parquet.ParquetFile(self._path) as file:
            schema = file.schema_arrow  # made anew whenever it is asked for
            is_empty = True
            for batch in file.iter_batches(batch_size=_ROWS, columns=list(columns), use_threads=False):
                yield pa.Table.from_batches([batch]).select(list(columns))
                is_empty = False
            if is_empty:
                yield schema.empty_table().select(list(columns))


def _check_names(names: Iterable[str], path: Path) -> None:
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ValueError(
            f"{path} has more than one column called {short_repr(duplicate)}: rename them, or, if the file has no "
            "header, say --no-header."
        )


@contextmanager
def _clear_errors(path: Path, format: Format | None = None) -> Iterator[None]:
    """Errors of pyarrow in words that name the file and the remedy."""
    pa = import_pyarrow()
    encoding = format.encoding if format else "utf-8"
    try:
        yield
    except UnicodeError:
        raise encoding_error(path, encoding) from None
    except LookupError:
        raise ValueError(f"--encoding {short_repr(encoding)} is no encoding that Python knows.") from None
    except OSError as error:
        if error.errno:
            raise
        raise ValueError(f"{path} can't be read: {_short(error)}.") from None
    except pa.ArrowException as error:
        if "UTF8" in str(error):
            raise encoding_error(path, encoding) from None
        hint = f" {_IS_IT_OPEN}" if '"' in str(error) and "\n" in str(error) else ""
        raise ValueError(f"{path} can't be read: {_short(error)}{hint}") from None


def _short(error: Exception) -> str:
    reason = " ".join(str(error).split())
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}..."
