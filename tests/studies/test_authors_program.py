"""The authors' program, draw by draw: figures of its readme, and its automata against saturating integers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies import program_kernels as kernels
from studies.authors_program import Program
from tests.helpers.made_up_results import SMALL, small_problem
from wtm.paper.problem import load_problem
from wtm.paper.record import SAMPLED
from wtm.paper.settings import PRESETS, Preset


def light(key):
    return PRESETS[key][Preset.LIGHT][0].setting


def to_planes(states):
    bits = states[:, None] >> np.arange(8, dtype=np.uint8) & 1
    packed = np.ascontiguousarray(np.packbits(bits.T, axis=1, bitorder="little"))
    planes = packed.view(np.uint64)
    return planes[None, :-1].copy(), planes[-1:].copy()


def to_words(bits):
    return np.packbits(bits, bitorder="little").view(np.uint64)


@given(st.integers(1, 3), st.integers(0, 2**32 - 1), st.booleans())
def test_automata_step_and_stop_at_both_ends(n_words, seed, up):
    rng = np.random.default_rng(seed)
    states = rng.choice(np.array([0, 1, 127, 128, 254, 255], np.uint8), 64 * n_words)
    steps = rng.random(64 * n_words) < 0.5
    planes, includes = to_planes(states)
    changed = kernels._step(planes, includes, 0, to_words(steps), kernels._UP if up else kernels._DOWN)
    expected = np.clip(states.astype(int) + np.where(steps, 1 if up else -1, 0), 0, 255).astype(np.uint8)
    for found, part in zip((planes, includes), to_planes(expected), strict=True):
        np.testing.assert_array_equal(found, part)
    assert changed == np.any((states >= 128) != (expected >= 128))


@given(st.integers(1, 400), st.floats(0.01, 1), st.integers(0, 2**63 - 1))
def test_a_mask_has_as_many_distinct_literals_as_were_counted(n_literals, p, start):
    counting = np.array([2 * start + 1], np.uint64)
    drawing = counting.copy()
    mask = np.zeros(-(-n_literals // 64), np.uint64)
    count = kernels._draw_count(counting, n_literals, p)
    kernels._draw_mask(drawing, mask, n_literals, p)
    bits = np.unpackbits(mask.view(np.uint8), bitorder="little")[:n_literals]
    assert bits.sum() == count


@pytest.mark.parametrize("n_epochs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_first_epochs_of_connect_4_are_those_of_the_readme(n_epochs):
    program = Program(load_problem("connect-4", None), light("connect-4"), 0)
    assert [f"{program.epoch():.2%}" for _ in range(n_epochs)] == ["69.43%", "71.44%"][:n_epochs]
    assert [f"{accuracy:.2%}" for accuracy in program.columns[SAMPLED]] == ["68.48%", "70.08%"][:n_epochs]


@pytest.mark.slow
def test_the_first_epochs_of_mnist_are_those_of_the_readme(data_dir):
    program = Program(load_problem("mnist", data_dir), light("mnist"), 0)
    assert [f"{program.epoch():.2%}" for _ in range(3)] == ["93.43%", "94.67%", "95.17%"]
    assert [f"{accuracy:.2%}" for accuracy in program.columns[SAMPLED]] == ["93.24%", "95.16%", "95.64%"]


def test_accuracy_is_that_of_weighted_sums_in_double_precision():
    problem = small_problem("mnist", n_rows=1_200)
    program = Program(problem, SMALL, 1)
    accuracy = [program.epoch() for _ in range(2)][-1]
    literals = np.hstack([problem.dataset.X_test, 1 - problem.dataset.X_test])
    includes = np.unpackbits(
        program._arrays["includes"].view(np.uint8), axis=2, count=literals.shape[1], bitorder="little"
    )
    missed = np.einsum("mcl,rl->mcr", includes, 1 - literals, dtype=int)
    fires = (missed == 0) & includes.any(axis=2)[..., None]
    totals = np.einsum("mc,mcr->rm", program._arrays["weights"], fires)
    right = np.array(problem.classes)[totals.argmax(axis=1)] == problem.dataset.y_test
    assert 0.2 < accuracy == np.mean(right)


def test_skipped_draws_change_the_training_and_not_the_sampled_rows():
    problem = small_problem("mnist")
    programs = [Program(problem, SMALL, 0), Program(problem, SMALL, 0, 0), Program(problem, SMALL, 0, 1)]
    columns = []
    for program in programs:
        for _ in range(3):
            program.epoch()
        columns.append(program.columns)
    assert columns[0] == columns[1]
    assert columns[0]["type_i"] != columns[2]["type_i"]
    sampled = [program._accuracies[SAMPLED].args[4] for program in programs]
    np.testing.assert_array_equal(sampled[0], sampled[2])
    assert len(sampled[0]) == len(problem.dataset.y_test) // 4


def test_type_i_feedbacks_are_counted():
    # T is so large that half of the clauses are chosen; half of these have the polarity that gets Type I feedback.
    problem = small_problem("mnist", n_rows=2_000)
    program = Program(problem, replace(SMALL, T=10**9), 3)
    program.epoch()
    n = 2 * len(problem.dataset.y_train) * SMALL.n_clauses // 2
    (count,) = program.columns["type_i"]
    assert abs(count - n / 2) < 5 * np.sqrt(n / 4)
