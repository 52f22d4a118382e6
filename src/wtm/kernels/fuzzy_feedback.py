"""Feedback to one fuzzy clause with votes, 64 automata at a time.

Without votes, a clause gets the feedback of `wtm.kernels.feedback.type_i_false`; Type II feedback is
`wtm.kernels.feedback.type_ii` for all clauses.
"""

import numpy as np

from wtm.kernels.feedback import tail_mask
from wtm.kernels.jit import inline
from wtm.kernels.layout import ZERO
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


@inline
def count_included(include, clause, n_words):
    """Number of literals that a clause includes."""
    n_included = 0
    for w in range(clause * n_words, (clause + 1) * n_words):
        n_included += popcount(include[w])
    return n_included


@inline
def type_i_fuzzy(automata, include, clause, literals, row, has_room, params):
    """True literals step up if the clause has room, excluded false ones step down (`reference.type_i_fuzzy`)."""
    floor = splat_byte(np.uint8(params.state_min))
    ceiling = splat_byte(np.uint8(params.state_max))
    for w in range(params.n_words):
        word = clause * params.n_words + w
        true = literals[row + w]
        down = ~(true | include[word])
        if w == params.n_words - 1:
            true &= tail_mask(params.n_literals)
        states = load(automata, word * 64)
        states = minimum(add_saturating(states, bytes_of_mask(true if has_room else ZERO)), ceiling)
        states = maximum(subtract_saturating(states, bytes_of_mask(down)), floor)
        store(automata, word * 64, states)
        include[word] = top_bits(states)
