"""What the lazy engine knows of a clause: the list of its witnesses, whose automata are followed.

For every example of the block for which a clause is false, one of its included literals that are false there is its
*witness*: while that literal is included, the clause is false for the example, whatever becomes of the others. And an
example for which all its included literals are true keeps the clause true until new ones are included. So it is enough
to *follow* the witnesses' automata, to make their trials when they happen. All other automata are *owed* the Type I
feedbacks that were given to the clause while it was false. A clause's list holds its witnesses, at its head, and behind
them those that fell out since the clause was paid. To *pay* a clause is to make all its automata exact.

The list of a *short* clause holds all its included literals, witnesses or not: to follow them costs less than to look
for witnesses in every block.

Functions take the engine's state as `clauses` and `block` (`wtm.kernels.lazy_state`). A clause has two numbers:
`clause`, its place in the machine's arrays, and `slot`, its bit in sets of clauses.
"""

import numpy as np

from wtm.kernels.jit import function, inline
from wtm.kernels.layout import BORDER, ONE, ZERO
from wtm.kernels.lazy_state import LIST_STRIDE, MOST_LISTED
from wtm.kernels.pending import draw_decrement, pay
from wtm.kernels.sampling import draw_gap
from wtm.kernels.simd import any_set, count_trailing_zeros, load, popcount, store

_SHORT = 64  # included literals; a short clause stops being short at twice as many
_BY_LITERAL = 64  # included literals that are looked through, before the examples that are left are


@inline
def clause_of(clauses, slot):
    """The place of a slot's clause."""
    half_slots, half = clauses.owed.size // 2, clauses.exponents.size // 2
    return np.int64(slot) if slot < half_slots else np.int64(slot) - half_slots + half


@inline
def slot_of(clauses, clause):
    """The slot of a clause."""
    half_slots, half = clauses.owed.size // 2, clauses.exponents.size // 2
    return clause if clause < half else clause - half + half_slots


# --- The list -----------------------------------------------------------------------------------------------


@inline
def forget_list(clauses, slot):
    """Empty the list of a clause that was paid."""
    clauses.n_listed[slot] = 0
    clauses.n_included[slot] = 0
    clauses.short[slot] = False


@inline
def settle(automata, listed, clause, n_listed, n_words, mask):
    """Hand the followed automata's states back to `automata`, and mark them in `mask` (OUT)."""
    for w in range(n_words):
        mask[w] = ZERO
    for i in range(clause * LIST_STRIDE, clause * LIST_STRIDE + n_listed):
        literal = np.uint64(listed[i] >> 8)
        automata[np.uint64(clause * n_words * 64) + literal] = listed[i] & 255
        mask[literal >> np.uint64(6)] |= ONE << (literal & np.uint64(63))


@inline
def pay_clause(clauses, block, params, clause, slot):
    """Make all automata of a clause exact, and forget its list."""
    settle(clauses.automata, clauses.listed, clause, clauses.n_listed[slot], params.n_words, block.mask)
    pay(
        clauses.automata, clauses.include, clause, clauses.owed[slot], block.mask, clauses.random, params,
        clauses.pending_table, block.limits,
    )  # fmt: skip
    clauses.owed[slot] = 0
    forget_list(clauses, slot)


@inline
def _exclude(include, n_words, clause, literal):
    include[clause * n_words + (literal >> 6)] &= ~(ONE << np.uint64(literal & 63))


@inline
def drop_fallen(clauses, block, params, clause, slot):
    """Exclude the literals that fell out of a clause, and move them behind those that are included.

    Returns the later examples that the listed literals leave.
    """
    listed = clauses.listed
    i = clause * LIST_STRIDE
    end = i + clauses.n_included[slot]
    fires = load(block.later, 0)
    while i < end:
        entry = listed[i]
        if entry & BORDER:
            fires = fires & load(block.columns, np.int64(entry >> 8) * 8)
            i += 1
        else:
            _exclude(clauses.include, params.n_words, clause, entry >> 8)
            end -= 1
            listed[i] = listed[end]
            listed[end] = entry
    clauses.n_included[slot] = end - clause * LIST_STRIDE
    return fires


@inline
def feed_fallen(clauses, clause, slot, literals, row, lowest):
    """Type I feedback of a true clause to the followed automata whose literals fell out: false ones step down."""
    first = clause * LIST_STRIDE
    for i in range(first + clauses.n_included[slot], first + clauses.n_listed[slot]):
        literal = clauses.listed[i] >> 8
        if (literals[row + (literal >> 6)] >> np.uint64(literal & 63)) & ONE:
            continue
        if clauses.gap[0] > 0:
            clauses.gap[0] -= 1
            continue
        clauses.gap[0] = draw_gap(clauses.random, clauses.gap_table)
        if clauses.listed[i] & 255 > lowest:
            clauses.listed[i] -= 1


# --- Outputs ------------------------------------------------------------------------------------------------


@inline
def listed_outputs(clauses, block, clause, slot):
    """The later examples that a clause's witnesses leave."""
    fires = load(block.later, 0)
    first = clause * LIST_STRIDE
    for i in range(first, first + clauses.n_included[slot]):
        fires = fires & load(block.columns, np.int64(clauses.listed[i] >> 8) * 8)
    return fires


@inline
def _look_at(clauses, params, clause, slot, literal):
    """Follow the automaton of a literal that was included when the clause was paid; returns whether it still is."""
    owed = np.int64(clauses.owed[slot])
    state = np.int64(clauses.automata[clause * params.n_words * 64 + literal])
    place = clause * LIST_STRIDE + clauses.n_listed[slot]
    clauses.n_listed[slot] += 1
    if owed > 0:
        state = max(state - draw_decrement(clauses.random, owed, clauses.pending_table), params.state_min)
        if state < BORDER:
            _exclude(clauses.include, params.n_words, clause, literal)
            clauses.listed[place] = literal << 8 | state
            return False
    first_fallen = clause * LIST_STRIDE + clauses.n_included[slot]
    clauses.listed[place] = clauses.listed[first_fallen]
    clauses.listed[first_fallen] = literal << 8 | state
    clauses.n_included[slot] += 1
    return True


@inline
def _false_literal(include, clause, literals, row, n_words):
    """An included literal that is false in an example, or -1 (see `wtm.kernels.evaluate.clause_fires`)."""
    start = clause * n_words
    for w in range(0, n_words, 8):
        if any_set(load(include, start + w) & ~load(literals, row + w)):
            for v in range(w, w + 8):
                missed = include[start + v] & ~literals[row + v]
                if missed != ZERO:
                    return v * 64 + count_trailing_zeros(missed)
    return -1


@inline
def is_dense(clauses, slot):
    """Whether a clause is dense."""
    return (clauses.dense[slot >> 6] >> np.uint64(slot & 63)) & ONE != ZERO


@inline
def _find_witnesses(clauses, block, params, clause, slot):
    """Find a witness for each of the examples in ``block.result`` (IN), and leave those that have none (OUT).

    First among the clause's first included literals; for examples that are left then, in their own rows. Returns
    False if the list has no room for a witness. Of a dense clause none is listed.
    """
    dense = is_dense(clauses, slot)
    fires = load(block.result, 0)
    n_seen = 0
    for w in range(params.n_words):
        remaining = clauses.include[clause * params.n_words + w]
        while remaining != ZERO and n_seen < _BY_LITERAL:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            n_seen += 1
            column = load(block.columns, literal * 8)
            if any_set(fires & ~column):
                if not dense:
                    if clauses.n_listed[slot] == MOST_LISTED:
                        return False
                    if not _look_at(clauses, params, clause, slot, literal):
                        continue
                fires = fires & column
                if not any_set(fires):
                    break
        if n_seen == _BY_LITERAL or not any_set(fires):
            break
    store(block.result, 0, fires)
    if n_seen < _BY_LITERAL:
        return True
    for part in range(8):
        remaining = block.result[part]
        while remaining != ZERO:
            example = part * 64 + count_trailing_zeros(remaining)
            row = block.row_of[example]
            literal = _false_literal(clauses.include, clause, block.literals, row, params.n_words)
            if literal < 0:
                remaining &= remaining - ONE
                continue
            if not dense:
                if clauses.n_listed[slot] == MOST_LISTED:
                    return False
                if not _look_at(clauses, params, clause, slot, literal):
                    continue
            column = load(block.columns, literal * 8)
            store(block.result, 0, load(block.result, 0) & column)
            remaining &= block.columns[literal * 8 + part]
    return True


@inline
def _count(words, first, n_words):
    total = 0
    for w in range(first, first + n_words):
        total += popcount(words[w])
    return total


@inline
def _list_all(clauses, params, clause, slot):
    """List all included literals of a clause that is paid, if it is short; returns whether it is."""
    if _count(clauses.include, clause * params.n_words, params.n_words) > _SHORT:
        return False
    n_listed = np.int64(0)
    for w in range(params.n_words):
        remaining = clauses.include[clause * params.n_words + w]
        while remaining != ZERO:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            state = np.int64(clauses.automata[clause * params.n_words * 64 + literal])
            clauses.listed[clause * LIST_STRIDE + n_listed] = literal << 8 | state
            n_listed += 1
    clauses.n_listed[slot] = n_listed
    clauses.n_included[slot] = n_listed
    clauses.short[slot] = True
    return True


@function
def evaluate(clauses, block, params, clause, slot):
    """Which of the examples in ``block.result`` (IN), that no listed witness settles, a clause is true for (OUT).

    May as well return others for which it is true. A clause that needs more witnesses than a list has room for
    becomes dense: it is never owed anything, and nothing of it is listed.
    """
    if clauses.n_listed[slot] == 0 and clauses.owed[slot] == 0 and _list_all(clauses, params, clause, slot):
        store(block.result, 0, load(block.result, 0) & listed_outputs(clauses, block, clause, slot))
        return
    while not _find_witnesses(clauses, block, params, clause, slot):
        # Begin again with all exact: those that fell out need not be followed any more.
        if clauses.owed[slot] > 0:
            pay_clause(clauses, block, params, clause, slot)
        else:
            forget_list(clauses, slot)
            clauses.dense[slot >> 6] |= ONE << np.uint64(slot & 63)
        store(block.result, 0, load(block.later, 0))


@inline
def _keep_witnesses(clauses, block, clause, slot):
    """Keep those witnesses of a list that are still needed; returns their number."""
    first = clause * LIST_STRIDE
    n_kept = np.int64(0)
    fires = load(block.later, 0)
    for i in range(first, first + clauses.n_included[slot]):
        literal = np.int64(clauses.listed[i] >> 8)
        column = load(block.columns, literal * 8)
        if any_set(fires & ~column):
            fires = fires & column
            clauses.listed[first + n_kept] = clauses.listed[i]
            n_kept += 1
    return n_kept


@inline
def list_after_feedback(clauses, block, params, clause, slot):
    """Bring the list of a clause up to date that got feedback while it was true, and was paid.

    Keeps the witnesses that are still needed, and adds those of the newly included literals, which ``block.mask``
    (IN) marks, that make it false for further examples; of a short clause all. Returns the later examples for which
    it is true, and whether the list had no room.
    """
    listed, first = clauses.listed, clause * LIST_STRIDE
    automata = clause * params.n_words * 64
    short, dense = clauses.short[slot], is_dense(clauses, slot)
    n_kept = np.int64(clauses.n_included[slot])
    if short and n_kept + _count(block.mask, 0, params.n_words) > 2 * _SHORT:
        clauses.short[slot] = short = False
    if not short:
        if not dense and _list_all(clauses, params, clause, slot):
            return listed_outputs(clauses, block, clause, slot), False
        n_kept = _keep_witnesses(clauses, block, clause, slot)
    for i in range(first, first + n_kept):
        literal = np.int64(listed[i] >> 8)
        listed[i] = literal << 8 | np.int64(clauses.automata[automata + literal])
    fires = load(block.outputs, clause * 8) & load(block.later, 0)
    full = False
    for w in range(params.n_words):
        remaining = block.mask[w]
        while remaining != ZERO and not full:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            before = fires
            fires = fires & load(block.columns, literal * 8)
            if dense or not (short or any_set(before ^ fires)):
                continue
            if n_kept == MOST_LISTED:
                full = True
                continue
            listed[first + n_kept] = literal << 8 | BORDER
            n_kept += 1
        if not short and not any_set(fires):
            break
    clauses.n_included[slot] = n_kept
    clauses.n_listed[slot] = n_kept
    return fires, full
