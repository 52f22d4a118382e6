"""Packed examples with what is to be learnt from them: class labels, or numbers."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from wtm.machine.examples import Examples
from wtm.machine.schedule import Schedule, content_keys, draw_rows, draw_schedule, order_by_content
from wtm.utils.memory_limits import check_memory

_SAMPLE_ROWS = 5_000


@dataclass(frozen=True)
class TrainingRows(ABC):
    """Examples with their answers.

    Attributes
    ----------
    examples : Examples
    answers : ndarray of shape (n_rows, ...)
        What a model is to say of each row.
    weights : ndarray of shape (n_rows,), float64, or None
        Weights of the rows, in training and in scores; None is 1 for each.
    """

    examples: Examples
    answers: np.ndarray
    weights: np.ndarray | None = None

    metric: ClassVar[str]
    """The name of `score`."""

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def total_weight(self) -> float:
        """Number of rows, each counted by its weight; summed exactly, so that it doesn't depend on their order."""
        return float(len(self)) if self.weights is None else math.fsum(self.weights)

    @abstractmethod
    def schedule(
        self, n_machines: int, *, seed: int, n_seen: int, shuffle: bool, weights: np.ndarray | None
    ) -> tuple[list[Schedule], int]:
        """Draw an epoch's schedule for each machine, and count the rows drawn; see `draw_schedule`."""

    @abstractmethod
    def score(self, sums: np.ndarray, unit: float) -> float:
        """Score the sums of votes of all rows, in fixed point: the larger the better.

        Parameters
        ----------
        sums : ndarray of shape (n_rows, n_machines), int64
        unit : float
            The value of 1 in fixed point, as a share of T.
        """

    @abstractmethod
    def _keys(self) -> np.ndarray:
        """Return a number per row and answer, uint64 of shape (n_rows, n): the same for equal answers."""

    def sampled_rows(self) -> np.ndarray | slice:
        """Return an index of all rows, or of 5,000 spread evenly if there are more."""
        if len(self) <= _SAMPLE_ROWS:
            return slice(None)
        return np.linspace(0, len(self) - 1, _SAMPLE_ROWS).astype(np.int64)

    def sample(self) -> Self:
        """Return the rows of `sampled_rows`, on which a model is measured while it trains."""
        rows = self.sampled_rows()
        return self if isinstance(rows, slice) else self.rows(rows)

    def by_content(self) -> Self:
        """Return the rows in an order that depends only on their content."""
        return self.rows(order_by_content(self.examples.literals, self._keys(), self.weights))

    def content_keys(self) -> np.ndarray:
        """Return a hash of 64 bits of each row, uint64, by which `by_content` sorts rows without weights."""
        return content_keys(self.examples.literals, self._keys())

    def rows(self, rows: np.ndarray) -> Self:
        """Return the given rows, int64, in the given order.

        Raises
        ------
        MemoryError
            The copy doesn't fit in memory.
        """
        n_words = self.examples.literals.shape[1]
        check_memory(
            8 * len(rows) * n_words,
            f"A copy of {len(rows):,} rows in {n_words} words",
            "Use fewer rows or features, or call partial_fit with some rows at a time.",
        )
        examples = replace(self.examples, literals=self.examples.literals[rows])
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, examples=examples, answers=self.answers[rows], weights=weights)


class LabelledExamples(TrainingRows):
    """Examples with their class labels: `answers` are class indices, int64 of shape (n_rows,)."""

    metric = "accuracy"

    @property
    def labels(self) -> np.ndarray:
        """The class indices, int64 of shape (n_rows,)."""
        return self.answers

    def weighted(self, class_weights: np.ndarray | None) -> Self:
        """Multiply the weights of the rows by those of their classes, float64 of shape (n_classes,)."""
        if class_weights is None:
            return self
        of_rows = class_weights[self.labels]
        return replace(self, weights=of_rows if self.weights is None else self.weights * of_rows)

    def schedule(
        self, n_machines: int, *, seed: int, n_seen: int, shuffle: bool, weights: np.ndarray | None
    ) -> tuple[list[Schedule], int]:
        """Draw an epoch: each example trains the machine of its class, and another one that is drawn."""
        parts = draw_schedule(self.labels, n_machines, seed=seed, n_seen=n_seen, shuffle=shuffle, weights=weights)
        return parts, sum(len(part.rows) for part in parts) // 2

    def score(self, sums: np.ndarray, unit: float) -> float:
        """Share of the rows, by weight, whose label has the largest sum."""
        right = sums.argmax(axis=1) == self.labels
        if self.weights is None:
            return float(np.mean(right))
        # Exact sums: early stopping must not depend on the order in which a processor adds.
        return math.fsum(self.weights[right]) / math.fsum(self.weights)

    def _keys(self) -> np.ndarray:
        return self.labels.astype(np.uint64)[:, np.newaxis]


class NumberedExamples(TrainingRows):
    """Examples with numbers: `answers` are shares of T, float64 from -1 to 1 of shape (n_rows, n_outputs)."""

    metric = "r2"

    def schedule(
        self, n_machines: int, *, seed: int, n_seen: int, shuffle: bool, weights: np.ndarray | None
    ) -> tuple[list[Schedule], int]:
        """Draw an epoch: each example trains all machines, each toward its own number."""
        rows = draw_rows(len(self), seed=seed, n_seen=n_seen, shuffle=shuffle, weights=weights)
        return [Schedule(rows, np.ascontiguousarray(self.answers[rows, i])) for i in range(n_machines)], len(rows)

    def score(self, sums: np.ndarray, unit: float) -> float:
        """R squared, averaged over the outputs, as scikit-learn's `r2_score` computes it."""
        weights = np.ones(len(self)) if self.weights is None else self.weights
        predicted = np.clip(sums * unit, -1.0, 1.0)
        return math.fsum(map(_r2, self.answers.T, predicted.T, [weights] * len(sums.T))) / sums.shape[1]

    def _keys(self) -> np.ndarray:
        return np.ascontiguousarray(self.answers + 0.0).view(np.uint64)  # -0.0 and 0.0 are equal answers


def _r2(answers: np.ndarray, predicted: np.ndarray, weights: np.ndarray) -> float:
    # Exact sums, as in the score of labels.
    mean = math.fsum(weights * answers) / math.fsum(weights)
    error, spread = (math.fsum(weights * (answers - guess) ** 2) for guess in (predicted, mean))
    return 1 - error / spread if spread else float(not error)
