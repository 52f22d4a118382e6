"""The schedule of an epoch: which examples each class is trained on, and in which order.

Each example trains two classes: its own, as a target, and another one that is drawn. Given the schedule, classes are
trained independently of each other. The order and the draws are functions of the seed and of the examples' running
numbers alone, not of threads, earlier calls or NumPy's generators.

A weight is a number of times: an epoch sees a row of weight 2 twice, and a row of weight 0.5 in half of the epochs.
This draw, too, is a function of the seed and a running number alone.
"""

from itertools import chain
from typing import NamedTuple

import numpy as np

from wtm.kernels.bits import assign_examples
from wtm.utils.memory_limits import check_memory

BYTES_PER_EXAMPLE = 80
"""Memory for drawing a schedule, which is more than the schedule itself takes."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # splitmix64's step: 2**64 over the golden ratio
_ORDER_STREAM = _GOLDEN
_OTHER_STREAM = np.uint64(0xD1B54A32D192ED03)
_WEIGHT_STREAM = np.uint64(0x8CB92BA72F3D8DD7)


class Schedule(NamedTuple):
    """The examples that a machine is trained on in an epoch.

    Attributes
    ----------
    rows : ndarray of shape (n_examples,), int64
        Row numbers, in the order of training.
    targets : ndarray of shape (n_examples,), float64
        Target of the sum of votes, as a share of T: 1 for the machine of the example's class, -1 for another.
    """

    rows: np.ndarray
    targets: np.ndarray


def draw_schedule(
    labels: np.ndarray, n_classes: int, *, seed: int, n_seen: int, shuffle: bool, weights: np.ndarray | None = None
) -> list[Schedule]:
    """Draw an epoch's schedule.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,), int64
        Class indices 0 .. n_classes - 1.
    n_classes : int
        At least 2.
    seed : int
        64 bits.
    n_seen : int
        The running number of this epoch's first example.
    shuffle : bool
        Whether the examples come in a random order, or in that of their rows.
    weights : ndarray of shape (n_samples,), float64, optional
        How many times each row is seen: the integer part, and once more with the fraction as probability. None is the
        same as a weight of 1 for every row.

    Returns
    -------
    list of n_classes Schedule
        The epoch uses up as many running numbers as it has rows or examples, whichever are more.

    Raises
    ------
    MemoryError
        The weights add up to more examples than memory can hold.
    """
    rows = draw_rows(len(labels), seed=seed, n_seen=n_seen, shuffle=shuffle, weights=weights)
    numbers = np.arange(n_seen, n_seen + len(rows), dtype=np.uint64)
    return _assign(rows, labels[rows], n_classes, _hash(numbers, seed, _OTHER_STREAM))


def draw_rows(
    n_samples: int, *, seed: int, n_seen: int, shuffle: bool, weights: np.ndarray | None = None
) -> np.ndarray:
    """Draw the rows of an epoch's examples, in the order of training, int64; parameters are those of `draw_schedule`.

    Raises
    ------
    MemoryError
        The weights add up to more examples than memory can hold.
    """
    rows = np.arange(n_samples)
    if weights is not None:
        times = _times_seen(weights, seed, n_seen)
        check_memory(
            BYTES_PER_EXAMPLE * int(times.sum()),
            f"An epoch of {times.sum():,} examples, the sum of the weights of the rows,",
            "Divide sample_weight, or class_weight, by a common number.",
        )
        rows = np.repeat(rows, times)
    if shuffle:
        rows = rows[_random_order(np.arange(n_seen, n_seen + len(rows), dtype=np.uint64), seed)]
    return rows


def _times_seen(weights: np.ndarray, seed: int, n_seen: int) -> np.ndarray:
    whole = np.floor(weights)
    numbers = np.arange(n_seen, n_seen + len(weights), dtype=np.uint64)
    # The upper 53 bits are a fraction that float64 holds exactly.
    fraction = (_hash(numbers, seed, _WEIGHT_STREAM) >> np.uint64(11)) * 2.0**-53
    return whole.astype(np.int64) + (fraction < weights - whole)


def _assign(rows: np.ndarray, labels: np.ndarray, n_classes: int, random: np.ndarray) -> list[Schedule]:
    """Draw the other class of each example, from 64 random bits, and assign the examples to the classes, in order."""
    # A 32-bit fraction times the number of other classes: their probabilities are equal to within 2**-32.
    fraction = random >> np.uint64(32)
    step = 1 + ((fraction * np.uint64(n_classes - 1)) >> np.uint64(32)).astype(np.int64)
    other = (labels + step) % n_classes
    counts = np.bincount(labels, minlength=n_classes) + np.bincount(other, minlength=n_classes)
    ends = np.cumsum(counts)
    assigned = np.empty(2 * len(rows), np.int64)
    targets = np.empty(2 * len(rows))
    assign_examples(rows, labels, other, ends - counts, assigned, targets)
    return [
        Schedule(assigned[end - count : end], targets[end - count : end])
        for end, count in zip(ends, counts, strict=True)
    ]


def order_by_content(literals: np.ndarray, answers: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Order rows by their content, independently of the order that they came in.

    Parameters
    ----------
    literals : ndarray of shape (n_samples, n_words), uint64
    answers : ndarray of shape (n_samples, n), uint64
        A number per row and answer, the same for equal answers.
    weights : ndarray of shape (n_samples,), float64, optional

    Returns
    -------
    ndarray of shape (n_samples,), int64
        Row numbers, sorted by a hash of 64 bits. Equal rows are adjacent, in the order of their weights.
    """
    keys = content_keys(literals, answers)
    return np.argsort(keys, kind="stable") if weights is None else np.lexsort((weights, keys))


def content_keys(literals: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Return a hash of 64 bits of the content of each row, uint64; parameters are those of `order_by_content`."""
    keys = answers[:, 0]
    for word in chain(answers.T[1:], literals.T):
        keys = _mix(keys * _GOLDEN ^ word)
    return keys


def _random_order(numbers: np.ndarray, seed: int) -> np.ndarray:
    # The low bits of the hashes are replaced by the row number: sorting is faster than argsort, and there are no ties.
    n_samples = len(numbers)
    low = np.uint64((1 << max(1, (n_samples - 1).bit_length())) - 1)
    keys: np.ndarray = (_hash(numbers, seed, _ORDER_STREAM) & ~low) | np.arange(n_samples, dtype=np.uint64)
    keys.sort()
    return (keys & low).astype(np.int64)


def _hash(numbers: np.ndarray, seed: int, stream: np.uint64) -> np.ndarray:
    """64 random bits per number: the output function of splitmix64 (Steele, Lea and Flood), twice."""
    mixed = _mix(numbers * _GOLDEN + np.uint64(seed))
    return _mix(mixed ^ stream)


def _mix(x: np.ndarray) -> np.ndarray:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
