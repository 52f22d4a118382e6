"""A rule as an object, its text, and the rule read back from the text."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.tables.condition_grammar import Condition, parse_condition, parse_value, spell_label, split_outside_quotes
from wtm.tables.reading import read_table
from wtm.utils.printable import short_repr
from wtm.validation.feature_names import check_feature_names

_AND, _THEN = " AND ", " THEN votes "
_CONCLUSION = re.compile(r"(for|against) (.*), weight ([\d.e+-]+)", re.DOTALL)


@dataclass(frozen=True)
class Rule:
    """A rule: if all its conditions are true for a row, it adds `vote` to the sum of the class `label`.

    ``str(rule)`` is the rule as one line of text, with four digits of the weight. A format specification is used for
    the weight: ``f"{rule:.17g}"`` writes it exactly. `parse_rule` reads both.

    Attributes
    ----------
    label : object
        The class, as in `WTMClassifier.classes_`.
    polarity : int
        +1 for a vote for the class, -1 for a vote against it.
    weight : float
        Greater than 0.
    conditions : tuple of Interval, Values or IsMissing
        At least one. The module `wtm.tables.condition_grammar` defines them and their text.
    """

    label: Any
    polarity: int
    weight: float
    conditions: tuple[Condition, ...]

    @property
    def literals(self) -> tuple[str, ...]:
        """The conditions as text: ``"x on a1"`` or ``"NOT (x on a1)"`` for 0/1 columns, else ``"age > 40.5"``."""
        return tuple(map(str, self.conditions))

    @property
    def vote(self) -> float:
        """The weight, with the sign of the polarity."""
        return self.polarity * self.weight

    def holds(self, X: Any, feature_names: Sequence[str] | None = None) -> np.ndarray:
        """Evaluate the rule on a table.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        feature_names : sequence of str of length n_features, optional
            Names of the columns; the default is the names of the frame, or else ``x0``, ``x1`` and so on.

        Returns
        -------
        ndarray of shape (n_samples,), bool

        Raises
        ------
        ValueError, TypeError
            `X` is not a table, lacks a column, or holds other kinds of values in it than the condition is for; or
            `feature_names` does not have a different name for each column.
        """
        table = read_table(X, min_rows=0)
        if feature_names is None:
            named = getattr(X, "column_names", getattr(X, "columns", None))
            feature_names = [f"x{i}" for i in range(table.n_columns)] if named is None else list(named)
        names = check_feature_names(feature_names, table.n_columns, f"the {table.n_columns} columns of X")
        place_of = {name: place for place, name in enumerate(names)}
        holds = np.ones(len(table), np.bool_)
        for condition in self.conditions:
            if condition.column not in place_of:
                raise ValueError(f"X has no column {short_repr(condition.column)}, which the rule {self} needs.")
            holds &= condition.holds(table.column(place_of[condition.column]))
        return holds

    def __format__(self, weight_format: str) -> str:
        side = "for" if self.polarity > 0 else "against"
        weight = format(self.weight, weight_format or ".4g")
        return f"IF {_AND.join(self.literals)}{_THEN}{side} {spell_label(self.label)}, weight {weight}"

    def __str__(self) -> str:
        return format(self, "")


def parse_rule(text: str) -> Rule:
    """Read a rule from its text, ``IF A AND B THEN votes for LABEL, weight NUMBER``.

    Parameters
    ----------
    text : str
        As `str` or `format` of a rule gives it.

    Returns
    -------
    Rule

    Raises
    ------
    TypeError
        `text` is not a string.
    ValueError
        The text is not a rule, or its weight is not a number greater than 0.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string such as str(rule), got a {type(text).__name__}.")
    parts = split_outside_quotes(text.removeprefix("IF "), _THEN)
    conclusion = _CONCLUSION.fullmatch(parts[-1])
    if not text.startswith("IF ") or len(parts) != 2 or conclusion is None:
        raise ValueError(f"{short_repr(text)} is not a rule 'IF ... THEN votes for LABEL, weight NUMBER'.")
    side, label, weight = conclusion.groups()
    conditions = tuple(map(parse_condition, split_outside_quotes(parts[0], _AND)))
    return Rule(parse_value(label), 1 if side == "for" else -1, _parse_weight(weight), conditions)


def _parse_weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 < weight < math.inf:
        raise ValueError(f"The weight of a rule must be a number greater than 0, got {short_repr(text)}.")
    return weight
