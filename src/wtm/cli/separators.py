"""Whether a CSV file is separated by another character than its reader takes for granted."""

import csv
import io
import re
from itertools import islice

__all__ = ["separator_concern"]

_CANDIDATES = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}
"""Separators, and how a shell is told."""

_ROWS = 100
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


def separator_concern(start: str, separator: str, *, header: bool, decimal: str) -> str | None:
    """Tell which separator, and which decimal point, a file seems to have, if not those that are assumed.

    Parameters
    ----------
    start : str
        The first rows of the file, whole.
    separator, decimal : str
        What is assumed.
    header : bool
        Whether the first row holds names.

    Returns
    -------
    str or None
        A sentence with the remedy; None where nothing seems wrong.
    """
    rows = _rows(start, separator)
    others = {other: _rows(start, other) for other in _CANDIDATES if other != separator}
    likely = [other for other, found in others.items() if _seems_right(found, rows, header=header)]
    if not likely:
        return None
    best = max(likely, key=lambda other: len(others[other][0]))
    options = f"--separator {_CANDIDATES[best]}"
    if decimal != "," and _decimal_commas(others[best]):
        options += " --decimal ','"
    return (
        f"with {_CANDIDATES[separator]} as separator its first row is {_counted(rows[0])}, and {len(others[best][0])} "
        f"with {_CANDIDATES[best]}. Say {options}, or --separator {_CANDIDATES[separator]} if it is right."
    )


def _rows(start: str, separator: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(start, newline=""), delimiter=separator)
    try:
        return [row for row in islice(reader, _ROWS) if row]
    except csv.Error:
        return []


def _seems_right(found: list[list[str]], assumed: list[list[str]], *, header: bool) -> bool:
    """Whether `found`, the rows with another separator, make a better table than those with the assumed one."""
    if not found or not assumed or len(found[0]) < 2:
        return False
    if header and len(assumed[0]) == 1 and all(len(row) > 1 for row in found):  # if not all as many: pyarrow tells
        return True
    is_table, was_table = _is_table(found), _is_table(assumed)
    return is_table and (not was_table or _decimal_commas(found))


def _is_table(rows: list[list[str]]) -> bool:
    return {len(row) for row in rows} == {len(rows[0])} and len(rows[0]) > 1


def _decimal_commas(rows: list[list[str]]) -> bool:
    """Whether a column holds numbers with decimal commas throughout, below the first row and perhaps in it."""
    below = rows[1:] or rows
    return any(all(map(_DECIMAL_COMMA.fullmatch, column)) for column in zip(*below, strict=False))


def _counted(row: list[str]) -> str:
    return "one column" if len(row) == 1 else f"{len(row)} columns"
