"""The form from which every format is written: conditions on columns, rules, and votes as integers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from wtm.machine.voting import VotingModel
from wtm.prediction import Predictor, check_classifier
from wtm.tables.columns import Value
from wtm.tables.conditions import Categories, Conditions, Numbers
from wtm.validation.feature_names import column_names

BIT = Numbers((0.5,), is_binary=True)
"""The condition on a column of a model without a Booleanizer."""

Test = Literal[">", "=", "missing"]


@dataclass(frozen=True)
class Column:
    """A column that some rule uses.

    Attributes
    ----------
    position : int
        In the table that the classifier was fitted to.
    name : str
    conditions : Numbers or Categories
        As in `Booleanizer.conditions_`; without a Booleanizer, a column of 0 and 1.
    """

    position: int
    name: str
    conditions: Conditions

    @property
    def values(self) -> tuple[Value, ...]:
        """The categories; none for a column of numbers."""
        return self.conditions.values if isinstance(self.conditions, Categories) else ()

    @property
    def kind(self) -> Literal["number", "text", "mixed"]:
        """What the column holds; "mixed" is both. A column that held a single category counts as text."""
        if isinstance(self.conditions, Numbers) or self.conditions.are_text == {False}:
            return "number"
        return "mixed" if len(self.conditions.are_text) == 2 else "text"


@dataclass(frozen=True)
class Feature:
    """A condition on a column: greater than a number, equal to a category, or missing.

    A missing value is neither greater than nor equal to anything.

    Attributes
    ----------
    column : int
        Position in `ModelTables.columns`.
    test : {">", "=", "missing"}
    value : float, str, int, bool or None
        What the column is compared with; None for "missing".
    """

    column: int
    test: Test
    value: Value | None


@dataclass(frozen=True)
class Rule:
    """A rule that adds `vote` to the sum of a class where all of `true` hold and none of `false`.

    Attributes
    ----------
    label : int
        Position in `ModelTables.labels`.
    vote : int
        In fixed point, negative for a vote against the class.
    true, false : tuple of int
        Positions in `ModelTables.features`, ascending.
    """

    label: int
    vote: int
    true: tuple[int, ...]
    false: tuple[int, ...]


@dataclass(frozen=True)
class ModelTables:
    """A model as conditions and rules.

    The class with the largest sum of votes is predicted, the first one on a tie.

    Attributes
    ----------
    labels : tuple
        The classes, sorted.
    n_columns : int
        Number of columns of the table that the classifier was fitted to.
    columns : tuple of Column
        Those that rules use, in the order of the table.
    features : tuple of Feature
        Those that rules use, in the order of the model's features.
    rules : tuple of Rule
        Class by class, in the order of the clauses. There are no two rules of one class with the same conditions, none
        that contradicts itself and none without conditions or with a vote of 0.
    unit : float
        What a vote of 1 is worth: class sums are sums of votes times `unit`.
    """

    labels: tuple[Any, ...]
    n_columns: int
    columns: tuple[Column, ...]
    features: tuple[Feature, ...]
    rules: tuple[Rule, ...]
    unit: float

    @classmethod
    def of(cls, clf: Any, feature_names: Sequence[str] | None = None, bits: int | None = None) -> Self:
        """Read a fitted classifier.

        Parameters
        ----------
        clf : WTMClassifier
        feature_names : sequence of str of length `n_features_in_`, optional
            Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
        bits : int, optional
            Round votes to signed integers of this many bits, from 2 to 63. By default they are exact.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            `clf` is not fitted.
        TypeError
            `clf` is not a WTMClassifier, or `bits` not an integer.
        ValueError
            `feature_names` does not have a different name for each column, or `bits` is out of range.
        """
        check_classifier(clf)
        voting = clf._voting_model()
        votes = _votes_by_conditions(voting, clf._model.parameters.n_features)
        shift = 0 if bits is None else _shift(max(map(abs, votes.values()), default=0), bits)
        rounded = {rule: _shifted(vote, shift) for rule, vote in votes.items()}
        used = sorted({f for (_, true, false), vote in rounded.items() if vote for f in (*true, *false)})
        place = {feature: i for i, feature in enumerate(used)}
        columns, features = _used_columns(clf, used, column_names(clf, feature_names))
        return cls(
            labels=tuple(clf.classes_.tolist()),
            n_columns=int(clf.n_features_in_),
            columns=columns,
            features=features,
            rules=tuple(
                Rule(label, vote, tuple(place[f] for f in true), tuple(place[f] for f in false))
                for (label, true, false), vote in rounded.items()
                if vote
            ),
            unit=voting.unit * 2.0**shift,
        )

    @property
    def max_vote(self) -> int:
        """The largest vote, without its sign."""
        return max((abs(rule.vote) for rule in self.rules), default=0)

    @property
    def max_sum(self) -> int:
        """A bound on the absolute value of every sum of votes of one class, in whatever order they are added."""
        sides = [[0, 0] for _ in self.labels]
        for rule in self.rules:
            sides[rule.label][rule.vote > 0] += abs(rule.vote)
        return max(max(side) for side in sides)


def signed_bits(magnitude: int) -> int:
    """Return the number of bits of a signed integer that holds ``-magnitude`` to ``magnitude``."""
    return magnitude.bit_length() + 1


_Conditions = tuple[int, tuple[int, ...], tuple[int, ...]]
"""Position of the class, features that must be true, features that must be false."""


def _votes_by_conditions(voting: VotingModel, n_features: int) -> dict[_Conditions, int]:
    """Add up the votes of clauses with the same conditions; leave out those that are never true."""
    votes: dict[_Conditions, int] = {}
    ends, literals = voting.clause_ends.tolist(), voting.literal_list.tolist()
    for clause, vote in enumerate(voting.clause_votes.tolist()):
        included = literals[ends[clause] : ends[clause + 1]]
        true = tuple(sorted(f for f in included if f < n_features))
        false = tuple(sorted(f - n_features for f in included if f >= n_features))
        if included and set(true).isdisjoint(false):
            rule = clause // voting.n_clauses, true, false
            votes[rule] = votes.get(rule, 0) + vote
    return votes


def _shift(max_vote: int, bits: int) -> int:
    """Return the number of binary digits to drop so that votes fit into `bits`."""
    if not isinstance(bits, int | np.integer) or isinstance(bits, bool):
        raise TypeError(f"bits must be an integer, got {bits!r} of type {type(bits).__name__}.")
    if not 2 <= bits <= 63:
        raise ValueError(f"bits must be from 2 to 63, got {bits!r}.")
    shift = max(0, signed_bits(max_vote) - int(bits))
    return shift + (signed_bits(_shifted(max_vote, shift)) > int(bits))


def _shifted(vote: int, shift: int) -> int:
    """Divide by 2**shift and round to the nearest integer, halves away from 0."""
    rounded = (abs(vote) + (1 << shift >> 1)) >> shift
    return rounded if vote > 0 else -rounded


def _used_columns(
    clf: Predictor, used: list[int], names: Sequence[Any] | None
) -> tuple[tuple[Column, ...], tuple[Feature, ...]]:
    """Return the columns of the features `used`, and these features."""
    conditions = None if clf.booleanizer_ is None else clf.booleanizer_.conditions_
    columns: list[Column] = []
    features = []
    for feature in used:
        position = feature if conditions is None else int(conditions.column_of[feature])
        of_column = BIT if conditions is None else conditions[position]
        if not columns or columns[-1].position != position:
            name = f"x{position}" if names is None else str(names[position])
            columns.append(Column(position, name, of_column))
        place = 0 if conditions is None else feature - conditions.first_feature(position)
        features.append(Feature(len(columns) - 1, *tests_of(of_column)[place]))
    return tuple(columns), tuple(features)


def tests_of(conditions: Conditions) -> list[tuple[Test, Value | None]]:
    """Return the test and the value of each feature of a column."""
    tests: list[tuple[Test, Value | None]]
    if isinstance(conditions, Numbers):
        tests = [(">", threshold) for threshold in conditions.thresholds]
    else:
        tests = [("=", value) for value in conditions.values]
    return [*tests, ("missing", None)] if conditions.has_missing else tests
