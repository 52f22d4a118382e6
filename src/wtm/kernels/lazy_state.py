"""What the lazy engine keeps of a machine during an epoch. Plain NumPy: Python allocates, kernels fill."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.bits import BLOCK
from wtm.kernels.tables import GapTable, PendingTable

__all__ = ["CLAUSE", "MOST_LISTED", "PLANES", "Block", "Clauses", "new_block", "new_clauses"]

MOST_LISTED = 128
"""Included literals that a clause can have on its list before it is dense."""

PLANES = 12
"""Bits of a clause's counter."""

CLAUSE = np.dtype(
    [
        ("owed", np.int64),  # feedbacks owed to the automata that are not followed, up to when the counter was loaded
        ("slot", np.int32),  # the clause's bit in sets of clauses
        ("n_safe", np.int32),  # literals at the head of the clause's list that can't fall out before the deadline
        ("n_included", np.int32),  # literals at the head of the list that are included
        ("n_listed", np.int32),
        ("next_literal", np.int32),  # included literals below it are all on the list
        ("deadline", np.int32),  # feedbacks that may be owed before the clause must be paid
        ("loaded", np.int32),  # what the counter was loaded with
        ("gap", np.int32),  # trials left when the counter has run out; -1 to be drawn
        ("dense", np.int32),
        ("eager", np.int32),  # whether every feedback to the clause while it is false is an event
    ],
    align=True,
)
"""What the engine knows of a clause: one cache line."""


class Clauses(NamedTuple):
    """The machine, and what the engine knows of its clauses.

    Attributes
    ----------
    automata, include, exponents, random
        See `wtm.machine.Machine`.
    known : ndarray of shape (n_clauses,), CLAUSE
    listed : ndarray of shape (n_clauses * MOST_LISTED,), int32
        List of each clause: literals that are included and safe until the deadline, included ones whose automata are
        followed, and followed ones that fell out.
    states : ndarray of shape (n_clauses * MOST_LISTED + 64,), uint8
        Bytes of the followed automata on the lists; `automata` gets them when the clause is paid.
    planes : ndarray of uint64
        The counters, see `wtm.kernels.countdown`.
    votes : ndarray of shape (n_slots,), int64
        Signed weight of each slot, 0 where it is not used.
    clause_of : ndarray of shape (n_slots,), int64
    valid, eager : ndarray of shape (n_slots / 64,), uint64
        The slots that are used, and those of eager clauses.
    pending_table, gap_table
        Distributions for p_s, see `wtm.binomial`.
    """

    automata: np.ndarray
    include: np.ndarray
    exponents: np.ndarray
    random: np.ndarray
    known: np.ndarray
    listed: np.ndarray
    states: np.ndarray
    planes: np.ndarray
    votes: np.ndarray
    clause_of: np.ndarray
    valid: np.ndarray
    eager: np.ndarray
    pending_table: PendingTable
    gap_table: GapTable


class Block(NamedTuple):
    """The block of up to 512 examples at hand, and working space.

    Attributes
    ----------
    columns : ndarray of shape (n_literals * 8,), uint64
        The block's examples for each literal.
    outputs : ndarray of shape (n_clauses * 8,), uint64
        The block's examples for which each clause is true.
    fired : ndarray of shape (BLOCK * n_slots / 64,), uint64
        The slots of the clauses that are true, for each example.
    later : ndarray of shape (8,), uint64
        The examples after the current one.
    result, chosen : ndarray of shape (8,), uint64
    tile : ndarray of shape (64,), uint64
    mask : ndarray of shape (row_words,), uint64
        A bit a literal.
    events, hits : ndarray of shape (n_clauses,), int32
        The slots of false clauses to which something happens, and of true clauses that get feedback, in an example.
    trials : ndarray of shape (9,), uint64
        512 Bernoulli trials in store, and how many words of them are left.
    limits : ndarray of shape (256,), int16
    """

    columns: np.ndarray
    outputs: np.ndarray
    fired: np.ndarray
    later: np.ndarray
    result: np.ndarray
    chosen: np.ndarray
    tile: np.ndarray
    mask: np.ndarray
    events: np.ndarray
    hits: np.ndarray
    trials: np.ndarray
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
    """Begin an epoch: nothing is owed, nothing followed. Slots of either polarity begin at a multiple of 512."""
    n_clauses = len(exponents)
    half = n_clauses // 2
    n_slots = 2 * (-(-half // 512) * 512)
    clause = np.arange(n_clauses)
    slot = np.where(clause < half, clause, n_slots // 2 + clause - half)
    known = np.zeros(n_clauses, CLAUSE)
    known["slot"] = slot
    known["deadline"] = 1 << 30
    votes = np.zeros(n_slots, np.int64)
    votes[slot] = np.where(clause < half, weights, -weights)
    clause_of = np.full(n_slots, -1, np.int64)
    clause_of[slot] = clause
    return Clauses(
        automata=automata,
        include=include,
        exponents=exponents,
        random=random,
        known=known,
        listed=np.empty(n_clauses * MOST_LISTED, np.int32),
        states=np.zeros(n_clauses * MOST_LISTED + 64, np.uint8),
        planes=np.zeros(n_slots // 64 * PLANES, np.uint64),
        votes=votes,
        clause_of=clause_of,
        valid=np.packbits(clause_of >= 0, bitorder="little").view("<u8").astype(np.uint64),
        eager=np.zeros(n_slots // 64, np.uint64),
        pending_table=pending_table,
        gap_table=gap_table,
    )


def new_block(n_literals: int, row_words: int, n_clauses: int, n_slots: int) -> Block:
    """Working space for a machine of that size."""
    sizes = (n_literals * 8, n_clauses * 8, BLOCK * n_slots // 64, 8, 8, 8, 64, row_words)
    words = [np.empty(size, np.uint64) for size in sizes]
    return Block(
        *words,
        np.empty(n_clauses, np.int32),
        np.empty(n_clauses, np.int32),
        np.zeros(9, np.uint64),
        np.empty(256, np.int16),
    )
