"""Why a row gets its numbers: the rules that hold for it, and what they add."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wtm.rules.addends import AddendTable
from wtm.rules.table_formats import as_html
from wtm.utils.printable import counted, shorten

_RULES_SHOWN = 10  # per output
_NAME_SHOWN = 100  # characters of a condition


@dataclass(frozen=True, repr=False, eq=False)
class AddendExplanation:
    """The rules that hold for a row: `WTMRegressor.explain` makes it. ``print`` shows those that add or subtract most.

    Long names are cut where they are shown; `rules` has them complete.

    Attributes
    ----------
    prediction : ndarray of shape (n_outputs,), float64
        What is predicted.
    middle : ndarray of shape (n_outputs,), float64
        The prediction for a row for which no rule holds.
    rules : AddendTable
        The rules that hold for the row, those that add or subtract most first.
    totals : ndarray of shape (n_outputs,), float64
        What the rules add to `middle`. The prediction is the result, clipped to the model's `y_range_`.
    """

    prediction: np.ndarray
    _table: AddendTable
    _held: np.ndarray

    @property
    def middle(self) -> np.ndarray:
        """The prediction for a row for which no rule holds."""
        return self._table.middle

    @cached_property
    def rules(self) -> AddendTable:
        """The rules that hold for the row."""
        return self._table[self._held]

    @cached_property
    def totals(self) -> np.ndarray:
        """What the rules add to `middle`."""
        return np.array([self.rules.adds[self.rules.outputs == i].sum() for i in range(len(self.middle))])

    def __repr__(self) -> str:
        return (
            f"<Explanation of {', '.join(f'{y:.4g}' for y in self.prediction)} by {counted(len(self.rules), 'rule')}>"
        )

    def __str__(self) -> str:
        lines = []
        for title, shown, rest in self._parts():
            lines += [title, *(f"  {added:+9.4g}  {conditions}" for added, conditions in shown), *rest]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows: list[list[Any]] = []
        for title, shown, rest in self._parts():
            rows += [["", title], *([f"{added:+.4g}", conditions] for added, conditions in shown)]
            rows += [["", line.strip()] for line in rest]
        return as_html(["adds", "conditions"], rows)

    def _parts(self) -> list[tuple[str, list[tuple[float, str]], list[str]]]:
        """Return a title, the rules that add most and a line on the others, for each output."""
        parts = []
        for output, (predicted, middle, total) in enumerate(
            zip(self.prediction, self.middle, self.totals, strict=True)
        ):
            rules = self.rules[self.rules.outputs == output]
            name = f"output {output}: " if len(self.middle) > 1 else ""
            title = f"{name}predicted {predicted:.4g}: {middle:.4g}, and {total:+.4g} by {counted(len(rules), 'rule')}"
            if not np.isclose(middle + total, predicted, rtol=1e-9, atol=0):
                title += ", clipped to the range of the training"
            left = rules.adds[_RULES_SHOWN:]
            rest = [f"  {left.sum():+9.4g}  from {counted(len(left), 'other rule')}"] if len(left) else []
            shown = [(rule.vote, _conditions(rule)) for rule in rules[:_RULES_SHOWN]]
            parts.append((title, shown, rest))
        return parts


def _conditions(rule: Any) -> str:
    return " AND ".join(shorten(text, _NAME_SHOWN) for text in rule.literals)
