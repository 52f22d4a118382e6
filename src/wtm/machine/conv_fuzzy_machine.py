"""The machine of one class with a convolution of fuzzy clauses, which vote as on their best patch."""

from dataclasses import dataclass

import numpy as np

from wtm.kernels.conv_fuzzy_direct import ConvFuzzyDirectState, conv_fuzzy_direct_epoch
from wtm.kernels.conv_fuzzy_lazy import conv_fuzzy_lazy_epoch, new_conv_fuzzy_block, new_conv_fuzzy_clauses
from wtm.kernels.layout import WORD_DTYPE, padded_words_for, slots_for
from wtm.machine.conv_machine import ConvParameters
from wtm.machine.distributions import gap_table, pending_table
from wtm.machine.fuzzy_machine import FuzzyMachine, FuzzyParameters
from wtm.machine.schedule import Schedule

_DIRECT_BYTES_PER_CLAUSE = 32
_BYTES_PER_SLOT = 29


@dataclass(frozen=True)
class ConvFuzzyParameters(ConvParameters, FuzzyParameters):
    """Parameters that machines of a convolution of fuzzy clauses share."""

    @property
    def work_bytes(self) -> int:
        """Bytes of working space for an epoch of one machine."""
        if self.n_patches == 1:
            return FuzzyParameters.work_bytes.fget(self)  # type: ignore[attr-defined]
        if self.engine == "direct":
            patches = 8 * padded_words_for(self.n_literals) * self.n_patches
            return self.n_clauses * _DIRECT_BYTES_PER_CLAUSE + patches
        n_slots = slots_for(self.n_clauses)
        per_clause = 8 * self.n_words + 4 * self.n_literals + 8
        columns = self.column_bytes + 2 * self.position_bytes
        return n_slots * _BYTES_PER_SLOT + self.n_clauses * per_clause + columns


@dataclass
class ConvFuzzyMachine(FuzzyMachine):
    """A machine of a convolution of fuzzy clauses.

    Attributes
    ----------
    parameters : ConvFuzzyParameters
    """

    parameters: ConvFuzzyParameters

    parameters_class = ConvFuzzyParameters

    def _train_direct(self, literals: np.ndarray, schedule: Schedule, n_epochs: int, counts: np.ndarray) -> None:
        p = self.parameters
        row_words = p.kernel_params.row_words
        state = ConvFuzzyDirectState(
            automata=self.automata,
            include=self.include_bits,
            exponents=self.exponents,
            random=self.random,
            votes=p.weight_table.to_fixed(self.exponents) * self.polarity,
            counts=np.empty(p.n_clauses, np.int64),
            n_best=np.empty(p.n_clauses, np.int64),
            n_included=self.include.sum(axis=1, dtype=np.int64),
            drawn=np.empty(row_words, WORD_DTYPE),
            patches=np.empty(p.n_patches * row_words, WORD_DTYPE),
            features=np.empty(row_words + 1, WORD_DTYPE),
        )
        fuzzy, sampler = self._fuzzy_params(n_epochs), self._sampler()
        rows, targets = schedule
        conv_fuzzy_direct_epoch(rows, targets, literals, p.grid, p.kernel_params, fuzzy, sampler, state, counts)

    def _train_lazy(self, literals: np.ndarray, schedule: Schedule, n_epochs: int, counts: np.ndarray) -> None:
        p = self.parameters
        params = p.kernel_params
        clauses = new_conv_fuzzy_clauses(
            automata=self.automata,
            include=self.include_bits,
            exponents=self.exponents,
            random=self.random,
            weights=p.weight_table.to_fixed(self.exponents),
            n_literals=p.n_literals,
            pending_table=pending_table(params.p_threshold),
            gap_table=gap_table(params.p_threshold),
        )
        block = new_conv_fuzzy_block(literals, p.grid, p.all_patches, p.n_features, params.row_words)
        rows, targets = schedule
        fuzzy = self._fuzzy_params(n_epochs)
        conv_fuzzy_lazy_epoch(rows, targets, p.grid, p.position_columns, params, fuzzy, clauses, block, counts)
