"""A model compiled for prediction, which votes on 512 examples at a time."""

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Self

import numpy as np

from wtm.kernels.evaluate import list_literals
from wtm.kernels.layout import BLOCK
from wtm.kernels.votes import VotePlan, new_vote_buffers, plan_votes, votes
from wtm.machine.class_machine import Machine
from wtm.machine.examples import Examples
from wtm.utils.interruption import run_in_threads
from wtm.utils.memory_limits import check_memory

_BYTES_PER_FEATURE, _BYTES_PER_CLAUSE = 2 * BLOCK // 8, BLOCK // 8  # of the columns and outputs in `VoteBuffers`
_ANDS_PER_THREAD = 1 << 21  # of 512 bits: some milliseconds, below which starting a thread takes longer than it saves


@dataclass(frozen=True)
class VotingModel:
    """The included literals of all clauses and their signed weights, which are all that prediction needs.

    Attributes
    ----------
    n_machines, n_clauses : int
        Number of machines, and of clauses in each.
    clause_ends : ndarray of shape (n_machines * n_clauses + 1,), int64
        Clause c includes ``literal_list[clause_ends[c]:clause_ends[c + 1]]``.
    literal_list : ndarray of int32
    clause_votes : ndarray of shape (n_machines * n_clauses,), int64
        Signed weights in fixed point.
    unit : float
        Value of 1 in fixed point.
    """

    n_machines: int
    n_clauses: int
    clause_ends: np.ndarray
    literal_list: np.ndarray
    clause_votes: np.ndarray
    unit: float

    @classmethod
    def of(cls, machines: list[Machine], **more: Any) -> Self:
        """Compile machines with the same parameters; `more` are the attributes that a subclass has.

        Raises
        ------
        MemoryError
            The list of their included literals doesn't fit in memory.
        """
        p = machines[0].parameters
        ends = np.zeros(len(machines) * p.n_clauses + 1, np.int64)
        parts = [ends[i * p.n_clauses : (i + 1) * p.n_clauses + 1] for i in range(len(machines))]
        nothing, buffer = np.empty(0, np.int32), np.empty(p.n_words, np.int64)
        for machine, part in zip(machines, parts, strict=True):
            list_literals(machine.include_bits, p.n_clauses, p.n_words, part, nothing, buffer)
        check_memory(
            8 * int(ends[-1]),  # here, and again in the order in which they are used
            f"The list of the {ends[-1]:,} literals that {len(machines)} machines of {p.n_clauses:,} clauses include",
            "Use a smaller n_clauses, fewer features or a smaller s, which makes shorter rules.",
        )
        literal_list = np.empty(ends[-1], np.int32)
        if literal_list.size:
            for machine, part in zip(machines, parts, strict=True):
                list_literals(machine.include_bits, p.n_clauses, p.n_words, part, literal_list, buffer)
        clause_votes = np.stack([p.weight_table.to_fixed(m.exponents) * m.polarity for m in machines])
        return cls.with_votes(clause_votes, ends, literal_list, p.vote_unit, **more)

    @classmethod
    def with_votes(
        cls, clause_votes: np.ndarray, clause_ends: np.ndarray, literal_list: np.ndarray, unit: float, **more: Any
    ) -> Self:
        """Compile from signed weights in fixed point, int64 of shape (n_machines, n_clauses).

        `more` are the attributes that a subclass has.
        """
        n_machines, n_clauses = clause_votes.shape
        return cls(n_machines, n_clauses, clause_ends, literal_list, clause_votes.ravel(), unit, **more)

    @cached_property
    def plan(self) -> VotePlan:
        """The clauses as `wtm.kernels.votes.votes` takes them."""
        return plan_votes(self.clause_ends, self.literal_list, self.clause_votes.reshape(self.n_machines, -1))

    def sums(self, examples: Examples, rows: np.ndarray | None = None, *, n_threads: int = 1) -> np.ndarray:
        """Class sums in fixed point, int64 of shape (n_samples, n_machines). Multiply them by `unit` for their values.

        Parameters
        ----------
        examples : Examples
        rows : ndarray of int64, optional
            The rows to predict; all when left out.
        n_threads : int
            The result does not depend on it.

        Raises
        ------
        MemoryError
            The working space doesn't fit in memory.
        """
        if rows is None:
            rows = np.arange(len(examples), dtype=np.int64)
        sums = np.empty((len(rows), self.n_machines), np.int64)
        n_blocks = -(-len(rows) // BLOCK)
        n_useful = 1 + self._n_ands(len(rows), examples.n_features) // _ANDS_PER_THREAD
        n_parts = max(1, min(n_threads, n_blocks, n_useful))
        check_memory(
            n_parts * (_BYTES_PER_FEATURE * examples.n_features + _BYTES_PER_CLAUSE * self.n_clauses),
            f"Working space of {n_parts} threads for {examples.n_features:,} features",
            "Use fewer features, or a smaller n_jobs.",
        )
        bounds = [n_blocks * part // n_parts * BLOCK for part in range(n_parts)] + [len(rows)]
        calls = [self._kernel_call(examples, rows, first, last, sums) for first, last in pairwise(bounds)]
        if len(rows) > BLOCK:
            run_in_threads(calls, n_parts)
        else:  # too short to be interrupted
            calls[0]()
        return sums

    def _n_ands(self, n_rows: int, n_features: int) -> int:
        """Return about how many times 512 bits are combined to vote on rows."""
        return -(-n_rows // BLOCK) * (len(self.literal_list) + n_features)

    def _kernel_call(
        self, examples: Examples, rows: np.ndarray, first: int, last: int, sums: np.ndarray
    ) -> partial[None]:
        row_words, n_features = examples.literals.shape[1], examples.n_features
        literals, buffers = examples.literals.ravel(), new_vote_buffers(n_features, self.n_clauses)
        return partial(votes, literals, row_words, n_features, rows, first, last, self.plan, buffers, sums)
