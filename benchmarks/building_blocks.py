"""The lazy engine's building blocks, each timed alone; and what the machine can do at best.

All that is known here of the kernels' insides is in the functions under "Kernels".
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wtm.binomial import binomial_table, pending_table
from wtm.features import Examples
from wtm.kernels.bits import BLOCK, transpose_block
from wtm.kernels.evaluate import list_literals
from wtm.kernels.feedback import type_i_true, type_ii
from wtm.kernels.jit import function
from wtm.kernels.pending import catch_up
from wtm.kernels.sampling import BITS, bernoulli_vector, fill_mask, next_vector
from wtm.kernels.simd import any_set, load, splat, store
from wtm.machine import Machine, MachineParameters
from wtm.schedule import ClassSchedule

__all__ = ["BuildingBlocks", "Limits", "measure_limits"]

_ROUNDS = 3
_IN_CACHE = 2  # clauses
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class BuildingBlocks:
    """One machine's share of an epoch, part by part. Measurements work on copies: the machine stays as it is."""

    def __init__(self, examples: Examples, machine: Machine, schedule: ClassSchedule) -> None:
        self._machine, self._rows = machine, schedule.rows
        self._literals, self._row_words = examples.literals.ravel(), examples.literals.shape[1]
        p = machine.parameters
        self._tile, self._columns = np.empty(64, np.uint64), np.empty(p.n_literals * 8, np.uint64)
        self._ends = np.zeros(p.n_clauses + 1, np.int64)
        list_literals(machine.include_bits, p.n_clauses, p.n_words, self._ends, np.empty(0, np.int32))
        self._listed = np.empty(max(1, self._ends[-1]), np.int32)
        list_literals(machine.include_bits, p.n_clauses, p.n_words, self._ends, self._listed)
        self._order = np.random.default_rng(0).permutation(p.n_clauses)

    def time_columns(self) -> float:
        """Seconds to transpose all blocks."""
        return _median_seconds(lambda: self._blocks(False))

    def time_outputs(self) -> float:
        """Seconds to evaluate all clauses on all blocks."""
        return max(0.0, _median_seconds(lambda: self._blocks(True)) - self.time_columns())

    def count_ands(self) -> int:
        """Literals that are looked at when all clauses are evaluated on all blocks."""
        return self._blocks(True)

    def time_selection(self, groups: int) -> float:
        """Seconds to draw sets of selected clauses, `groups` vectors for each example."""
        random, n_draws = self._machine.random.copy(), groups * len(self._rows)
        update = int(0.1 * 2**32)
        return _median_seconds(lambda: _draw_sets(random, update, n_draws))

    def time_payments(self, owed: int) -> float:
        """Seconds to give every clause `owed` feedbacks that it is owed, in random order."""
        rules, machine = self._machine.parameters.rules, self._machine.copy(self._machine.parameters)
        table, settled = pending_table(rules.p_threshold), np.zeros(rules.row_words, np.uint64)
        limits = np.empty(256, np.int16)
        return _median_seconds(
            lambda: _pay(
                self._order, owed, machine.automata, machine.include_bits, machine.random, rules, table, settled, limits
            ),
            before=lambda: np.copyto(machine.automata, self._machine.automata),
        )

    def time_feedback(self, share_type_i: float) -> float:
        """Seconds for as many feedbacks as there are clauses, as to true ones whose automata are in the cache."""
        rules, machine = self._machine.parameters.rules, self._machine.copy(self._machine.parameters)
        binomial, mask = binomial_table(1, rules.p_threshold), np.zeros(rules.row_words, np.uint64)
        n_type_i, few = round(share_type_i * len(self._order)), self._order % _IN_CACHE
        return _median_seconds(
            lambda: _feed(
                few, n_type_i, machine.automata, machine.include_bits, machine.random, rules, binomial, mask,
                self._literals, self._rows, self._row_words,
            )
        )  # fmt: skip

    def count_words_off_floor(self) -> int:
        """Words of 64 automata of which at least one is not in the lowest state."""
        p = self._machine.parameters
        return int((self._machine.automata.reshape(-1, 64) > p.lowest).any(axis=1).sum())

    def _blocks(self, evaluate: bool) -> int:
        p = self._machine.parameters
        return _visit_blocks(
            self._literals, self._row_words, self._rows, p.n_features, self._tile, self._columns, self._ends,
            self._listed, p.n_clauses if evaluate else 0, np.zeros(8, np.uint64),
        )  # fmt: skip


@dataclass(frozen=True)
class Limits:
    """What this machine does at best, measured.

    Attributes
    ----------
    bytes_a_second : float
        Read and written in order, beyond the caches.
    seconds_a_clause_byte : float
        To read and write the automata of clauses in random order.
    clause_bytes : int
        Size of a clause's automata.
    seconds_a_cached_word : float
        To read and write 64 automata in the cache.
    seconds_an_and : float
        For an AND of 512 bits with a vector in the cache.
    seconds_a_random_vector : float
        For 512 random bits.
    """

    bytes_a_second: float
    seconds_a_clause_byte: float
    clause_bytes: int
    seconds_a_cached_word: float
    seconds_an_and: float
    seconds_a_random_vector: float


def measure_limits(parameters: MachineParameters) -> Limits:
    """Measure them, for clauses of this size and as many as a machine has."""
    large = np.zeros(1 << 24, np.uint64)
    clause_bytes = parameters.n_words * 64
    automata = np.zeros(parameters.n_clauses * clause_bytes // 8, np.uint64)
    order = np.random.default_rng(0).permutation(parameters.n_clauses)
    in_order = np.arange(len(large) // 512)
    few = np.arange(1 << 14) % _IN_CACHE
    ones, result = np.full(2048, _ALL), np.zeros(8, np.uint64)
    n_ands, n_draws = 1 << 22, 1 << 20
    random = np.arange(1, 19, dtype=np.uint64)
    return Limits(
        bytes_a_second=2 * large.nbytes / _median_seconds(lambda: _flip(large, in_order, 512)),
        seconds_a_clause_byte=_median_seconds(lambda: _flip(automata, order, clause_bytes // 8)) / automata.nbytes,
        clause_bytes=clause_bytes,
        seconds_a_cached_word=_median_seconds(lambda: _flip(automata, few, clause_bytes // 8))
        / (len(few) * parameters.n_words),
        seconds_an_and=_median_seconds(lambda: _and_all(ones, n_ands, result)) / n_ands,
        seconds_a_random_vector=_median_seconds(lambda: _draw_vectors(random, n_draws)) / n_draws,
    )


def _median_seconds(action: Callable[[], Any], before: Callable[[], Any] = lambda: None) -> float:
    """Median seconds of `action`, each time after `before`; the first time, which compiles, does not count."""
    seconds = []
    for _ in range(1 + _ROUNDS):
        before()
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return float(np.median(seconds[1:]))


# --- Kernels -------------------------------------------------------------------------------------------------


@function
def _visit_blocks(
    literals, row_words, rows, n_features, tile, columns, clause_ends, literal_list, n_clauses, result
):  # fmt: skip
    """Transpose each block and evaluate clauses on it; returns the number of ANDs."""
    n_ands = 0
    for start in range(0, rows.size, BLOCK):
        count = min(BLOCK, rows.size - start)
        transpose_block(literals, row_words, rows, start, count, n_features, tile, columns)
        for clause in range(n_clauses):
            fires = splat(_ALL)
            for i in range(clause_ends[clause], clause_ends[clause + 1]):
                n_ands += 1
                fires = fires & load(columns, literal_list[i] * 8)
                if not any_set(fires):
                    break
            store(result, 0, load(result, 0) ^ fires)
    return n_ands


@function
def _draw_sets(random, update, n_draws):
    for _ in range(n_draws):
        bernoulli_vector(random, update)


@function
def _pay(order, owed, automata, include, random, rules, table, settled, limits):
    for i in range(order.size):
        catch_up(automata, include, order[i], owed, settled, random, rules, table, limits)


@function
def _feed(order, n_type_i, automata, include, random, rules, binomial, mask, literals, rows, row_words):
    for i in range(order.size):
        row = rows[i % rows.size] * row_words
        if i < n_type_i:
            fill_mask(random, mask, rules.n_literals, BITS, rules.p_threshold, binomial)
            type_i_true(automata, include, order[i], literals, row, mask, rules)
        else:
            type_ii(automata, include, order[i], literals, row, mask, rules)


@function
def _flip(words, order, size):
    """Read and write pieces of `size` words in the given order."""
    for i in range(order.size):
        for at in range(order[i] * size, order[i] * size + size, 8):
            store(words, at, ~load(words, at))


@function
def _and_all(ones, n_ands, result):
    """ANDs with early exit, as in a clause that stays true."""
    fires = load(ones, 0)
    for i in range(n_ands):
        fires = fires & load(ones, (i & 255) * 8)
        if not any_set(fires):
            break
    store(result, 0, fires)


@function
def _draw_vectors(random, n_draws):
    a, b = load(random, 0), load(random, 8)
    total = splat(np.uint64(0))
    for _ in range(n_draws):
        drawn, a, b = next_vector(a, b)
        total = total ^ drawn
    store(random, 0, a ^ total)
    store(random, 8, b)
