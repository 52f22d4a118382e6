"""The votes that the shards of a machine exchange: each knows those of the others as of the start of a block.

`reference.train_in_blocks` defines the process. All sums are integers, so they do not depend on who adds them up.
"""

from typing import NamedTuple

import numpy as np

from wtm.kernels.jit import inline, kernel
from wtm.kernels.vote_sums import clamped


class ShardVotes(NamedTuple):
    """Sums of votes in fixed point on the examples of a block of votes, as a shard sees them.

    Attributes
    ----------
    totals : ndarray of shape (vote_block,), int64
        The sums of all shards at the start of the block; shared by the shards, which only read it.
    at_start, at_turn : ndarray of shape (vote_block,), int64
        The shard's own sums at the start of the block, and at the turn of each example.
    used : ndarray of shape (vote_block,), int64
        The sums that feedback depended on.
    """

    totals: np.ndarray
    at_start: np.ndarray
    at_turn: np.ndarray
    used: np.ndarray


@inline
def use_votes(votes, i, own):
    """Return the sum of votes on example i of the block for a shard whose own sum is `own` now, and record both."""
    total = votes.totals[i] - votes.at_start[i] + own
    votes.at_turn[i] = own
    votes.used[i] = total
    return total


@kernel
def exchange_votes(at_start, at_turn, used, params, n_trained, n_next, totals):
    """Add up the votes of all shards for the next block, once the shards are done with the last.

    Parameters
    ----------
    at_start, at_turn, used : ndarray of shape (n_shards, vote_block), int64; IN
    params : wtm.kernels.params.Params; IN
    n_trained, n_next : int
        Number of examples of the last block, and of the next.
    totals : ndarray of shape (vote_block,), int64; OUT

    Returns
    -------
    float
        How far the clamped sums that the shards used were from those of the current votes of all, as shares of T: the
        sum over examples and shards of the last block.
    """
    n_shards = at_start.shape[0]
    drift = 0.0
    for i in range(n_trained):
        current = np.int64(0)
        for shard in range(n_shards):
            current += at_turn[shard, i]
        for shard in range(n_shards):
            drift += abs(clamped(used[shard, i], params) - clamped(current, params)) / params.T
    for i in range(n_next):
        totals[i] = 0
        for shard in range(n_shards):
            totals[i] += at_start[shard, i]
    return drift
