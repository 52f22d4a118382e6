"""The thresholds of one column, chosen value by value: the twin of what chooses those of many columns at once."""

import numpy as np

from wtm.tables import thresholds

_ROWS_PER_SPLIT_OFF = 100
_MAX_PARTS = 10_000


def choose_thresholds(distinct: np.ndarray, counts: np.ndarray, n_thresholds: int) -> list[float]:
    """Choose as `wtm.tables.thresholds.choose_thresholds`, for one column."""
    if len(distinct) < 2:
        return []
    gaps = _choose_gaps(counts, n_thresholds)
    return [thresholds.short_number_between(float(distinct[gap]), float(distinct[gap + 1])) for gap in gaps]


def _choose_gaps(counts: np.ndarray, n_thresholds: int) -> list[int]:
    """Choose gaps; gap i is the one above value i. Integers throughout, so that every platform chooses the same."""
    rows_up_to = np.cumsum(counts)
    n_rows = int(rows_up_to[-1])
    smallest = max(1, n_rows // _ROWS_PER_SPLIT_OFF)
    most_even = int(np.argmin(np.abs(2 * rows_up_to[:-1] - n_rows)))
    if n_rows - int(counts.max()) < 2 * smallest:  # only one split is possible, as in most columns of a text
        return [most_even]
    n_parts = min(n_thresholds, _MAX_PARTS) + 1
    ends = np.cumsum(_capped(counts, n_parts))
    targets = ends[-1] * np.arange(1, n_parts)  # n_parts times the even shares
    ends = ends[:-1] * n_parts
    above = np.minimum(np.searchsorted(ends, targets), len(ends) - 1)
    below = np.maximum(above - 1, 0)
    nearest = np.where(np.abs(targets - ends[below]) < np.abs(ends[above] - targets), below, above)
    chosen: list[int] = []
    taken = 0
    for gap in np.unique(nearest).tolist():
        rows = int(rows_up_to[gap])
        if rows - taken >= smallest and n_rows - rows >= smallest:
            chosen.append(gap)
            taken = rows
    return chosen or [most_even]


def _capped(counts: np.ndarray, n_parts: int) -> np.ndarray:
    """Cap counts at the size of an even part, which the cap itself makes smaller."""
    size = int(counts.max())
    while True:
        capped: np.ndarray = np.minimum(counts, size)
        even = max(1, -(-int(capped.sum()) // n_parts))
        if even >= size:
            return capped
        size = even
