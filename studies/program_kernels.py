"""The authors' program, draw by draw: one generator for everything, doubles for sums and weights, bit planes.

It repeats the figures of the program's readme to the digit, which shows that its rules are those of wtm.
`wtm.kernels.direct` does the same with exact draws and separate streams.
"""

import math

import numba
import numpy as np

FIRST_STATE = 0xCAFEF00DD15EA5E5
"""The initial state of the generator."""

N_PLANES = 8
"""Bits of an automaton; the last one is set if it includes."""

_INCLUDES = N_PLANES - 1
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_LOW6 = np.uint64(63)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LARGEST = 4294967295.0
_UP = _ZERO
_DOWN = _ALL

_jit = numba.njit(nogil=True, cache=True, _nrt=False)  # no references are counted, as in wtm.kernels


@_jit
def _draw(state):
    """32 random bits: a multiplicative congruential generator with a permuted output."""
    x = state[0]
    state[0] = x * np.uint64(6364136223846793005)
    return ((x ^ (x >> np.uint64(22))) >> (np.uint64(22) + (x >> np.uint64(61)))) & np.uint64(0xFFFFFFFF)


@_jit
def _draw_unit(state):
    """A number from 0 to 1, both included."""
    return (1.0 / _LARGEST) * _draw(state)


@_jit
def _draw_below(state, n):
    return np.int64((np.uint64(n) * _draw(state)) >> np.uint64(32))


@_jit
def _draw_count(state, n, p):
    """A binomial count, in a normal approximation."""
    variance = n * p * (1.0 - p)
    radius = math.sqrt(-2.0 * math.log(_draw_unit(state)) * variance)
    turn = math.sin(2.0 * math.pi * _draw_unit(state))
    if variance == 0.0:  # p is 1: a draw of 0 would make the radius NaN
        return n
    rounded = n * p + radius * turn + 0.5
    return 0 if rounded <= 0.0 else n if rounded >= n else np.int64(rounded)


@_jit
def _draw_mask(state, mask, n_literals, p):
    """Algorithm 1: a count, then as many distinct literals; for more than half, those that are left out."""
    remaining = _draw_count(state, n_literals, p)
    value = _ONE
    if remaining > n_literals // 2:
        remaining = n_literals - remaining
        value = _ZERO
    mask[:] = _ZERO if value == _ONE else _ALL
    while remaining > 0:
        place = _draw_below(state, n_literals)
        bit = _ONE << np.uint64(place & 63)
        if ((mask[place >> 6] & bit) != _ZERO) != (value == _ONE):
            mask[place >> 6] ^= bit
            remaining -= 1


@_jit
def _step(planes, clause, bits, flip):
    """Move the automata of `bits` one up (flip 0) or one down (flip all ones), but not beyond either end.

    Down is up with the ones and zeros of the automata swapped. A carry out of the last plane belongs to automata that
    were at the end, and moves them back to it.
    """
    for w in range(bits.size):
        carry = bits[w]
        for b in range(N_PLANES):
            old = planes[b, clause, w]
            planes[b, clause, w] = old ^ carry
            carry &= old ^ flip
        for b in range(N_PLANES):
            planes[b, clause, w] ^= carry


@_jit
def _is_true(planes, clause, literals, row, empty):
    """Return whether a clause is true; one without literals is `empty`."""
    included = _ZERO
    for w in range(planes.shape[2]):
        include = planes[_INCLUDES, clause, w]
        if include & ~literals[row, w]:
            return False
        included |= include
    return included != _ZERO or empty


@_jit
def _train_machine(planes, weights, literals, row, is_target, p, gamma, T, n_literals, state, fires, mask, step):
    """Give one machine the feedback of one example; even clauses have a positive weight, odd ones a negative weight."""
    total = 0.0
    for clause in range(weights.size):
        fires[clause] = _is_true(planes, clause, literals, row, True)
        if fires[clause]:
            total += weights[clause]
    chance = 0.5 + (-0.5 if is_target else 0.5) * total / T
    tail = _ALL >> ((np.uint64(64) - (np.uint64(n_literals) & _LOW6)) & _LOW6)
    type_i = 0
    for clause in range(weights.size):
        if not _draw_unit(state) < chance:
            continue
        if is_target == (clause % 2 == 0):
            type_i += 1
            _draw_mask(state, mask, n_literals, p)
            if fires[clause]:
                weights[clause] *= 1.0 + gamma
                for w in range(mask.size):
                    step[w] = literals[row, w]
                    mask[w] &= ~literals[row, w]
                step[mask.size - 1] &= tail
                _step(planes, clause, step, _UP)
            mask[mask.size - 1] &= tail
            _step(planes, clause, mask, _DOWN)
        elif fires[clause]:
            weights[clause] /= 1.0 + gamma
            for w in range(mask.size):
                step[w] = ~(planes[_INCLUDES, clause, w] | literals[row, w])
            step[mask.size - 1] &= tail
            _step(planes, clause, step, _UP)
    return type_i


@_jit
def program_epoch(planes, weights, literals, labels, p, gamma, T, n_literals, state, fires, mask, step):
    """Train all machines on all examples, in order: first the machine of another class, then the label's.

    Parameters
    ----------
    planes : ndarray of shape (n_classes, 8, n_clauses, n_words), uint64; IN and OUT
        Bit b of the automata is in plane b.
    weights : ndarray of shape (n_classes, n_clauses), float64; IN and OUT
        Signed.
    literals : ndarray of shape (n_rows, at least n_words), uint64; IN
        See `wtm.machine.examples.Examples`.
    labels : ndarray of shape (n_rows,), int64; IN
    p, gamma, T : float
    n_literals : int
    state : ndarray of shape (1,), uint64; IN and OUT
        State of the generator.
    fires, mask, step : ndarray of shapes (n_clauses,), (n_words,) and (n_words,), bool and uint64
        Scratch.

    Returns
    -------
    type_i : int
        Number of Type I feedbacks.
    """
    type_i = 0
    for row in range(labels.size):
        label = labels[row]
        other = _draw_below(state, weights.shape[0] - 1)
        if other >= label:
            other += 1
        for is_target in (False, True):
            m = label if is_target else other
            type_i += _train_machine(
                planes[m], weights[m], literals, row, is_target, p, gamma, T, n_literals, state, fires, mask, step
            )
    return type_i


@_jit
def program_accuracy(planes, weights, literals, labels):
    """Return the share of rows whose label has the largest sum (ties: the first); parameters as in `program_epoch`."""
    n_right = 0
    for row in range(labels.size):
        best, largest = 0, -math.inf
        for m in range(weights.shape[0]):
            total = 0.0
            for clause in range(weights.shape[1]):
                if _is_true(planes[m], clause, literals, row, False):
                    total += weights[m, clause]
            if total > largest:
                best, largest = m, total
        n_right += best == labels[row]
    return n_right / labels.size


@_jit
def program_sample(state, rows, n_drawn):
    """Draw the training rows that the program measures itself on: the first `n_drawn` of `rows`, which is shuffled."""
    for i in range(n_drawn):
        drawn = i + _draw_below(state, rows.size - i)
        rows[i], rows[drawn] = rows[drawn], rows[i]
