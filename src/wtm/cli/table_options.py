"""The options of every command that reads a table."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wtm.cli.errors import OptionError
from wtm.cli.notes import write_note
from wtm.cli.shared_options import ALL_CORES, NJobs, Quiet, path_argument
from wtm.table_files.csv_format import CsvFormat, option_words

if TYPE_CHECKING:  # it imports NumPy
    from wtm.table_files.open_table import TableSource


@dataclass(frozen=True)
class TableOptions:
    """The table to read, and how to work."""

    data: Path  # "-" is standard input
    format: CsvFormat  # the options that are given
    n_jobs: int
    overwrite: bool
    quiet: bool
    more: tuple[Path, ...] = ()  # tables after `data`

    @property
    def files(self) -> list[Path]:
        """All tables to read."""
        return [self.data, *self.more]

    def note(self, text: str) -> None:
        """Write a line on standard error, unless `quiet`."""
        if not self.quiet:
            write_note(text)

    def note_format(self, source: "TableSource") -> None:
        """Name options of CSV that are given for a Parquet file."""
        words = option_words(self.format.given())
        if words and source.cells is None:
            self.note(f"{source.name} is Parquet, to which {words} does not apply.")


def _check_separator(separator: str | None) -> str | None:
    if separator is None:
        return None
    separator = {"tab": "\t", "\\t": "\t"}.get(separator, separator)
    if len(separator.encode()) != 1 or separator in '"\r\n':
        raise typer.BadParameter(f"must be one ASCII character such as ';', or tab, got {separator!r}.")
    return separator


def _check_decimal(decimal: str | None) -> str | None:
    if decimal not in (None, ".", ","):
        raise typer.BadParameter(f"must be '.' or ',', got {decimal!r}.")
    return decimal


def _check_encoding(encoding: str | None) -> str | None:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)
    except LookupError:
        raise typer.BadParameter(f"{encoding!r} is not an encoding of text that Python knows.") from None
    return encoding


_Missing = Annotated[
    str | None,
    typer.Option(
        help="Cells of CSV read as missing, with commas between, besides empty cells, NA, NaN, null and the like.",
        metavar="VALUES",
        show_default=False,
    ),
]
_Separator = Annotated[
    str | None,
    typer.Option(
        callback=_check_separator,
        help="Separator of CSV: a character, or tab. Default: comma, in .tsv tab.",
        show_default=False,
    ),
]
_Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row of CSV holds the names; otherwise columns are x0, x1, ... Default: it does.",
        show_default=False,
    ),
]
_Encoding = Annotated[
    str | None,
    typer.Option(
        callback=_check_encoding, help="Encoding of CSV, such as latin-1. Default: utf-8.", show_default=False
    ),
]
_Decimal = Annotated[
    str | None,
    typer.Option(callback=_check_decimal, help="Decimal point of CSV: . or ,", metavar="CHARACTER", show_default=False),
]


# Paths are strings, since a Path hides an empty name, and Typer would print an error of several lines.
def table_options(
    data: Annotated[
        str, typer.Argument(help="CSV (also gzipped) or Parquet file; - is standard input.", metavar="DATA")
    ],
    missing: _Missing = None,
    separator: _Separator = None,
    header: _Header = None,
    encoding: _Encoding = None,
    decimal: _Decimal = None,
    n_jobs: NJobs = ALL_CORES,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace --out if it exists.")] = False,
    quiet: Quiet = False,
) -> TableOptions:
    """Return the options as a record; `data` is a list in commands that take several tables."""
    format = _format(missing, separator, header, encoding, decimal)
    first, *more = [path_argument(path, "DATA") for path in ([data] if isinstance(data, str) else data)]
    return TableOptions(first, format, n_jobs, overwrite, quiet, tuple(more))


def data_options(
    data: Annotated[
        str | None,
        typer.Option(help="CSV (also gzipped) or Parquet file to measure on.", metavar="FILE", show_default=False),
    ] = None,
    missing: _Missing = None,
    separator: _Separator = None,
    header: _Header = None,
    encoding: _Encoding = None,
    decimal: _Decimal = None,
    n_jobs: NJobs = ALL_CORES,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
    quiet: Quiet = False,
) -> TableOptions | None:
    """Return the options of a table that need not be given, or None without it."""
    format = _format(missing, separator, header, encoding, decimal)
    if data is not None:
        return TableOptions(path_argument(data, "--data"), format, n_jobs, overwrite, quiet)
    if format.given():
        raise OptionError(f"{option_words(format.given())} is for the file in --data: pass --data too.")
    return None


def _format(
    missing: str | None, separator: str | None, header: bool | None, encoding: str | None, decimal: str | None
) -> CsvFormat:
    return CsvFormat(separator, decimal, None if missing is None else tuple(missing.split(",")), encoding, header)
