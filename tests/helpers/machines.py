"""Machines in states of a test's choosing."""

import numpy as np

from wtm.kernels.feedback import include_words
from wtm.machine.class_machine import Machine
from wtm.machine.examples import pack_examples
from wtm.machine.machine_parameters import MachineParameters

SIZES = (1, 31, 32, 33, 63, 64, 65, 511, 512, 513)
"""Numbers of features around every border of a word and of a vector."""


def parameters(n_features, n_clauses=4, **changes):
    """Parameters of a machine; what a test does not name is of no account to it."""
    return MachineParameters(n_features, n_clauses, **{"T": 10.0, "s": 4.0, "gamma": 0.1, "engine": "direct"} | changes)


def machine_in(p, states, exponents=None, seed=0, kind=Machine):
    """A machine of parameters `p` in given states, int (n_clauses, 2o), and exponents, int (n_clauses,)."""
    machine = kind.new(p, seed, 0)
    automata = machine.automata.reshape(p.n_clauses, -1)
    automata[:, : p.n_literals] = np.asarray(states) + p.state_min
    include_words(machine.automata, machine.include_bits)
    if exponents is not None:
        machine.exponents[:] = exponents
    return machine


def sparse_states(rng, p, X, density=0.3):
    """States of clauses with few literals, most of them true in some row of X, and of clauses with none.

    Uniform over the excluding and over the including states, ends and middle among them.
    """
    n_half = p.n_states // 2
    states = rng.integers(0, n_half, (p.n_clauses, p.n_literals))
    lits = np.concatenate([X, 1 - X], axis=1).astype(np.bool_)
    for row in states:
        n_included = min(rng.integers(0, 6), max(1, int(density * p.n_literals)))
        true = np.flatnonzero(lits[rng.integers(len(lits))])
        chosen = rng.choice(true, min(n_included, len(true)), replace=False)
        row[chosen] = rng.integers(n_half, p.n_states, len(chosen))
    return states


def random_rows(rng, n_rows, n_features):
    """A table of fair coins, uint8 (n_rows, n_features)."""
    return rng.integers(0, 2, (n_rows, n_features), dtype=np.uint8)


def packed_rows(X):
    """The literals of a table, uint64 (n_rows, n_words)."""
    return pack_examples(np.asarray(X)).literals


def assert_consistent(machine):
    """Include bits are the top bits of the automata, and the padding rests at the lowest state, excluded."""
    p = machine.parameters
    automata = machine.automata.reshape(p.n_clauses, -1)
    assert (machine.include == (automata[:, : p.n_literals] >= 128)).all()
    assert (automata[:, p.n_literals :] == p.state_min).all()
    bits = np.unpackbits(machine.include_bits.astype("<u8").view(np.uint8), bitorder="little")
    assert bits.sum() == machine.include.sum()
    assert automata.min() >= p.state_min
    assert automata.max() <= p.state_max
