"""What a model loses without a rule, for each rule, kept up to date as rules are removed.

A row's loss is its weight if its label does not have the largest sum, the first one on a tie; of numbers, it is the
weighted square of the error, with sums clipped to -1 and 1 as in prediction.
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.jit import inline, kernel


class VotedRows(NamedTuple):
    """Rules and their votes on rows.

    Attributes
    ----------
    row_ends : ndarray of shape (n_rows + 1,), int64
        On row i, the rules ``rules[row_ends[i]:row_ends[i + 1]]`` vote.
    rules : ndarray of int32
    counts : ndarray of float64
        How often.
    votes : ndarray of shape (n_rules,), int64
        Signed weight of each rule, in fixed point; 0 once it is removed.
    outputs : ndarray of shape (n_rules,), int64
        What each votes on.
    """

    row_ends: np.ndarray
    rules: np.ndarray
    counts: np.ndarray
    votes: np.ndarray
    outputs: np.ndarray


class Answers(NamedTuple):
    """What a model is to say of rows.

    Attributes
    ----------
    are_numbers : bool
    unit : float
        Value of 1 in fixed point, as a share of T; for numbers.
    answers : ndarray of shape (n_rows, 1) or (n_rows, n_outputs), float64
        Class indices, or shares of T.
    weights : ndarray of the shape of `answers`, float64
    """

    are_numbers: bool
    unit: float
    answers: np.ndarray
    weights: np.ndarray


@inline
def _loss(sums, row, output, vote, answers):
    """The loss of a row, of numbers that of one output, without `vote` on `output`."""
    if answers.are_numbers:
        share = min(1.0, max(-1.0, (sums[row, output] - vote) * answers.unit))
        error = answers.answers[row, output] - share
        return answers.weights[row, output] * error * error
    best, most = 0, sums[row, 0] - (vote if output == 0 else 0)
    for index in range(1, sums.shape[1]):
        total = sums[row, index] - (vote if output == index else 0)
        if total > most:
            best, most = index, total
    return answers.weights[row, 0] if best != np.int64(answers.answers[row, 0]) else 0.0


@inline
def _add_changes(sign, row, voted, sums, answers, changes):
    """Add to `changes` (IN and OUT) what the row would lose without each of its rules, times `sign`."""
    loss, loss_of = 0.0, -1  # of numbers, each output has its own loss
    for i in range(voted.row_ends[row], voted.row_ends[row + 1]):
        rule = voted.rules[i]
        vote, output = np.int64(voted.counts[i]) * voted.votes[rule], voted.outputs[rule]
        if vote != 0:
            if loss_of < 0 or (answers.are_numbers and loss_of != output):
                loss, loss_of = _loss(sums, row, output, np.int64(0), answers), output
            changes[rule] += sign * (_loss(sums, row, output, vote, answers) - loss)


@kernel
def add_changes(voted, sums, answers, changes):
    """Add up what all rows would lose without each rule.

    Parameters
    ----------
    voted : VotedRows; IN
    sums : ndarray of shape (n_rows, n_sums), int64; IN
    answers : Answers; IN
    changes : ndarray of shape (n_rules,), float64; IN and OUT
    """
    for row in range(sums.shape[0]):
        _add_changes(1.0, row, voted, sums, answers, changes)


@kernel
def remove_rule(rule, rows, counts, voted, sums, answers, changes):
    """Remove a rule.

    Parameters
    ----------
    rule : int
    rows : ndarray of int32; IN
        The rows on which it votes.
    counts : ndarray of float64; IN
        How often.
    voted : VotedRows; IN and OUT
    sums : ndarray of shape (n_rows, n_sums), int64; IN and OUT
    answers : Answers; IN
    changes : ndarray of shape (n_rules,), float64; IN and OUT
        Of the rules that are left.
    """
    for i in range(rows.size):
        _add_changes(-1.0, rows[i], voted, sums, answers, changes)
        sums[rows[i], voted.outputs[rule]] -= np.int64(counts[i]) * voted.votes[rule]
    voted.votes[rule] = 0
    for i in range(rows.size):
        _add_changes(1.0, rows[i], voted, sums, answers, changes)
