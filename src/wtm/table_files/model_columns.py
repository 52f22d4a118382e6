"""The columns of a CSV file as a trained model needs them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wtm.table_files.arrow import compute, pa
from wtm.table_files.csv_cells import Cells, are_booleans, booleans, cells_as_text, plain_numbers, quoted
from wtm.tables.conditions import Categories, Conditions
from wtm.utils.printable import short_repr


class ModelColumns:
    """Reads the columns of a CSV file batch by batch.

    `needs` is what the model makes of each column; None where it takes 0 and 1 as they are.
    """

    def __init__(self, needs: Mapping[str, Conditions | None], cells: Cells, max_categories: int | None = None) -> None:
        self._cells = cells
        self._unmarked = {
            name: _Unmarked(conditions.values)
            for name, conditions in needs.items()
            if isinstance(conditions, Categories)
            and conditions.has_missing
            and conditions.are_text == {True}
            # With more values in training than have a condition, any value may have been seen.
            and 0 < len(conditions.values) != max_categories
        }
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
        for name, column in self._unmarked.items():
            column.look(texts[name])
        for name, text in texts.items():
            numbers = columns.get(name)
            if numbers is None or numbers.null_count == len(numbers):
                columns[name] = self._read(text, name, first_row)
            else:
                self._found[name] = "numbers"
        return pa.table({name: columns[name] for name in names})

    def notes(self) -> dict[str, str]:
        """Name, after the last batch, the columns that are not read as they were in training, by their labels."""
        return dict(self._notes())

    def _notes(self) -> Iterator[tuple[str, str]]:
        for name, column in self._unmarked.items():
            if column.cell is not None and not column.has_missing:
                label, cell = f"column {short_repr(name)}", short_repr(column.cell)
                yield (
                    label,
                    f"{label} had missing values in training and has none here, but {cell}, which training did not "
                    f"see. If this stands for a missing value, pass --missing {quoted(column.cell)}.",
                )
        for name, values in self._never_read.items():
            if values:
                yield (
                    f"column {short_repr(name)}",
                    f"column {short_repr(name)} had the value {short_repr(values[0])} in training, and cells "
                    f"{short_repr(values[0])} of CSV are read as missing. Predict from Parquet or in Python.",
                )
        for name, needed in self._needed.items():
            kind = self._found.get(name, "text")
            if needed == "text" != kind:
                label = f"column {short_repr(name)}"
                yield label, f"{label} held text in training and holds {kind} here: they are read as text."

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
            is_number = self._cells.numbers(text.slice(place, 1)) is not None  # among booleans
            raise ValueError(
                f"column {short_repr(name)} held numbers in training, but row {first_row + place:,} holds "
                f"{short_repr(cell)}. {self._cells.remedy('True' if is_number else cell)}"
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


class _Unmarked:
    """Looks for a cell of text that training did not see in a column that had missing values."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._known = pa.array([value for value in values if isinstance(value, str)], pa.string())
        self.has_missing = False
        self.cell: str | None = None

    def look(self, text: Any) -> None:
        self.has_missing |= text.null_count > 0
        if self.cell is None:
            place = compute.index(compute.is_in(text.drop_null(), value_set=self._known), False).as_py()
            self.cell = None if place < 0 else text.drop_null()[place].as_py()


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
