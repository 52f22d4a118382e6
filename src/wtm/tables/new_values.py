"""Find columns of categories that hold no value seen in fit."""

from collections.abc import Callable, Collection, Iterator

from wtm.tables.column_conditions import ColumnConditions
from wtm.tables.columns import Value
from wtm.tables.conditions import Categories
from wtm.utils.printable import short_repr


class NewValuesWarning(UserWarning):
    """A column of categories holds no value seen in fit."""


class NewValues:
    """Find the columns of a table, read at once or in batches, whose values are all new.

    Parameters
    ----------
    conditions : ColumnConditions
    max_categories : int or None
        The Booleanizer's limit. Where a column reached it, fit may have seen further values, so nothing is reported.
    """

    def __init__(self, conditions: ColumnConditions, max_categories: int | None) -> None:
        self._candidates = {
            j: c
            for j, c in conditions.given.items()
            if isinstance(c, Categories) and 0 < len(c.values) != max_categories
        }
        self._not_empty: set[int] = set()

    def see(self, distinct_values: Callable[[int], Collection[Value]]) -> None:
        """Look at a batch; `distinct_values` returns the values of the column at a position, each once."""
        for j, conditions in list(self._candidates.items()):
            values = distinct_values(j)
            if not conditions.has_none_of(values):
                del self._candidates[j]
            elif values:
                self._not_empty.add(j)

    def warnings(self, label_of: Callable[[int], str]) -> Iterator[str]:
        """Yield a warning for each column found; `label_of` returns the label of the column at a position."""
        for j, conditions in self._candidates.items():
            if j in self._not_empty:
                yield (
                    f"{label_of(j)} holds no value seen in fit, such as {short_repr(conditions.values[0])}, so all its "
                    "features are false. Check that its values are written as in fit and have the same type."
                )
