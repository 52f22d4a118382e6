"""Who sees what in an epoch: the order of the examples and the other class of each, dealt out to the classes.

Given these the classes never meet: class c sees the examples of its own label (as targets) and those for which it was
drawn as the other class, in order, and nothing else. Both are functions of the seed and of the examples' running
number alone, not of threads, of earlier calls or of NumPy's generators.
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.deal import deal_examples

__all__ = ["ClassSchedule", "draw_schedule"]

_ORDER_STREAM = np.uint64(0x9E3779B97F4A7C15)
_OTHER_STREAM = np.uint64(0xD1B54A32D192ED03)


class ClassSchedule(NamedTuple):
    """The examples that one class sees in an epoch.

    Attributes
    ----------
    rows : ndarray of shape (n_examples,), int64
        Row numbers, in the order of training.
    targets : ndarray of shape (n_examples,), bool
        Whether the class is the example's label.
    """

    rows: np.ndarray
    targets: np.ndarray


def draw_schedule(labels: np.ndarray, n_classes: int, *, seed: int, n_seen: int, shuffle: bool) -> list[ClassSchedule]:
    """Draw an epoch's schedule.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,), int64
        Class indices 0 .. n_classes - 1.
    n_classes : int
        At least 2.
    seed : int
        64 bits.
    n_seen : int
        Number of examples that the model was trained on before, the running number of this epoch's first.
    shuffle : bool
        Whether the rows are taken in a random order or as given.

    Returns
    -------
    list of n_classes ClassSchedule
    """
    n_rows = len(labels)
    numbers = np.arange(n_seen, n_seen + n_rows, dtype=np.uint64)
    order = _random_order(numbers, seed) if shuffle else np.arange(n_rows)
    # A multiple of a 32-bit fraction: each of the other classes has the same probability to 1 in 2**32.
    fraction = _hash(numbers, seed, _OTHER_STREAM) >> np.uint64(32)
    step = 1 + ((fraction * np.uint64(n_classes - 1)) >> np.uint64(32)).astype(np.int64)
    ordered = labels[order]
    other = (ordered + step) % n_classes
    counts = np.bincount(ordered, minlength=n_classes) + np.bincount(other, minlength=n_classes)
    ends = np.cumsum(counts)
    rows = np.empty(2 * n_rows, np.int64)
    targets = np.empty(2 * n_rows, np.bool_)
    deal_examples(order, ordered, other, ends - counts, rows, targets)
    return [
        ClassSchedule(rows[end - count : end], targets[end - count : end])
        for end, count in zip(ends, counts, strict=True)
    ]


def _random_order(numbers: np.ndarray, seed: int) -> np.ndarray:
    # Sorting hashes whose low bits were replaced by the row number: faster than argsort, and no two are equal.
    n_rows = len(numbers)
    low = np.uint64((1 << max(1, (n_rows - 1).bit_length())) - 1)
    keys = (_hash(numbers, seed, _ORDER_STREAM) & ~low) | np.arange(n_rows, dtype=np.uint64)
    keys.sort()
    return (keys & low).astype(np.int64)


def _hash(numbers: np.ndarray, seed: int, stream: np.uint64) -> np.ndarray:
    """64 random bits a number: the output function of splitmix64 (Steele, Lea and Flood), twice."""
    mixed = _mix(numbers * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed))
    return _mix(mixed ^ stream)


def _mix(x: np.ndarray) -> np.ndarray:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
