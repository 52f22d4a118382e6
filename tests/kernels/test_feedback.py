"""Feedback to one clause, byte for byte what the reference's tables say."""

import numpy as np
import pytest
from numba import njit

from tests.helpers.machines import SIZES, assert_consistent, machine_in, packed_rows, parameters, random_rows
from tests.helpers.random_streams import packed
from wtm import reference
from wtm.kernels import feedback

N_STATES = (2, 4, 6, 100, 256)


@njit
def give_type_i_true(automata, include, clause, literals, row, drawn, params):
    feedback.type_i_true(automata, include, clause, literals, row, drawn, params)


@njit
def give_type_i_false(automata, include, clause, drawn, params):
    return feedback.type_i_false(automata, include, clause, drawn, params)


@njit
def give_type_ii(automata, include, clause, literals, row, params):
    feedback.type_ii(automata, include, clause, literals, row, params)


class Feedback:
    """A machine of three or more clauses in states at both ends, in the middle and between, and an example."""

    def __init__(self, n_features, n_states, seed=0, boost=True):
        rng = np.random.default_rng([n_features, n_states, seed])
        self.p = p = parameters(n_features, 4, n_states=n_states, boost_true_positive=boost)
        n_half = n_states // 2
        self.n_half = n_half
        telling = np.array([0, n_half - 1, n_half, n_states - 1])
        anywhere = rng.integers(0, n_states, (4, p.n_literals))
        at_telling = rng.random((4, p.n_literals)) < 0.8
        self.states = np.where(at_telling, rng.choice(telling, (4, p.n_literals)), anywhere)
        X = random_rows(rng, 3, n_features)
        self.lits = reference.literals(X[1])
        self.drawn = rng.random(p.n_literals) < rng.choice([0.05, 0.5, 0.95])
        self.flat_literals = packed_rows(X).ravel()
        self.row = len(self.flat_literals) // 3
        # What a sampler leaves behind the last literal is undefined: put ones there.
        self.drawn_words = np.full(-(-p.n_words // 8) * 8, 2**64 - 1, np.uint64)
        tail = np.ones(p.n_words * 64, np.bool_)
        tail[: p.n_literals] = self.drawn
        self.drawn_words[: p.n_words] = packed(tail)
        self.machine = machine_in(p, self.states)

    def give_type_i_true(self, clause, drawn):
        m = self.machine
        params = self.p.kernel_params
        give_type_i_true(m.automata, m.include_bits, clause, self.flat_literals, self.row, drawn, params)

    def give_type_i_false(self, clause, drawn):
        return give_type_i_false(self.machine.automata, self.machine.include_bits, clause, drawn, self.p.kernel_params)

    def give_type_ii(self, clause):
        m = self.machine
        give_type_ii(m.automata, m.include_bits, clause, self.flat_literals, self.row, self.p.kernel_params)

    def assert_clause_became(self, clause, expected):
        """The clause is as expected, and no other was touched."""
        states = self.states.copy()
        states[clause] = expected
        assert (self.machine.states == states).all()
        assert_consistent(self.machine)


@pytest.mark.parametrize("boost", [True, False])
@pytest.mark.parametrize("n_states", N_STATES)
@pytest.mark.parametrize("n_features", SIZES)
def test_type_i_of_a_true_clause(n_features, n_states, boost):
    for clause in range(4):
        f = Feedback(n_features, n_states, clause, boost)
        f.give_type_i_true(clause, f.drawn_words)
        expected = reference.type_i(f.states[clause], f.lits, True, f.drawn, f.n_half, boost=boost)
        f.assert_clause_became(clause, expected)


@pytest.mark.parametrize("n_states", N_STATES)
@pytest.mark.parametrize("n_features", SIZES)
def test_type_i_of_a_false_clause(n_features, n_states):
    for clause in range(4):
        f = Feedback(n_features, n_states, clause)
        changed = f.give_type_i_false(clause, f.drawn_words)
        expected = reference.type_i(f.states[clause], f.lits, False, f.drawn, f.n_half, boost=True)
        f.assert_clause_became(clause, expected)
        assert (changed != 0) == ((f.states[clause] >= f.n_half) != (expected >= f.n_half)).any()


@pytest.mark.parametrize("n_states", N_STATES)
@pytest.mark.parametrize("n_features", SIZES)
def test_type_ii_of_a_true_clause(n_features, n_states):
    for clause in range(4):
        f = Feedback(n_features, n_states, clause)
        f.give_type_ii(clause)
        expected = reference.type_ii(f.states[clause], f.lits, True, f.n_half)
        f.assert_clause_became(clause, expected)


@pytest.mark.parametrize("n_states", N_STATES)
def test_many_feedbacks_run_against_both_ends(n_states):
    """The same example until nothing moves any more: true literals at the ceiling, false ones at the floor."""
    f = Feedback(33, n_states)
    everything = np.full(8, 2**64 - 1, np.uint64)
    for _ in range(n_states + 2):
        f.give_type_i_true(1, everything)
    f.assert_clause_became(1, np.where(f.lits, n_states - 1, 0))
    for _ in range(n_states + 2):
        f.give_type_i_false(1, everything)
    f.assert_clause_became(1, np.zeros(66, int))
    for _ in range(n_states + 2):
        f.give_type_ii(1)
    f.assert_clause_became(1, np.where(f.lits, 0, f.n_half))


@pytest.mark.parametrize("n_literals", [1, 2, 62, 63, 64, 65, 126, 128, 1026])
def test_tail_mask_has_the_literals_of_the_last_word(n_literals):
    @njit
    def tail(n):
        return feedback.tail_mask(n)

    assert int(tail(n_literals)) == (1 << (n_literals - 1) % 64 + 1) - 1


@pytest.mark.parametrize("n_features", SIZES)
def test_include_words_are_the_top_bits(n_features):
    p = parameters(n_features, 3 + 1)
    machine = machine_in(p, np.random.default_rng(0).integers(0, 256, (4, p.n_literals)))
    expected = packed(machine.automata >= 128)
    machine.include_bits[:] = 5
    feedback.include_words(machine.automata, machine.include_bits)
    assert (machine.include_bits[: len(expected)] == expected).all()
    assert (machine.include_bits[len(expected) :] == 5).all()
