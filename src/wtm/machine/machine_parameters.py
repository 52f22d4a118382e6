"""Parameters that the machines of all classes share, and the sizes that follow from them."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from wtm.kernels.layout import BLOCK, BORDER, WORD_BITS, padded_words_for, slots_for, words_for
from wtm.kernels.lazy_state import WATCH_STRIDE
from wtm.kernels.params import Params
from wtm.kernels.sampling import BERNOULLI, BINOMIAL, BITS
from wtm.machine.clause_weights import WeightTable
from wtm.machine.distributions import threshold
from wtm.utils.memory_limits import check_memory

ENGINES = ("lazy", "direct")
INITS = ("border", "random")
SAMPLERS = {"bits": BITS, "binomial": BINOMIAL, "bernoulli": BERNOULLI}

_DIRECT_BYTES_PER_CLAUSE = 24
_LAZY_BYTES_PER_SLOT = 2 * BLOCK // 8 + 18
_LAZY_BYTES_PER_CLAUSE = 4 * WATCH_STRIDE + 8


@dataclass(frozen=True)
class MachineParameters:
    """Parameters that the machines of all classes share; `wtm.WTMClassifier` explains them.

    `n_clauses` is divisible by ``2 * n_shards``.
    """

    n_features: int
    n_clauses: int
    T: float
    s: float
    gamma: float
    n_states: int = 256
    boost_true_positive: bool = True
    max_literals: int | None = None
    init: str = "border"
    engine: str = "lazy"
    sampler: str = "bits"
    n_shards: int = 1
    vote_block: int = 1

    def __getstate__(self) -> dict[str, Any]:
        """Return the parameters alone; cached tables are computed again when they are needed."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def n_literals(self) -> int:
        """Number of literals u = 2o."""
        return 2 * self.n_features

    @property
    def n_words(self) -> int:
        """Words per clause, each of 64 automata."""
        return words_for(self.n_literals)

    @property
    def n_bytes(self) -> int:
        """Bytes of a machine's automata and include bits, which are nearly all of it."""
        return self.n_clauses * self.n_words * (WORD_BITS + 8)

    def check_memory(self, n_machines: int) -> None:
        """Check that memory can hold machines.

        Raises
        ------
        MemoryError
            It can't.
        """
        check_memory(
            n_machines * self.n_bytes,
            f"{n_machines} machines of {self.n_clauses:,} clauses and {self.n_literals:,} literals",
            "Use a smaller n_clauses or fewer features.",
        )

    @property
    def work_bytes(self) -> int:
        """Bytes of working space for an epoch of one machine."""
        copies = self.n_bytes if self.n_shards > 1 else 0
        if self.engine == "direct":
            return self.n_clauses * _DIRECT_BYTES_PER_CLAUSE + copies
        per_shard = self.slots_per_shard * _LAZY_BYTES_PER_SLOT + self.n_literals * BLOCK // 8
        return self.n_shards * per_shard + self.n_clauses * _LAZY_BYTES_PER_CLAUSE + copies

    @property
    def slots_per_shard(self) -> int:
        """Slots of a lazy engine for the clauses of a shard, or for all of them without shards."""
        return slots_for(self.n_clauses // self.n_shards)

    @property
    def state_min(self) -> int:
        """Byte of state 0."""
        return BORDER - self.n_states // 2

    @property
    def state_max(self) -> int:
        """Byte of state 2N - 1."""
        return BORDER + self.n_states // 2 - 1

    @cached_property
    def kernel_params(self) -> Params:
        """The parameters as kernels take them."""
        return Params(
            n_features=self.n_features,
            n_literals=self.n_literals,
            n_words=self.n_words,
            row_words=padded_words_for(self.n_literals),
            state_min=self.state_min,
            state_max=self.state_max,
            boost_true_positive=self.boost_true_positive,
            max_literals=self.n_literals if self.max_literals is None else min(self.max_literals, self.n_literals),
            p_threshold=threshold(1 / self.s),
            T=self.T,
            fixed_weights=self.weight_table.fixed,
            unit=self.vote_unit,
        )

    @property
    def vote_unit(self) -> float:
        """Value of 1 in a sum of votes in fixed point."""
        return self.weight_table.unit

    @cached_property
    def weight_table(self) -> WeightTable:
        """The weights that a clause can have."""
        return WeightTable(self.gamma, self.n_clauses)
