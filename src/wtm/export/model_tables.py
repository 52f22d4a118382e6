"""The form from which every format is written: conditions on columns, rules, and votes as integers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wtm.number_prediction import NumberPredictor
from wtm.prediction import Predictor
from wtm.rules.rule_based import RuleBased
from wtm.rules.vocabulary import Vocabulary
from wtm.tables.columns import Value
from wtm.tables.conditions import Categories, Conditions, Numbers
from wtm.validation.feature_names import column_names
from wtm.validation.targets import middle_and_half

BIT = Numbers((0.5,), is_binary=True)
"""The condition on a column of a model without a Booleanizer."""

Test = Literal[">", "=", "missing"]


@dataclass(frozen=True)
class Column:
    """A column that some rule uses.

    Attributes
    ----------
    position : int
        In the table that the model was fitted to.
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
    """A rule that adds ``vote * max(0, most - n_failed)`` to a sum: n_failed is how many of its conditions fail.

    Attributes
    ----------
    label : int
        Position in `ModelTables.labels`.
    vote : int
        In fixed point, negative for a vote against the class.
    true, false : tuple of int
        Positions in `ModelTables.features`, ascending: conditions that must hold, and that must not.
    most : int
        1 for a strict rule, which votes only if none of its conditions fails. A fuzzy one has the smaller of LF and its
        number of conditions.
    """

    label: int
    vote: int
    true: tuple[int, ...]
    false: tuple[int, ...]
    most: int = 1


@dataclass(frozen=True)
class Range:
    """The numbers that a regressor predicts from sums of votes: ``middle + half * min(1, max(-1, sum * share))``.

    Attributes
    ----------
    share : float
        What a vote of 1 is of T.
    middle, half : tuple of float
        Of the range of each output: its middle, and half of its width.
    is_single : bool
        Whether a prediction is a number, and not a list of numbers.
    """

    share: float
    middle: tuple[float, ...]
    half: tuple[float, ...]
    is_single: bool


@dataclass(frozen=True)
class ModelTables:
    """A model as conditions and rules.

    Of a classifier, the class with the largest sum of votes is predicted, the first one on a tie.

    Attributes
    ----------
    labels : tuple
        The classes, sorted; of a regressor, the numbers of its outputs, from 0.
    n_columns : int
        Number of columns of the table that the model was fitted to.
    columns : tuple of Column
        Those that rules use, in the order of the table.
    features : tuple of Feature
        Those that rules use, in the order of the model's features.
    rules : tuple of Rule
        Those of `rules(one_sided=False)`, class by class, in the order of the clauses. There are no two rules of one
        class with the same conditions, none that can't vote, and none without conditions or with a vote of 0. In a
        strict rule, no condition follows from others.
    unit : float
        What a vote of 1 is worth: class sums are sums of votes times `unit`.
    literal_failures : int or None
        LF of fuzzy rules; None if the rules are strict.
    range : Range or None
        Of a regressor; None for a classifier.
    """

    labels: tuple[Any, ...]
    n_columns: int
    columns: tuple[Column, ...]
    features: tuple[Feature, ...]
    rules: tuple[Rule, ...]
    unit: float
    literal_failures: int | None = None
    range: Range | None = None

    @classmethod
    def of(cls, model: Any, feature_names: Sequence[str] | None = None, bits: int | None = None) -> Self:
        """Read a fitted model.

        Parameters
        ----------
        model : classifier or regressor of wtm
        feature_names : sequence of str of length `n_features_in_`, optional
            Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
        bits : int, optional
            Round votes to signed integers of this many bits, from 2 to 63. By default they are exact.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            `model` is not fitted.
        TypeError
            `model` is not a model of wtm, or `bits` not an integer.
        ValueError
            `feature_names` does not have a different name for each column, or `bits` is out of range.
        """
        check_model(model)
        voting, failures = model._voting_model(), model._literal_failures
        votes = _votes_by_conditions(model, failures)
        shift = 0 if bits is None else _shift(max(map(abs, votes.values()), default=0), bits)
        rounded = {rule: _shifted(vote, shift) for rule, vote in votes.items()}
        used = sorted({f for (_, true, false), vote in rounded.items() if vote for f in (*true, *false)})
        place = {feature: i for i, feature in enumerate(used)}
        columns, features = _used_columns(model, used, column_names(model, feature_names))
        return cls(
            labels=tuple(model.classes_.tolist() if isinstance(model, Predictor) else range(model.n_outputs_)),
            n_columns=int(model.n_features_in_),
            columns=columns,
            features=features,
            rules=tuple(
                Rule(
                    label,
                    vote,
                    tuple(place[f] for f in true),
                    tuple(place[f] for f in false),
                    _most(true, false, failures),
                )
                for (label, true, false), vote in rounded.items()
                if vote
            ),
            unit=voting.unit * 2.0**shift,
            literal_failures=failures,
            range=_range(model, shift) if isinstance(model, NumberPredictor) else None,
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
            sides[rule.label][rule.vote > 0] += abs(rule.vote) * rule.most
        return max(max(side) for side in sides)


def check_model(model: Any) -> None:
    """Raise a TypeError or NotFittedError unless `model` is a fitted model of wtm."""
    if not isinstance(model, RuleBased):
        raise TypeError(
            f"model must be a classifier or regressor of wtm for tables, got a {type(model).__name__}. For a pipeline, "
            "pass pipeline[-1]: what it writes expects rows as pipeline[:-1].transform returns them. For a search, "
            "pass best_estimator_."
        )
    check_is_fitted(model)


def signed_bits(magnitude: int) -> int:
    """Return the number of bits of a signed integer that holds ``-magnitude`` to ``magnitude``."""
    return magnitude.bit_length() + 1


_Conditions = tuple[int, tuple[int, ...], tuple[int, ...]]
"""Position of the class, features that must be true, features that must be false."""


def _votes_by_conditions(model: RuleBased, failures: int | None) -> dict[_Conditions, int]:
    """Return the votes of the rules as they are shown, without those that can't vote."""
    votes: dict[_Conditions, int] = {}
    n_features, (rules, _) = model._model.parameters.n_features, model._find_rules(Vocabulary.of(model))
    for i, (label, vote) in enumerate(zip(rules.classes.tolist(), rules.votes.tolist(), strict=True)):
        included = rules.literals_of(i).tolist()
        true = tuple(sorted(f for f in included if f < n_features))
        false = tuple(sorted(f - n_features for f in included if f >= n_features))
        if len(set(true).intersection(false)) < _most(true, false, failures):
            votes[label, true, false] = vote
    return votes


def _most(true: tuple[int, ...], false: tuple[int, ...], failures: int | None) -> int:
    return min(failures or 1, len(true) + len(false))


def _range(model: NumberPredictor, shift: int) -> Range:
    middle, half = middle_and_half(model.y_range_)
    share = model._voting_model().unit / model._model.parameters.T * 2.0**shift
    return Range(share, tuple(middle.tolist()), tuple(half.tolist()), model.y_ndim_ == 1)


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
    model: RuleBased, used: list[int], names: Sequence[Any] | None
) -> tuple[tuple[Column, ...], tuple[Feature, ...]]:
    """Return the columns of the features `used`, and these features."""
    conditions = None if model.booleanizer_ is None else model.booleanizer_.conditions_
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
