"""The columns of a CSV file in training, and what a user may not expect of them."""

from collections.abc import Mapping
from typing import Any

from wtm.table_files.arrow import compute, pa
from wtm.table_files.csv_cells import Cells, Rows, booleans, have_leading_zeros, plain_numbers
from wtm.utils.printable import short_repr

_MOST = 0.5


def training_columns(texts: Mapping[str, Any], cells: Cells, rows: Rows) -> tuple[dict[str, Any], dict[str, str]]:
    """Return columns as float64, booleans or text, and notes by the columns' labels; `rows` are those of the file."""
    columns: dict[str, Any] = {}
    notes: dict[str, str] = {}
    for (name, text), numbers in zip(texts.items(), plain_numbers(list(texts.values()), cells), strict=True):
        columns[name] = numbers
        if numbers is None:
            columns[name] = training_column(text, name, cells, rows)
            note = column_note(name, text, columns[name], cells, rows)
            if note is not None:
                if columns[name] is text:  # fit does not warn of numbers in columns that are marked as categories
                    columns[name] = text.dictionary_encode()
                notes[f"column {short_repr(name)}"] = note
    return columns, notes


def training_column(text: Any, name: str, cells: Cells, rows: Rows) -> Any:
    """Return a column as float64, booleans or text."""
    numbers = cells.exact_numbers(text, name, rows)
    if numbers is not None:
        return numbers
    found = booleans(text)
    return text if found is None else found


def column_note(name: str, text: Any, column: Any, cells: Cells, rows: Rows) -> str | None:
    """Say what a user may not expect of a column: `text` is its cells, `column` what is learnt from.

    Numbers lose their leading zeros; text is numbers for the most part.
    """
    label = f"column {short_repr(name)}"
    if pa.types.is_floating(column.type):
        place = compute.index(have_leading_zeros(text), True).as_py()
        if place >= 0:
            return f"{label} holds numbers, whose leading zeros do not count, as in row {rows[place]:,}."
    elif pa.types.is_string(column.type):
        are_numbers = cells.are_numbers(text)
        if compute.mean(are_numbers).as_py() >= _MOST or cells.with_other_decimal().numbers(text) is not None:
            place = compute.index(are_numbers, False).as_py()
            cell = text[place].as_py()
            return f"{label} is text because row {rows[place]:,} holds {short_repr(cell)}. {cells.remedy(cell)}"
    return None
