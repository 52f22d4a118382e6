"""The columns of a CSV file as a trained model needs them."""

from collections.abc import Iterator, Mapping
from typing import Any

from wtm.cli.arrow import compute, pa
from wtm.cli.csv_cells import Cells, are_booleans, booleans, cells_as_text, plain_numbers
from wtm.tables.conditions import Categories, Conditions
from wtm.utils.printable import short_repr


class ModelColumns:
    """Reads the columns of a CSV file batch by batch.

    `needs` is what the model makes of each column; None where it takes 0 and 1 as they are.
    """

    def __init__(self, needs: Mapping[str, Conditions | None], cells: Cells) -> None:
        self._cells = cells
        self._needed = {name: _kind_needed(name, conditions) for name, conditions in needs.items()}
        self._never_read = {name: _values_read_as_missing(conditions, cells) for name, conditions in needs.items()}
        self._found: dict[str, str] = {}  # kinds of the columns in the batches so far

    def read(self, batch: Any, first_row: int) -> Any:
        """Return the columns of a batch as a pyarrow table; `first_row` is the number of its first row in the file.

        A column that held numbers must not hold text, or numbers and booleans, which together are text.
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
        return pa.table({name: columns[name] for name in names})

    def notes(self) -> Iterator[str]:
        """Name, after the last batch, the columns that are not read as they were in training, as far as is known."""
        for name, values in self._never_read.items():
            if values:
                yield (
                    f"column {short_repr(name)} had the value {short_repr(values[0])} in training, and cells "
                    f"{short_repr(values[0])} of CSV are read as missing. Predict from Parquet or in Python."
                )
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
        numbers = self._cells.exact_numbers(text, name, range(first_row, first_row + len(text)))
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
        of_booleans = before == "booleans" or (before is None and booleans(text.drop_null()[:1]) is not None)
        fit = are_booleans(text) if of_booleans else self._cells.are_numbers(text)
        place: int = compute.index(fit, False).as_py()
        return place

    def _kind(self, text: Any) -> str:
        if self._cells.numbers(text) is not None:
            return "numbers"
        return "text" if booleans(text) is None else "booleans"


def _values_read_as_missing(conditions: Conditions | None, cells: Cells) -> list[Any]:
    values = conditions.values if isinstance(conditions, Categories) else ()
    return [value for value in values if isinstance(value, str) and cells.is_missing(value)]


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
