"""The machine of one class: its automata, weights and random state, and an epoch of its training."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple, Self

import numpy as np

from wtm.kernels.direct import DirectState, direct_epoch, direct_shard_block
from wtm.kernels.feedback import include_words
from wtm.kernels.layout import BORDER, EXPONENT_DTYPE, STATE_DTYPE, VECTOR_WORDS, WORD_BITS, WORD_DTYPE
from wtm.kernels.lazy import lazy_epoch, lazy_shard_block
from wtm.kernels.lazy_state import Block, Clauses, new_block, new_clauses
from wtm.kernels.sampling import BINOMIAL, RANDOM_WORDS, Sampler, draw_words
from wtm.kernels.shard_votes import ShardVotes
from wtm.machine.distributions import binomial_table, gap_table, pending_table
from wtm.machine.machine_parameters import SAMPLERS, MachineParameters
from wtm.machine.schedule import Schedule
from wtm.machine.shards import Exchange, TrainBlock, examples_evaluated_at_once

_N_COUNTS = 3


class FeedbackCounts(NamedTuple):
    """What an epoch of a machine reports.

    Attributes
    ----------
    type_i, type_ii : int
        Number of feedbacks of each type.
    weights_saturated : int
        Number of updates that would have left the range of the weights.
    vote_drift : float
        How far the sums of votes that shards used were from the current ones, see `wtm.reference.train_in_blocks`.
    """

    type_i: int
    type_ii: int
    weights_saturated: int
    vote_drift: float = 0.0


@dataclass
class Machine:
    """The machine of one class, or of one number that is predicted; or a shard of its clauses, in training.

    The first half of the clauses has positive polarity, the second half negative.

    Attributes
    ----------
    parameters : MachineParameters
    automata : ndarray of shape (n_clauses * n_words * 64,), uint8
        Automata of each clause, padded to words; layout in `wtm.kernels.feedback`. `states` reads them.
    include_bits : ndarray of shape (n_clauses * n_words + 8,), uint64
        Which literals each clause includes; `include` reads them.
    exponents : ndarray of shape (n_clauses,), int32
        Clause j has the weight (1 + gamma)**exponents[j].
    random : ndarray of shape (18,), uint64
        The random stream's state.
    """

    parameters: MachineParameters
    automata: np.ndarray
    include_bits: np.ndarray
    exponents: np.ndarray
    random: np.ndarray

    parameters_class: ClassVar[type[MachineParameters]] = MachineParameters

    @classmethod
    def new(cls, parameters: MachineParameters, seed: int, index: int) -> Self:
        """Return machine number `index` untrained: all weights are 1, the automata start as `parameters.init` says."""
        stream, start = (np.random.SeedSequence(seed, spawn_key=(purpose, index)) for purpose in (0, 1))
        p = parameters
        automata = np.full((p.n_clauses, p.n_words * WORD_BITS), p.state_min, STATE_DTYPE)
        automata[:, : p.n_literals] = BORDER - 1
        if p.init == "random":
            coins = start.generate_state(p.n_clauses * p.n_words, np.uint64).astype("<u8").view(np.uint8)
            coins = coins.reshape(p.n_clauses, -1)
            automata[:, : p.n_literals] += np.unpackbits(coins, axis=1, count=p.n_literals, bitorder="little")
        random = stream.generate_state(RANDOM_WORDS, np.uint64)
        return cls._with_automata(p, automata, np.zeros(p.n_clauses, EXPONENT_DTYPE), random)

    @classmethod
    def of(cls, parameters: MachineParameters, states: np.ndarray, exponents: np.ndarray, random: np.ndarray) -> Self:
        """Return a machine with copies of the given state.

        Parameters
        ----------
        parameters : MachineParameters
        states : ndarray of shape (n_clauses, n_literals), uint8
            As in the property `states`.
        exponents, random : ndarray
            As in the attributes.

        Raises
        ------
        ValueError
            A state is not below `parameters.n_states`.
        """
        p = parameters
        if states.max() >= p.n_states:
            raise ValueError(f"states must be from 0 to {p.n_states - 1}, got {states.max()}.")
        automata = np.full((p.n_clauses, p.n_words * WORD_BITS), p.state_min, STATE_DTYPE)
        np.add(states, STATE_DTYPE(p.state_min), out=automata[:, : p.n_literals])
        return cls._with_automata(p, automata, exponents.copy(), random.copy())

    @classmethod
    def _with_automata(
        cls, parameters: MachineParameters, automata: np.ndarray, exponents: np.ndarray, random: np.ndarray
    ) -> Self:
        include_bits = np.zeros(len(exponents) * parameters.n_words + VECTOR_WORDS, WORD_DTYPE)
        machine = cls(parameters, automata.ravel(), include_bits, exponents, random)
        include_words(machine.automata, machine.include_bits)
        return machine

    def copy(self, parameters: MachineParameters) -> Self:
        """Return a copy with other `parameters` of the same sizes."""
        arrays = (self.automata, self.include_bits, self.exponents, self.random)
        return type(self)(parameters, *(array.copy() for array in arrays))

    @property
    def n_clauses(self) -> int:
        """Number of clauses; a shard has fewer than its `parameters` say."""
        return len(self.exponents)

    @property
    def polarity(self) -> np.ndarray:
        """+1 or -1 for each clause, int8 of shape (n_clauses,)."""
        return np.repeat(np.array([1, -1], np.int8), self.n_clauses // 2)

    @property
    def weights(self) -> np.ndarray:
        """Weight of each clause, float64 of shape (n_clauses,)."""
        return self.parameters.weight_table.weight(self.exponents)

    @property
    def states(self) -> np.ndarray:
        """State of each automaton, 0 to n_states - 1, uint8 of shape (n_clauses, n_literals); a copy."""
        return self.automata.reshape(self.n_clauses, -1)[:, : self.parameters.n_literals] - STATE_DTYPE(
            self.parameters.state_min
        )

    @property
    def is_empty(self) -> np.ndarray:
        """Whether each clause includes no literal, bool of shape (n_clauses,)."""
        words = self.include_bits[: self.n_clauses * self.parameters.n_words].reshape(self.n_clauses, -1)
        return np.logical_not(words.any(axis=1))

    @property
    def include(self) -> np.ndarray:
        """Which literals each clause includes, bool of shape (n_clauses, n_literals)."""
        words = self.include_bits[: self.n_clauses * self.parameters.n_words].astype("<u8")
        as_bytes = words.view(np.uint8).reshape(self.n_clauses, -1)
        return np.unpackbits(as_bytes, axis=1, count=self.parameters.n_literals, bitorder="little").view(np.bool_)

    def train(
        self, literals: np.ndarray, schedule: Schedule, n_epochs: int = 0, *, n_threads: int = 1
    ) -> FeedbackCounts:
        """Train on the examples of `schedule`, in place.

        Parameters
        ----------
        literals : ndarray of shape (n_rows, n_words), uint64
            See `wtm.machine.examples.Examples`.
        schedule : Schedule
        n_epochs : int, default=0
            Number of epochs trained before, on which the training of some machines depends.
        n_threads : int, default=1
            Threads to train shards with, if there are any. The result does not depend on it.
        """
        p = self.parameters
        if p.n_shards > 1:
            return self._train_in_shards(literals.ravel(), schedule, n_epochs, n_threads)
        counts = np.zeros(_N_COUNTS, np.int64)
        train = self._train_lazy if p.engine == "lazy" else self._train_direct
        train(literals.ravel(), schedule, n_epochs, counts)
        return FeedbackCounts(*counts.tolist())

    def _train_in_shards(
        self, literals: np.ndarray, schedule: Schedule, n_epochs: int, n_threads: int
    ) -> FeedbackCounts:
        p, n_examples = self.parameters, len(schedule.rows)
        counts = np.zeros((p.n_shards, _N_COUNTS), np.int64)
        exchange = Exchange(p.kernel_params, n_examples, p.n_shards, p.vote_block)
        shards = self._split()
        trainers = [
            shard._block_trainer(literals, schedule, n_epochs, votes, count)
            for shard, votes, count in zip(shards, exchange.shards, counts, strict=True)
        ]
        exchange.train(trainers, n_threads)
        self._join(shards)
        type_i, type_ii, weights_saturated = counts.sum(axis=0).tolist()
        return FeedbackCounts(type_i, type_ii, weights_saturated, exchange.drift / max(1, p.n_shards * n_examples))

    def _split(self) -> list[Self]:
        """Return copies of the clauses in shards, whose random streams begin with a draw of the machine's own."""
        drawn = np.empty(2, WORD_DTYPE)
        draw_words(self.random, drawn)
        automata, exponents = self._by_shard()
        shards = []
        for i in range(self.parameters.n_shards):
            stream = np.random.SeedSequence(drawn.tolist(), spawn_key=(i,))
            random = stream.generate_state(RANDOM_WORDS, np.uint64)
            shards.append(
                self._with_automata(self.parameters, automata[:, i].copy(), exponents[:, i].flatten(), random)
            )
        return shards

    def _join(self, shards: list[Self]) -> None:
        """Take over the clauses of the shards."""
        automata, exponents = self._by_shard()
        for i, shard in enumerate(shards):
            automata[:, i] = shard.automata.reshape(automata[:, i].shape)
            exponents[:, i] = shard.exponents.reshape(exponents[:, i].shape)
        include_words(self.automata, self.include_bits)

    def _by_shard(self) -> tuple[np.ndarray, np.ndarray]:
        """Return views of automata and exponents, of shape (2, n_shards, ...): by polarity, then by shard."""
        n_shards = self.parameters.n_shards
        half = self.n_clauses // 2 // n_shards
        return self.automata.reshape(2, n_shards, half, -1), self.exponents.reshape(2, n_shards, half)

    def _block_trainer(
        self, literals: np.ndarray, schedule: Schedule, n_epochs: int, votes: ShardVotes, counts: np.ndarray
    ) -> TrainBlock:
        """Return what trains this shard on a block of votes."""
        rows, targets = schedule
        params = self.parameters.kernel_params
        if self.parameters.engine == "direct":
            state, sampler = self._direct_state(), self._sampler()
            return partial(direct_shard_block, rows, targets, literals, params, sampler, state, votes, counts)
        size = examples_evaluated_at_once(self.parameters.vote_block)
        return partial(lazy_shard_block, rows, targets, size, params, *self._lazy_state(literals), votes, counts)

    def _sampler(self) -> Sampler:
        p = self.parameters
        kind, p_threshold = SAMPLERS[p.sampler], p.kernel_params.p_threshold
        return Sampler(kind, p_threshold, binomial_table(p.n_literals if kind == BINOMIAL else 1, p_threshold))

    def _train_direct(self, literals: np.ndarray, schedule: Schedule, n_epochs: int, counts: np.ndarray) -> None:
        rows, targets = schedule
        params = self.parameters.kernel_params
        direct_epoch(rows, targets, literals, params, self._sampler(), self._direct_state(), counts)

    def _direct_state(self) -> DirectState:
        p = self.parameters
        return DirectState(
            automata=self.automata,
            include=self.include_bits,
            exponents=self.exponents,
            random=self.random,
            votes=p.weight_table.to_fixed(self.exponents) * self.polarity,
            outputs=np.empty(self.n_clauses, np.bool_),
            drawn=np.empty(p.kernel_params.row_words, WORD_DTYPE),
        )

    def _train_lazy(self, literals: np.ndarray, schedule: Schedule, n_epochs: int, counts: np.ndarray) -> None:
        rows, targets = schedule
        lazy_epoch(rows, targets, self.parameters.kernel_params, *self._lazy_state(literals), counts)

    def _lazy_state(self, literals: np.ndarray) -> tuple[Clauses, Block]:
        p = self.parameters
        params = p.kernel_params
        clauses = new_clauses(
            automata=self.automata,
            include=self.include_bits,
            exponents=self.exponents,
            random=self.random,
            weights=p.weight_table.to_fixed(self.exponents),
            pending_table=pending_table(params.p_threshold),
            gap_table=gap_table(params.p_threshold),
        )
        return clauses, new_block(literals, p.n_literals, params.row_words, self.n_clauses, len(clauses.votes))
