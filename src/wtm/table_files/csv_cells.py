"""What the cells of a CSV file mean, column by column, as in `pandas.read_csv`.

A column is numbers if every cell is one, white space around it aside; booleans if every cell is "true" or "false" in
any case; else text as it is written, dates included. pyarrow's reader would infer dates, take 0x1F for a number and
round large integers without notice, so here it hands out text, and its casts decide.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wtm.table_files.arrow import compute, pa
from wtm.table_files.csv_format import PANDAS_MISSING, CsvFormat
from wtm.tables.float64 import precision_error
from wtm.utils.printable import short_repr, shorten

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|(?i)^[+-]?inf(inity)?$"
_LEADING_ZERO = r"^\s*[+-]?0[0-9]"
_LAST_EXACT = 2.0**53  # every integer up to here is a float64
_CELLS_PER_BLOCK, _BYTES_PER_BLOCK = 1 << 18, 1 << 26


Rows = Sequence[int] | np.ndarray
"""The numbers of rows in their file, from 1."""


@dataclass(frozen=True)
class Cells:
    """How the cells of a CSV file are read. Columns are those of pyarrow.

    Attributes
    ----------
    missing : pyarrow.Array of str
        Cells that are missing.
    decimal : str
        The decimal point, "." or ",".
    """

    missing: Any
    decimal: str

    @classmethod
    def of(cls, format: CsvFormat) -> "Cells":
        """Return how the cells of such a file are read."""
        missing = pa.array([*PANDAS_MISSING, *(format.missing or ())])
        return cls(missing, format.decimal or ".")

    def is_missing(self, cell: str) -> bool:
        """Return whether such a cell is missing."""
        return pa.scalar(cell) in self.missing

    def text(self, column: Any) -> Any:
        """Return the cells, null where they are missing."""
        is_missing = compute.is_in(column, value_set=self.missing)
        return compute.if_else(is_missing, pa.scalar(None, pa.string()), column)

    def numbers(self, text: Any) -> Any:
        """Return a column as float64, or None if it holds something else."""
        try:
            numbers = self._plain(text).cast(pa.float64())
        except pa.ArrowInvalid:
            return None
        # To the cast, "NAN" is a number.
        return None if compute.any(compute.is_nan(numbers)).as_py() else numbers

    def exact_numbers(self, text: Any, name: str, rows: Rows) -> Any:
        """Return a column as float64, or None.

        Raises
        ------
        ValueError
            A number is infinite, or an integer that float64 would round. Its row in the file is that in `rows`.
        """
        numbers = self.numbers(text)
        if numbers is None:
            return None
        place = compute.index(compute.is_inf(numbers), True).as_py()
        if place >= 0:
            cell = text[place].as_py()
            raise ValueError(
                f"row {rows[place]:,} of column {short_repr(name)} holds {short_repr(cell)}, which is infinite or too "
                f"large for float64. Replace it with a finite number or, if it stands for a missing value, pass "
                f"--missing {quoted(cell)}."
            )
        is_large = compute.greater_equal(compute.abs(numbers), _LAST_EXACT)
        large = zip(text.filter(is_large).to_pylist(), numbers.filter(is_large).to_pylist(), strict=True)
        for i, (cell, number) in enumerate(large):
            digits = cell.strip().lstrip("+-")
            if digits.isdigit() and int(digits) != abs(number):
                row = rows[compute.indices_nonzero(is_large)[i].as_py()]
                error = precision_error(f"row {row:,} of column {short_repr(name)}", int(cell))
                raise ValueError(f"{error} 'wtm train' leaves it out with --drop {quoted(name)}.")
        return numbers

    def integers(self, text: Any) -> Any:
        """Return a column of numbers as int64 or uint64, or None if it holds other numbers than integers of 64 bits."""
        for kind in (pa.int64(), pa.uint64()):
            with suppress(pa.ArrowInvalid):
                return compute.ascii_ltrim(self._plain(text), "+").cast(kind)
        return None

    def are_numbers(self, text: Any) -> Any:
        """Return whether each cell is a number, null where it is missing."""
        return compute.match_substring_regex(self._plain(text), _NUMBER)

    def with_other_decimal(self) -> "Cells":
        """Return how the cells are read with the other decimal point."""
        return replace(self, decimal="," if self.decimal == "." else ".")

    def without(self, labels: Iterable[Any]) -> "Cells":
        """Return how the cells are read if none of these labels is missing."""
        labels = set(labels)
        return replace(self, missing=pa.array([v for v in self.missing.to_pylist() if v not in labels], pa.string()))

    def remedy(self, cell: str) -> str:
        """Return what to do about a cell among numbers."""
        if are_booleans(pa.array([cell]))[0].as_py():
            return "Write booleans as 1 and 0 in all rows, or as True and False in all rows."
        other = self.with_other_decimal()
        if other.numbers(pa.array([cell])) is not None:
            return f"If {other.decimal!r} is the decimal point, pass --decimal {shlex.quote(other.decimal)}."
        return f"If this stands for a missing value, pass --missing {quoted(cell)}."

    def _plain(self, text: Any) -> Any:
        if self.decimal != ".":
            text = compute.replace_substring(compute.replace_substring(text, ".", "x"), self.decimal, ".")
        return compute.ascii_trim_whitespace(text)


def booleans(text: Any) -> Any:
    """Return a column as booleans, or None if it holds something else."""
    if compute.any(compute.invert(are_booleans(text))).as_py():
        return None
    return compute.equal(compute.utf8_lower(text), "true")


def are_booleans(text: Any) -> Any:
    """Return whether each cell is a boolean, null where it is missing."""
    return compute.match_substring_regex(text, "(?i)^(true|false)$")


def have_leading_zeros(text: Any) -> Any:
    """Return whether each cell is a number with a leading zero."""
    return compute.match_substring_regex(text, _LEADING_ZERO)


def quoted(text: str) -> str:
    """Return text as part of a command to copy, cut if it is long."""
    return shlex.quote(shorten(text))


def cells_as_text(columns: Sequence[Any], cells: Cells) -> list[Any]:
    """Return `cells.text` of columns of the same length."""
    return [text for block in _blocks(columns) for text in _divided(cells.text(_joined(block)), len(block))]


def joined_blocks(columns: Sequence[Any]) -> Iterator[Any]:
    """Yield the cells of columns of the same length, those of many columns in one array."""
    return map(_joined, _blocks(columns))


def plain_numbers(texts: Sequence[Any], cells: Cells) -> list[Any]:
    """Return the columns that are nothing but numbers as float64, many at a time, and None for the others.

    None as well for columns with very large numbers or leading zeros, which need a closer look, and maybe for others.
    The columns have the same length.
    """
    return [numbers for block in _blocks(texts) for numbers in _plain_numbers(block, cells)]


def _plain_numbers(texts: Sequence[Any], cells: Cells) -> list[Any]:
    if len(texts) == 1:
        return [None]
    text = _joined(texts)
    numbers = cells.numbers(text)
    if (
        numbers is None
        or (compute.max(compute.abs(numbers)).as_py() or 0) >= _LAST_EXACT
        or compute.any(have_leading_zeros(text)).as_py()
    ):
        half = len(texts) // 2
        return _plain_numbers(texts[:half], cells) + _plain_numbers(texts[half:], cells)
    return _divided(numbers, len(texts))


def _blocks(columns: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Divide columns into those to read with one call, since a call costs as much as some thousand cells."""
    size = max(1, _CELLS_PER_BLOCK // max(1, len(columns[0]))) if columns else 1
    for first in range(0, len(columns), size):
        block = columns[first : first + size]
        if sum(column.nbytes for column in block) <= _BYTES_PER_BLOCK:
            yield block
        else:
            yield from ([column] for column in block)


def _joined(columns: Sequence[Any]) -> Any:
    """Return columns one after the other as one."""
    if len(columns) == 1 or not len(columns[0]):
        return columns[0]
    chunks = [column.chunks if isinstance(column, pa.ChunkedArray) else [column] for column in columns]
    return pa.concat_arrays([chunk for of_column in chunks for chunk in of_column])


def _divided(joined: Any, n_columns: int) -> list[Any]:
    n_rows = len(joined) // n_columns
    return [joined.slice(i * n_rows, n_rows) for i in range(n_columns)]
