"""Conditions on a column, each a true/false feature: their names, their values, and their form in JSON."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from wtm.tables.columns import MISSING, Column, NumberColumn, Value, join_numbers
from wtm.tables.condition_grammar import Condition, Interval, IsMissing, Values
from wtm.utils.printable import short_repr

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
        Whether the column held only 0 and 1: the threshold is 0.5, and the feature has the column's name.
    """

    thresholds: tuple[float, ...]
    has_missing: bool = False
    is_binary: bool = False

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.thresholds) + self.has_missing

    def condition(self, column: str, place: int, *, negated: bool) -> Condition:
        """Return the feature at a place, or its negation, as a condition on a column of this name."""
        if place == len(self.thresholds):
            return IsMissing(column, not negated)
        if not negated:
            return Interval(column, low=self.thresholds[place], is_binary=self.is_binary)
        missing = True if self.has_missing and not self.is_binary else None
        return Interval(column, high=self.thresholds[place], missing=missing, is_binary=self.is_binary)

    def writer(self, column: Column) -> Writer:
        """Return a writer of this column's features; raise a ValueError if the column holds strings."""
        read = column.numbers()
        thresholds = np.array(self.thresholds, np.float64)[:, np.newaxis]

        def write(rows: slice, out: np.ndarray) -> None:
            numbers = read(rows)
            np.greater(numbers, thresholds, out=out[: len(thresholds)])
            if self.has_missing:
                np.isnan(numbers, out=out[-1])

        return write


@dataclass(frozen=True)
class Categories:
    """Conditions on a column of categories: equal to each value, and missing. All are false for any other value.

    Attributes
    ----------
    values : tuple of str, int, float or bool
    has_missing : bool
        Whether there is a feature "is missing".
    is_mixed : bool
        Whether fit saw both strings and other values, although `values` holds only one of these kinds.
    """

    values: tuple[Value, ...]
    has_missing: bool = False
    is_mixed: bool = False
    _index: dict[Value, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {value: i for i, value in enumerate(self.values)})

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.values) + self.has_missing

    @property
    def are_text(self) -> set[bool]:
        """Whether the values seen in fit are text: True, False or both; empty if there are no values."""
        return {True, False} if self.is_mixed else {isinstance(value, str) for value in self.values}

    def condition(self, column: str, place: int, *, negated: bool) -> Condition:
        """Return the feature at a place, or its negation, as a condition on a column of this name."""
        if place == len(self.values):
            return IsMissing(column, not negated)
        return Values(column, (self.values[place],), equal=not negated)

    def writer(self, column: Column) -> Writer:
        """Return a writer of this column's features.

        Raises
        ------
        ValueError
            The column holds only numbers and fit saw only text, or the reverse.
        """
        self._check_kind(column)
        read = column.positions(self._index)
        positions = np.append(np.arange(len(self.values)), [MISSING] * self.has_missing)[:, np.newaxis]

        def write(rows: slice, out: np.ndarray) -> None:
            np.equal(read(rows), positions, out=out)

        return write

    def has_none_of(self, values: Iterable[Value]) -> bool:
        """Whether no condition is on one of these values."""
        return self._index.keys().isdisjoint(values)

    def _check_kind(self, column: Column) -> None:
        before, now = self.are_text, {isinstance(value, str) for value in column.distinct_values()}
        if before and now and before.isdisjoint(now):
            kinds = "text", "numbers or booleans"
            was, has = kinds if before == {True} else reversed(kinds)
            raise ValueError(
                f"{column.label} held {was} in fit, such as {short_repr(self.values[0])}, but now holds only {has}, "
                "which can't equal it. Convert the column to the type that it had in fit."
            )

    def to_json(self) -> dict[str, Any]:
        """Return the conditions as plain JSON types."""
        mixed = {"is_mixed": True} if self.is_mixed else {}
        return {"kind": "categories", "values": list(self.values), "has_missing": self.has_missing} | mixed


Conditions = Numbers | Categories


def run_writer(conditions: Sequence[Numbers], columns: Sequence[NumberColumn]) -> Writer:
    """Return a writer of all features of a run of columns (`wtm.tables.columns.runs`)."""
    thresholds = np.array([t for c in conditions for t in (*c.thresholds, *[np.nan] * c.has_missing)])[:, np.newaxis]
    column_of = np.repeat(np.arange(len(columns)), [c.n_features for c in conditions])
    missing = np.flatnonzero(np.isnan(thresholds))

    def write(rows: slice, out: np.ndarray) -> None:
        numbers = join_numbers(columns, rows)
        np.greater(numbers[column_of], thresholds, out=out)
        out[missing] = np.isnan(numbers[column_of[missing]])

    return write


def conditions_from_json(state: Any) -> Conditions:
    """Return the conditions that `to_json` described; raise a ValueError if `state` is not valid."""
    if isinstance(state, dict) and state.get("kind") == "numbers":
        _check(state.keys() == {"kind", "thresholds", "has_missing", "is_binary"}, "keys", list(state))
        thresholds, has_missing, is_binary = state["thresholds"], state["has_missing"], state["is_binary"]
        _check(isinstance(has_missing, bool) and isinstance(is_binary, bool), "has_missing or is_binary", state)
        _check(isinstance(thresholds, list) and all(map(_is_finite_number, thresholds)), "thresholds", thresholds)
        numbers = tuple(map(float, thresholds))
        _check(all(low < high for low, high in pairwise(numbers)), "thresholds (they must ascend)", thresholds)
        _check(not is_binary or numbers == (0.5,), "thresholds of a 0/1 column", thresholds)
        return Numbers(numbers, has_missing, is_binary)
    if isinstance(state, dict) and state.get("kind") == "categories":
        _check(state.keys() - {"is_mixed"} == {"kind", "values", "has_missing"}, "keys", list(state))
        values, has_missing, is_mixed = state["values"], state["has_missing"], state.get("is_mixed", False)
        _check(isinstance(has_missing, bool) and isinstance(is_mixed, bool), "has_missing or is_mixed", state)
        _check(isinstance(values, list) and all(map(_is_value, values)), "values", values)
        _check(len(set(values)) == len(values), "values (they must differ)", values)
        return Categories(tuple(values), has_missing, is_mixed)
    raise ValueError(f"The conditions on a column must have the kind 'numbers' or 'categories', got {state!r}.")


def _is_finite_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max  # false for NaN


def _is_value(value: Any) -> bool:
    return isinstance(value, str | bool) or _is_finite_number(value)


def _check(holds: bool, what: str, value: Any) -> None:
    if not holds:
        raise ValueError(f"The conditions on a column have invalid {what}: {value!r}.")
