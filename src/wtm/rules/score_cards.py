"""The rules of fuzzy clauses: each is a score card, whose points are the conditions that hold."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from wtm.rules.cells import cells_by_column
from wtm.rules.merging import Clauses
from wtm.rules.table_formats import as_html
from wtm.rules.vocabulary import Vocabulary
from wtm.tables.condition_grammar import Condition
from wtm.utils.printable import counted

_CARDS_SHOWN = 5


@dataclass(frozen=True)
class ScoreCard:
    """A rule that counts how many of its conditions hold.

    ``str`` is ``IF at least 2 of 3 hold THEN votes for yes: 0.5, and 0.5 more for each further one``, followed by a
    line per column.

    Attributes
    ----------
    label : object
        The class that it votes on, or the number of the output, from 0.
    polarity : int
        +1 if it votes for the class, or adds to the number; -1 if it votes against it, or subtracts.
    n_conditions : int
        The largest number of its conditions that can hold for a row.
    n_needed : int
        This many must hold for a vote. With 1 the rule is not a pattern but a sum: each condition that holds counts.
        If it is 0 or less, the rule votes for every row, as if 1 - `n_needed` conditions held in addition.
    weight : float
        What it votes with `n_needed` conditions, and what each further one adds: class sums, or units of `y`.
    points : tuple of tuple of (condition, int)
        For each column, how many of the conditions on it hold where the column has these values. Parts of the column
        that give no point are left out.
    n_always : int
        Number of literals of the clause, not counted above, that hold for every row: those of ``x`` and ``NOT (x)``.
    action : str
        What it does, in words: ``votes for yes``, ``subtracts``, or of several outputs ``adds to output 1``.
    """

    label: Any
    polarity: int
    n_conditions: int
    n_needed: int
    weight: float
    points: tuple[tuple[tuple[Condition, int], ...], ...]
    n_always: int
    action: str

    @property
    def max_weight(self) -> float:
        """What it votes if all conditions hold."""
        return self.weight * (self.n_conditions - self.n_needed + 1)

    @property
    def title(self) -> str:
        """The first line of the text."""
        if self.n_needed < 1:
            always = self.weight * (1 - self.n_needed)
            further = f", and {self.weight:.4g} more for each of {self.n_conditions} that hold"
            return f"ALWAYS {self.action}: {always:.4g}{further if self.n_conditions else ''}"
        further = f", and {self.weight:.4g} more for each further one" if self.n_needed < self.n_conditions else ""
        which = f"at least {self.n_needed} of {self.n_conditions}" if further else f"all {self.n_conditions}"
        return f"IF {which} hold THEN {self.action}: {self.weight:.4g}{further}"

    @property
    def lines(self) -> list[str]:
        """A line for each column."""
        return [_line(of_column) for of_column in self.points]

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"  {line}" for line in self.lines)])


def _line(points: Sequence[tuple[Condition, int]]) -> str:
    if len(points) == 1 and points[0][1] == 1:
        return str(points[0][0])
    return ", ".join(f"{n} for {condition}" for condition, n in points)


@dataclass(frozen=True, repr=False, eq=False)
class ScoreCards(Sequence[ScoreCard]):
    """The rules of a model of fuzzy clauses, those that can add most first; ``print`` shows the first.

    Attributes
    ----------
    columns : dict of str to list or ndarray of length n_rules
        - ``class`` and ``side``: what the rule votes on, and whether "for" or "against" it.
        - ``weight``, ``n_needed``, ``length``: as `weight`, `n_needed` and `n_conditions` of `ScoreCard`.
        - ``conditions``: a text per column, with semicolons between.
        - ``support``: share of the rows for which the rule votes. Only with data.
    """

    _rules: Clauses
    _literal_failures: int
    _vocabulary: Vocabulary
    _labels: list[Any]
    _worth: np.ndarray  # of a vote of 1 in fixed point, for each machine
    _action: Callable[[Any, int], str]  # of a label and a polarity
    _support: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self._rules)

    @overload
    def __getitem__(self, index: int) -> ScoreCard: ...

    @overload
    def __getitem__(self, index: slice) -> list[ScoreCard]: ...

    def __getitem__(self, index: Any) -> Any:
        chosen = np.arange(len(self))[index]
        return [self._card(int(i)) for i in chosen] if np.ndim(chosen) else self._card(int(chosen))

    def __iter__(self) -> Iterator[ScoreCard]:
        return map(self._card, range(len(self)))

    @cached_property
    def columns(self) -> dict[str, Any]:
        """The columns of the table."""
        cards = list(self)
        columns = {
            "class": [card.label for card in cards],
            "side": ["for" if card.polarity > 0 else "against" for card in cards],
            "weight": np.array([card.weight for card in cards]),
            "n_needed": np.array([card.n_needed for card in cards], np.int64),
            "length": np.array([card.n_conditions for card in cards], np.int64),
            "conditions": ["; ".join(card.lines) for card in cards],
        }
        return columns if self._support is None else columns | {"support": self._support}

    def to_pandas(self) -> Any:
        """Return a pandas data frame with the columns."""
        import pandas as pd

        return pd.DataFrame(self.columns)

    def __str__(self) -> str:
        shown = [str(card) for card in self[:_CARDS_SHOWN]]
        left = len(self) - len(shown)
        return "\n".join([counted(len(self), "rule"), *shown, *([f"and {left:,} more"] if left else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows: list[list[str]] = []
        for card in self[:_CARDS_SHOWN]:
            rows += [[card.title, ""], *([str(n), line] for n, line in enumerate(card.lines, start=1))]
        return f"<p>{counted(len(self), 'rule')}</p>{as_html(['rule', 'conditions'], rows)}"

    def _card(self, number: int) -> ScoreCard:
        vocabulary, literals = self._vocabulary, self._rules.literals_of(number).astype(np.int64)
        machine, vote = int(self._rules.classes[number]), int(self._rules.votes[number])
        features = np.unique(literals % vocabulary.n_features)
        included = set(literals.tolist())
        points, n_always, n_conditions = [], 0, 0
        for cells in cells_by_column(vocabulary, features).values():
            counts = [_points(cell.features, cell.values, included, vocabulary.n_features) for cell in cells]
            least, most = min(counts), max(counts)
            n_always += least
            n_conditions += most - least
            if most > least:
                points.append(tuple((c.condition, n - least) for c, n in zip(cells, counts, strict=True) if n > least))
        n_needed = len(literals) - min(self._literal_failures, len(literals)) + 1
        label, polarity = self._labels[machine], 1 if vote > 0 else -1
        return ScoreCard(
            label=label,
            polarity=polarity,
            n_conditions=n_conditions,
            n_needed=n_needed - n_always,
            weight=float(abs(vote) * self._worth[machine]),
            points=tuple(points),
            n_always=n_always,
            action=self._action(label, polarity),
        )


def _points(features: np.ndarray, values: np.ndarray, included: set[int], n_features: int) -> int:
    """How many of the included literals on a column hold in a part of it."""
    pairs = zip(features.tolist(), values.tolist(), strict=True)
    return sum((f if holds else f + n_features) in included for f, holds in pairs)
