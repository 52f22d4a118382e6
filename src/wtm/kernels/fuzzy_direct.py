"""An epoch of a machine of fuzzy clauses: every clause of every example, one after the other."""

from typing import NamedTuple

import numpy as np

from wtm.kernels.direct import error_of, move_weight, update_threshold
from wtm.kernels.feedback import N_SATURATED, N_TYPE_I, N_TYPE_II, type_i_false, type_ii
from wtm.kernels.fuzzy_feedback import count_included, type_i_fuzzy
from wtm.kernels.fuzzy_votes import most_votes
from wtm.kernels.jit import inline, kernel
from wtm.kernels.sampling import fill_mask, next_word
from wtm.kernels.shard_votes import use_votes
from wtm.kernels.simd import load, popcount_words, sum_words


class FuzzyParams(NamedTuple):
    """What a machine of fuzzy clauses has besides `wtm.kernels.params.Params`.

    Attributes
    ----------
    failures : int
        LF: with this many false literals or more, a clause has no vote.
    budget : int
        L: Type I feedback adds no literals to a clause that includes this many.
    moves_weights : bool
        Whether weights are learnt.
    """

    failures: int
    budget: int
    moves_weights: bool


class FuzzyDirectState(NamedTuple):
    """The machine, and buffers: as `wtm.kernels.direct.DirectState`, where nothing else is said.

    Attributes
    ----------
    counts : ndarray of shape (n_clauses,), int64
        Votes of each clause on the current example, from 0 to LF.
    n_included : ndarray of shape (n_clauses,), int64
        Number of literals that each clause includes.
    """

    automata: np.ndarray
    include: np.ndarray
    exponents: np.ndarray
    random: np.ndarray
    votes: np.ndarray
    counts: np.ndarray
    n_included: np.ndarray
    drawn: np.ndarray


@inline
def _clause_votes(include, clause, n_included, literals, row, n_words, failures):
    """Votes of a clause on an example (`reference.clause_votes` in training).

    As in `wtm.kernels.evaluate.clause_fires`, the last vector may extend into the next clause.
    """
    most = most_votes(n_included, failures)
    n_false = 0
    for w in range(0, n_words, 8):
        n_false += sum_words(popcount_words(load(include, clause * n_words + w) & ~load(literals, row + w)))
        if n_false >= most:
            return 0
    return most - n_false


@inline
def _sum_of_votes(literals, row, params, fuzzy, state):
    """Count the votes of the clauses on an example, and add them up (`reference.FuzzyMachine`, in fixed point)."""
    total = np.int64(0)
    for clause in range(state.exponents.size):
        n_included = state.n_included[clause]
        found = _clause_votes(state.include, clause, n_included, literals, row, params.n_words, fuzzy.failures)
        state.counts[clause] = found
        total += state.votes[clause] * found
    return total


@inline
def _train_example(literals, row, total, target, params, fuzzy, sampler, state, counts):
    """Give feedback to clauses whose votes on an example were counted, and add up to `total`."""
    automata, include, exponents, random, votes, clause_counts, n_included, drawn = state
    n_clauses, n_words = exponents.size, params.n_words
    error = error_of(total, params, target)
    update = update_threshold(error, params)
    if update == 0:
        return
    for clause in range(n_clauses):
        if np.int64(next_word(random) >> np.uint64(32)) >= update:
            continue
        is_type_i = (clause < n_clauses // 2) == (error > 0)
        step = 1 if is_type_i else -1
        if clause_counts[clause] == 0:
            if is_type_i:
                counts[N_TYPE_I] += 1
                fill_mask(random, drawn, params.n_literals, sampler)
                type_i_false(automata, include, clause, drawn, params)
                n_included[clause] = count_included(include, clause, n_words)
            continue
        if is_type_i:
            counts[N_TYPE_I] += 1
            has_room = n_included[clause] < fuzzy.budget
            type_i_fuzzy(automata, include, clause, literals, row, has_room, params)
        else:
            counts[N_TYPE_II] += 1
            type_ii(automata, include, clause, literals, row, params)
        n_included[clause] = count_included(include, clause, n_words)
        if fuzzy.moves_weights:
            counts[N_SATURATED] += move_weight(exponents, votes, clause, clause, step, params.fixed_weights)


@kernel
def fuzzy_direct_epoch(rows, targets, literals, params, fuzzy, sampler, state, counts):
    """Train one machine on the examples that it sees, in order (`reference.FuzzyMachine.train`).

    Parameters
    ----------
    rows, targets, literals, params, sampler, counts
        As in `wtm.kernels.direct.direct_epoch`. ``params.unit`` is the value of one vote in fixed point.
    fuzzy : FuzzyParams; IN
    state : FuzzyDirectState; IN and OUT
    """
    for example in range(rows.size):
        row = rows[example] * params.row_words
        total = _sum_of_votes(literals, row, params, fuzzy, state)
        _train_example(literals, row, total, targets[example], params, fuzzy, sampler, state, counts)


@kernel
def fuzzy_direct_shard_block(rows, targets, literals, params, fuzzy, sampler, state, votes, counts, start, stop, end):
    """Train a shard on the examples `start` to `stop`, then sum its votes on those from `stop` to `end`.

    Parameters
    ----------
    rows, targets, literals, params, fuzzy, sampler, state, counts
        See `fuzzy_direct_epoch`; `state` is that of the shard.
    votes, start, stop, end
        See `wtm.kernels.lazy.lazy_shard_block`.
    """
    for i in range(stop - start):
        row = rows[start + i] * params.row_words
        total = use_votes(votes, i, _sum_of_votes(literals, row, params, fuzzy, state))
        _train_example(literals, row, total, targets[start + i], params, fuzzy, sampler, state, counts)
    for i in range(end - stop):
        row = rows[stop + i] * params.row_words
        votes.at_start[i] = _sum_of_votes(literals, row, params, fuzzy, state)
