"""An epoch of one machine as the paper writes it: every clause of every example, one after the other."""

import numpy as np

from wtm.kernels.evaluate import clause_fires
from wtm.kernels.feedback import type_i_false, type_i_true, type_ii
from wtm.kernels.jit import inline, kernel
from wtm.kernels.sampling import CERTAIN, fill_mask, next_word


@inline
def update_threshold(total, params, target):
    """Probability (T - c) / 2T for the target's machine, (T + c) / 2T for another, in fractions of 2**32.

    Only IEEE additions and divisions: the same on every processor (`reference.update_probability`).
    """
    clamped = min(max(total * params.unit, -params.T), params.T)
    distance = params.T - clamped if target else params.T + clamped
    return np.int64(distance / params.T * (CERTAIN // 2))


@inline
def move_weight(exponents, votes, clause, slot, step, fixed_weights):
    """Multiply (step 1) or divide (step -1) a clause's weight by 1 + gamma; True if the table's edge held it back.

    ``votes[slot]`` is the clause's signed weight: positive for the first half of the clauses.
    """
    max_exponent = fixed_weights.size // 2
    exponent = exponents[clause] + step
    if abs(exponent) > max_exponent:
        return max_exponent > 0
    exponents[clause] = exponent
    weight = fixed_weights[exponent + max_exponent]
    votes[slot] = weight if clause < exponents.size // 2 else -weight
    return False


@kernel
def direct_epoch(
    literals,
    rows,
    targets,
    params,
    sampler,
    binomial,
    automata,
    include,
    exponents,
    random,
    votes,
    outputs,
    mask,
    counts,
):
    """Train one machine on the examples that it sees, in their order.

    Parameters
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64; IN
        Rows as in `wtm.kernels.bits`.
    rows, targets : ndarray of shape (n_examples,), int64 and bool; IN
        Row of each example, and whether the machine's class is its label.
    params : wtm.kernels.params.Params; IN
    sampler, binomial : int and wtm.kernels.distribution_tables.BinomialTable; IN
        See `wtm.kernels.sampling.fill_mask`.
    automata : ndarray of shape (n_clauses * n_words * 64,), uint8; IN and OUT
    include : ndarray of shape (n_clauses * n_words + 8,), uint64; IN and OUT
        Top bits of the automata.
    exponents : ndarray of shape (n_clauses,), int32; IN and OUT
    random : ndarray of shape (18,), uint64; IN and OUT
    votes : ndarray of shape (n_clauses,), int64; IN and OUT
        Signed weights in fixed point.
    outputs, mask : ndarray of shape (n_clauses,), bool, and of shape (row_words,), uint64
        Working space.
    counts : ndarray of shape (3,), int64; OUT
        Gets added: Type I feedbacks, Type II feedbacks to true clauses, weights held at the edge of the table.
    """
    n_clauses = exponents.size
    for example in range(rows.size):
        row = rows[example] * params.row_words
        total = np.int64(0)
        for clause in range(n_clauses):
            outputs[clause] = clause_fires(include, clause, literals, row, params.n_words)
            if outputs[clause]:
                total += votes[clause]
        update = update_threshold(total, params, targets[example])
        if update == 0:
            continue
        for clause in range(n_clauses):
            if np.int64(next_word(random) >> np.uint64(32)) >= update:
                continue
            if (clause < n_clauses // 2) == targets[example]:
                counts[0] += 1
                fill_mask(random, mask, params.n_literals, sampler, params.p_threshold, binomial)
                if outputs[clause]:
                    type_i_true(automata, include, clause, literals, row, mask, params)
                    counts[2] += move_weight(exponents, votes, clause, clause, 1, params.fixed_weights)
                else:
                    type_i_false(automata, include, clause, mask, params)
            elif outputs[clause]:
                counts[1] += 1
                type_ii(automata, include, clause, literals, row, mask, params)
                counts[2] += move_weight(exponents, votes, clause, clause, -1, params.fixed_weights)
