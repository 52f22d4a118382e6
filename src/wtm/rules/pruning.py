"""Which rules a model can do without: the least needed one is removed again and again."""

from dataclasses import dataclass, replace

import numpy as np

from wtm.kernels.clause_outputs import count_decisive
from wtm.kernels.layout import BLOCK, VECTOR_WORDS
from wtm.machine.examples import Examples
from wtm.machine.model_state import PredictionModel
from wtm.rules.merging import Clauses
from wtm.rules.output_bits import output_bits
from wtm.rules.rule_statistics import decisive_votes
from wtm.validation.row_weights import integer_weights

_ROUNDING = 1e-9  # of shares of rows


@dataclass(frozen=True)
class Elimination:
    """Rules in the order in which they were removed, and how many rows were then right.

    Attributes
    ----------
    order : ndarray of shape (n_removed,), int64
        Positions of the rules.
    n_right : ndarray of shape (n_removed + 1,), int64
        Weight of the rows whose predicted class was their label with all rules, without the first of `order`, and so
        on.
    n_rows : int
        Weight of all rows.
    n_rules : int
        Number of all rules.
    """

    order: np.ndarray
    n_right: np.ndarray
    n_rows: int
    n_rules: int

    def fewest(self, max_loss: float) -> int:
        """Return after how many removals the fewest rules were left that lose at most this share of the rows."""
        least_right = self.n_right[0] - (max_loss + _ROUNDING) * self.n_rows
        return int(np.flatnonzero(self.n_right >= least_right)[-1])

    def curve(self) -> list[tuple[int, float]]:
        """Return the number of rules and the accuracy with all of them, without the first of `order`, and so on."""
        return [(self.n_rules - i, n / self.n_rows) for i, n in enumerate(self.n_right.tolist())]


def eliminate(
    rules: Clauses,
    examples: Examples,
    labels: np.ndarray,
    weights: np.ndarray | None,
    n_classes: int,
    n_left: int,
    *,
    n_threads: int = 1,
) -> Elimination:
    """Remove rules one by one, each time the one without which most rows are right.

    Of several such rules, the one that casts the fewest votes goes first.

    Parameters
    ----------
    rules : Clauses
        If all of them vote on the second of two classes, they give the second sum minus the first.
    examples : Examples
    labels : ndarray of shape (n_rows,), int64
        Class indices.
    weights : ndarray of shape (n_rows,), float64, or None
        Weights of the rows, above 0; None is 1 for each.
    n_classes : int
    n_left : int
        Number of rules that are left at the end.
    n_threads : int
    """
    n_rows, left = len(labels), np.arange(len(rules))
    n_blocks = -(-n_rows // BLOCK)
    weights = np.ones(n_rows, np.int64) if weights is None else integer_weights(weights)
    padded = np.zeros(n_blocks * BLOCK, np.int64)
    padded[:n_rows] = weights
    bits = output_bits(examples, rules.ends, rules.literals, n_threads=n_threads)
    by_rule = bits.reshape(n_blocks, len(rules), VECTOR_WORDS)
    sums, cast = np.zeros((n_classes, n_rows), np.int64), np.empty(len(rules))
    for rule in range(len(rules)):
        rows = _rows(by_rule, rule, n_rows)
        sums[rules.classes[rule], rows] += rules.votes[rule]
        cast[rule] = abs(rules.votes[rule]) * float(weights[rows].sum())
    order: list[int] = []
    n_right = [int(weights[sums.argmax(axis=0) == labels].sum())]
    while len(left) > n_left:
        votes, classes = rules.votes[left], rules.classes[left]
        n_lost, n_won = np.empty((2, len(left)), np.int64)
        for needed, counts in zip(_votes_that_matter(sums.T, labels), (n_lost, n_won), strict=True):
            count_decisive(bits, votes, classes, needed, padded, counts)
        gain = n_won - n_lost
        best = np.flatnonzero(gain == gain.max())
        place = int(best[cast[left[best]].argmin()])
        sums[classes[place], _rows(by_rule, place, n_rows)] -= votes[place]
        order.append(int(left[place]))
        n_right.append(n_right[-1] + int(gain[place]))
        left, by_rule = np.delete(left, place), np.delete(by_rule, place, axis=1)
        bits = by_rule.ravel()
    return Elimination(np.array(order, np.int64), np.array(n_right), int(weights.sum()), len(rules))


def with_clauses(model: PredictionModel, kept: np.ndarray) -> PredictionModel:
    """Return a model in which only the clauses where `kept`, bool of shape (n_clauses,), is True have literals."""
    lengths = np.diff(model.clause_ends)
    ends = np.concatenate([[0], np.cumsum(lengths * kept)])
    return replace(model, clause_ends=ends, literal_list=model.literal_list[np.repeat(kept, lengths)])


def _rows(by_rule: np.ndarray, place: int, n_rows: int) -> np.ndarray:
    """Return for which rows a rule holds."""
    words = np.ascontiguousarray(by_rule[:, place]).astype("<u8")
    return np.unpackbits(words.view(np.uint8).ravel(), count=n_rows, bitorder="little").view(np.bool_)


def _votes_that_matter(sums: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest vote on each class without which a row is no longer right, and with which it becomes right.

    Both are int64 of shape (n_classes, n_rows padded), as `wtm.kernels.clause_outputs.count_decisive` takes them: 0
    where no vote does that.
    """
    n_rows, n_classes = sums.shape
    rows, predicted = np.arange(n_rows), sums.argmax(axis=1)
    is_right = predicted == labels
    lost = decisive_votes(sums)
    lost[:, :n_rows] *= is_right
    # What the label's class has to gain to be chosen rather than each class; of equal sums, the first class is.
    lead = sums - sums[rows, labels][:, np.newaxis] + (np.arange(n_classes) < labels[:, np.newaxis])
    lead[rows, labels] = 0
    won = np.zeros_like(lost)
    is_only_rival = (lead > 0).sum(axis=1) == 1
    won[predicted, rows] = np.where(is_only_rival, lead[rows, predicted], 0)
    won[labels, rows] = -lead.max(axis=1)
    won[:, :n_rows] *= ~is_right
    return lost, won
