"""The rules of a model as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, overload

import numpy as np

from wtm.rules.merging import Clauses
from wtm.rules.rule import Rule
from wtm.rules.table_formats import as_html, as_latex, as_markdown, as_text
from wtm.rules.vocabulary import Vocabulary
from wtm.tables.condition_grammar import spell_label
from wtm.utils.printable import counted, shorten

_ROWS_SHOWN = 20
_CONDITIONS_SHOWN = 100  # characters


@dataclass(frozen=True, repr=False, eq=False)
class RuleTable(Sequence[Rule]):
    """The rules of a model: `WTMClassifier.rules` makes it.

    ``table[i]`` is a `Rule`; a slice, a boolean mask or a list of positions gives a table of some rules. ``print``
    shows the first rules, with long ones cut; the rules themselves, the files and the frames are complete.
    Tables are compared by identity; compare ``list(table)`` for equal rules.

    Attributes
    ----------
    columns : dict of str to list or ndarray of length n_rules
        - ``class`` and ``side``: what the rule votes on, and whether "for" or "against" it.
        - ``weight``: its vote, without a sign.
        - ``conditions``: its text; ``length``: the number of its conditions.

        With data:

        - ``support``: share of the rows for which the rule holds.
        - ``precision``: of these rows, the share whose label agrees: it is the class, or with "against", another one.
          ``lift``: this share, divided by that among all rows. Both only with labels.
        - ``vote_share``: the rule's part of all votes, without signs, on the rows.
        - ``separation``: the weight, times the difference without its sign between two shares: that of the rows
          predicted as the rule's class for which it holds, and that of the other rows. A rule that holds for nearly all
          rows or none has about 0. 0 if all rows are predicted alike.
        - ``decides``: share of the rows whose predicted class would be another one without the rule.
    votes : ndarray of shape (n_rules,), int64
        The signed weights as integers, as the model adds them; `unit` is the weight of 1.
    unit : float
    is_one_sided : bool
        Whether the votes of two classes are shown as votes on the second. The votes of the rules that hold then add up
        to the decision function; otherwise those on each class add up to its class sum.
    """

    _clauses: Clauses
    _vocabulary: Vocabulary
    _labels: list[Any]
    unit: float
    is_one_sided: bool
    _statistics: dict[str, np.ndarray] = field(default_factory=dict)
    _is_part: bool = False

    def __len__(self) -> int:
        return len(self._clauses)

    @overload
    def __getitem__(self, index: int) -> Rule: ...

    @overload
    def __getitem__(self, index: slice | Sequence[int] | np.ndarray) -> Self: ...

    def __getitem__(self, index: Any) -> Self | Rule:
        chosen = np.arange(len(self))[index]
        if np.ndim(chosen):
            statistics = {name: values[chosen] for name, values in self._statistics.items()}
            return replace(self, _clauses=self._clauses[chosen], _statistics=statistics, _is_part=True)
        return self._rule(int(chosen))

    def __iter__(self) -> Iterator[Rule]:
        return (self[i] for i in range(len(self)))

    @property
    def labels(self) -> list[Any]:
        """The classes that rules vote on: all, or only the second of two."""
        return self._labels[1:] if self.is_one_sided else self._labels

    @property
    def votes(self) -> np.ndarray:
        """Signed weights as integers."""
        return self._clauses.votes

    @cached_property
    def columns(self) -> dict[str, Any]:
        """The columns of the table."""
        spelled = [self._vocabulary.texts(self._clauses.literals_of(i).tolist()) for i in range(len(self))]
        return {
            "class": [self._labels[i] for i in self._clauses.classes],
            "side": np.where(self.votes > 0, "for", "against").tolist(),
            "weight": np.abs(self.votes) * self.unit,
            "conditions": [" AND ".join(conditions) for conditions in spelled],
            "length": np.array([len(conditions) for conditions in spelled], np.int64),
            **self._statistics,
        }

    @property
    def n_conditions(self) -> int:
        """Number of conditions in all rules together."""
        return int(self.columns["length"].sum())

    def to_pandas(self) -> Any:
        """Return a pandas data frame with the columns."""
        import pandas as pd

        return pd.DataFrame(self.columns)

    def to_polars(self) -> Any:
        """Return a polars data frame with the columns."""
        import polars as pl

        return pl.DataFrame(self.columns)

    def to_markdown(self) -> str:
        """Return all rules as a table in Markdown; characters that mean something there are escaped."""
        return as_markdown(*self._cells())

    def to_html(self) -> str:
        """Return all rules as a table in HTML; names are escaped."""
        return as_html(*self._cells())

    def to_latex(self) -> str:
        """Return all rules as a ``tabular`` in LaTeX; names are escaped."""
        return as_latex(*self._cells())

    def __str__(self) -> str:
        shown = self[:_ROWS_SHOWN]
        return "\n".join([self._title(), *as_text(*shown._cells(_CONDITIONS_SHOWN)), *self._rest()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rest = "".join(f"<p>{line}</p>" for line in self._rest())
        return f"<p>{self._title()}</p>{as_html(*self[:_ROWS_SHOWN]._cells())}{rest}"

    def _rule(self, number: int) -> Rule:
        vote = int(self.votes[number])
        label = self._labels[self._clauses.classes[number]]
        conditions = self._vocabulary.conditions(self._clauses.literals_of(number).tolist())
        return Rule(label, 1 if vote > 0 else -1, abs(vote) * self.unit, conditions)

    def _title(self) -> str:
        if not len(self):
            reason = (
                "none is selected"
                if self._is_part
                else "a model has none if all its clauses are empty or can't be true"
            )
            return f"No rules: {reason}."
        return f"{counted(len(self), 'rule')} with {counted(self.n_conditions, 'condition')}"

    def _rest(self) -> list[str]:
        n_left = len(self) - _ROWS_SHOWN
        return [f"... and {n_left:,} more"] if n_left > 0 else []

    def _cells(self, max_length: int | None = None) -> tuple[list[str], list[list[str]]]:
        """Return the names of the columns and the text of the cells, conditions last."""
        columns = dict(self.columns)
        if "class" in columns:
            columns["class"] = [spell_label(label) for label in columns["class"]]
        columns["conditions"] = columns.pop("conditions")
        cells = [_spelled(values, max_length) for values in columns.values()]
        return list(columns), [list(row) for row in zip(*cells, strict=True)]


def _spelled(values: Any, max_length: int | None) -> list[str]:
    if isinstance(values, np.ndarray):
        return [f"{value:.4g}" if isinstance(value, float) else str(value) for value in values.tolist()]
    return [value if max_length is None else shorten(value, max_length) for value in values]
