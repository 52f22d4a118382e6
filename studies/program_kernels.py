"""The authors' program, draw by draw: one generator for everything, doubles for sums and weights, bit planes.

It repeats the figures of the program's readme to the digit, which shows that its rules are those of wtm.
`wtm.kernels.direct` does the same with exact draws and separate streams.
"""

import math

import numba
import numpy as np

from wtm.kernels.simd import any_set, count_trailing_zeros, load, splat, store

FIRST_STATE = 0xCAFEF00DD15EA5E5
"""The initial state of the generator."""

N_PLANES = 7
"""Bits of an automaton besides the last one, which is set if it includes."""

BLOCK = 512
"""Examples that a clause is evaluated for at once."""

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
def _step(planes, includes, clause, bits, flip):
    """Move the automata of `bits` one up (flip 0) or one down (flip all ones), but not beyond either end.

    Down is up with the ones and zeros of the automata swapped. A carry out of the last bit belongs to automata that
    were at the end, and moves them back to it. `bits` is overwritten; returns whether the clause is another one.
    """
    changed = _ZERO
    for b in range(N_PLANES):
        for w in range(bits.size):
            old = planes[clause, b, w]
            planes[clause, b, w] = old ^ bits[w]
            bits[w] &= old ^ flip
    for w in range(bits.size):
        at_end = bits[w] & (includes[clause, w] ^ flip)
        includes[clause, w] ^= bits[w] ^ at_end
        changed |= bits[w] ^ at_end
        bits[w] = at_end
    for b in range(N_PLANES):
        for w in range(bits.size):
            planes[clause, b, w] ^= bits[w]
    return changed != _ZERO


@_jit
def _evaluate(includes, clause, columns, first_column, words):
    """Set bit i of `words` to the output of a clause for example i of a block; without literals it is true."""
    fires = splat(_ALL)
    for w in range(includes.shape[1]):
        remaining = includes[clause, w]
        if remaining == _ZERO:
            continue
        while remaining != _ZERO:
            fires = fires & load(columns, (first_column + w * 64 + count_trailing_zeros(remaining)) * 8)
            remaining &= remaining - _ONE
        if not any_set(fires):
            break
    store(words, 0, fires)


@_jit
def _evaluate_again(includes, clause, columns, first_column, words, outputs):
    """Set the outputs of a clause for the examples of a block: bit i % 64 of ``outputs[i // 64, clause]``."""
    _evaluate(includes, clause, columns, first_column, words)
    for i in range(words.size):
        outputs[i, clause] = words[i]


@_jit
def _train_machine(machine, row, literals, columns, is_target, feedback, state, words, mask, step):
    """Give one machine the feedback of one example; even clauses have a positive weight, odd ones a negative weight."""
    planes, includes, weights, outputs = machine
    p, gamma, T, n_literals = feedback
    first_column = row // BLOCK * n_literals
    place, bit = row % BLOCK // 64, np.uint64(row % 64)
    total = 0.0
    for clause in range(weights.size):
        if outputs[place, clause] >> bit & _ONE:
            total += weights[clause]
    chance = 0.5 + (-0.5 if is_target else 0.5) * total / T
    tail = _ALL >> ((np.uint64(64) - (np.uint64(n_literals) & _LOW6)) & _LOW6)
    type_i = 0
    for clause in range(weights.size):
        if not _draw_unit(state) < chance:
            continue
        fires = outputs[place, clause] >> bit & _ONE
        changed = False
        if is_target == (clause % 2 == 0):
            type_i += 1
            _draw_mask(state, mask, n_literals, p)
            if fires:
                weights[clause] *= 1.0 + gamma
                for w in range(mask.size):
                    step[w] = literals[row, w]
                    mask[w] &= ~literals[row, w]
                step[mask.size - 1] &= tail
                changed = _step(planes, includes, clause, step, _UP)
            mask[mask.size - 1] &= tail
            changed |= _step(planes, includes, clause, mask, _DOWN)
        elif fires:
            weights[clause] /= 1.0 + gamma
            for w in range(mask.size):
                step[w] = ~(includes[clause, w] | literals[row, w])
            step[mask.size - 1] &= tail
            changed = _step(planes, includes, clause, step, _UP)
        if changed:
            _evaluate_again(includes, clause, columns, first_column, words, outputs)
    return type_i


@_jit
def program_epoch(planes, includes, weights, literals, columns, labels, feedback, state, outputs, words, mask, step):
    """Train all machines on all examples, in order: first the machine of another class, then the label's.

    Parameters
    ----------
    planes : ndarray of shape (n_classes, n_clauses, 7, n_words), uint64; IN and OUT
        Bit b of the automata is in plane b.
    includes : ndarray of shape (n_classes, n_clauses, n_words), uint64; IN and OUT
        Their last bit.
    weights : ndarray of shape (n_classes, n_clauses), float64; IN and OUT
        Signed.
    literals : ndarray of shape (n_rows, at least n_words), uint64; IN
        See `wtm.machine.examples.Examples`.
    columns : ndarray of shape (n_blocks * n_literals * 8,), uint64; IN
        The same by literal, in blocks of 512 examples: bit i % 64 of word i // 64 of the eight words of a literal in a
        block is that of the block's example i.
    labels : ndarray of shape (n_rows,), int64; IN
    feedback : tuple of (float, float, float, int)
        p, gamma, T and the number of literals.
    state : ndarray of shape (1,), uint64; IN and OUT
        State of the generator.
    outputs, words, mask, step : ndarray of shapes (n_classes, 8, n_clauses), (8,), (n_words,) and (n_words,), uint64
        Scratch.

    Returns
    -------
    type_i : int
        Number of Type I feedbacks.
    """
    type_i = 0
    for row in range(labels.size):
        # Outputs are kept for a block of examples, and those of a clause are found again when it changes.
        if row % BLOCK == 0:
            for m in range(weights.shape[0]):
                for clause in range(weights.shape[1]):
                    _evaluate_again(includes[m], clause, columns, row // BLOCK * feedback[3], words, outputs[m])
        label = labels[row]
        other = _draw_below(state, weights.shape[0] - 1)
        if other >= label:
            other += 1
        for is_target in (False, True):
            m = label if is_target else other
            machine = planes[m], includes[m], weights[m], outputs[m]
            type_i += _train_machine(machine, row, literals, columns, is_target, feedback, state, words, mask, step)
    return type_i


@_jit
def program_accuracy(includes, weights, columns, n_literals, labels, words, totals):
    """Return the share of rows whose label has the largest sum (ties: the first).

    Parameters
    ----------
    includes, weights, columns, labels, words
        As in `program_epoch`.
    n_literals : int
    totals : ndarray of shape (n_classes, 512), float64
        Scratch.
    """
    n_right = 0
    for first in range(0, labels.size, BLOCK):
        totals[:] = 0.0
        for m in range(weights.shape[0]):
            for clause in range(weights.shape[1]):
                if not includes[m, clause].any():
                    continue
                _evaluate(includes[m], clause, columns, first // BLOCK * n_literals, words)
                for i in range(words.size):
                    remaining = words[i]
                    while remaining != _ZERO:
                        totals[m, i * 64 + count_trailing_zeros(remaining)] += weights[m, clause]
                        remaining &= remaining - _ONE
        for row in range(first, min(first + BLOCK, labels.size)):
            n_right += totals[:, row - first].argmax() == labels[row]
    return n_right / labels.size


@_jit
def program_sample(state, rows, n_drawn):
    """Draw the training rows that the program measures itself on: the first `n_drawn` of `rows`, which is shuffled."""
    for i in range(n_drawn):
        drawn = i + _draw_below(state, rows.size - i)
        rows[i], rows[drawn] = rows[drawn], rows[i]
