"""Numbers as text spells them."""

import shlex
from dataclasses import dataclass
from typing import Any

from wtm.cli.files import import_pyarrow
from wtm.tables.float64 import infinity_error, precision_error
from wtm.utils.printable import short_repr, shorten

__all__ = ["Numerals", "drop_remedy", "has_leading_zero", "matches"]

_INFINITE = r"(?i)^[+-]?inf(inity)?$"
_LONG = r"^[+-]?[0-9]{16,309}(\.0*)?$"  # whole numbers that may be no float64, and are not too large for it
_LEADING_ZERO = r"^[+-]?0[0-9]"


@dataclass(frozen=True)
class Numerals:
    """How a file spells numbers: the decimal point is a point or a comma. Words for infinity are numbers too."""

    decimal: str = "."

    @property
    def other(self) -> "Numerals":
        """The other way."""
        return Numerals("," if self.decimal == "." else ".")

    def spell_finite(self, text: Any) -> Any:
        """Which values of a column of text are numbers, and no word for infinity: booleans, null where it is."""
        point = f"[{self.decimal}]"
        return matches(text, rf"^[+-]?([0-9]+{point}?[0-9]*|{point}[0-9]+)([eE][+-]?[0-9]+)?$")

    def spell(self, text: Any) -> Any:
        """Which values are numbers."""
        return import_pyarrow().compute.or_(self.spell_finite(text), matches(text, _INFINITE))

    def read(self, text: Any, label: str, remedy: str = "") -> Any:
        """Read text that spells numbers as float64.

        Parameters
        ----------
        text : pyarrow.ChunkedArray
        label : str
            What messages call the column.
        remedy : str
            What else a user can do about a number that float64 does not hold.

        Raises
        ------
        ValueError
            A whole number is none of float64.
        """
        pa = import_pyarrow()
        if self.decimal != ".":
            text = pa.compute.replace_substring(text, self.decimal, ".")
        for spelt in text.filter(matches(text, _LONG)).to_pylist():
            whole = int(spelt.partition(".")[0])
            if whole != float(spelt):
                raise ValueError(f"{precision_error(label, whole)}{remedy}")
        return pa.compute.utf8_ltrim(text, "+").cast(pa.float64())

    def read_finite(self, text: Any, label: str, remedy: str = "") -> Any:
        """As `read`; a ValueError where a number is infinite, as it is for every other table."""
        pa = import_pyarrow()
        numbers = self.read(text, label, remedy)
        infinite = text.filter(pa.compute.is_inf(numbers))
        if len(infinite):
            spelt = infinite[0].as_py()
            raise ValueError(
                f"{infinity_error(label)} Here it is {short_repr(spelt)}, which --missing can name.{remedy}"
            )
        return numbers


def drop_remedy(name: str) -> str:
    """Say how to do without a column."""
    return f" 'wtm train' leaves the column out with --drop {shlex.quote(shorten(name))}."


def has_leading_zero(distinct: Any) -> bool:
    """Whether some value is digits with a 0 before, as identifiers, postcodes and telephone numbers are."""
    return bool(import_pyarrow().compute.any(matches(distinct, _LEADING_ZERO), min_count=0).as_py())


def matches(text: Any, pattern: str) -> Any:
    """Which values a regular expression matches."""
    return import_pyarrow().compute.match_substring_regex(text, pattern)
