"""Type I and Type II feedback to one clause, 64 automata at a time.

A clause has 64 automata (`wtm.kernels.layout`) per word of include bits. Those beyond its 2o literals stay in the
lowest state.
"""

import numpy as np

from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ALL_BITS, ZERO
from wtm.kernels.simd import (
    add_saturating,
    bytes_of_mask,
    load,
    maximum,
    minimum,
    popcount,
    splat_byte,
    store,
    subtract_saturating,
    top_bits,
)

N_TYPE_I, N_TYPE_II, N_SATURATED = 0, 1, 2
"""Places in an epoch's `counts`: Type I feedbacks, Type II feedbacks to true clauses, weights held at the limit."""


@inline
def tail_mask(n_literals):
    """The bits of the last word of a clause that belong to literals."""
    return ALL_BITS >> np.uint64(63 - ((n_literals - 1) & 63))


@inline
def exceeds_budget(include, clause, params):
    """Whether a clause includes more than ``params.max_literals`` literals (`reference.Machine.exceeds_budget`)."""
    if params.max_literals >= params.n_literals:
        return False
    n_included = 0
    for w in range(params.n_words):
        n_included += popcount(include[clause * params.n_words + w])
    return n_included > params.max_literals


@inline
def type_i_true(automata, include, clause, literals, row, drawn, params):
    """Table 1, clause value 1: true literals step up, those of `drawn` that are false step down (`reference.type_i`).

    Without ``params.boost_true_positive``, true literals step up only if they are not in `drawn`.
    """
    floor = splat_byte(np.uint8(params.state_min))
    ceiling = splat_byte(np.uint8(params.state_max))
    for w in range(params.n_words):
        word = clause * params.n_words + w
        true = literals[row + w]
        if w == params.n_words - 1:
            true &= tail_mask(params.n_literals)
        up = true if params.boost_true_positive else true & ~drawn[w]
        states = minimum(add_saturating(load(automata, word * 64), bytes_of_mask(up)), ceiling)
        states = maximum(subtract_saturating(states, bytes_of_mask(drawn[w] & ~true)), floor)
        store(automata, word * 64, states)
        include[word] = top_bits(states)


@inline
def type_i_false(automata, include, clause, drawn, params):
    """Table 1, clause value 0: the literals of `drawn` step down, whatever their value (`reference.type_i`).

    Returns a word that is not 0 if the clause now includes other literals.
    """
    floor = splat_byte(np.uint8(params.state_min))
    changed = ZERO
    for w in range(params.n_words):
        word = clause * params.n_words + w
        states = maximum(subtract_saturating(load(automata, word * 64), bytes_of_mask(drawn[w])), floor)
        store(automata, word * 64, states)
        included = top_bits(states)
        changed |= included ^ include[word]
        include[word] = included
    return changed


@inline
def type_ii(automata, include, clause, literals, row, params):
    """Table 2, clause value 1: excluded false literals step up (`reference.type_ii`)."""
    for w in range(params.n_words):
        word = clause * params.n_words + w
        up = ~(literals[row + w] | include[word])
        if w == params.n_words - 1:
            up &= tail_mask(params.n_literals)
        states = add_saturating(load(automata, word * 64), bytes_of_mask(up))
        store(automata, word * 64, states)
        include[word] = top_bits(states)


@kernel
def include_words(automata, include):
    """Set `include` (OUT) to the literals that the clauses include: the top bits of `automata` (IN), 64 per word."""
    for w in range(automata.size // 64):
        include[w] = top_bits(load(automata, w * 64))
