"""What the lazy engine keeps of a machine during an epoch. Plain NumPy: Python allocates, kernels fill."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.distribution_tables import GapTable, PendingTable
from wtm.kernels.layout import BLOCK

MOST_LISTED = 128
"""Automata that a clause can have on its list before it is dense."""

LIST_STRIDE = MOST_LISTED + 16
"""Entries from one clause's list to the next: a power of 2 would send all lists to the same few sets of a cache."""


class Clauses(NamedTuple):
    """The machine, and what the engine knows of its clauses.

    Arrays of `n_slots` have the clauses of either polarity from a multiple of 512 on; the others have them in the
    machine's order.

    Attributes
    ----------
    automata, include, exponents, random
        See `wtm.machine.machine.Machine`.
    votes : ndarray of shape (n_slots,), int64
        Signed weights, 0 where a slot is not used.
    valid, dense : ndarray of shape (n_slots / 64,), uint64
        The slots that are used, and those of dense clauses.
    owed : ndarray of shape (n_slots,), int32
        Feedbacks that the automata of the clause that are not on its list are owed.
    n_listed : ndarray of shape (n_slots,), uint8
    n_included : ndarray of shape (n_slots,), int32
        So many automata at the head of the clause's list include their literals.
    short : ndarray of shape (n_slots,), bool
        Whether these are all included literals of the clause.
    listed : ndarray of shape (n_clauses * LIST_STRIDE,), int32
        The followed automata of each clause: the literal times 256, plus the byte of its state. `automata` gets the
        bytes when the clause is paid.
    gap : ndarray of shape (1,), int64
        Trials of followed automata that still fail before the next one that succeeds.
    pending_table, gap_table
        Distributions for p_s, see `wtm.machine.distributions`.
    """

    automata: np.ndarray
    include: np.ndarray
    exponents: np.ndarray
    random: np.ndarray
    votes: np.ndarray
    valid: np.ndarray
    dense: np.ndarray
    owed: np.ndarray
    n_listed: np.ndarray
    n_included: np.ndarray
    short: np.ndarray
    listed: np.ndarray
    gap: np.ndarray
    pending_table: PendingTable
    gap_table: GapTable


class Block(NamedTuple):
    """The block of up to 512 examples at hand, and working space.

    Attributes
    ----------
    literals : ndarray of shape (n_rows * row_words,), uint64
        All examples, rows as in `wtm.kernels.bits`.
    row_of : ndarray of shape (BLOCK,), int64
        Where in `literals` the block's examples begin.
    columns : ndarray of shape (n_literals * 8,), uint64
        The block's examples for each literal.
    outputs : ndarray of shape (n_clauses * 8,), uint64
        The block's examples for which each clause is true.
    fired : ndarray of shape (BLOCK * n_slots / 64,), uint64
        The slots of the clauses that are true, for each example.
    later, result, chosen : ndarray of shape (8,), (8,) and (24,), uint64
        The examples after the current one; an output; selections of slots.
    tile : ndarray of shape (512,), uint64
    mask, raised : ndarray of shape (row_words,), uint64
        A bit a literal.
    hits, fallen : ndarray of shape (n_clauses,), int64
        Slots: true clauses that get feedback, and false ones that are acted on: a literal fell out, or they are dense.
    successes : ndarray of shape (512 * MOST_LISTED,), int64
        Places in `listed` of automata that step down, of a group of 512 slots.
    limits : ndarray of shape (512,), int16
    """

    literals: np.ndarray
    row_of: np.ndarray
    columns: np.ndarray
    outputs: np.ndarray
    fired: np.ndarray
    later: np.ndarray
    result: np.ndarray
    chosen: np.ndarray
    tile: np.ndarray
    mask: np.ndarray
    raised: np.ndarray
    hits: np.ndarray
    fallen: np.ndarray
    successes: np.ndarray
    limits: np.ndarray


def new_clauses(
    automata: np.ndarray,
    include: np.ndarray,
    exponents: np.ndarray,
    random: np.ndarray,
    weights: np.ndarray,
    pending_table: PendingTable,
    gap_table: GapTable,
) -> Clauses:
    """Begin an epoch: nothing is owed, nothing followed."""
    n_clauses = len(exponents)
    half = n_clauses // 2
    n_slots = 2 * (-(-half // BLOCK) * BLOCK)
    clause = np.arange(n_clauses)
    slot = np.where(clause < half, clause, n_slots // 2 + clause - half)
    votes = np.zeros(n_slots, np.int64)
    votes[slot] = np.where(clause < half, weights, -weights)
    used = np.zeros(n_slots, np.bool_)
    used[slot] = True
    return Clauses(
        automata=automata,
        include=include,
        exponents=exponents,
        random=random,
        votes=votes,
        valid=np.packbits(used, bitorder="little").view("<u8").astype(np.uint64),
        dense=np.zeros(n_slots // 64, np.uint64),
        owed=np.zeros(n_slots, np.int32),
        n_listed=np.zeros(n_slots, np.uint8),
        n_included=np.zeros(n_slots, np.int32),
        short=np.zeros(n_slots, np.bool_),
        listed=np.empty(n_clauses * LIST_STRIDE, np.int32),
        gap=np.zeros(1, np.int64),
        pending_table=pending_table,
        gap_table=gap_table,
    )


def new_block(literals: np.ndarray, n_literals: int, row_words: int, n_clauses: int, n_slots: int) -> Block:
    """Working space for a machine of that size."""
    sizes = (n_literals * 8, n_clauses * 8, BLOCK * n_slots // 64, 8, 8, 24, BLOCK, row_words, row_words)
    return Block(
        literals,
        np.empty(BLOCK, np.int64),
        *(np.empty(size, np.uint64) for size in sizes),
        np.empty(n_clauses, np.int64),
        np.empty(n_clauses, np.int64),
        np.empty(BLOCK * MOST_LISTED, np.int64),
        np.empty(512, np.int16),
    )
