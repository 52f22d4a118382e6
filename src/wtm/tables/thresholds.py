"""Thresholds of number columns, chosen from the values or given by the caller."""

import numbers
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from wtm.tables.tallies import Tallies

_ROWS_PER_SPLIT_OFF = 100  # a threshold splits off at least one row in this many
_WORKING_CELLS = 1 << 18
_MAX_PARTS = 10_000  # far more than that allows, so that a huge n_thresholds takes no memory


def choose_thresholds(tallies: Tallies, n_thresholds: int) -> list[tuple[float, ...]]:
    """Choose up to `n_thresholds` thresholds for each column, which divide its rows evenly.

    A threshold lies near the middle of a gap between two neighbouring values, and is the number with the fewest
    decimal digits there; in the gap above 0 it is 0 itself, so that the condition on a count reads ``x > 0``. If there
    are few values, every gap has a threshold. A value that fills more than one of the n_thresholds + 1 parts, such as
    the 0 of a column that is mostly 0, counts as one part, and the thresholds divide the rest. A threshold splits off
    at least one row in a hundred, unless that would leave no threshold.

    Parameters
    ----------
    tallies : Tallies
    n_thresholds : int
        At least 1.

    Returns
    -------
    list of tuple of float
        Ascending; empty for a column with fewer than two values.
    """
    chosen: list[tuple[float, ...]] = [()] * len(tallies)
    several = np.flatnonzero(tallies.sizes > 1)
    n_parts = min(n_thresholds, _MAX_PARTS) + 1
    # Few columns at a time, so that working space stays small and no sum overflows.
    most = _WORKING_CELLS // (n_parts + int(tallies.sizes.max(initial=0)))
    most = max(1, min(most, (1 << 62) // max(1, n_parts * int(tallies.counts.sum()))))
    for start in range(0, len(several), most):
        columns = several[start : start + most]
        part = tallies if len(columns) == len(tallies) else tallies.of_columns(columns)
        distinct = part.distinct
        for column, gap in zip(*(found.tolist() for found in _choose_gaps(part, n_parts)), strict=True):
            threshold = short_number_between(float(distinct[gap]), float(distinct[gap + 1]))
            chosen[columns[column]] += (threshold,)
    return chosen


def _choose_gaps(tallies: Tallies, n_parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Choose gaps, ascending; gap i is the one above value i of all values. Return the column of each, and the gaps.

    Every column has at least two values. Integers throughout, so that every platform chooses the same.
    """
    counts, starts, sizes = tallies.counts, tallies.starts, tallies.sizes
    last = starts + sizes - 1
    # Of each value; one number serves a single, maybe long, column.
    column = np.repeat(np.arange(len(starts)), sizes) if len(starts) > 1 else np.zeros(1, np.int64)
    rows_up_to = _cumsum_in_columns(counts, starts, sizes)
    n_rows = rows_up_to[last]
    smallest = np.maximum(1, n_rows // _ROWS_PER_SPLIT_OFF)
    largest = np.maximum.reduceat(counts, starts)
    ends = _cumsum_in_columns(_capped(counts, largest, column, starts, n_parts), starts, sizes) * n_parts
    targets = ends[last][:, np.newaxis] // n_parts * np.arange(1, n_parts)  # n_parts times the even shares
    offset = np.arange(len(starts)) * (int(ends[last].max()) + 1)
    above = np.searchsorted(ends + offset[column], targets + offset[:, np.newaxis])
    above = np.minimum(above, last[:, np.newaxis] - 1)
    below = np.maximum(above - 1, starts[:, np.newaxis])
    nearest = np.where(np.abs(targets - ends[below]) < np.abs(ends[above] - targets), below, above)
    taken = np.zeros(len(starts), np.int64)
    is_chosen = np.zeros(nearest.shape, np.bool_)
    several = n_rows - largest >= 2 * smallest  # else only one split is possible, as in most columns of a text
    for place in range(n_parts - 1):
        rows = rows_up_to[nearest[:, place]]
        is_chosen[:, place] = several & (rows - taken >= smallest) & (n_rows - rows >= smallest)
        taken = np.where(is_chosen[:, place], rows, taken)
    alone = np.flatnonzero(~is_chosen.any(axis=1))
    if len(alone):
        unevenness = np.abs(2 * rows_up_to - n_rows[column])
        unevenness[last] = np.iinfo(np.int64).max
        even = np.flatnonzero(unevenness == np.minimum.reduceat(unevenness, starts)[column])
        nearest[alone, 0] = even[np.searchsorted(even, starts[alone])]
        is_chosen[alone, 0] = True
    return np.nonzero(is_chosen)[0], nearest[is_chosen]


def _cumsum_in_columns(counts: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    sums: np.ndarray = np.cumsum(counts)
    return sums - np.repeat(sums[starts] - counts[starts], sizes) if len(starts) > 1 else sums


def _capped(
    counts: np.ndarray, largest: np.ndarray, column: np.ndarray, starts: np.ndarray, n_parts: int
) -> np.ndarray:
    """Cap counts at the size of an even part, which the cap itself makes smaller."""
    size = largest
    while True:
        capped: np.ndarray = np.minimum(counts, size[column])
        even = np.maximum(1, -(-np.add.reduceat(capped, starts) // n_parts))
        if (even >= size).all():
            return capped
        size = np.minimum(size, even)


def short_number_between(low: float, high: float) -> float:
    """Return a number t of few digits with low <= t < high, in the middle half of the gap if possible."""
    if low == 0:
        return 0.0
    middle = low / 2 + high / 2
    margin = high / 4 - low / 4
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if low + margin <= short <= high - margin and low <= short < high:
            return short
    return middle if low <= middle < high else low


def given_thresholds(
    thresholds: Any, names: list[str], number_columns: Collection[int]
) -> dict[int, tuple[float, ...]]:
    """Return the caller's thresholds, ascending, by position of the column.

    Parameters
    ----------
    thresholds : None, array-like of float, or dict of these by column name or position
        The parameter of `Booleanizer`; an array-like applies to all `number_columns`.
    names : list of str
        Names of all columns.
    number_columns : collection of int
        Positions of the columns that hold numbers.

    Raises
    ------
    TypeError, ValueError
        A threshold is not a finite number, or a key does not name a number column.
    """
    if thresholds is None:
        return {}
    if not isinstance(thresholds, Mapping):
        return dict.fromkeys(number_columns, _check_thresholds(thresholds, "thresholds"))
    positions = {name: position for position, name in enumerate(names)}
    allowed = set(number_columns)
    given = {}
    for key, values in thresholds.items():
        is_position = isinstance(key, numbers.Integral) and 0 <= int(key) < len(names)
        if not is_position and key not in positions:
            raise ValueError(f"thresholds has the key {key!r}; keys must be names or positions of columns.")
        position = int(key) if is_position else positions[key]
        if position not in allowed:
            raise ValueError(f"thresholds has the key {key!r}, but this column does not hold numbers: remove the key.")
        given[position] = _check_thresholds(values, f"thresholds[{key!r}]")
    return given


def _check_thresholds(values: Any, name: str) -> tuple[float, ...]:
    try:
        thresholds = np.unique(np.asarray(values, np.float64))
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be a list of numbers, got {values!r}.") from error
    if np.ndim(values) != 1 or not thresholds.size or not np.isfinite(thresholds).all():
        raise ValueError(f"{name} must be a non-empty list of finite numbers, got {values!r}.")
    return tuple(thresholds.tolist())


def thresholds_to_json(thresholds: Any) -> Any:
    """Return the parameter `thresholds` as plain JSON types."""
    if thresholds is None:
        return None
    if not isinstance(thresholds, Mapping):
        return list(_check_thresholds(thresholds, "thresholds"))
    return {  # pairs, since keys of a JSON object are strings and would hide positions
        "columns": [
            [int(key) if isinstance(key, numbers.Integral) else str(key), list(_check_thresholds(values, str(key)))]
            for key, values in thresholds.items()
        ]
    }


def thresholds_from_json(state: Any) -> Any:
    """Return the parameter that `thresholds_to_json` described; raise a ValueError if `state` is not one."""
    if state is None:
        return None
    try:
        if isinstance(state, list):
            return list(_check_thresholds(state, "thresholds"))
        if isinstance(state, dict) and state.keys() == {"columns"}:
            return {_check_key(key): list(_check_thresholds(values, "thresholds")) for key, values in state["columns"]}
    except TypeError as error:
        raise ValueError(f"thresholds must be lists of numbers, got {state!r}.") from error
    raise ValueError(f"thresholds must be None, a list of numbers, or such lists by column, got {state!r}.")


def _check_key(key: Any) -> str | int:
    if isinstance(key, str) or (isinstance(key, int) and not isinstance(key, bool)):
        return key
    raise ValueError(f"thresholds must name columns by strings or integers, got {key!r}.")
