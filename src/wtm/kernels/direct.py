"""An epoch of one machine as the paper writes it: every clause of every example, one after the other."""

import numpy as np

from wtm.kernels.evaluate import clause_fires
from wtm.kernels.feedback import type_i_false, type_i_true, type_ii
from wtm.kernels.jit import inline, kernel
from wtm.kernels.sampling import CERTAIN, fill_mask, next_word

__all__ = ["direct_epoch", "move_weight", "update_threshold"]


@inline
def update_threshold(total, unit, T, target):
    """Probability (T - c) / 2T for the target's machine, (T + c) / 2T for another, in fractions of 2**32.

    Only IEEE additions and divisions: the same on every processor.
    """
    clamped = min(max(total * unit, -T), T)
    if target:
        return np.int64((T - clamped) / (2.0 * T) * CERTAIN)
    return np.int64((T + clamped) / (2.0 * T) * CERTAIN)


@inline
def move_weight(exponents, weights, clause, step, fixed):
    """Multiply (step 1) or divide (step -1) a clause's weight by 1 + gamma; True if the table's edge held it back."""
    max_exponent = fixed.size // 2
    exponent = exponents[clause] + step
    if abs(exponent) > max_exponent:
        return max_exponent > 0
    exponents[clause] = exponent
    weights[clause] = fixed[exponent + max_exponent]
    return False


@kernel
def direct_epoch(
    literals, rows, targets, n_literals, automata, include, exponents, random, fixed, unit, T, lowest, highest, boost,
    sampler, p_threshold, cumulative, guide, counts,
):  # fmt: skip
    """Train one machine on the examples that it sees, in their order.

    Parameters
    ----------
    literals : ndarray of shape (n_rows, n_row_words), uint64; IN
        Rows as in `wtm.kernels.bits`, a multiple of 8 words.
    rows, targets : ndarray of shape (n_examples,), int64 and bool; IN
        Row of each example, and whether the machine's class is its label.
    n_literals : int
        u = 2o.
    automata : ndarray of shape (n_clauses * n_words * 64,), uint8; IN and OUT
    include : ndarray of shape (n_clauses * n_words + 8,), uint64; IN and OUT
        Top bits of the automata.
    exponents : ndarray of shape (n_clauses,), int32; IN and OUT
    random : ndarray of shape (18,), uint64; IN and OUT
    fixed : ndarray of int64; IN
        The weights, see `wtm.weights.WeightTable`; `unit` is the value of 1.
    T : float
    lowest, highest : int
        The bytes of states 0 and 2N - 1.
    boost : bool
    sampler, p_threshold, cumulative, guide
        See `wtm.kernels.sampling.fill_mask`.
    counts : ndarray of shape (3,), int64; OUT
        Gets added: Type I feedbacks, Type II feedbacks to true clauses, weights held at the edge of the table.
    """
    n_clauses = exponents.size
    n_words = (n_literals + 63) // 64
    mask = np.empty((n_words + 7) // 8 * 8, np.uint64)
    outputs = np.empty(n_clauses, np.bool_)
    weights = fixed[exponents + fixed.size // 2]
    flat_literals = literals.ravel()
    for example in range(rows.size):
        row = rows[example] * literals.shape[1]
        target = targets[example]
        total = np.int64(0)
        for clause in range(n_clauses):
            fires = clause_fires(include, clause, flat_literals, row, n_words)
            outputs[clause] = fires
            if fires:
                total += weights[clause] if clause < n_clauses // 2 else -weights[clause]
        update = update_threshold(total, unit, T, target)
        if update == 0:
            continue
        for clause in range(n_clauses):
            if np.int64(next_word(random) >> np.uint64(32)) >= update:
                continue
            if (clause < n_clauses // 2) == target:
                counts[0] += 1
                fill_mask(random, mask, n_literals, sampler, p_threshold, cumulative, guide)
                if outputs[clause]:
                    type_i_true(
                        automata,
                        include,
                        clause,
                        flat_literals,
                        row,
                        mask,
                        n_literals,
                        n_words,
                        lowest,
                        highest,
                        boost,
                    )
                    counts[2] += move_weight(exponents, weights, clause, 1, fixed)
                else:
                    type_i_false(automata, include, clause, mask, n_words, lowest)
            elif outputs[clause]:
                counts[1] += 1
                type_ii(automata, include, clause, flat_literals, row, n_literals, n_words)
                counts[2] += move_weight(exponents, weights, clause, -1, fixed)
