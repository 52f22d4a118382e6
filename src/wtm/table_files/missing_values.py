"""Whether the values that --missing names occur in a file."""

from collections.abc import Iterator, Sequence
from typing import Any

from wtm.table_files.arrow import compute, pa
from wtm.table_files.csv_cells import joined_blocks, quoted
from wtm.table_files.csv_format import PANDAS_MISSING, CsvFormat
from wtm.utils.printable import short_repr


class MissingValues:
    """Looks for the values of an option --missing in the cells of a CSV file, batch by batch."""

    def __init__(self, format: CsvFormat) -> None:
        self._absent = dict.fromkeys(value for value in format.missing or () if value not in PANDAS_MISSING)
        self._alike: dict[str | float, str] = {}

    def look(self, columns: Sequence[Any]) -> None:
        """Look in columns of text of the same length."""
        if not self._absent:
            return
        spellings = pa.array({spelling for value in self._absent for spelling in _spellings(value)})
        for cells in joined_blocks(columns):
            trimmed = compute.utf8_trim_whitespace(compute.utf8_lower(cells))
            found = compute.unique(cells.filter(compute.is_in(trimmed, value_set=spellings)))
            for cell in found.to_pylist():
                self._absent.pop(cell, None)
                self._alike.setdefault(_meaning(cell), cell)

    def notes(self) -> Iterator[str]:
        """Name, after the last batch, the values that occur in no cell."""
        others = []
        for value in self._absent:
            alike = self._alike.get(_meaning(value))
            if alike is None:
                others.append(quoted(value))
            else:
                yield (
                    f"--missing {quoted(value)} matches no cell, but cells hold {short_repr(alike)}: if they are "
                    f"missing, pass --missing {quoted(alike)}."
                )
        if others:
            yield f"--missing {', '.join(others)} matches no cell. It must be the whole cell, with its white space."


def _meaning(value: str) -> str | float:
    try:
        return float(value)
    except ValueError:
        return value.strip().lower()


def _spellings(value: str) -> set[str]:
    """Return the forms, trimmed and in lower case, in which people write what they mean by a value."""
    meaning = _meaning(value)
    others = {repr(meaning), f"{meaning:g}", f"{meaning:.2f}"} if isinstance(meaning, float) else set()
    return {value.strip().lower(), *others}
