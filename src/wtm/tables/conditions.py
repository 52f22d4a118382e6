"""Conditions on a column, each a true/false feature: what they are called, where they hold, and as JSON.

Grammar of the names, COLUMN being the column's name as it stands:

    feature  = COLUMN | COLUMN " > " NUMBER | COLUMN " = " VALUE | COLUMN " is missing"
    negation = "NOT (" COLUMN ")" | COLUMN " <= " NUMBER [" or missing"] | COLUMN " != " VALUE
             | COLUMN " is not missing"

The feature of a 0/1 column is the column's name alone. NUMBER is the shortest decimal that is the float64 exactly.
VALUE is a number, True or False, or a string: bare where it has neither white space nor one of ``"=<>!`` and does not
read as a number or a boolean, else as a JSON string in double quotes. So a name is taken apart at its last operator
that has such a VALUE or NUMBER behind it.
"""

import json
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from wtm.tables.columns import MISSING, Column, Value
from wtm.utils.printable import escape, short_repr

__all__ = ["Categories", "Conditions", "Numbers", "conditions_from_json"]

Writer = Callable[[slice, np.ndarray], None]
"""Writes the features of some rows into a bool array of shape (n_features, n_rows)."""


@dataclass(frozen=True)
class Numbers:
    """Conditions on a number column: greater than each threshold, and missing. A missing number is not greater.

    Attributes
    ----------
    thresholds : tuple of float
        Ascending.
    has_missing : bool
        Whether there is a feature "is missing".
    is_binary : bool
        Whether the column held 0 and 1 only: its threshold is 0.5, and the feature bears the column's name.
    """

    thresholds: tuple[float, ...]
    has_missing: bool = False
    is_binary: bool = False

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.thresholds) + self.has_missing

    def names(self, column: str) -> list[str]:
        """Names of the features, for a column of this name."""
        if self.is_binary:
            greater = [column]
        else:
            greater = [f"{column} > {_spell_number(threshold)}" for threshold in self.thresholds]
        return greater + [f"{column} is missing"] * self.has_missing

    def negations(self, column: str) -> list[str]:
        """Names of the negated features."""
        if self.is_binary:
            others = [f"NOT ({column})"]
        else:
            tail = " or missing" if self.has_missing else ""
            others = [f"{column} <= {_spell_number(threshold)}{tail}" for threshold in self.thresholds]
        return others + [f"{column} is not missing"] * self.has_missing

    def writer(self, column: Column) -> Writer:
        """Writer of the features of this column; a ValueError where it has strings."""
        read = column.numbers()
        thresholds = np.array(self.thresholds, np.float64)[:, np.newaxis]

        def write(rows: slice, out: np.ndarray) -> None:
            numbers = read(rows)
            np.greater(numbers, thresholds, out=out[: len(thresholds)])
            if self.has_missing:
                np.isnan(numbers, out=out[-1])

        return write

    def to_json(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {
            "kind": "numbers",
            "thresholds": list(self.thresholds),
            "has_missing": self.has_missing,
            "is_binary": self.is_binary,
        }


@dataclass(frozen=True)
class Categories:
    """Conditions on a column of categories: equal to each value, and missing. Any other value is none of these.

    Attributes
    ----------
    values : tuple of str, int, float or bool
    has_missing : bool
        Whether there is a feature "is missing".
    is_mixed : bool
        Whether fit saw text and other values, although all `values` are of one of these kinds.
    """

    values: tuple[Value, ...]
    has_missing: bool = False
    is_mixed: bool = False
    _index: dict[Value, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {value: place for place, value in enumerate(self.values)})

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.values) + self.has_missing

    @property
    def are_text(self) -> set[bool]:
        """Whether the values that fit saw are text: True, False or both; empty where there are no features of them."""
        return {True, False} if self.is_mixed else {isinstance(value, str) for value in self.values}

    def names(self, column: str) -> list[str]:
        """Names of the features, for a column of this name."""
        return self._names(column, "=", "is missing")

    def negations(self, column: str) -> list[str]:
        """Names of the negated features."""
        return self._names(column, "!=", "is not missing")

    def _names(self, column: str, operator: str, missing: str) -> list[str]:
        equal = [f"{column} {operator} {_spell_value(value)}" for value in self.values]
        return equal + [f"{column} {missing}"] * self.has_missing

    def writer(self, column: Column) -> Writer:
        """Writer of the features of this column; a ValueError where it has numbers and fit saw text, or the reverse."""
        self._check_kind(column)
        read = column.places(self._index)
        places = np.append(np.arange(len(self.values)), [MISSING] * self.has_missing)[:, np.newaxis]

        def write(rows: slice, out: np.ndarray) -> None:
            np.equal(read(rows), places, out=out)

        return write

    def are_all_new(self, held: Collection[Value]) -> bool:
        """Whether a column that holds these values holds something, but none of its own."""
        return bool(held) and self._index.keys().isdisjoint(held)

    def concern_about_new(self, label: str) -> str:
        """What a user ought to hear of the column with this label, if all that it holds is new."""
        known = short_repr(self.values[0])
        return f"{label} holds no value that was there in fit, such as {known}: all of them count as never seen."

    def _check_kind(self, column: Column) -> None:
        before, now = self.are_text, {isinstance(value, str) for value in column.distinct_values()}
        if before and now and before.isdisjoint(now):
            kinds = "text", "numbers or booleans"
            was, has = kinds if before == {True} else reversed(kinds)
            raise ValueError(
                f"{column.label} held {was} in fit, such as {short_repr(self.values[0])}, but now holds {has} only, "
                "and nothing that could be equal. Convert the column to what it was in fit."
            )

    def to_json(self) -> dict[str, Any]:
        """As plain JSON types."""
        mixed = {"is_mixed": True} if self.is_mixed else {}
        return {"kind": "categories", "values": list(self.values), "has_missing": self.has_missing} | mixed


Conditions = Numbers | Categories


def _spell_number(number: float) -> str:
    text = repr(number)
    return text.removesuffix(".0")


def _spell_value(value: Value) -> str:
    if isinstance(value, str):
        return value if _is_bare(value) else escape(json.dumps(value, ensure_ascii=False))
    return _spell_number(value) if isinstance(value, float) else repr(value)


def _is_bare(text: str) -> bool:
    if not text.isprintable() or not text or any(c.isspace() or c in '"=<>!' for c in text):
        return False
    if text in ("True", "False"):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def conditions_from_json(state: Any) -> Conditions:
    """Return the conditions that `to_json` described; a ValueError where `state` describes none."""
    if isinstance(state, dict) and state.get("kind") == "numbers":
        _check(state.keys() == {"kind", "thresholds", "has_missing", "is_binary"}, "its keys", list(state))
        thresholds, has_missing, is_binary = state["thresholds"], state["has_missing"], state["is_binary"]
        _check(isinstance(has_missing, bool) and isinstance(is_binary, bool), "has_missing or is_binary", state)
        _check(isinstance(thresholds, list) and all(map(_is_finite_number, thresholds)), "thresholds", thresholds)
        numbers = tuple(map(float, thresholds))
        _check(all(low < high for low, high in pairwise(numbers)), "thresholds, which must ascend,", thresholds)
        _check(not is_binary or numbers == (0.5,), "thresholds of a 0/1 column", thresholds)
        return Numbers(numbers, has_missing, is_binary)
    if isinstance(state, dict) and state.get("kind") == "categories":
        _check(state.keys() - {"is_mixed"} == {"kind", "values", "has_missing"}, "its keys", list(state))
        values, has_missing, is_mixed = state["values"], state["has_missing"], state.get("is_mixed", False)
        _check(isinstance(has_missing, bool) and isinstance(is_mixed, bool), "has_missing or is_mixed", state)
        _check(isinstance(values, list) and all(map(_is_value, values)), "values", values)
        _check(len(set(values)) == len(values), "values, which must differ,", values)
        return Categories(tuple(values), has_missing, is_mixed)
    raise ValueError(f"A column's conditions must be of kind 'numbers' or 'categories', got {state!r}.")


def _is_finite_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max  # neither NaN nor infinity is


def _is_value(value: Any) -> bool:
    return isinstance(value, str | bool) or _is_finite_number(value)


def _check(holds: bool, what: str, value: Any) -> None:
    if not holds:
        raise ValueError(f"A column's conditions have wrong {what}: {value!r}.")
