"""Watched literals of a clause: only their automata are kept exact from one trial to the next.

This is the watched-literal scheme of SAT solvers, for conjunctions. For every example of the block for which a clause
is false, the clause *watches* one of its included literals that are false there: while that literal stays included, the
clause stays false for the example, whatever happens to the others. If all included literals are true for an example,
the clause stays true until it includes another. So only the automata of watched literals need their trials when they
happen. For all others, Type I feedbacks to the clause while it is false are *pending* (`wtm.kernels.pending`).

The watch list of a clause holds the watched literals that are included, followed by those that have been dropped since
the clause was last flushed. A *fully watched* clause watches all its included literals: for a short clause this is
faster than searching in every block. An *eager* clause would need more watched literals than a list can hold: it
watches none, and gets all feedback at once.

Functions take the engine's state as `clauses` and `block` (`wtm.kernels.lazy_state`). A clause has two numbers:
`clause`, its place in the machine's arrays, and `slot`, its place in sets of clauses.
"""

import numpy as np

from wtm.kernels.bits import clear_bit, has_bit, set_bit
from wtm.kernels.jit import function, inline
from wtm.kernels.layout import BORDER, ONE, ZERO
from wtm.kernels.lazy_state import MAX_WATCHED, WATCH_STRIDE
from wtm.kernels.pending import draw_decrement, flush
from wtm.kernels.records import far, near
from wtm.kernels.sampling import draw_gap
from wtm.kernels.simd import (
    any_set,
    count_trailing_zeros,
    load,
    popcount,
    popcount_words,
    splat,
    store,
    sum_words,
)

_MAX_FULLY_WATCHED = 64  # included literals of a clause that becomes fully watched; it stays so up to twice as many
_FEW_EXAMPLES = 4  # up to this many, looking at each is faster than finding those for which a clause is true
_MAX_TRIED = 64  # included literals that are tried one by one, before the examples that are left are


@inline
def clause_of(clauses, slot):
    """Clause of a slot."""
    half_slots, half = clauses.n_pending.size // 2, clauses.exponents.size // 2
    return np.int64(slot) if slot < half_slots else np.int64(slot) - half_slots + half


@inline
def slot_of(clauses, clause):
    """Slot of a clause."""
    half_slots, half = clauses.n_pending.size // 2, clauses.exponents.size // 2
    return clause if clause < half else clause - half + half_slots


# --- The watch list -----------------------------------------------------------------------------------------


@inline
def clear_watch_list(clauses, slot):
    """Empty the watch list of a flushed clause."""
    clauses.n_watched[slot] = 0
    clauses.n_included[slot] = 0
    clauses.fully_watched[slot] = False


@inline
def write_back(clauses, block, params, clause, slot):
    """Write the states of the watched automata back to `automata`, and mark them in ``block.watched`` (OUT)."""
    for w in range(params.n_words):
        block.watched[w] = ZERO
    first_automaton = np.uint64(clause * params.n_words * 64)
    first = clause * WATCH_STRIDE
    for i in range(first, first + clauses.n_watched[slot]):
        entry = clauses.watch_list[i]
        literal = np.uint64(entry >> 8)  # unsigned: Numba adds a branch to each signed index
        clauses.automata[first_automaton + literal] = entry & 255
        block.watched[literal >> np.uint64(6)] |= ONE << (literal & np.uint64(63))


@inline
def flush_clause(clauses, block, params, clause, slot):
    """Make all automata of a clause exact, and clear its watch list."""
    write_back(clauses, block, params, clause, slot)
    flush(far(clauses), far(block), far(params), clause, np.int64(clauses.n_pending[slot]))
    clauses.n_pending[slot] = 0
    clear_watch_list(clauses, slot)


@inline
def _exclude(clauses, params, clause, literal):
    clear_bit(clauses.include, clause * params.n_words * 64 + literal)


@inline
def exclude_dropped(clauses, block, params, clause, slot):
    """Exclude the watched literals that a clause drops, and move them behind the included ones.

    Returns the later examples for which the other watched literals are true.
    """
    watch_list = clauses.watch_list
    i = clause * WATCH_STRIDE
    end = i + clauses.n_included[slot]
    fires = load(block.later, 0)
    while i < end:
        entry = watch_list[i]
        if entry & BORDER:
            fires = fires & load(block.columns, np.int64(entry >> 8) * 8)
            i += 1
        else:
            _exclude(clauses, params, clause, entry >> 8)
            end -= 1
            watch_list[i] = watch_list[end]
            watch_list[end] = entry
    clauses.n_included[slot] = end - clause * WATCH_STRIDE
    return fires


@inline
def update_dropped(clauses, block, params, clause, slot, row):
    """Type I feedback to a true clause, to its watched automata that dropped their literals: false ones step down."""
    first = clause * WATCH_STRIDE
    for i in range(first + clauses.n_included[slot], first + clauses.n_watched[slot]):
        literal = clauses.watch_list[i] >> 8
        if has_bit(block.literals, row * 64 + literal):
            continue
        if clauses.gap[0] > 0:
            clauses.gap[0] -= 1
            continue
        clauses.gap[0] = draw_gap(clauses.random, clauses.gap_table)
        if clauses.watch_list[i] & 255 > params.state_min:
            clauses.watch_list[i] -= 1


# --- Outputs ------------------------------------------------------------------------------------------------


@inline
def watched_outputs(clauses, block, clause, slot):
    """The later examples for which the watched literals of a clause are true."""
    fires = load(block.later, 0)
    first = clause * WATCH_STRIDE
    for i in range(first, first + clauses.n_included[slot]):
        fires = fires & load(block.columns, np.int64(clauses.watch_list[i] >> 8) * 8)
    return fires


@inline
def _watch(clauses, params, clause, slot, literal):
    """Watch a literal that was included when the clause was last flushed; returns whether it still is."""
    n_pending = np.int64(clauses.n_pending[slot])
    state = np.int64(clauses.automata[clause * params.n_words * 64 + literal])
    place = clause * WATCH_STRIDE + clauses.n_watched[slot]
    clauses.n_watched[slot] += 1
    if n_pending > 0:
        state = max(state - draw_decrement(clauses.random, n_pending, clauses.pending_table), params.state_min)
        if state < BORDER:
            _exclude(clauses, params, clause, literal)
            clauses.watch_list[place] = literal << 8 | state
            return False
    first_dropped = clause * WATCH_STRIDE + clauses.n_included[slot]
    clauses.watch_list[place] = clauses.watch_list[first_dropped]
    clauses.watch_list[first_dropped] = literal << 8 | state
    clauses.n_included[slot] += 1
    return True


@inline
def _false_literal(include, clause, literals, row, n_words):
    """An included literal that is false in an example, or -1 (`wtm.kernels.evaluate.clause_fires`)."""
    start = clause * n_words
    for w in range(0, n_words, 8):
        if any_set(load(include, start + w) & ~load(literals, row + w)):
            for v in range(w, w + 8):
                missed = include[start + v] & ~literals[row + v]
                if missed != ZERO:
                    return v * 64 + count_trailing_zeros(missed)
    return -1


@inline
def _find_true(clauses, block, params, clause, fires, w, remaining):
    """Find for which of the examples `fires` the included literals behind those tried are true.

    These are the bits `remaining` of word `w`, and the words behind it. The examples, ``block.surely_true`` (OUT),
    needn't be looked at one by one. None are found where there are few.
    """
    if sum_words(popcount_words(fires)) <= _FEW_EXAMPLES:
        fires = splat(ZERO)
    while any_set(fires):
        while remaining != ZERO:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            fires = fires & load(block.columns, literal * 8)
        w += 1
        if w == params.n_words:
            break
        remaining = clauses.include[clause * params.n_words + w]
    store(block.surely_true, 0, fires)


@inline
def _find_watches(clauses, block, params, clause, slot):
    """Watch a false literal for each example in ``block.result`` (IN), and leave the examples that have none (OUT).

    Tries the first included literals of the clause, then the rows of the examples that are left. Returns False if the
    watch list is full. An eager clause is evaluated in the same way, but watches nothing.
    """
    eager = has_bit(clauses.eager, slot)
    fires = load(block.result, 0)
    n_tried = 0
    for w in range(params.n_words):
        remaining = clauses.include[clause * params.n_words + w]
        while remaining != ZERO and n_tried < _MAX_TRIED:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            n_tried += 1
            column = load(block.columns, literal * 8)
            if any_set(fires & ~column):
                if not eager:
                    if clauses.n_watched[slot] == MAX_WATCHED:
                        return False
                    if not _watch(clauses, params, clause, slot, literal):
                        continue
                fires = fires & column
                if not any_set(fires):
                    break
        if n_tried == _MAX_TRIED or not any_set(fires):
            break
    store(block.result, 0, fires)
    if n_tried < _MAX_TRIED:
        return True
    _find_true(clauses, block, params, clause, fires, w, remaining)
    for part in range(8):
        remaining = block.result[part] & ~block.surely_true[part]
        while remaining != ZERO:
            example = part * 64 + count_trailing_zeros(remaining)
            row = block.row_of[example]
            literal = _false_literal(clauses.include, clause, block.literals, row, params.n_words)
            if literal < 0:
                remaining &= remaining - ONE
                continue
            if not eager:
                if clauses.n_watched[slot] == MAX_WATCHED:
                    return False
                if not _watch(clauses, params, clause, slot, literal):
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
def _watch_all(clauses, params, clause, slot):
    """Watch all included literals of a flushed clause, if it is short; returns whether it is."""
    if _count(clauses.include, clause * params.n_words, params.n_words) > _MAX_FULLY_WATCHED:
        return False
    n_watched = np.int64(0)
    for w in range(params.n_words):
        remaining = clauses.include[clause * params.n_words + w]
        while remaining != ZERO:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            state = np.int64(clauses.automata[clause * params.n_words * 64 + literal])
            clauses.watch_list[clause * WATCH_STRIDE + n_watched] = literal << 8 | state
            n_watched += 1
    clauses.n_watched[slot] = n_watched
    clauses.n_included[slot] = n_watched
    clauses.fully_watched[slot] = True
    return True


@function
def evaluate_clause(clauses, block, params, clause, slot):
    """Find for which of the examples in ``block.result`` (IN) a clause is true (OUT), as `reference.clause_outputs`.

    All watched literals are true for these examples. May add other examples for which the clause is true. A clause
    that needs more watched literals than a list can hold becomes eager: nothing is pending for it.
    """
    clauses, block, params = near(clauses), near(block), near(params)
    is_flushed = clauses.n_watched[slot] == 0 and clauses.n_pending[slot] == 0
    if is_flushed and _watch_all(clauses, params, clause, slot):
        store(block.result, 0, load(block.result, 0) & watched_outputs(clauses, block, clause, slot))
        return
    while not _find_watches(clauses, block, params, clause, slot):
        # The list is full. A flush makes all automata exact, so that dropped literals need not be watched any more.
        if clauses.n_pending[slot] > 0:
            flush_clause(clauses, block, params, clause, slot)
        else:
            clear_watch_list(clauses, slot)
            set_bit(clauses.eager, slot)
        store(block.result, 0, load(block.later, 0))


@inline
def _keep_needed(clauses, block, clause, slot):
    """Keep the watched literals that are still needed; returns their number."""
    first = clause * WATCH_STRIDE
    n_kept = np.int64(0)
    fires = load(block.later, 0)
    for i in range(first, first + clauses.n_included[slot]):
        literal = np.int64(clauses.watch_list[i] >> 8)
        column = load(block.columns, literal * 8)
        if any_set(fires & ~column):
            fires = fires & column
            clauses.watch_list[first + n_kept] = clauses.watch_list[i]
            n_kept += 1
    return n_kept


@inline
def update_watch_list(clauses, block, params, clause, slot):
    """Update the watch list of a clause that was flushed and got feedback while it was true.

    Keeps the watched literals that are still needed, and adds those of ``block.newly_included`` (IN) that make the
    clause false for further examples; all of them if it is fully watched. Returns the later examples for which the
    clause is true, and whether the list was full.
    """
    watch_list, first = clauses.watch_list, clause * WATCH_STRIDE
    first_automaton = clause * params.n_words * 64
    fully, eager = clauses.fully_watched[slot], has_bit(clauses.eager, slot)
    n_kept = np.int64(clauses.n_included[slot])
    if fully and n_kept + _count(block.newly_included, 0, params.n_words) > 2 * _MAX_FULLY_WATCHED:
        clauses.fully_watched[slot] = fully = False
    if not fully:
        if not eager and _watch_all(clauses, params, clause, slot):
            return watched_outputs(clauses, block, clause, slot), False
        n_kept = _keep_needed(clauses, block, clause, slot)
    for i in range(first, first + n_kept):
        literal = np.int64(watch_list[i] >> 8)
        watch_list[i] = literal << 8 | np.int64(clauses.automata[first_automaton + literal])
    fires = load(block.outputs, slot * 8) & load(block.later, 0)
    full = False
    for w in range(params.n_words):
        remaining = block.newly_included[w]
        while remaining != ZERO and not full:
            literal = w * 64 + count_trailing_zeros(remaining)
            remaining &= remaining - ONE
            before = fires
            fires = fires & load(block.columns, literal * 8)
            if eager or not (fully or any_set(before ^ fires)):
                continue
            if n_kept == MAX_WATCHED:
                full = True
                continue
            watch_list[first + n_kept] = literal << 8 | BORDER
            n_kept += 1
        if not fully and not any_set(fires):
            break
    clauses.n_included[slot] = n_kept
    clauses.n_watched[slot] = n_kept
    return fires, full
