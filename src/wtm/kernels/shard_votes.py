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
    slope : ndarray of shape (1,), float64
        The sums of the other shards are expected to change by this multiple of the change of the own; shared likewise.
    at_start : ndarray of shape (vote_block,), int64
        The shard's own sums at the start of the block.
    changes : ndarray of shape (vote_block,), int64
        How much the own sums had changed at the turn of each example.
    used : ndarray of shape (vote_block,), int64
        The sums that feedback depended on.
    """

    totals: np.ndarray
    slope: np.ndarray
    at_start: np.ndarray
    changes: np.ndarray
    used: np.ndarray


@inline
def use_votes(votes, i, own):
    """Return the sum of votes on example i of the block for a shard whose own sum is `own` now, and record it."""
    change = own - votes.at_start[i]
    total = votes.totals[i] + change + np.int64(votes.slope[0] * change)
    votes.changes[i] = change
    votes.used[i] = total
    return total


@kernel
def exchange_votes(at_start, changes, used, params, n_trained, n_next, totals, slope):
    """Add up the votes of all shards for the next block, once the shards are done with the last.

    Parameters
    ----------
    at_start, changes, used : ndarray of shape (n_shards, vote_block), int64; IN
        The first of the next block, the others of the last.
    params : wtm.kernels.params.Params; IN
    n_trained, n_next : int
        Number of examples of the last block, and of the next.
    totals : ndarray of shape (vote_block,), int64; IN and OUT
        Of the last block, then of the next.
    slope : ndarray of shape (1,), float64; IN and OUT
        See `reference.change_of_others`. Sums of floats, in a fixed order, so that squares can't overflow.

    Returns
    -------
    float
        How far the clamped sums that the shards used were from those of the current votes of all, as shares of T: the
        sum over examples and shards of the last block.
    """
    n_shards = at_start.shape[0]
    drift, squares, products = 0.0, 0.0, 0.0
    for i in range(n_trained):
        change_of_all = np.int64(0)
        for shard in range(n_shards):
            change_of_all += changes[shard, i]
        current = clamped(totals[i] + change_of_all, params)
        for shard in range(n_shards):
            own = np.float64(changes[shard, i])
            squares += own * own
            products += own * np.float64(change_of_all - changes[shard, i])
            drift += abs(clamped(used[shard, i], params) - current) / params.T
    if squares > 0:
        slope[0] = min(max(products / squares, 0.0), n_shards - 1.0)
    for i in range(n_next):
        totals[i] = 0
        for shard in range(n_shards):
            totals[i] += at_start[shard, i]
    return drift
