"""Why a row gets its class: the rules that hold for it, and what they add up to."""

import numbers
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from wtm.machine.examples import Examples
from wtm.machine.voting import VotingModel
from wtm.rules.nearest_change import NearestChange, find_nearest_change
from wtm.rules.rule import Rule
from wtm.rules.rule_table import RuleTable
from wtm.rules.table_formats import as_html
from wtm.tables.condition_grammar import spell_label
from wtm.utils.printable import counted, shorten

_RULES_SHOWN = 10  # per class
_NAME_SHOWN = 100  # characters of a label or condition


@dataclass(frozen=True, repr=False, eq=False)
class Explanation:
    """The rules that hold for a row: `WTMClassifier.explain` makes it. ``print`` shows the heaviest of each class.

    Long names are cut where they are shown; `rules` has them complete.

    Attributes
    ----------
    label : object
        The predicted class.
    rules : RuleTable
        The rules that hold for the row, heaviest first. Their votes on a class add up to its sum.
    class_sums : dict of label to float
        The sum of each class. If the votes of two classes are shown as votes on the second, it has only that class, and
        its sum is the decision function: the class is predicted if it is greater than 0.
    """

    label: Any
    _table: RuleTable
    _held: np.ndarray
    _examples: Examples
    _row: int
    _voting: VotingModel
    _missing: list[int]

    @cached_property
    def rules(self) -> RuleTable:
        """The rules that hold for the row."""
        return self._table[self._held]

    @cached_property
    def class_sums(self) -> dict[Any, float]:
        """The sum of each class."""
        sums = dict.fromkeys(self._table.labels, 0)
        for rule_label, vote in zip(self.rules.columns["class"], self.rules.votes.tolist(), strict=True):
            sums[rule_label] += vote
        return {label: total * self._table.unit for label, total in sums.items()}

    def nearest_change(self, max_tries: int = 100_000) -> NearestChange:
        """Search for the fewest columns to change so that another class is predicted.

        Columns can take any value that was seen in `fit`, and numbers any value. All ways to change one column are
        tried first, then those to change two, and so on.

        Parameters
        ----------
        max_tries : int, default=100000
            How many ways are tried before the search is given up. A greedy search then looks for some way, and the
            result says that it may not be the nearest.

        Returns
        -------
        NearestChange
        """
        check_scalar(max_tries, "max_tries", numbers.Integral, min_val=1)
        words = self._examples.literals[self._row].astype("<u8").view(np.uint8)
        features = np.unpackbits(words, count=self._examples.n_features, bitorder="little").view(np.bool_)
        vocabulary, labels = self._table._vocabulary, self._table._labels
        return find_nearest_change(self._voting, vocabulary, labels, features, self._missing, int(max_tries))

    def __repr__(self) -> str:
        return f"<Explanation of {_short(spell_label(self.label))} by {counted(len(self.rules), 'rule')}>"

    def __str__(self) -> str:
        lines = [f"predicted: {_short(spell_label(self.label))}"]
        for title, shown, rest in self._parts():
            lines += [title, *(f"  {rule.vote:+9.4g}  {_conditions(rule)}" for rule in shown), *rest]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title, *tables = f"predicted: {_short(spell_label(self.label))}", *self._parts()
        rows = []
        for heading, shown, rest in tables:
            rows += [[heading, ""], *([f"{rule.vote:+.4g}", _conditions(rule)] for rule in shown)]
            rows += [["", line.strip()] for line in rest]
        return as_html(["vote", title], rows)

    def _parts(self) -> list[tuple[str, list[Rule], list[str]]]:
        """Return a title, the heaviest rules and a line on the others, for each class."""
        parts = []
        labels = np.array([self._table.labels.index(label) for label in self.rules.columns["class"]], np.int64)
        for label, total in sorted(self.class_sums.items(), key=lambda item: -item[1]):
            rules = self.rules[labels == self._table.labels.index(label)]
            left = rules.votes[_RULES_SHOWN:]
            lighter = f"  {left.sum() * rules.unit:+9.4g}  from {counted(len(left), 'lighter rule')}"
            if 2 * np.abs(left).sum() > np.abs(rules.votes).sum():
                lighter += ", most of the votes"
            name = f"{_short(spell_label(label))}: sum {total:.4g} of {counted(len(rules), 'rule')}"
            if self._table.is_one_sided:
                name += ", positive is for this class"
            parts.append((name, list(rules[:_RULES_SHOWN]), [lighter] if len(left) else []))
        return parts


def _conditions(rule: Rule) -> str:
    return " AND ".join(map(_short, rule.literals))


def _short(text: str) -> str:
    return shorten(text, _NAME_SHOWN)
