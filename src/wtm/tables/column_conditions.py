"""The conditions on all columns of a table. Columns without any take no memory, no time and no place in a file."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Self, overload

import numpy as np

from wtm.tables.conditions import Categories, Conditions, Numbers, conditions_from_json
from wtm.tables.sparse_features import SparseFeatures
from wtm.utils.printable import short_repr

_NONE = Numbers(())


class ColumnConditions(Sequence[Conditions]):
    """The conditions on each column, by position. Hashed text has a million columns, of which few occur.

    Parameters
    ----------
    n_columns : int
    given : mapping from int to Numbers or Categories
        Conditions by position; the columns that it lacks have none.
    """

    def __init__(self, n_columns: int, given: Mapping[int, Conditions]) -> None:
        self.n_columns = n_columns
        self.given = {j: given[j] for j in sorted(given) if given[j] != _NONE}

    def __len__(self) -> int:
        return self.n_columns

    @overload
    def __getitem__(self, position: int) -> Conditions: ...
    @overload
    def __getitem__(self, position: slice) -> list[Conditions]: ...
    def __getitem__(self, position: int | slice) -> Conditions | list[Conditions]:
        found = range(self.n_columns)[position]
        return self.given.get(found, _NONE) if isinstance(found, int) else [self.given.get(j, _NONE) for j in found]

    def __iter__(self) -> Iterator[Conditions]:
        return (self.given.get(j, _NONE) for j in range(self.n_columns))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ColumnConditions) and (self.n_columns, self.given) == (other.n_columns, other.given)

    def __getstate__(self) -> dict[str, Any]:
        return {"n_columns": self.n_columns, "given": self.given}  # the rest follows from these

    @cached_property
    def with_features(self) -> dict[int, Conditions]:
        """The columns that have features, ascending."""
        return {j: conditions for j, conditions in self.given.items() if conditions.n_features}

    @cached_property
    def column_of(self) -> np.ndarray:
        """Column of each feature, int64 of shape (n_features,)."""
        counts = [conditions.n_features for conditions in self.with_features.values()]
        return np.repeat(np.array(list(self.with_features), np.int64), counts)

    def first_feature(self, column: int) -> int:
        """Position of the first feature of a column."""
        return int(np.searchsorted(self.column_of, column))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.column_of)

    @cached_property
    def sparse_features(self) -> SparseFeatures:
        """The conditions laid out for sparse tables; a ValueError if some are on categories."""
        numbers = {j: c for j, c in self.given.items() if isinstance(c, Numbers)}
        if len(numbers) < len(self.given):
            raise ValueError("X is sparse, but a column held categories in fit. Pass a dense table or a data frame.")
        return SparseFeatures.of(numbers)

    def to_json(self) -> dict[str, Any]:
        """Return the conditions as plain JSON types, those on numbers column by column in a few lists."""
        numbers = {j: c for j, c in self.given.items() if isinstance(c, Numbers)}
        return {
            "n_columns": self.n_columns,
            "numbers": {
                "columns": list(numbers),
                "n_thresholds": [len(c.thresholds) for c in numbers.values()],
                "thresholds": [threshold for c in numbers.values() for threshold in c.thresholds],
                "has_missing": [j for j, c in numbers.items() if c.has_missing],
                "is_binary": [j for j, c in numbers.items() if c.is_binary],
            },
            "categories": [[j, c.to_json()] for j, c in self.given.items() if isinstance(c, Categories)],
        }

    @classmethod
    def from_json(cls, state: Any) -> Self:
        """Return what `to_json` described, or a list of the conditions on each column, as up to version 2 of the file.

        Raises
        ------
        ValueError
            `state` is not such a description.
        """
        match state:
            case [_, *_]:
                return cls(len(state), dict(enumerate(map(conditions_from_json, state))))
            case {"n_columns": int(n_columns), "numbers": dict(numbers), "categories": list(pairs), **others} if (
                not others and not isinstance(n_columns, bool) and 0 < n_columns < 1 << 63
            ):
                given = _numbers_from_json(numbers)
                for pair in pairs:
                    match pair:
                        case [int(column), {"kind": "categories"} as conditions] if (
                            column not in given and not isinstance(column, bool)
                        ):
                            given[column] = conditions_from_json(conditions)
                        case _:
                            raise ValueError(f"categories of columns have an invalid item: {short_repr(pair)}.")
                if given and not 0 <= min(given) <= max(given) < n_columns:
                    raise ValueError(f"the columns of conditions must be from 0 to {n_columns - 1}.")
                return cls(n_columns, given)
        raise ValueError(f"columns must have at least one item, got {short_repr(state)}.")


def _numbers_from_json(state: dict[str, Any]) -> dict[int, Conditions]:
    names = ("columns", "n_thresholds", "thresholds", "has_missing", "is_binary")
    if state.keys() != set(names):
        raise ValueError(f"numbers of columns must have {', '.join(names)}, got {sorted(state)}.")
    for name in names:
        kind = float if name == "thresholds" else int
        if not isinstance(state[name], list) or not {kind}.issuperset(map(type, state[name])):
            raise ValueError(f"{name} of columns must be a list of numbers, got {short_repr(state[name])}.")
    columns, counts = state["columns"], state["n_thresholds"]
    missing, binary = set(state["has_missing"]), set(state["is_binary"])
    if len(set(columns)) < len(columns) or not missing | binary <= set(columns):
        raise ValueError("columns must differ, and has_missing and is_binary must be among them.")
    if len(counts) != len(columns) or min(counts, default=0) < 0 or sum(counts) != len(state["thresholds"]):
        raise ValueError("n_thresholds of columns don't add up to the number of thresholds.")
    thresholds = np.array(state["thresholds"], np.float64)
    ends = list(accumulate(counts, initial=0))
    falls = np.flatnonzero(np.diff(thresholds) <= 0) + 1
    if not np.isfinite(thresholds).all() or not np.isin(falls, ends).all():
        raise ValueError("thresholds of columns must be finite, and ascend in each column.")
    values = thresholds.tolist()
    given: dict[int, Conditions] = {
        j: Numbers(tuple(values[first:last]), j in missing, j in binary)
        for j, (first, last) in zip(columns, pairwise(ends), strict=True)
    }
    if any(given[j] != Numbers((0.5,), j in missing, is_binary=True) for j in binary):
        raise ValueError("a column of 0 and 1 must have the threshold 0.5.")
    return given
