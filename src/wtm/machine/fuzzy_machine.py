"""The machine of one class with fuzzy clauses, which vote where most of their literals are true."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from wtm.kernels.fuzzy_direct import FuzzyDirectState, FuzzyParams, fuzzy_direct_epoch, fuzzy_direct_shard_block
from wtm.kernels.fuzzy_lazy import (
    FuzzyBlock,
    FuzzyClauses,
    fuzzy_lazy_epoch,
    fuzzy_lazy_shard_block,
    new_fuzzy_block,
    new_fuzzy_clauses,
)
from wtm.kernels.fuzzy_votes import VOTE_BITS, planes_for
from wtm.kernels.layout import BLOCK, WORD_BITS, WORD_DTYPE
from wtm.kernels.shard_votes import ShardVotes
from wtm.machine.class_machine import Machine
from wtm.machine.clause_weights import WeightTable
from wtm.machine.distributions import gap_table, pending_table
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import Schedule
from wtm.machine.shards import TrainBlock, examples_evaluated_at_once

MAX_FAILURES = (1 << VOTE_BITS) - 1

_DIRECT_BYTES_PER_CLAUSE = 32
_BYTES_PER_SLOT = 21


@dataclass(frozen=True)
class FuzzyParameters(MachineParameters):
    """Parameters that machines of fuzzy clauses share.

    Attributes
    ----------
    literal_failures : int
        LF, from 1 to 255: with this many false literals or more, a clause has no vote.
    gamma_start : int
        Number of epochs before weights are learnt.
    """

    literal_failures: int = 1
    gamma_start: int = 0

    @property
    def work_bytes(self) -> int:
        """Bytes of working space for an epoch of one machine."""
        copies = self.n_bytes if self.n_shards > 1 else 0
        if self.engine == "direct":
            return self.n_clauses * _DIRECT_BYTES_PER_CLAUSE + copies
        per_clause = BLOCK // 8 * planes_for(self.n_literals) + BLOCK + self.n_words * WORD_BITS // 8
        per_shard = self.slots_per_shard * _BYTES_PER_SLOT + self.n_literals * (BLOCK // 8 + 4)
        return self.n_shards * per_shard + self.n_clauses * per_clause + copies

    @cached_property
    def weight_table(self) -> WeightTable:
        """The weights that a clause can have."""
        return WeightTable(self.gamma, self.n_clauses * self.literal_failures)

    @property
    def vote_unit(self) -> float:
        """Value of 1 in a sum of votes in fixed point: a clause with all `literal_failures` votes counts once."""
        return self.weight_table.unit / self.literal_failures


@dataclass
class FuzzyMachine(Machine):
    """A machine of fuzzy clauses: it differs from `Machine` in how clauses vote and in the feedback to them.

    Attributes
    ----------
    parameters : FuzzyParameters
    """

    parameters: FuzzyParameters

    parameters_class = FuzzyParameters

    def _fuzzy_params(self, n_epochs: int) -> FuzzyParams:
        p = self.parameters
        return FuzzyParams(
            failures=p.literal_failures,
            budget=p.n_literals + 1 if p.max_literals is None else p.max_literals,  # one more: always room
            moves_weights=p.gamma > 0 and n_epochs >= p.gamma_start,
        )

    def _block_trainer(
        self, literals: np.ndarray, schedule: Schedule, n_epochs: int, votes: ShardVotes, counts: np.ndarray
    ) -> TrainBlock:
        rows, targets = schedule
        params, fuzzy = self.parameters.kernel_params, self._fuzzy_params(n_epochs)
        if self.parameters.engine == "direct":
            state, sampler = self._fuzzy_direct_state(), self._sampler()
            return partial(
                fuzzy_direct_shard_block, rows, targets, literals, params, fuzzy, sampler, state, votes, counts
            )
        size = examples_evaluated_at_once(self.parameters.vote_block)
        state_of_engine = self._fuzzy_lazy_state(literals)
        return partial(fuzzy_lazy_shard_block, rows, targets, size, params, fuzzy, *state_of_engine, votes, counts)

    def _train_direct(self, literals: np.ndarray, schedule: Schedule, n_epochs: int, counts: np.ndarray) -> None:
        rows, targets = schedule
        params, fuzzy, state = self.parameters.kernel_params, self._fuzzy_params(n_epochs), self._fuzzy_direct_state()
        fuzzy_direct_epoch(rows, targets, literals, params, fuzzy, self._sampler(), state, counts)

    def _fuzzy_direct_state(self) -> FuzzyDirectState:
        p = self.parameters
        return FuzzyDirectState(
            automata=self.automata,
            include=self.include_bits,
            exponents=self.exponents,
            random=self.random,
            votes=p.weight_table.to_fixed(self.exponents) * self.polarity,
            counts=np.empty(self.n_clauses, np.int64),
            n_included=self.include.sum(axis=1, dtype=np.int64),
            drawn=np.empty(p.kernel_params.row_words, WORD_DTYPE),
        )

    def _train_lazy(self, literals: np.ndarray, schedule: Schedule, n_epochs: int, counts: np.ndarray) -> None:
        rows, targets = schedule
        params, fuzzy = self.parameters.kernel_params, self._fuzzy_params(n_epochs)
        fuzzy_lazy_epoch(rows, targets, params, fuzzy, *self._fuzzy_lazy_state(literals), counts)

    def _fuzzy_lazy_state(self, literals: np.ndarray) -> tuple[FuzzyClauses, FuzzyBlock]:
        p = self.parameters
        params = p.kernel_params
        clauses = new_fuzzy_clauses(
            automata=self.automata,
            include=self.include_bits,
            exponents=self.exponents,
            random=self.random,
            weights=p.weight_table.to_fixed(self.exponents),
            n_literals=p.n_literals,
            pending_table=pending_table(params.p_threshold),
            gap_table=gap_table(params.p_threshold),
        )
        return clauses, new_fuzzy_block(literals, p.n_literals, params.row_words)
