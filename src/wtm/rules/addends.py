"""The rules of a regression: each adds a number to the prediction where it holds."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from wtm.rules.rule import Rule
from wtm.rules.rule_table import RuleTable


@dataclass(frozen=True)
class Addend(Rule):
    """A rule that adds to a prediction: ``str`` is ``IF age > 40.5 THEN adds 0.31``.

    Attributes
    ----------
    label : int
        Number of the output, from 0.
    polarity : int
        +1 if it adds, -1 if it subtracts.
    weight : float
        What it adds or subtracts, in units of `y`.
    conditions : tuple of Interval, Values or IsMissing
        At least one.
    n_outputs : int
        Number of outputs of the model. With several, the text names the output.
    """

    n_outputs: int = 1

    def __format__(self, weight_format: str) -> str:
        verb, preposition = ("adds", "to") if self.polarity > 0 else ("subtracts", "from")
        weight = format(self.weight, weight_format or ".4g")
        output = f" {preposition} output {self.label}" if self.n_outputs > 1 else ""
        return f"IF {' AND '.join(self.literals)} THEN {verb} {weight}{output}"

    def __str__(self) -> str:
        return format(self, "")


@dataclass(frozen=True, repr=False, eq=False)
class AddendTable(RuleTable):
    """The rules of a regression: `WTMRegressor.rules` makes it.

    It is used as `RuleTable` is. A prediction is `middle` plus what the rules add that hold for the row, clipped to the
    model's `y_range_`.

    Attributes
    ----------
    columns : dict of str to list or ndarray of length n_rules
        - ``output``: number of the output, from 0; only if there are several.
        - ``adds``: what the rule adds to the prediction where it holds, in units of `y`.
        - ``conditions``: its text; ``length``: the number of its conditions.
        - ``support``: share of the rows for which the rule holds. Only with data.
    outputs : ndarray of shape (n_rules,), int64
    adds : ndarray of shape (n_rules,), float64
        The columns of these names, for one output as well.
    middle : ndarray of shape (n_outputs,), float64
        The prediction for a row for which no rule holds: the middle of `y_range_`.
    """

    middle: np.ndarray = field(default_factory=lambda: np.zeros(1))
    _per_vote: np.ndarray = field(default_factory=lambda: np.ones(1))  # the value of a vote, for each output

    @property
    def outputs(self) -> np.ndarray:
        """Number of the output of each rule, from 0."""
        return self._clauses.classes

    @cached_property
    def adds(self) -> np.ndarray:
        """What each rule adds to a prediction, in units of `y`."""
        added: np.ndarray = self.votes * self._per_vote[self.outputs]
        return added

    @cached_property
    def columns(self) -> dict[str, Any]:
        """The columns of the table."""
        spelled = [self._vocabulary.texts(self._clauses.literals_of(i).tolist()) for i in range(len(self))]
        return {
            **({"output": self.outputs} if len(self.middle) > 1 else {}),
            "adds": self.adds,
            "conditions": [" AND ".join(conditions) for conditions in spelled],
            "length": np.array([len(conditions) for conditions in spelled], np.int64),
            **self._statistics,
        }

    def _rule(self, number: int) -> Addend:
        output, added = int(self.outputs[number]), float(self.adds[number])
        conditions = self._vocabulary.conditions(self._clauses.literals_of(number).tolist())
        return Addend(output, 1 if added > 0 else -1, abs(added), conditions, len(self.middle))
