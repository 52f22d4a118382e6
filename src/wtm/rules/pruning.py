"""Which rules a model can do without: the least needed one is removed again and again."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from wtm.kernels.removals import Answers, VotedRows, add_changes, remove_rule
from wtm.machine.model_state import PredictionModel
from wtm.machine.training_rows import LabelledExamples, NumberedExamples
from wtm.rules.merging import Clauses
from wtm.utils.interruption import interruptible
from wtm.validation.row_weights import integer_weights

_ROUNDING = 1e-9  # of scores


@dataclass(frozen=True)
class Elimination:
    """Rules in the order in which they were removed, and the score of what was left.

    Attributes
    ----------
    order : ndarray of shape (n_removed,), int64
        Positions of the rules.
    scores : ndarray of shape (n_removed + 1,), float64
        Accuracy or R squared with all rules, without the first of `order`, and so on.
    n_rules : int
        Number of all rules.
    """

    order: np.ndarray
    scores: np.ndarray
    n_rules: int

    def fewest(self, max_loss: float) -> int:
        """Return after how many removals the fewest rules were left that lose at most this much of the score."""
        return int(np.flatnonzero(self.scores >= self.scores[0] - max_loss - _ROUNDING)[-1])

    def curve(self) -> list[tuple[int, float]]:
        """Return the number of rules and the score with all of them, without the first of `order`, and so on."""
        return [(self.n_rules - i, score) for i, score in enumerate(self.scores.tolist())]


def eliminate(rules: Clauses, counts: sp.csr_array, answers: Answers, n_sums: int, n_left: int) -> Elimination:
    """Remove rules one by one, each time the one without which the loss of all rows is smallest.

    Of several such rules, the one that casts the fewest votes goes first.

    Parameters
    ----------
    rules : Clauses
        If all of them vote on the second of two classes, they give the second sum minus the first.
    counts : CSR matrix of shape (n_rows, n_rules)
        How often each rule votes on each row.
    answers : Answers
        From `of_labels` or `of_numbers`.
    n_sums : int
        Number of classes or outputs.
    n_left : int
        Number of rules that are left at the end.
    """
    n_rows, n_rules = counts.shape
    by_rule = counts.tocsc().astype(np.uint8)
    starts, stops = counts.indptr[:-1].astype(np.int64), counts.indptr[1:].astype(np.int64)
    voted = VotedRows(
        starts, stops, counts.indices.astype(np.int32), counts.data.astype(np.uint8), rules.votes, rules.classes
    )
    sums = np.zeros((n_rows, n_sums), np.int64)
    for rule, (vote, output) in enumerate(zip(rules.votes, rules.classes, strict=True)):
        part = slice(by_rule.indptr[rule], by_rule.indptr[rule + 1])
        sums[by_rule.indices[part], output] += vote * by_rule.data[part].astype(np.int64)
    cast = np.abs(rules.votes) * (counts.T @ answers.weights.sum(axis=1))
    changes = np.zeros(n_rules)
    interruptible(partial(add_changes, voted, sums, answers, changes))
    order, losses = [], [_loss(sums, answers)]
    left = np.arange(n_rules)
    while len(left) > n_left:
        smallest = changes[left].min()
        best = left[changes[left] == smallest]
        rule = int(best[cast[best].argmin()])
        order.append(rule)
        losses.append(losses[-1] + float(smallest))
        part = slice(by_rule.indptr[rule], by_rule.indptr[rule + 1])
        remove_rule(rule, by_rule.indices[part].astype(np.int32), by_rule.data[part], voted, sums, answers, changes)
        left = left[left != rule]
    total = 1.0 if answers.are_numbers else answers.weights.sum()
    return Elimination(np.array(order, np.int64), (total - np.array(losses)) / total, n_rules)


def of_labels(data: LabelledExamples) -> Answers:
    """Return the labels of rows, whose loss is the weight of those that are wrong, in integers."""
    weights = np.ones(len(data)) if data.weights is None else integer_weights(data.weights).astype(np.float64)
    return Answers(False, 1.0, data.labels[:, np.newaxis].astype(np.float64), weights[:, np.newaxis])


def of_numbers(data: NumberedExamples, unit: float) -> Answers:
    """Return the numbers of rows, whose loss is 1 minus R squared; `unit` is the value of a vote as a share of T."""
    weights = np.ones(len(data)) if data.weights is None else data.weights
    mean = np.average(data.answers, axis=0, weights=weights)
    spread = weights @ (data.answers - mean) ** 2
    return Answers(True, unit, data.answers, weights[:, np.newaxis] / (spread * len(spread)))


def _loss(sums: np.ndarray, answers: Answers) -> float:
    if answers.are_numbers:
        return float((answers.weights * (answers.answers - np.clip(sums * answers.unit, -1.0, 1.0)) ** 2).sum())
    return float(answers.weights[sums.argmax(axis=1) != answers.answers[:, 0], 0].sum())


def with_clauses(model: PredictionModel, kept: np.ndarray) -> PredictionModel:
    """Return a model in which only the clauses where `kept`, bool of shape (n_clauses,), is True have literals."""
    lengths = np.diff(model.clause_ends)
    ends = np.concatenate([[0], np.cumsum(lengths * kept)])
    return replace(model, clause_ends=ends, literal_list=model.literal_list[np.repeat(kept, lengths)])
