"""Conditions on one column, with a text for each, from which `parse_condition` reads it back.

Grammar, where COLUMN is the name of the column:

    condition = COLUMN | "NOT (" COLUMN ")" [MISSING]                                          0/1 columns
              | COLUMN " > " NUMBER | COLUMN " <= " NUMBER [MISSING] | NUMBER " < " COLUMN " <= " NUMBER
              | COLUMN " = " VALUE | COLUMN " != " VALUE [MISSING]
              | COLUMN " not in {" VALUE {", " VALUE} "}" [MISSING]
              | COLUMN " is missing" | COLUMN " is not missing"
    MISSING   = " or missing" | " and not missing"

Without MISSING, a missing value makes ``NOT (...)``, ``<=``, ``!=`` and ``not in`` true and all other conditions false,
since a missing number is not greater, and a missing value equals none. NUMBER is the shortest decimal that reads back
as the same float64. VALUE is a number, True, False or a string. COLUMN and strings are written as they are if that
can't be misread, and otherwise as JSON strings in double quotes:

- COLUMN, if it contains white space other than single spaces between words, characters that are not printable, any of
  ``"<>=!{}``, or the words AND or THEN, starts with ``NOT (``, or ends like a condition on missing values;
- a string, if it contains white space, characters that are not printable or any of ``"=<>!``, reads as a number or a
  boolean, is empty, or is AND or THEN.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise

import numpy as np

from wtm.tables.columns import MISSING, UNKNOWN, Column, Value
from wtm.utils.printable import escape, short_repr

_BARE_NAME = re.compile(r'[^\s"<>=!{}]+(?: [^\s"<>=!{}]+)*')
_BARE_LABEL = re.compile(r'[^\s"]+(?: [^\s"]+)*')
_READ_OTHERWISE = re.compile(r"NOT \(.*|.* (?:is|is not|or|and not) missing|(?:.* )?(?:AND|THEN)(?: .*)?")
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_NAME = rf'(?P<column>{_QUOTED}|[^"<>=!{{}}]+)'
_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_VALUE = rf'(?:{_QUOTED}|[^\s"]+)'
_MISSING = r"(?P<missing> or missing| and not missing)?"
_FORMS = [
    re.compile(form, re.DOTALL)
    for form in (
        rf"(?P<negated>NOT \(){_NAME}\){_MISSING}",
        rf"(?P<low>{_NUMBER}) < {_NAME} <= (?P<high>{_NUMBER})",
        rf"{_NAME} > (?P<low>{_NUMBER})",
        rf"{_NAME} <= (?P<high>{_NUMBER}){_MISSING}",
        rf"{_NAME} (?P<operator>=|!=) (?P<values>{_VALUE}){_MISSING}",
        rf"{_NAME} (?P<operator>not in) \{{(?P<values>{_VALUE}(?:, {_VALUE})*)\}}{_MISSING}",
        rf"{_NAME} is (?P<not_missing>not )?(?P<is_missing>missing)",
        _NAME,
    )
]
_SUFFIX = {None: "", True: " or missing", False: " and not missing"}
_MISSING_OF = {suffix or None: missing for missing, suffix in _SUFFIX.items()}


@dataclass(frozen=True)
class Interval:
    """A number is greater than `low` and not greater than `high`; at least one of the two is finite.

    Attributes
    ----------
    column : str
    low, high : float
    missing : bool or None
        Whether the condition holds for a missing number. None if `fit` saw none; it then holds if `low` is infinite.
    is_binary : bool
        Whether this is a 0/1 column, so that the finite end is 0.5 and the text has no number.
    """

    column: str
    low: float = -math.inf
    high: float = math.inf
    missing: bool | None = None
    is_binary: bool = False

    def __str__(self) -> str:
        name = spell_name(self.column)
        if self.is_binary:
            return name if self.low > -math.inf else f"NOT ({name}){_SUFFIX[self.missing]}"
        if self.high == math.inf:
            return f"{name} > {spell_number(self.low)}"
        if self.low == -math.inf:
            return f"{name} <= {spell_number(self.high)}{_SUFFIX[self.missing]}"
        return f"{spell_number(self.low)} < {name} <= {spell_number(self.high)}"

    def holds(self, column: Column) -> np.ndarray:
        """Evaluate the condition on a column; bool of shape (n_samples,)."""
        numbers = column.numbers()(slice(None))
        holds: np.ndarray = ~(numbers > self.high)
        if self.low > -math.inf:
            return holds & (numbers > self.low)
        return holds if self.missing is not False else holds & ~np.isnan(numbers)


@dataclass(frozen=True)
class Values:
    """A category equals a value, or is different from some values.

    Attributes
    ----------
    column : str
    values : tuple of str, int, float or bool
        A single value if `equal`.
    equal : bool
    missing : bool or None
        False if the condition does not hold for a missing category; otherwise it holds unless `equal`.
    """

    column: str
    values: tuple[Value, ...]
    equal: bool
    missing: bool | None = None

    def __str__(self) -> str:
        name, values = spell_name(self.column), ", ".join(map(spell_value, self.values))
        if self.equal:
            return f"{name} = {values}"
        text = f"{name} != {values}" if len(self.values) == 1 else f"{name} not in {{{values}}}"
        return text + _SUFFIX[self.missing]

    def holds(self, column: Column) -> np.ndarray:
        """Evaluate the condition on a column; bool of shape (n_samples,)."""
        positions = column.positions({value: i for i, value in enumerate(self.values)})(slice(None))
        if self.equal:
            return positions >= 0
        return (positions == UNKNOWN) | ((positions == MISSING) & (self.missing is not False))


@dataclass(frozen=True)
class IsMissing:
    """A value is missing, or, if `is_missing` is False, it is not."""

    column: str
    is_missing: bool = True

    def __str__(self) -> str:
        return f"{spell_name(self.column)} is {'' if self.is_missing else 'not '}missing"

    def holds(self, column: Column) -> np.ndarray:
        """Evaluate the condition on a column; bool of shape (n_samples,)."""
        return (column.positions({})(slice(None)) == MISSING) == self.is_missing


Condition = Interval | Values | IsMissing
"""A condition on one column."""


def conjunction(conditions: Sequence[Condition]) -> Condition:
    """Return one condition that holds where all of these hold.

    Parameters
    ----------
    conditions : sequence of Condition
        At least one. All are on the same column, none follows from the others, and they don't contradict each other.
    """
    return reduce(_both, conditions)


def _both(one: Condition, other: Condition) -> Condition:
    if isinstance(one, IsMissing):
        one, other = other, one
    if isinstance(one, Interval) and isinstance(other, Interval):
        return replace(one, low=max(one.low, other.low), high=min(one.high, other.high), missing=None)
    if isinstance(one, Values) and isinstance(other, Values):
        return replace(one, values=one.values + other.values)
    if isinstance(one, IsMissing):
        raise ValueError(f"{one} and {other} contradict each other or are the same.")
    return replace(one, missing=False)


def parse_condition(text: str) -> Condition:
    """Read a condition from its text.

    Parameters
    ----------
    text : str
        As `str` of a condition gives it.

    Returns
    -------
    Interval, Values or IsMissing

    Raises
    ------
    TypeError
        `text` is not a string.
    ValueError
        The text does not follow the grammar.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string such as 'age > 40.5', got {text!r}. str of a condition gives its text.")
    for form in _FORMS:
        found = form.fullmatch(text)
        if found and (name := _read_name(found["column"])) is not None:
            return _condition(name, found.groupdict())
    raise ValueError(f"{short_repr(text)} is not a condition such as 'age > 40.5', 'colour = red' or 'NOT (member)'.")


def _condition(column: str, parts: dict[str, str | None]) -> Condition:
    missing, low, high = _MISSING_OF[parts.get("missing")], parts.get("low"), parts.get("high")
    if parts.get("is_missing"):
        return IsMissing(column, not parts["not_missing"])
    if values := parts.get("values"):
        read = tuple(map(parse_value, re.findall(rf"{_VALUE}(?=, |$)", values)))
        return Values(column, read, parts["operator"] == "=", missing)
    if low or high:
        return Interval(column, float(low or -math.inf), float(high or math.inf), missing)
    if parts.get("negated"):
        return Interval(column, high=0.5, missing=missing, is_binary=True)
    return Interval(column, low=0.5, is_binary=True)


def spell_name(name: str) -> str:
    """Return a name as text, in quotes if it could be misread."""
    return name if _is_bare_name(name) else _quoted(name)


def _is_bare_name(name: str) -> bool:
    return name.isprintable() and bool(_BARE_NAME.fullmatch(name)) and not _READ_OTHERWISE.fullmatch(name)


def _read_name(text: str) -> str | None:
    """Return the name, or None if the text is not a name."""
    if text.startswith('"'):
        return str(json.loads(text))
    return text if _is_bare_name(text) else None


def spell_number(number: float) -> str:
    """Return the shortest decimal that reads back as this float64."""
    return repr(number).removesuffix(".0")


def spell_value(value: Value) -> str:
    """Return a number, a boolean or a string as text, strings in quotes if they could be misread."""
    if isinstance(value, str):
        return value if _is_bare_string(value) else _quoted(value)
    return spell_number(value) if isinstance(value, float) else repr(value)


def spell_label(label: object) -> str:
    """Return a class label as text, which `parse_value` reads back; a string is in quotes if it could be misread."""
    if not isinstance(label, str):
        return str(label)
    is_bare = label.isprintable() and _BARE_LABEL.fullmatch(label) and "THEN" not in label.split(" ")
    return label if is_bare and isinstance(parse_value(label), str) else _quoted(label)


def _is_bare_string(text: str) -> bool:
    if not text.isprintable() or not text or any(c.isspace() or c in '"=<>!' for c in text):
        return False
    return text not in ("AND", "THEN") and isinstance(parse_value(text), str)


def parse_value(text: str) -> Value:
    """Read a value from the text that `spell_value` gives; other text is a string."""
    if text.startswith('"'):
        return str(json.loads(text))
    if text in ("True", "False"):
        return text == "True"
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return text


def _quoted(text: str) -> str:
    return escape(json.dumps(text, ensure_ascii=False))


def split_outside_quotes(text: str, separator: str) -> list[str]:
    """Split a text at a separator, but not inside quoted names and strings."""
    cuts = [found.span() for found in re.finditer(rf"{_QUOTED}|{re.escape(separator)}", text, re.DOTALL)]
    cuts = [(start, stop) for start, stop in cuts if text[start] != '"']
    return [text[a:b] for (_, a), (b, _) in pairwise([(0, 0), *cuts, (len(text), len(text))])]
