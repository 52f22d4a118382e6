"""Names of the caller as identifiers and as text in comments: ASCII, on one line, never ending what they stand in."""

import json
import re
import unicodedata
from typing import Any

from wtm.export.model_tables import Column, Feature
from wtm.utils.printable import shorten

_MAX_IDENTIFIER = 30  # C99 promises to tell the first 63 characters apart, and a name has up to four parts
_MAX_COMMENT = 60


def check_name(name: Any) -> None:
    """Raise a ValueError unless this can be the start of a program's names."""
    if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9_]{0,30}", name):
        raise ValueError(
            f"name must be a lower-case letter and up to 30 lower-case letters, digits and underscores, got {name!r}."
        )


class Identifiers:
    """Makes different identifiers: letters, digits and underscores of the name, and a number if that is taken.

    They differ even where case is ignored.
    """

    def __init__(self, *taken: str) -> None:
        self._taken = {name.lower() for name in taken}

    def new(self, *parts: str) -> str:
        """Return an unused identifier of these parts, joined by underscores."""
        base = "_".join(map(plain, parts))
        found, count = base, 1
        while found.lower() in self._taken:
            count += 1
            found = f"{base}_{count}"
        self._taken.add(found.lower())
        return found


def plain(text: str) -> str:
    """Return the letters, digits and underscores of a name, up to 30 of them."""
    text = re.sub(r"^-(?=\d)", "minus ", text)
    ascii_text = unicodedata.normalize("NFKD", text[: 4 * _MAX_IDENTIFIER]).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "_", ascii_text).strip("_")[:_MAX_IDENTIFIER].strip("_") or "x"


def in_comment(value: Any) -> str:
    """Return a name or value as text for a comment, in quotes if it is a string; long names are cut."""
    text = json.dumps(shorten(value, _MAX_COMMENT)) if isinstance(value, str) else ascii(value)
    return text.replace("*/", "*\\/").replace("/*", "/\\*")


def describe(feature: Feature, column: Column) -> str:
    """Return a feature as text for a comment."""
    place = f"column {column.position} {in_comment(column.name)}"
    return f"{place} is missing" if feature.test == "missing" else f"{place} {feature.test} {in_comment(feature.value)}"
