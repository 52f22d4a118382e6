"""Type I and Type II feedback to one clause, 64 automata at a time.

A clause has 64 automata (`wtm.kernels.layout`) per word of include bits. Those beyond its 2o literals stay in the
lowest state.
"""

import numpy as np

from wtm.kernels.jit import inline, kernel
from wtm.kernels.layout import ALL_BITS
from wtm.kernels.simd import (
    add_saturating,
    bytes_of_mask,
    load,
    maximum,
    minimum,
    splat_byte,
    store,
    subtract_saturating,
    top_bits,
)


@inline
def tail_mask(n_literals):
    """The bits of the last word of a clause that belong to literals."""
    return ALL_BITS >> np.uint64(63 - ((n_literals - 1) & 63))


@inline
def type_i_true(automata, include, clause, literals, row, mask, params):
    """Table 1, clause value 1: true literals one up, false ones one down where drawn (`reference.type_i`).

    With ``params.boost_true_positive`` every true literal moves, otherwise those that were not drawn. `mask` holds the
    draws (IN) and then the bits of `include` that changed (OUT).
    """
    floor = splat_byte(np.uint8(params.state_min))
    ceiling = splat_byte(np.uint8(params.state_max))
    for w in range(params.n_words):
        true = literals[row + w]
        if w == params.n_words - 1:
            true &= tail_mask(params.n_literals)
        drawn = mask[w]
        raised = true if params.boost_true_positive else true & ~drawn
        at = (clause * params.n_words + w) * 64
        states = minimum(add_saturating(load(automata, at), bytes_of_mask(raised)), ceiling)
        states = maximum(subtract_saturating(states, bytes_of_mask(drawn & ~true)), floor)
        store(automata, at, states)
        included = top_bits(states)
        mask[w] = included ^ include[clause * params.n_words + w]
        include[clause * params.n_words + w] = included


@inline
def type_i_false(automata, include, clause, mask, params):
    """Table 1, clause value 0: one down where drawn, whatever the literal's value (`reference.type_i`).

    Returns the bits of `include` that changed.
    """
    floor = splat_byte(np.uint8(params.state_min))
    changed = np.uint64(0)
    for w in range(params.n_words):
        at = (clause * params.n_words + w) * 64
        states = maximum(subtract_saturating(load(automata, at), bytes_of_mask(mask[w])), floor)
        store(automata, at, states)
        included = top_bits(states)
        changed |= included ^ include[clause * params.n_words + w]
        include[clause * params.n_words + w] = included
    return changed


@inline
def type_ii(automata, include, clause, literals, row, changed, params):
    """Table 2, clause value 1: excluded false literals one up (`reference.type_ii`).

    `changed` gets the bits of `include` that changed (OUT).
    """
    for w in range(params.n_words):
        included = include[clause * params.n_words + w]
        raised = ~(literals[row + w] | included)
        if w == params.n_words - 1:
            raised &= tail_mask(params.n_literals)
        at = (clause * params.n_words + w) * 64
        states = add_saturating(load(automata, at), bytes_of_mask(raised))
        store(automata, at, states)
        now = top_bits(states)
        changed[w] = now ^ included
        include[clause * params.n_words + w] = now


@kernel
def include_words(automata, include):
    """Read which literals the clauses include: `include` (OUT) gets the top bits of `automata` (IN), 64 a word."""
    for w in range(automata.size // 64):
        include[w] = top_bits(load(automata, w * 64))
