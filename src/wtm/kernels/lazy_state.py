"""The state that the lazy engine keeps of a machine during an epoch. Plain NumPy: Python allocates, kernels fill."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.distribution_tables import GapTable, PendingTable
from wtm.kernels.layout import BLOCK, VECTOR_WORDS, VOTE_DTYPE, WORD_DTYPE, slots_for, words_for
from wtm.kernels.vote_sums import TABLE_WORDS, TILE_STRIDE

MAX_WATCHED = 128
"""Automata that a clause can watch; a clause that needs more becomes eager."""

WATCH_STRIDE = MAX_WATCHED + 16
"""Entries from one watch list to the next: a power of 2 would map all lists to the same few sets of a cache."""


class Clauses(NamedTuple):
    """The machine, and the engine's state of each clause.

    A *slot* is a clause's place in sets of clauses. The slots of either polarity begin at a multiple of 512, so
    `n_slots` is at least the number of clauses. Arrays of `n_slots` go by slot, all others by clause.

    Attributes
    ----------
    automata, include, exponents, random
        See `wtm.machine.class_machine.Machine`.
    votes : ndarray of shape (n_slots,), int64
        Signed weights in fixed point, 0 in unused slots.
    used, eager : ndarray of shape (n_slots / 64,), uint64
        Sets of slots: those that hold a clause, and those of eager clauses.
    n_pending : ndarray of shape (n_slots,), int32
        Type I feedbacks that are pending for the unwatched automata of the clause.
    n_watched : ndarray of shape (n_slots,), uint8
        Length of the clause's watch list.
    n_included : ndarray of shape (n_slots,), int32
        Entries at the head of the watch list that include their literals. The literals of those behind were dropped.
    fully_watched : ndarray of shape (n_slots,), bool
        Whether these are all included literals of the clause.
    watch_list : ndarray of shape (n_clauses * WATCH_STRIDE,), int32
        Watched automata of each clause: the literal times 256, plus the byte of the state. The byte in `automata` is
        out of date until it is written back.
    gap : ndarray of shape (1,), int64
        Trials of watched automata that still fail before the next success.
    pending_table, gap_table
        Distributions for p_s, see `wtm.kernels.distribution_tables`.
    """

    automata: np.ndarray
    include: np.ndarray
    exponents: np.ndarray
    random: np.ndarray
    votes: np.ndarray
    used: np.ndarray
    eager: np.ndarray
    n_pending: np.ndarray
    n_watched: np.ndarray
    n_included: np.ndarray
    fully_watched: np.ndarray
    watch_list: np.ndarray
    gap: np.ndarray
    pending_table: PendingTable
    gap_table: GapTable


class Block(NamedTuple):
    """The current block of up to 512 examples, and buffers.

    Attributes
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64
        All examples, rows as in `wtm.kernels.bits`.
    row_of : ndarray of shape (BLOCK,), int64
        First word of each example of the block in `literals`.
    columns : ndarray of shape (n_literals * 8,), uint64
        For each literal, the examples of the block for which it is true.
    outputs : ndarray of shape (n_slots * 8,), uint64
        For each slot, the examples of the block for which its clause is true; 0 in unused slots.
    fired : ndarray of shape (BLOCK * n_slots / 64,), uint64
        For each example of the block, the slots of the clauses that are true: `outputs`, transposed.
    sums : ndarray of shape (BLOCK,), int64
        For each example of the block, the sum of the votes of these clauses, in fixed point.
    keeps_sums : ndarray of shape (1,), bool
        Whether `sums` are corrected when clauses change.
    vote_tables : ndarray of shape (TABLE_WORDS,), int64
        Buffer, see `wtm.kernels.vote_sums`.
    later : ndarray of shape (8,), uint64
        The examples of the block after the current one.
    result : ndarray of shape (8,), uint64
        Argument and result of `wtm.kernels.watched.evaluate_clause`, sets of examples.
    surely_true : ndarray of shape (8,), uint64
        Examples for which a clause is known to be true.
    changed : ndarray of shape (8,), uint64
        The examples for which the output of a clause changes.
    selected, false_selected : ndarray of shape (8,), uint64
        Sets of slots, of one group of 512, that get feedback; the latter of false clauses that are not eager.
    tile : ndarray of shape (8 * TILE_STRIDE,), uint64
        Buffer of transposes.
    watched : ndarray of shape (row_words,), uint64
        Set of the watched literals of a clause.
    newly_included : ndarray of shape (row_words,), uint64
        Set of the literals that a feedback made a clause include.
    drawn : ndarray of shape (row_words,), uint64
        Set of the literals whose trial succeeded, in an eager clause.
    raised : ndarray of shape (row_words,), uint64
        Set of the literals that go up if they are true, in Type I feedback without boost.
    true_selected : ndarray of shape (n_clauses,), int64
        List of the slots of true clauses that get feedback.
    dropped, eager_selected : ndarray of shape (BLOCK,), int64
        Lists of slots, of one group: of clauses that drop a literal, and of eager clauses that get feedback.
    successes : ndarray of shape (BLOCK * MAX_WATCHED,), int64
        Places in `watch_list` of automata that step down, of one group.
    limits, limits_if_false : ndarray of shape (256,), int16
        Thresholds of the number of steps down, see `wtm.kernels.pending`; the latter of automata of false literals.
    """

    literals: np.ndarray
    row_of: np.ndarray
    columns: np.ndarray
    outputs: np.ndarray
    fired: np.ndarray
    sums: np.ndarray
    keeps_sums: np.ndarray
    vote_tables: np.ndarray
    later: np.ndarray
    result: np.ndarray
    surely_true: np.ndarray
    changed: np.ndarray
    selected: np.ndarray
    false_selected: np.ndarray
    tile: np.ndarray
    watched: np.ndarray
    newly_included: np.ndarray
    drawn: np.ndarray
    raised: np.ndarray
    true_selected: np.ndarray
    dropped: np.ndarray
    eager_selected: np.ndarray
    successes: np.ndarray
    limits: np.ndarray
    limits_if_false: np.ndarray


def slot_arrays(weights: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays by slot that the clauses of all lazy engines have, for weights in fixed point by clause.

    Clauses against the class have slots from the middle on, so that either polarity begins with a vector of its own.
    """
    half, n_slots = len(weights) // 2, slots_for(len(weights))
    votes, used = np.zeros((2, n_slots // 2), VOTE_DTYPE), np.zeros((2, n_slots // 2), np.bool_)
    votes[0, :half], votes[1, :half] = weights[:half], -weights[half:]
    used[:, :half] = True
    return {
        "votes": votes.ravel(),
        "used": np.packbits(used, bitorder="little").view("<u8").astype(WORD_DTYPE),
        "n_pending": np.zeros(n_slots, np.int32),
        "n_included": np.zeros(n_slots, np.int32),
        "gap": np.zeros(1, np.int64),
    }


def new_clauses(
    automata: np.ndarray,
    include: np.ndarray,
    exponents: np.ndarray,
    random: np.ndarray,
    weights: np.ndarray,
    pending_table: PendingTable,
    gap_table: GapTable,
) -> Clauses:
    """Return the state at the start of an epoch: no feedback is pending, no automaton is watched."""
    slots = slot_arrays(weights)
    n_slots = len(slots["votes"])
    return Clauses(
        automata=automata,
        include=include,
        exponents=exponents,
        random=random,
        **slots,
        eager=np.zeros(words_for(n_slots), WORD_DTYPE),
        n_watched=np.zeros(n_slots, np.uint8),
        fully_watched=np.zeros(n_slots, np.bool_),
        watch_list=np.empty(len(exponents) * WATCH_STRIDE, np.int32),
        pending_table=pending_table,
        gap_table=gap_table,
    )


def new_block(literals: np.ndarray, n_literals: int, row_words: int, n_clauses: int, n_slots: int) -> Block:
    """Return buffers for a machine of the given sizes."""

    def words(n: int) -> np.ndarray:
        return np.empty(n, WORD_DTYPE)

    return Block(
        literals=literals,
        row_of=np.empty(BLOCK, np.int64),
        columns=words(n_literals * VECTOR_WORDS),
        outputs=np.zeros(n_slots * VECTOR_WORDS, WORD_DTYPE),
        fired=words(BLOCK * words_for(n_slots)),
        sums=np.empty(BLOCK, VOTE_DTYPE),
        keeps_sums=np.zeros(1, np.bool_),
        vote_tables=np.empty(TABLE_WORDS, VOTE_DTYPE),
        later=words(VECTOR_WORDS),
        result=words(VECTOR_WORDS),
        surely_true=words(VECTOR_WORDS),
        changed=words(VECTOR_WORDS),
        selected=words(VECTOR_WORDS),
        false_selected=words(VECTOR_WORDS),
        tile=words(8 * TILE_STRIDE),
        watched=words(row_words),
        newly_included=words(row_words),
        drawn=words(row_words),
        raised=words(row_words),
        true_selected=np.empty(n_clauses, np.int64),
        dropped=np.empty(BLOCK, np.int64),
        eager_selected=np.empty(BLOCK, np.int64),
        successes=np.empty(BLOCK * MAX_WATCHED, np.int64),
        limits=np.empty(256, np.int16),
        limits_if_false=np.empty(256, np.int16),
    )
