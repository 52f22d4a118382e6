"""What the cells of a CSV file mean, column by column, as in `pandas.read_csv`.

A column is numbers if every cell is one, white space around it aside; booleans if every cell is "true" or "false" in
any case; else text as it is written, dates included. pyarrow's reader would infer dates, take 0x1F for a number and
round large integers without notice, so here it hands out text, and its casts decide.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wtm.cli.csv_format import PANDAS_MISSING, CsvFormat
from wtm.cli.table_files import import_pyarrow
from wtm.tables.conditions import Categories, Conditions
from wtm.tables.float64 import precision_error
from wtm.utils.printable import short_repr, shorten

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|(?i)^[+-]?inf(inity)?$"
_LEADING_ZERO = r"^\s*[+-]?0[0-9]"
_LAST_EXACT = 2.0**53  # every integer up to here is a float64
_CELLS_PER_BLOCK, _BYTES_PER_BLOCK = 1 << 18, 1 << 26
_MOST = 0.5
_NEARLY_ALL = 0.9
_MIN_DISTINCT = 20


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
        missing = import_pyarrow().array([*PANDAS_MISSING, *(format.missing or ())])
        return cls(missing, format.decimal or ".")

    def text(self, column: Any) -> Any:
        """Return the cells, null where they are missing."""
        pa = import_pyarrow()
        is_missing = pa.compute.is_in(column, value_set=self.missing)
        return pa.compute.if_else(is_missing, pa.scalar(None, pa.string()), column)

    def numbers(self, text: Any) -> Any:
        """Return a column as float64, or None if it holds something else."""
        pa = import_pyarrow()
        try:
            numbers = self._plain(text).cast(pa.float64())
        except pa.ArrowInvalid:
            return None
        # To the cast, "NAN" is a number.
        return None if pa.compute.any(pa.compute.is_nan(numbers)).as_py() else numbers

    def exact_numbers(self, text: Any, name: str) -> Any:
        """Return a column as float64, or None; a ValueError if it holds an integer that float64 would round."""
        compute = import_pyarrow().compute
        numbers = self.numbers(text)
        if numbers is not None:
            is_large = compute.greater_equal(compute.abs(numbers), _LAST_EXACT)
            for cell, number in zip(
                text.filter(is_large).to_pylist(), numbers.filter(is_large).to_pylist(), strict=True
            ):
                digits = cell.strip().lstrip("+-")
                # Beyond 64 bits pandas makes text, or Python's own integers, of whole columns.
                if digits.isdigit() and (int(digits) != abs(number) or int(digits) >= 1 << 63):
                    error = precision_error(f"column {short_repr(name)}", int(cell))
                    raise ValueError(f"{error} 'wtm train' leaves it out with --drop {_quoted(name)}.")
        return numbers

    def integers(self, text: Any) -> Any:
        """Return a column of numbers as int64, or None if it holds other numbers than integers of 64 bits."""
        pa = import_pyarrow()
        try:
            return pa.compute.ascii_ltrim(self._plain(text), "+").cast(pa.int64())
        except pa.ArrowInvalid:
            return None

    def are_numbers(self, text: Any) -> Any:
        """Return whether each cell is a number, null where it is missing."""
        return import_pyarrow().compute.match_substring_regex(self._plain(text), _NUMBER)

    def remedy(self, cell: str) -> str:
        """Return what to do about a cell among numbers."""
        other = replace(self, decimal="," if self.decimal == "." else ".")
        if other.numbers(import_pyarrow().array([cell])) is not None:
            return f"If {other.decimal!r} is the decimal point, pass --decimal {shlex.quote(other.decimal)}."
        return f"If this stands for a missing value, pass --missing {_quoted(cell)}."

    def _plain(self, text: Any) -> Any:
        compute = import_pyarrow().compute
        if self.decimal != ".":
            text = compute.replace_substring(compute.replace_substring(text, ".", "x"), self.decimal, ".")
        return compute.ascii_trim_whitespace(text)


def booleans(text: Any) -> Any:
    """Return a column as booleans, or None if it holds something else."""
    compute = import_pyarrow().compute
    if compute.any(compute.invert(_are_booleans(text))).as_py():
        return None
    return compute.equal(compute.utf8_lower(text), "true")


def _are_booleans(text: Any) -> Any:
    return import_pyarrow().compute.match_substring_regex(text, "(?i)^(true|false)$")


def cells_as_text(columns: Sequence[Any], cells: Cells) -> list[Any]:
    """Return `cells.text` of columns of the same length."""
    return [text for block in _blocks(columns) for text in _divided(cells.text(_joined(block)), len(block))]


def plain_numbers(texts: Sequence[Any], cells: Cells) -> list[Any]:
    """Return the columns that are nothing but numbers as float64, many at a time, and None for the others.

    None as well for columns with very large numbers or leading zeros, which need a closer look, and maybe for others.

    Parameters
    ----------
    texts : sequence of pyarrow.Array or pyarrow.ChunkedArray of str
        Of the same length.
    cells : Cells
    """
    return [numbers for block in _blocks(texts) for numbers in _plain_numbers(block, cells)]


def _plain_numbers(texts: Sequence[Any], cells: Cells) -> list[Any]:
    if len(texts) == 1:
        return [None]
    compute = import_pyarrow().compute
    text = _joined(texts)
    numbers = cells.numbers(text)
    if (
        numbers is None
        or (compute.max(compute.abs(numbers)).as_py() or 0) >= _LAST_EXACT
        or compute.any(compute.match_substring_regex(text, _LEADING_ZERO)).as_py()
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
    pa = import_pyarrow()
    if len(columns) == 1 or not len(columns[0]):
        return columns[0]
    chunks = [column.chunks if isinstance(column, pa.ChunkedArray) else [column] for column in columns]
    return pa.concat_arrays([chunk for of_column in chunks for chunk in of_column])


def _divided(joined: Any, n_columns: int) -> list[Any]:
    n_rows = len(joined) // n_columns
    return [joined.slice(i * n_rows, n_rows) for i in range(n_columns)]


def training_columns(texts: Mapping[str, Any], cells: Cells) -> tuple[dict[str, Any], list[str]]:
    """Return training columns as float64, booleans or text, and notes on what a user may not expect of them."""
    columns: dict[str, Any] = {}
    notes: list[str] = []
    for (name, text), numbers in zip(texts.items(), plain_numbers(list(texts.values()), cells), strict=True):
        columns[name] = numbers
        if numbers is None:
            columns[name] = training_column(text, name, cells)
            notes += column_notes(name, text, columns[name], cells)
    return columns, notes


def training_column(text: Any, name: str, cells: Cells) -> Any:
    """Return a training column as float64, booleans or text."""
    numbers = cells.exact_numbers(text, name)
    if numbers is not None:
        return numbers
    found = booleans(text)
    return text if found is None else found


def target_column(text: Any, name: str, cells: Cells) -> Any:
    """Return a target as int64, float64, booleans or text."""
    integers = None if cells.numbers(text) is None else cells.integers(text)
    return training_column(text, name, cells) if integers is None else integers


class ModelColumns:
    """Reads the columns of a CSV file as a model needs them, batch by batch.

    Parameters
    ----------
    needs : dict of str to Conditions or None
        What the model makes of each column, by the column's name in the file; None where it takes 0 and 1 as they are.
    cells : Cells

    Raises
    ------
    ValueError
        A column held text and numbers in training, which CSV does not tell apart.
    """

    def __init__(self, needs: Mapping[str, Conditions | None], cells: Cells) -> None:
        self._cells = cells
        self._needed = {name: _kind_needed(name, conditions) for name, conditions in needs.items()}
        self._found: dict[str, str] = {}  # kinds of the columns in the batches so far

    def read(self, batch: Any, first_row: int) -> Any:
        """Return the columns as a pyarrow table.

        Parameters
        ----------
        batch : pyarrow.Table
        first_row : int
            Number of its first row in the file, from 1.

        Raises
        ------
        ValueError
            A column that held numbers holds text, or numbers and booleans, which together are text.
        """
        names = list(self._needed)
        texts = dict(zip(names, cells_as_text(batch.select(names).columns, self._cells), strict=True))
        alike = [name for name in names if self._needed[name] == "numbers" and self._found.get(name) != "booleans"]
        columns = dict(zip(alike, plain_numbers([texts[name] for name in alike], self._cells), strict=True))
        for name, text in texts.items():
            numbers = columns.get(name)
            if numbers is None or numbers.null_count == len(numbers):
                columns[name] = self._read(text, name, first_row)
            else:
                self._found[name] = "numbers"
        return import_pyarrow().table({name: columns[name] for name in names})

    def notes(self) -> Iterator[str]:
        """Name, after the last batch, the columns of text that hold only numbers or booleans."""
        for name, needed in self._needed.items():
            kind = self._found.get(name, "text")
            if needed == "text" != kind:
                yield f"column {short_repr(name)} held text in training and holds {kind} here: they are read as text."

    def _read(self, text: Any, name: str, first_row: int) -> Any:
        before = self._found.get(name)
        if self._needed[name] == "anything" or text.null_count == len(text):
            return text
        if self._needed[name] == "text":
            if before != "text":  # what is text once stays text
                kind = self._kind(text)
                self._found[name] = kind if before in (None, kind) else "text"
            return text
        numbers = self._cells.exact_numbers(text, name)
        found = booleans(text) if numbers is None else numbers
        kind = "booleans" if numbers is None else "numbers"
        if found is None or before not in (None, kind):
            place = self._first_odd(text, before)
            cell = text[place].as_py()
            raise ValueError(
                f"column {short_repr(name)} held numbers in training, but row {first_row + place:,} holds "
                f"{short_repr(cell)}. {self._cells.remedy(cell)}"
            )
        self._found[name] = kind
        return found

    def _first_odd(self, text: Any, before: str | None) -> int:
        """Place of the first cell that is not what those before it are, numbers or booleans."""
        are_booleans = before == "booleans" or (before is None and booleans(text.drop_null()[:1]) is not None)
        fit = _are_booleans(text) if are_booleans else self._cells.are_numbers(text)
        place: int = import_pyarrow().compute.index(fit, False).as_py()
        return place

    def _kind(self, text: Any) -> str:
        if self._cells.numbers(text) is not None:
            return "numbers"
        return "text" if booleans(text) is None else "booleans"


def _kind_needed(name: str, conditions: Conditions | None) -> str:
    if conditions is not None and not conditions.n_features:
        return "anything"
    if not isinstance(conditions, Categories):
        return "numbers"
    if not conditions.values:  # whether a value is missing is all that counts
        return "anything"
    if len(conditions.are_text) == 1:
        return "text" if True in conditions.are_text else "numbers"
    raise ValueError(
        f"column {short_repr(name)} held both text and numbers in training, which CSV does not tell apart: predict in "
        "Python, or train with text only."
    )


def column_notes(name: str, text: Any, column: Any, cells: Cells) -> Iterator[str]:
    """Say what a user may not expect of a training column: `text` is its cells, `column` what is learnt from.

    Numbers lose their leading zeros; text is numbers for the most part, or differs in nearly every row.
    """
    pa = import_pyarrow()
    label = f"column {short_repr(name)}"
    if pa.types.is_floating(column.type):
        place = pa.compute.index(pa.compute.match_substring_regex(text, _LEADING_ZERO), True).as_py()
        if place >= 0:
            yield f"{label} holds numbers, whose leading zeros do not count, as in row {place + 1:,}."
    elif pa.types.is_string(column.type):
        are_numbers = cells.are_numbers(text)
        other = replace(cells, decimal="," if cells.decimal == "." else ".")
        n_values = len(text) - text.null_count
        if pa.compute.mean(are_numbers).as_py() >= _MOST or other.numbers(text) is not None:
            place = pa.compute.index(are_numbers, False).as_py()
            cell = text[place].as_py()
            yield f"{label} is text because row {place + 1:,} holds {short_repr(cell)}. {cells.remedy(cell)}"
        elif pa.compute.count_distinct(text).as_py() >= max(_MIN_DISTINCT, _NEARLY_ALL * n_values):
            yield (
                f"{label} is text with another value in nearly every row, from which little can be learnt. "
                f"--drop {_quoted(name)} leaves it out."
            )


def _quoted(text: str) -> str:
    return shlex.quote(shorten(text))
