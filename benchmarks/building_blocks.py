"""The lazy engine's building blocks, each timed alone; and what the machine can do at best.

All that is known here of the kernels' insides is in the functions under "Kernels".
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core.caching import NullCache

from wtm.kernels.jit import kernel
from wtm.kernels.layout import BLOCK
from wtm.kernels.lazy_outputs import begin_block, evaluate_block
from wtm.kernels.lazy_state import Block, Clauses, new_block, new_clauses
from wtm.kernels.pending import flush, flush_and_update
from wtm.kernels.records import by_reference, far
from wtm.kernels.sampling import bernoulli_vector, next_vector
from wtm.kernels.simd import any_set, load, splat, store
from wtm.machine.class_machine import Machine
from wtm.machine.distributions import gap_table, pending_table
from wtm.machine.examples import Examples
from wtm.machine.machine_parameters import MachineParameters
from wtm.machine.schedule import Schedule

__all__ = ["BuildingBlocks", "Limits", "measure_limits"]

_ROUNDS = 3
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def _measured(func: Callable[..., Any]) -> Any:
    """Compile a kernel that is not kept on disk: these are called a few times only.

    With Numba's own decorator, processes that had compiled other kernels crashed; it leaves inner functions public.
    """
    compiled = kernel(func)
    compiled._cache = NullCache()
    return compiled


class BuildingBlocks:
    """One machine's share of an epoch, part by part. Measurements work on copies: the machine stays as it is."""

    def __init__(self, examples: Examples, machine: Machine, schedule: Schedule) -> None:
        self._machine, self._rows = machine, schedule.rows
        self._literals = examples.literals.ravel()
        self._order = np.random.default_rng(0).permutation(machine.n_clauses)
        self._params = machine.parameters.kernel_params

    def time_columns(self) -> float:
        """Seconds to transpose all blocks."""
        return self._time_blocks(evaluates=False)

    def time_outputs(self) -> float:
        """Seconds to evaluate all clauses on all blocks, as if training did not change them."""
        return max(0.0, self._time_blocks(evaluates=True) - self.time_columns())

    def count_ands(self) -> int:
        """Watched literals of all clauses, summed over all blocks: each is an AND."""
        return _visit_blocks(self._rows, self._params, *self._state(), True)

    def time_selection(self, groups: int) -> float:
        """Seconds to draw sets of selected clauses, `groups` vectors for each example."""
        random, n_draws = self._machine.random.copy(), groups * len(self._rows)
        update = int(0.1 * 2**32)
        return _median_seconds(lambda: _draw_sets(random, update, n_draws))

    def time_updates(self, n_pending: int, share_type_i: float) -> float:
        """Seconds to update every clause as if it were true, with `n_pending` feedbacks pending, in random order."""
        return self._time_in_random_order(n_pending, round(share_type_i * len(self._order)), True)

    def time_flushes(self, n_pending: int) -> float:
        """Seconds to flush every clause, with `n_pending` feedbacks pending, in random order."""
        return self._time_in_random_order(n_pending, 0, False)

    def count_words_off_floor(self) -> int:
        """Words of 64 automata of which at least one is not in the lowest state."""
        p = self._machine.parameters
        return int((self._machine.automata.reshape(-1, 64) > p.state_min).any(axis=1).sum())

    def _time_blocks(self, *, evaluates: bool) -> float:
        clauses, block = self._state()
        return _median_seconds(
            lambda: _visit_blocks(self._rows, self._params, clauses, block, evaluates),
            before=lambda: _clear_watch_lists(clauses),
        )

    def _state(self) -> tuple[Clauses, Block]:
        """Return the engine's state at the start of the epoch, for a copy of the machine."""
        machine = self._machine.copy(self._machine.parameters)
        p, weights = machine.parameters, machine.parameters.weight_table.to_fixed(machine.exponents)
        tables = pending_table(self._params.p_threshold), gap_table(self._params.p_threshold)
        arrays = machine.automata, machine.include_bits, machine.exponents, machine.random
        clauses = new_clauses(*arrays, weights, *tables)
        block = new_block(self._literals, p.n_literals, self._params.row_words, p.n_clauses, len(clauses.votes))
        return clauses, block

    def _time_in_random_order(self, n_pending: int, n_type_i: int, updates: bool) -> float:
        clauses, block = self._state()
        for buffer in (block.watched, block.raised):
            buffer.fill(0)

        def restore() -> None:
            np.copyto(clauses.automata, self._machine.automata)
            np.copyto(clauses.include, self._machine.include_bits)

        return _median_seconds(
            lambda: _flush_all(self._order, self._rows, clauses, block, self._params, n_pending, n_type_i, updates),
            before=restore,
        )


@dataclass(frozen=True)
class Limits:
    """What this machine does at best, measured.

    Attributes
    ----------
    bytes_per_second : float
        Read and written in order, beyond the caches.
    seconds_per_clause_byte : float
        To read and write the automata of clauses in random order.
    clause_bytes : int
        Size of a clause's automata.
    seconds_per_and : float
        For an AND of 512 bits with a vector in the cache.
    seconds_per_random_vector : float
        For 512 random bits.
    """

    bytes_per_second: float
    seconds_per_clause_byte: float
    clause_bytes: int
    seconds_per_and: float
    seconds_per_random_vector: float


def measure_limits(parameters: MachineParameters) -> Limits:
    """Measure them, for clauses of this size and as many as a machine has."""
    large = np.zeros(1 << 24, np.uint64)
    clause_bytes = parameters.n_words * 64
    automata = np.zeros(parameters.n_clauses * clause_bytes // 8, np.uint64)
    order = np.random.default_rng(0).permutation(parameters.n_clauses)
    in_order = np.arange(len(large) // 512)
    ones, result = np.full(2048, _ALL), np.zeros(8, np.uint64)
    n_ands, n_draws = 1 << 22, 1 << 20
    random = np.arange(1, 19, dtype=np.uint64)
    return Limits(
        bytes_per_second=2 * large.nbytes / _median_seconds(lambda: _flip(large, in_order, 512)),
        seconds_per_clause_byte=_median_seconds(lambda: _flip(automata, order, clause_bytes // 8)) / automata.nbytes,
        clause_bytes=clause_bytes,
        seconds_per_and=_median_seconds(lambda: _and_all(ones, n_ands, result)) / n_ands,
        seconds_per_random_vector=_median_seconds(lambda: _draw_vectors(random, n_draws)) / n_draws,
    )


def _clear_watch_lists(clauses: Clauses) -> None:
    for array in (clauses.n_watched, clauses.n_included, clauses.fully_watched):
        array.fill(0)


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


@_measured
def _visit_blocks(rows, params, clauses, block, evaluates):
    """Transpose each block and evaluate all clauses on it; returns the sum of their numbers of watched literals."""
    params, clauses, block = by_reference(params), by_reference(clauses), by_reference(block)
    n_watched = 0
    for start in range(0, rows.size, BLOCK):
        count = min(BLOCK, rows.size - start)
        begin_block(block, params, rows, start, count)
        if evaluates:
            evaluate_block(clauses, block, params)
            for slot in range(clauses.n_included.size):
                n_watched += clauses.n_included[slot]
    return n_watched


@_measured
def _draw_sets(random, update, n_draws):
    for _ in range(n_draws):
        bernoulli_vector(random, update)


@_measured
def _flush_all(order, rows, clauses, block, params, n_pending, n_type_i, updates):
    params, clauses, block = by_reference(params), by_reference(clauses), by_reference(block)
    for i in range(order.size):
        if updates:
            row = rows[i % rows.size] * params.row_words
            flush_and_update(clauses, block, params, order[i], n_pending, row, i < n_type_i)
        else:
            flush(far(clauses), far(block), far(params), order[i], n_pending)


@_measured
def _flip(words, order, size):
    """Read and write pieces of `size` words in the given order."""
    for i in range(order.size):
        for at in range(order[i] * size, order[i] * size + size, 8):
            store(words, at, ~load(words, at))


@_measured
def _and_all(ones, n_ands, result):
    """ANDs with early exit, as in a clause that stays true."""
    fires = load(ones, 0)
    for i in range(n_ands):
        fires = fires & load(ones, (i & 255) * 8)
        if not any_set(fires):
            break
    store(result, 0, fires)


@_measured
def _draw_vectors(random, n_draws):
    a, b = load(random, 0), load(random, 8)
    total = splat(np.uint64(0))
    for _ in range(n_draws):
        drawn, a, b = next_vector(a, b)
        total = total ^ drawn
    store(random, 0, a ^ total)
    store(random, 8, b)
