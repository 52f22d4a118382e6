"""What the literals of a model mean: conditions on the caller's columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from wtm.booleanizer import Booleanizer
from wtm.tables.condition_grammar import Condition, Interval, conjunction
from wtm.tables.conditions import Numbers
from wtm.validation.feature_names import column_names


@dataclass(frozen=True)
class Vocabulary:
    """The literals of a model in the caller's words.

    Literal l < n_features is feature l, and literal n_features + l its negation. Without a Booleanizer, the columns are
    the features.

    Attributes
    ----------
    n_features : int
        Number of true/false features.
    booleanizer : Booleanizer or None
    column_names : sequence of str, or None
        Names of the columns; None means ``x0``, ``x1`` and so on.
    """

    n_features: int
    booleanizer: Booleanizer | None
    column_names: Sequence[str] | None
    _conditions: dict[int, Condition] = field(default_factory=dict, repr=False, compare=False)
    _spelled: dict[tuple[int, ...], tuple[Condition, str]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, clf: Any, feature_names: Sequence[str] | None = None) -> "Vocabulary":
        """Return the vocabulary of a fitted classifier.

        Raises
        ------
        ValueError
            `feature_names` does not have a different name for each column.
        """
        return cls(clf._model.parameters.n_features, clf.booleanizer_, column_names(clf, feature_names))

    def column_name(self, column: int) -> str:
        """Return the name of a column. Names are made only where they are needed: there may be very many columns."""
        return f"x{column}" if self.column_names is None else str(self.column_names[column])

    def columns_of(self, features: np.ndarray) -> np.ndarray:
        """Return the columns of features."""
        return features if self.booleanizer is None else self.booleanizer.conditions_.column_of[features]

    def are_thresholds(self, features: np.ndarray) -> np.ndarray:
        """Return whether each feature is ``column > threshold``, with ascending thresholds.

        Of the other features of a column, which are values of it or "is missing", at most one is true.
        """
        return np.ones(len(features), np.bool_) if self.booleanizer is None else self._is_threshold[features]

    @cached_property
    def _is_threshold(self) -> np.ndarray:
        marks: list[bool] = []
        assert self.booleanizer is not None
        for conditions in self.booleanizer.conditions_.with_features.values():
            n_thresholds = len(conditions.thresholds) if isinstance(conditions, Numbers) else 0
            marks += [True] * n_thresholds + [False] * (conditions.n_features - n_thresholds)
        return np.array(marks, np.bool_)

    def n_features_of(self, column: int) -> int:
        """Return the number of features on a column."""
        return 1 if self.booleanizer is None else self.booleanizer.conditions_[column].n_features

    def condition(self, literal: int) -> Condition:
        """Return the condition that a literal is."""
        if literal not in self._conditions:
            self._conditions[literal] = self._new_condition(literal % self.n_features, literal >= self.n_features)
        return self._conditions[literal]

    def conditions(self, literals: Sequence[int]) -> tuple[Condition, ...]:
        """Return one condition per column for the literals of a clause, none of which follows from the others.

        Parameters
        ----------
        literals : sequence of int
            Ordered by column. They don't contradict each other.
        """
        return tuple(self._on_column(same)[0] for same in self._by_column(literals))

    def texts(self, literals: Sequence[int]) -> list[str]:
        """Return the texts of `conditions`."""
        return [self._on_column(same)[1] for same in self._by_column(literals)]

    def _by_column(self, literals: Sequence[int]) -> Iterator[tuple[int, ...]]:
        columns = self.columns_of(np.array(literals, np.int64) % self.n_features).tolist()
        for _, pairs in groupby(zip(columns, literals, strict=True), itemgetter(0)):
            yield tuple(literal for _, literal in pairs)

    def _on_column(self, literals: tuple[int, ...]) -> tuple[Condition, str]:
        if literals not in self._spelled:
            condition = conjunction(list(map(self.condition, literals)))
            self._spelled[literals] = condition, str(condition)
        return self._spelled[literals]

    def _new_condition(self, feature: int, negated: bool) -> Condition:
        if self.booleanizer is None:
            name = self.column_name(feature)
            return Interval(name, high=0.5, is_binary=True) if negated else Interval(name, low=0.5, is_binary=True)
        conditions = self.booleanizer.conditions_
        column = int(conditions.column_of[feature])
        name = self.column_name(column)
        return conditions[column].condition(name, feature - conditions.first_feature(column), negated=negated)
