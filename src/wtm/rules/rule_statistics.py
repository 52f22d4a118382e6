"""How often rules hold in a table, how often they are right, and how often they decide."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.kernels.clause_outputs import count_by_clause, count_decisive
from wtm.kernels.layout import BLOCK
from wtm.machine.examples import Examples
from wtm.machine.voting import VotingModel
from wtm.rules.merging import Clauses
from wtm.rules.output_bits import output_bits, rows_as_bits


@dataclass(frozen=True)
class RuleCounts:
    """Counts of rows.

    Attributes
    ----------
    n_rows : int
    n_true : ndarray of shape (n_rules,), int64
        Rows for which each rule holds.
    n_decisive : ndarray of shape (n_rules,), int64
        Rows whose predicted class would be another one without the rule.
    n_chosen : ndarray of shape (n_rules,), int64
        Rows for which each rule holds and whose predicted class is the rule's.
    n_predicted : ndarray of shape (n_classes,), int64
        Rows of each predicted class.
    n_agreeing : ndarray of shape (n_rules,), int64, or None
        Rows for which the rule holds and whose label agrees with its vote. None without labels.
    n_labelled : ndarray of shape (n_classes,), int64, or None
        Rows of each class.
    """

    n_rows: int
    n_true: np.ndarray
    n_decisive: np.ndarray
    n_chosen: np.ndarray
    n_predicted: np.ndarray
    n_agreeing: np.ndarray | None
    n_labelled: np.ndarray | None

    def columns(self, rules: Clauses, unit: float) -> dict[str, np.ndarray]:
        """Return the statistics of the rules as columns of a table; `wtm.rules.rule_table` describes them."""
        weights = np.abs(rules.votes).astype(np.float64)
        cast = weights * self.n_true
        columns = {"support": _ratio(self.n_true, self.n_rows)}
        if self.n_agreeing is not None and self.n_labelled is not None:
            columns["precision"] = _ratio(self.n_agreeing, self.n_true)
            of_class = self.n_labelled[rules.classes]
            base = np.where(rules.votes > 0, of_class, self.n_rows - of_class)
            columns["lift"] = _ratio(columns["precision"], base / self.n_rows)
        in_class = self.n_predicted[rules.classes]
        share_inside = _ratio(self.n_chosen, in_class)
        share_outside = _ratio(self.n_true - self.n_chosen, self.n_rows - in_class)
        return columns | {
            "vote_share": _ratio(cast, cast.sum()),
            # If all rows are predicted alike, nothing is separated.
            "separation": weights * unit * np.nan_to_num(np.abs(share_inside - share_outside)),
            "decides": _ratio(self.n_decisive, self.n_rows),
        }


def _ratio(values: np.ndarray, base: Any) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):  # NaN where there is no row
        return np.asarray(values / base, np.float64)


def count_rows(
    rules: Clauses, voting: VotingModel, parts: Iterable[Examples], labels: np.ndarray | None, *, n_threads: int = 1
) -> RuleCounts:
    """Count the rows of a table for each rule.

    Parameters
    ----------
    rules : Clauses
        If all of them vote on the second of two classes, they give the second sum minus the first.
    voting : VotingModel
        The model that they are the rules of.
    parts : iterable of Examples
        The rows.
    labels : ndarray of shape (n_rows,), int64, or None
        Class indices.
    n_threads : int
    """
    n_classes = voting.n_machines
    n_true, n_decisive, n_chosen, n_agreeing = np.zeros((4, len(rules)), np.int64)
    n_predicted, counts = np.zeros(n_classes, np.int64), np.empty(len(rules), np.int64)
    every, sides = np.zeros(len(rules), np.int64), 2 * rules.classes + (rules.votes < 0)
    is_one_sided = n_classes == 2 and bool((rules.classes == 1).all())
    start = 0
    for examples in parts:
        n_rows = len(examples)
        if not len(rules):
            start += n_rows
            continue
        bits = output_bits(examples, rules.ends, rules.literals, n_threads=n_threads)
        count_by_clause(bits, rows_as_bits(np.ones((1, n_rows), np.bool_)), every, counts)
        n_true += counts
        if labels is not None:
            is_class = labels[start : start + n_rows] == np.arange(n_classes)[:, np.newaxis]
            count_by_clause(bits, rows_as_bits(np.stack([is_class, ~is_class], axis=1)), sides, counts)
            n_agreeing += counts
        sums = voting.sums(examples, n_threads=n_threads)
        if is_one_sided:
            sums = np.stack([np.zeros(n_rows, np.int64), sums[:, 1] - sums[:, 0]], axis=1)
        needed = decisive_votes(sums)
        count_decisive(bits, rules.votes, rules.classes, needed, np.ones(needed.shape[1], np.int64), counts)
        n_decisive += counts
        is_predicted = sums.argmax(axis=1) == np.arange(n_classes)[:, np.newaxis]
        count_by_clause(bits, rows_as_bits(is_predicted), rules.classes, counts)
        n_chosen += counts
        n_predicted += is_predicted.sum(axis=1)
        start += n_rows
    if labels is None:
        return RuleCounts(start, n_true, n_decisive, n_chosen, n_predicted, None, None)
    n_labelled = np.bincount(labels, minlength=n_classes)
    return RuleCounts(start, n_true, n_decisive, n_chosen, n_predicted, n_agreeing, n_labelled)


def decisive_votes(sums: np.ndarray) -> np.ndarray:
    """Return the smallest vote on each class without which a row gets another label, int64 (n_classes, n_rows padded).

    It is a positive vote for the predicted class, and a negative one, against it, for the others. Of equal sums, the
    first class is predicted.
    """
    n_rows, n_classes = sums.shape
    rows, classes = np.arange(n_rows), np.arange(n_classes)
    predicted = sums.argmax(axis=1)
    lead = sums[rows, predicted][:, np.newaxis] - sums + (classes > predicted[:, np.newaxis])
    needed = np.zeros((n_classes, -(-n_rows // BLOCK) * BLOCK), np.int64)
    needed[:, :n_rows] = -lead.T
    lead[rows, predicted] = np.iinfo(np.int64).max
    needed[predicted, rows] = lead.min(axis=1)
    return needed
