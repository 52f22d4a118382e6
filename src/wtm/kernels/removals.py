"""What a model loses without a rule, for each rule, kept up to date as rules are removed.

A row's loss is its weight if its label does not have the largest sum, the first one on a tie; of numbers, it is the
weighted square of the error, with sums clipped to -1 and 1 as in prediction.
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.jit import inline, kernel

_NO_RIVAL = -(1 << 62)


class VotedRows(NamedTuple):
    """Rules and their votes on rows.

    Attributes
    ----------
    row_starts, row_stops : ndarray of shape (n_rows,), int64
        On row i, the rules ``rules[row_starts[i]:row_stops[i]]`` vote that are left.
    rules : ndarray of int32
    counts : ndarray of uint8
        How often.
    votes : ndarray of shape (n_rules,), int64
        Signed weight of each rule, in fixed point.
    outputs : ndarray of shape (n_rules,), int64
        What each votes on.
    """

    row_starts: np.ndarray
    row_stops: np.ndarray
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
def _rivals(sums, row, label):
    """Return the strongest rival of a label, and by how much this one and the next lead: above 0, they win."""
    first, lead, next_lead = np.int64(-1), _NO_RIVAL, _NO_RIVAL
    for index in range(sums.shape[1]):
        if index != label:
            found = _lead(sums, row, index, label)
            if found > lead:
                first, lead, next_lead = index, found, lead
            elif found > next_lead:
                next_lead = found
    return first, lead, next_lead


@inline
def _lead(sums, row, index, label):
    return sums[row, index] - sums[row, label] + (1 if index < label else 0)  # of equal sums, the first one wins


@inline
def _add_changes_of_label(sign, row, voted, sums, answers, changes):
    label, change = np.int64(answers.answers[row, 0]), sign * answers.weights[row, 0]
    first, lead, next_lead = _rivals(sums, row, label)
    is_wrong = lead > 0
    for i in range(voted.row_starts[row], voted.row_stops[row]):
        rule = voted.rules[i]
        vote, output = np.int64(voted.counts[i]) * voted.votes[rule], voted.outputs[rule]
        if output == label:
            becomes_wrong = lead + vote > 0
        else:
            others_lead = next_lead if output == first else lead
            becomes_wrong = others_lead > 0 or _lead(sums, row, output, label) - vote > 0
        if becomes_wrong != is_wrong:
            changes[rule] += -change if is_wrong else change


@inline
def _add_changes_of_numbers(sign, row, voted, sums, answers, changes):
    loss, loss_of = 0.0, -1  # each output has its own loss
    for i in range(voted.row_starts[row], voted.row_stops[row]):
        rule = voted.rules[i]
        vote, output = np.int64(voted.counts[i]) * voted.votes[rule], voted.outputs[rule]
        if loss_of != output:
            loss, loss_of = _error(sums[row, output], row, output, answers), output
        changes[rule] += sign * (_error(sums[row, output] - vote, row, output, answers) - loss)


@inline
def _error(total, row, output, answers):
    error = answers.answers[row, output] - min(1.0, max(-1.0, total * answers.unit))
    return answers.weights[row, output] * error * error


@inline
def _add_changes(sign, row, voted, sums, answers, changes):
    """Add to `changes` (IN and OUT) what the row would lose without each of its rules, times `sign`."""
    if answers.are_numbers:
        _add_changes_of_numbers(sign, row, voted, sums, answers, changes)
    else:
        _add_changes_of_label(sign, row, voted, sums, answers, changes)


@inline
def _drop(rule, row, voted):
    """Take a rule out of those that vote on a row; the others stay in their order."""
    place = voted.row_starts[row]
    while voted.rules[place] != rule:
        place += 1
    for i in range(place + 1, voted.row_stops[row]):
        voted.rules[i - 1], voted.counts[i - 1] = voted.rules[i], voted.counts[i]
    voted.row_stops[row] -= 1


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
    counts : ndarray of uint8; IN
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
        _drop(rule, rows[i], voted)
        _add_changes(1.0, rows[i], voted, sums, answers, changes)
