"""Watched literals as sets of bits, for clauses that watch all of their included literals.

The state of a watched automaton is in its place in `automata`; all other automata are out of date while feedback is
pending (`wtm.kernels.pending`). A literal that was dropped stays watched until the clause is flushed. Functions take
the engine's state as `clauses` and `block`, of which they need the attributes that
`wtm.kernels.fuzzy_lazy.FuzzyClauses` and `FuzzyBlock` describe.
"""

import numpy as np

from wtm.kernels.jit import inline
from wtm.kernels.layout import BORDER, ONE
from wtm.kernels.pending import flush
from wtm.kernels.records import far
from wtm.kernels.simd import count_trailing_zeros, popcount


@inline
def watched_literal(clauses, params, clause, k):
    """The watched literal number `k` of a clause, in the order of the literals."""
    w = clause * params.n_words
    remaining = clauses.watched[w]
    n = popcount(remaining)
    while k >= n:
        k -= n
        w += 1
        remaining = clauses.watched[w]
        n = popcount(remaining)
    for _ in range(k):
        remaining &= remaining - ONE
    return (w - clause * params.n_words) * 64 + count_trailing_zeros(remaining)


@inline
def step_watched_down(clauses, params, clause, literal):
    """Take a watched automaton one step down; returns whether it drops its literal."""
    place = clause * params.n_words * 64 + literal
    state = np.int64(clauses.automata[place])
    if state == params.state_min:
        return False
    clauses.automata[place] = state - 1
    if state != BORDER:
        return False
    clauses.include[place >> 6] &= ~(ONE << np.uint64(place & 63))
    return True


@inline
def flush_watched(clauses, block, params, clause, slot):
    """Make all automata of a clause exact, and watch those of its included literals, which `n_included` counts."""
    first = clause * params.n_words
    if clauses.n_pending[slot] > 0:
        for w in range(params.n_words):
            block.watched[w] = clauses.watched[first + w]
        flush(far(clauses), far(block), far(params), clause, np.int64(clauses.n_pending[slot]))
        clauses.n_pending[slot] = 0
    for w in range(params.n_words):
        clauses.watched[first + w] = clauses.include[first + w]
    clauses.n_watched[slot] = clauses.n_included[slot]
