"""An epoch of one machine as the paper describes it: every clause of every example, one after the other."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.evaluate import clause_fires
from wtm.kernels.feedback import (
    N_SATURATED,
    N_TYPE_I,
    N_TYPE_II,
    exceeds_budget,
    type_i_false,
    type_i_true,
    type_ii,
)
from wtm.kernels.jit import inline, kernel
from wtm.kernels.sampling import CERTAIN, fill_mask, next_word
from wtm.kernels.shard_votes import use_votes
from wtm.kernels.vote_sums import clamped


class DirectState(NamedTuple):
    """The machine, and buffers. Plain NumPy: Python allocates, kernels fill.

    Attributes
    ----------
    automata : ndarray of shape (n_clauses * n_words * 64,), uint8
    include : ndarray of shape (n_clauses * n_words + 8,), uint64
        Top bits of the automata.
    exponents : ndarray of shape (n_clauses,), int32
    random : ndarray of shape (18,), uint64
    votes : ndarray of shape (n_clauses,), int64
        Signed weights in fixed point.
    outputs : ndarray of shape (n_clauses,), bool
        Whether each clause is true for the current example.
    drawn : ndarray of shape (row_words,), uint64
        Set of the literals whose trial succeeded.
    """

    automata: np.ndarray
    include: np.ndarray
    exponents: np.ndarray
    random: np.ndarray
    votes: np.ndarray
    outputs: np.ndarray
    drawn: np.ndarray


@inline
def error_of(total, params, target):
    """How far a sum of votes, clamped to T, is from its target, a share of T (`reference.error`)."""
    return target * params.T - clamped(total, params)


@inline
def update_threshold(error, params):
    """Probability abs(error) / 2T that a clause gets feedback, in fractions of 2**32.

    Uses only IEEE additions, products and divisions: the same on every processor (`reference.update_probability`).
    """
    return np.int64(abs(error) / params.T * (CERTAIN // 2))


@inline
def move_weight(exponents, votes, clause, slot, step, fixed_weights):
    """Multiply (step 1) or divide (step -1) a clause's weight by 1 + gamma; returns whether it was at the limit.

    ``votes[slot]`` is the clause's signed weight: positive for the first half of the clauses.
    """
    max_exponent = fixed_weights.size // 2
    exponent = exponents[clause] + step
    if abs(exponent) > max_exponent:
        return max_exponent > 0  # with gamma = 0, weights can't move anyway
    exponents[clause] = exponent
    weight = fixed_weights[exponent + max_exponent]
    votes[slot] = weight if clause < exponents.size // 2 else -weight
    return False


@inline
def _sum_of_votes(literals, row, params, state):
    """Evaluate the clauses on an example, and add up their votes (`reference.clause_sum` in fixed point)."""
    include, votes, outputs = state.include, state.votes, state.outputs
    total = np.int64(0)
    for clause in range(votes.size):
        outputs[clause] = clause_fires(include, clause, literals, row, params.n_words)
        if outputs[clause]:
            total += votes[clause]
    return total


@inline
def _train_example(literals, row, total, target, params, sampler, state, counts):
    """Give feedback to clauses that were evaluated on an example whose sum of votes is `total`."""
    automata, include, exponents, random, votes, outputs, drawn = state
    n_clauses = exponents.size
    error = error_of(total, params, target)
    update = update_threshold(error, params)
    if update == 0:
        return
    for clause in range(n_clauses):
        if np.int64(next_word(random) >> np.uint64(32)) >= update:
            continue
        if (clause < n_clauses // 2) == (error > 0):
            counts[N_TYPE_I] += 1
            fill_mask(random, drawn, params.n_literals, sampler)
            if outputs[clause] and not exceeds_budget(include, clause, params):
                type_i_true(automata, include, clause, literals, row, drawn, params)
            else:
                type_i_false(automata, include, clause, drawn, params)
            if outputs[clause]:
                counts[N_SATURATED] += move_weight(exponents, votes, clause, clause, 1, params.fixed_weights)
        elif outputs[clause]:
            counts[N_TYPE_II] += 1
            type_ii(automata, include, clause, literals, row, params)
            counts[N_SATURATED] += move_weight(exponents, votes, clause, clause, -1, params.fixed_weights)


@kernel
def direct_epoch(rows, targets, literals, params, sampler, state, counts):
    """Train one machine on the examples that it sees, in order (`reference.Machine.train`).

    Parameters
    ----------
    rows, targets : ndarray of shape (n_examples,), int64 and float64; IN
        Row of each example, and the target of its sum, as a share of T.
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
        Rows as in `wtm.kernels.bits`.
    params : wtm.kernels.params.Params; IN
    sampler : wtm.kernels.sampling.Sampler; IN
    state : DirectState; IN and OUT
    counts : ndarray of shape (3,), int64; IN and OUT
        Gets the epoch's counts added, in the order of `wtm.kernels.feedback.N_TYPE_I` and so on.
    """
    for example in range(rows.size):
        row = rows[example] * params.row_words
        total = _sum_of_votes(literals, row, params, state)
        _train_example(literals, row, total, targets[example], params, sampler, state, counts)


@kernel
def direct_shard_block(rows, targets, literals, params, sampler, state, votes, counts, start, stop, end):
    """Train a shard on the examples `start` to `stop`, then sum its votes on those from `stop` to `end`.

    Parameters
    ----------
    rows, targets, literals, params, sampler, state, counts
        See `direct_epoch`; `state` is that of the shard.
    votes, start, stop, end
        See `wtm.kernels.lazy.lazy_shard_block`.
    """
    for i in range(stop - start):
        row = rows[start + i] * params.row_words
        total = use_votes(votes, i, _sum_of_votes(literals, row, params, state))
        _train_example(literals, row, total, targets[start + i], params, sampler, state, counts)
    for i in range(end - stop):
        votes.at_start[i] = _sum_of_votes(literals, rows[stop + i] * params.row_words, params, state)
