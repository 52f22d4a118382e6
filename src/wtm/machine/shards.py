"""Train the clauses of a machine in shards, side by side: what the shards exchange, and their threads.

`wtm.reference.train_in_blocks` defines the process. A shard's work depends on its clauses, its random stream and sums
of votes, which are integers, so the result is the same with any number of threads.
"""

import threading
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from wtm.kernels.layout import BLOCK, VOTE_DTYPE
from wtm.kernels.params import Params
from wtm.kernels.shard_votes import ShardVotes, exchange_votes
from wtm.utils.interruption import run_in_threads

TrainBlock = Callable[[int, int, int], None]
"""Trains a shard on a block of votes and sums its votes on the next, given bounds as in `bounds_of_blocks`."""


def bounds_of_blocks(n_examples: int, vote_block: int) -> list[tuple[int, int, int]]:
    """Return the bounds of an epoch's calls of a kernel such as `wtm.kernels.lazy.lazy_shard_block`.

    Each is (start, stop, end): the shard trains on the examples `start` to `stop`, and then sums its votes on the next
    block, `stop` to `end`. The first call trains on no examples, and the last sums no votes.
    """
    stops = [*range(0, n_examples, vote_block), n_examples]
    return list(zip([0, *stops[:-1]], stops, [*stops[1:], n_examples], strict=True))


def examples_evaluated_at_once(vote_block: int) -> int:
    """Return how many examples an engine evaluates its clauses on: whole blocks of votes."""
    return BLOCK // vote_block * vote_block


class Exchange:
    """The votes of all shards on the examples of a block.

    Parameters
    ----------
    params : wtm.kernels.params.Params
    n_examples, n_shards, vote_block : int

    Attributes
    ----------
    shards : list of ShardVotes
        What each shard reads and writes.
    drift : float
        The sum of the vote drift over examples and shards so far.
    """

    def __init__(self, params: Params, n_examples: int, n_shards: int, vote_block: int) -> None:
        self._params = params
        self._totals, self._slope = np.zeros(vote_block, VOTE_DTYPE), np.zeros(1)
        self._by_shard = np.zeros((3, n_shards, vote_block), VOTE_DTYPE)
        self._bounds = bounds_of_blocks(n_examples, vote_block)
        self._next = iter(self._bounds)
        self.shards = [ShardVotes(self._totals, self._slope, *self._by_shard[:, i]) for i in range(n_shards)]
        self.drift = 0.0

    def train(self, shards: Sequence[TrainBlock], n_threads: int) -> None:
        """Train all shards for an epoch; each thread has the same ones in all blocks.

        If one thread fails, or the main thread is interrupted while it waits for the others, they stop after their
        block.
        """
        n_threads = min(n_threads, len(shards))
        barrier = threading.Barrier(n_threads, action=self._add_up)

        def run(of_thread: Sequence[TrainBlock]) -> None:
            try:
                for bounds in self._bounds:
                    for train_block in of_thread:
                        train_block(*bounds)
                    barrier.wait()
            except threading.BrokenBarrierError:
                return  # another thread failed, and its error is raised
            except BaseException:
                barrier.abort()
                raise

        try:
            run_in_threads([partial(run, shards[i::n_threads]) for i in range(n_threads)], n_threads)
        finally:
            barrier.abort()

    def _add_up(self) -> None:
        start, stop, end = next(self._next)
        sizes = stop - start, end - stop
        self.drift += exchange_votes(*self._by_shard, self._params, *sizes, self._totals, self._slope)
