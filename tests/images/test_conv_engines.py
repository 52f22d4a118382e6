"""The engines of the convolution against exact distributions, and against each other."""

import functools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from tests.helpers.enumeration import CONV_CASES, CONV_FUZZY_CASES, as_image, assert_matches, simulate_reference
from tests.helpers.machines import assert_consistent, machine_in, packed_rows
from wtm import reference
from wtm.machine.class_machine import Machine
from wtm.machine.conv_fuzzy_machine import ConvFuzzyParameters
from wtm.machine.conv_machine import ConvMachine, ConvParameters, n_features_of_patch
from wtm.machine.examples import Examples
from wtm.machine.fuzzy_machine import FuzzyMachine, FuzzyParameters
from wtm.machine.image_examples import pack_for_patches, pack_images
from wtm.machine.machine_parameters import ENGINES, SAMPLERS, MachineParameters
from wtm.machine.model_state import Model, machine_class
from wtm.machine.schedule import Schedule

ALL_CASES = [*CONV_CASES, *CONV_FUZZY_CASES]
KINDS = pytest.mark.parametrize("failures", [None, 3], ids=["strict", "fuzzy"])
P_BOUND = 1e-9


def conv_parameters(image_shape, patch_shape, positions=True, failures=None, **changes):
    """Parameters of strict clauses, or of fuzzy ones with LF = `failures`."""
    height, width, n_channels = image_shape
    defaults = {"n_clauses": 6, "T": 3.0, "s": 4.0, "gamma": 0.1}
    kind = ConvParameters
    if failures is not None:
        kind, defaults = ConvFuzzyParameters, defaults | {"literal_failures": failures}
    return kind(
        n_features_of_patch(image_shape, patch_shape, positions), image_height=height, image_width=width,
        n_channels=n_channels, patch_height=patch_shape[0], patch_width=patch_shape[1], positions=positions,
        **defaults | changes,
    )  # fmt: skip


# --- Tiny systems -----------------------------------------------------------------------------------------------


def simulate(case, n_seeds, engine, sampler, in_one_call):
    """Outcomes of new machines of the seeds 0 .. n_seeds - 1 after the examples of the case."""
    p = conv_parameters(
        case.image_shape, case.patch_shape, case.positions, n_clauses=case.n_clauses, T=float(case.T), s=1 / case.p_s,
        gamma=case.gamma, n_states=2 * case.n_half, boost_true_positive=case.boost, max_literals=case.max_literals,
        init=case.init, engine=engine, sampler=sampler, failures=case.failures,
        **({} if case.failures is None else {"gamma_start": 0 if case.moves_weights else 1}),
    )  # fmt: skip
    images = np.stack([as_image(x, case) for x, _ in case.examples])
    images = pack_for_patches(images, case.patch_shape, case.positions).literals
    whole = Schedule(np.arange(len(images)), np.array([target for _, target in case.examples]))
    parts = [whole] if in_one_call else [Schedule(*(a[i : i + 1] for a in whole)) for i in whole.rows]
    outcomes = Counter()
    for seed in range(n_seeds):
        machine = machine_class(p).new(p, seed, seed % 5)
        for part in parts:
            machine.train(images, part)
        outcomes[tuple(machine.states.ravel().tolist()), tuple(machine.exponents.tolist())] += 1
    assert_consistent(machine)
    return outcomes


@pytest.mark.parametrize("case", ALL_CASES, ids=lambda case: case.name)
def test_the_reference_follows_the_exact_distribution(case):
    assert_matches(case, simulate_reference, 500)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", ALL_CASES, ids=lambda case: case.name)
def test_machines_follow_the_exact_distribution(case, engine):
    assert_matches(case, functools.partial(simulate, engine=engine, sampler="bits", in_one_call=True), 1_000)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("case", ALL_CASES[::8], ids=lambda case: case.name)
def test_the_direct_engine_follows_it_with_each_sampler(case, sampler):
    assert_matches(case, functools.partial(simulate, engine="direct", sampler=sampler, in_one_call=True), 1_000)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", ALL_CASES[::3], ids=lambda case: case.name)
def test_machines_trained_by_single_images_follow_it_too(case, engine):
    assert_matches(case, functools.partial(simulate, engine=engine, sampler="bits", in_one_call=False), 1_000)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", ALL_CASES, ids=lambda case: case.name)
def test_machines_follow_the_exact_distribution_closely(case, engine):
    assert_matches(case, functools.partial(simulate, engine=engine, sampler="bits", in_one_call=True), 30_000)


# --- One patch --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("changes", [{}, {"boost_true_positive": False, "init": "random"}, {"max_literals": 2}])
def test_a_patch_as_large_as_the_image_is_the_flat_machine_draw_for_draw(sampler, changes):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 2, (80, 9, 8, 1))
    p = conv_parameters((9, 8, 1), (9, 8), engine="direct", sampler=sampler, **changes)
    flat = MachineParameters(72, p.n_clauses, p.T, p.s, p.gamma, engine="direct", sampler=sampler, **changes)
    schedule = Schedule(rng.integers(0, 80, 400), rng.choice([-1.0, 1.0], 400))
    machine, twin = ConvMachine.new(p, 3, 1), Machine.new(flat, 3, 1)
    assert machine.train(pack_images(images), schedule) == twin.train(packed_rows(images.reshape(80, -1)), schedule)
    for name in ("automata", "exponents", "random"):
        assert (getattr(machine, name) == getattr(twin, name)).all()


def test_the_reference_with_one_patch_is_the_flat_one_draw_for_draw():
    rng = np.random.default_rng(1)
    images = rng.integers(0, 2, (60, 3, 4, 1))
    start = reference.initial_states(6, 12, 4, "random", rng)
    machines = [
        reference.ConvolutionalMachine(start, 4, 2.0, 0.3, 0.2, patch_shape=(3, 4)),
        reference.Machine(start, 4, 2.0, 0.3, 0.2),
    ]
    for machine, rows in zip(machines, (images, images.reshape(60, 12)), strict=True):
        draws = np.random.default_rng(5)
        for i, x in enumerate(rows):
            machine.train(x, 2.0 if i % 2 else -2.0, draws)
    assert (machines[0].states == machines[1].states).all()
    assert (machines[0].exponents == machines[1].exponents).all()
    assert (machines[0].states != start).any()


@pytest.mark.parametrize("engine", ENGINES)
def test_fuzzy_clauses_with_one_patch_are_the_flat_ones(engine):
    p = conv_parameters((3, 4, 1), (3, 4), failures=2, engine=engine)
    assert machine_class(p) is FuzzyMachine
    flat = FuzzyParameters(12, p.n_clauses, p.T, p.s, p.gamma, engine=engine, literal_failures=2)
    assert p.work_bytes == flat.work_bytes
    assert conv_parameters((3, 4, 1), (3, 4)).work_bytes == MachineParameters(12, 6, p.T, p.s, p.gamma).work_bytes


# --- The drawn patch --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("image_shape", [(4, 5, 1), (5, 150, 1)])
@pytest.mark.parametrize("failures", [None, 1], ids=["strict", "fuzzy"])
def test_each_patch_is_drawn_equally_often(failures, engine, image_shape):
    # A true clause of one included literal learns the positions of the patch that it is given.
    n_seeds = 300 if image_shape[1] > 100 else 2_000
    height, width, _ = image_shape
    p = conv_parameters(image_shape, (1, 1), n_clauses=2, T=1e6, s=1e9, engine=engine, failures=failures)
    image = np.random.default_rng(2).integers(0, 2, image_shape)
    images, schedule = pack_images(image[np.newaxis]), Schedule(np.zeros(1, np.int64), np.ones(1))
    start = np.full((2, p.n_literals), 120)
    start[:, 0] = 200  # the pixel is included
    drawn = Counter()
    n_tries = 0
    for seed in range(3 * n_seeds):
        machine = machine_in(p, start, seed=seed, kind=machine_class(p))
        machine.train(images, schedule)
        risen = machine.states[0] > start[0]
        if not risen.any():
            continue  # not selected
        n_tries += 1
        y, x = risen[1:height].sum(), risen[height : height + width - 1].sum()
        assert image[y, x]
        drawn[y, x] += 1
    counts = [drawn[tuple(place)] for place in np.argwhere(image[:, :, 0])]
    assert n_tries > n_seeds
    assert sum(counts) == n_tries
    if len(counts) * 5 < n_tries:
        assert stats.chisquare(counts).pvalue > P_BOUND
    else:  # few draws per patch: their places are uniform
        numbers = np.repeat(np.arange(len(counts)), counts)
        assert stats.kstest((numbers + 0.5) / len(counts), "uniform").pvalue > P_BOUND


# --- Votes and long runs ----------------------------------------------------------------------------------------

SHAPES = [
    ((5, 6, 1), (2, 3), True),
    ((6, 5, 2), (3, 2), False),
    ((30, 30, 1), (3, 3), True),
    ((4, 70, 1), (4, 2), True),
]


def some_machines(p, n, rng):
    """Machines with an empty clause, and clauses of up to eight literals."""
    machines = []
    for seed in range(n):
        states = rng.integers(100, 128, (p.n_clauses, p.n_literals))
        for row in states[1:]:
            row[rng.choice(p.n_literals, rng.integers(1, 9), replace=False)] = 200
        machines.append(machine_in(p, states, rng.integers(-9, 9, p.n_clauses), seed, kind=machine_class(p)))
    return machines


@KINDS
@pytest.mark.parametrize(("image_shape", "patch_shape", "positions"), SHAPES)
def test_sums_are_those_of_the_reference(failures, image_shape, patch_shape, positions):
    rng = np.random.default_rng(0)
    p = conv_parameters(image_shape, patch_shape, positions, failures, n_clauses=40)
    machines, images = some_machines(p, 3, rng), rng.random((40, *image_shape)) < rng.random((40, 1, 1, 1)) ** 3
    voting = Model(machines, seed=0).voting_model()
    examples = Examples(pack_images(images), p.n_features)
    sums = voting.sums(examples) * voting.unit
    assert (voting.sums(examples, n_threads=2) * voting.unit == sums).all()
    assert (voting.sums(examples, np.array([7, 3])) * voting.unit == sums[[7, 3]]).all()
    for machine, found in zip(machines, sums.T, strict=True):
        kind, more = reference.ConvolutionalMachine, {"patch_shape": patch_shape, "positions": positions}
        if failures is not None:
            kind, more = reference.FuzzyConvolutionalMachine, more | {"failures": failures}
        twin = kind(machine.states, 128, p.T, 0.25, p.gamma, **more)
        twin.exponents = machine.exponents.astype(np.int64)
        assert found == pytest.approx(np.array([twin.class_sum(image) for image in images]))
    assert min(len(np.unique(of_machine)) for of_machine in sums.T) > 2


def summary_numbers(p, seed, images, n_examples):
    machine = machine_class(p).new(p, seed, 0)
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(images), n_examples)
    # Diagonals are to be found: images that have one are the odd ones.
    counts = machine.train(pack_images(images), Schedule(rows, np.where(rows % 2, 1.0, -1.0)))
    assert_consistent(machine)
    states = machine.states.astype(float)
    return [counts.type_i, counts.type_ii, states.mean(), states.std(), machine.include.sum(), machine.exponents.std()]


def images_with_diagonals(n, height, width):
    rng = np.random.default_rng(3)
    images = rng.random((n, height, width, 1)) < 0.4
    for i in range(n):
        y, x = rng.integers(0, height - 1), rng.integers(0, width - 1)
        images[i, y : y + 2, x : x + 2, 0] = np.eye(2) if i % 2 else 1 - np.eye(2)
    return images


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"boost_true_positive": False},
        {"max_literals": 4},
        {"s": 40.0},
        {"failures": 2, "T": 1.0, "s": 20.0},
        {"failures": 3, "max_literals": 4},
    ],
    ids=str,
)
@pytest.mark.parametrize("size", [(4, 4), (3, 300)])
def test_engines_train_to_the_same_distribution(changes, size):
    images = images_with_diagonals(60, *size)
    n_seeds, n_examples = (60, 800) if size == (4, 4) else (30, 200)
    numbers = [
        np.array(
            [
                summary_numbers(conv_parameters((*size, 1), (2, 2), engine=engine, **changes), seed, images, n_examples)
                for seed in range(first, first + n_seeds)
            ]
        )
        for engine, first in (("direct", 0), ("lazy", n_seeds))
    ]
    assert stats.ks_2samp(*numbers).pvalue.min() > P_BOUND
    assert stats.ttest_ind(*numbers, equal_var=False).pvalue.min() > P_BOUND


@pytest.mark.parametrize(
    ("image_shape", "patch_shape", "n_clauses"), [((28, 28, 1), (10, 10), 200), ((40, 60, 3), (3, 3), 20)]
)
@pytest.mark.parametrize("engine", ENGINES)
@KINDS
def test_the_working_space_is_counted(failures, engine, image_shape, patch_shape, n_clauses, monkeypatch):
    p = conv_parameters(image_shape, patch_shape, n_clauses=n_clauses, engine=engine, failures=failures)
    machine = machine_class(p).new(p, 0, 0)
    of_machine = [machine.automata, machine.include_bits, machine.exponents, machine.random]
    images = pack_images(np.zeros((1, *image_shape)))
    made = []

    def record(*args):
        for arg in args:
            made.extend(a for a in (arg if isinstance(arg, tuple) else (arg,)) if isinstance(a, np.ndarray))

    fuzzy = "" if failures is None else "fuzzy_"
    monkeypatch.setattr(f"wtm.machine.conv_{fuzzy}machine.conv_{fuzzy}{engine}_epoch", record)
    machine.train(images, Schedule(np.zeros(0, np.int64), np.zeros(0)))
    spare = [*of_machine, images]
    n_bytes = sum(a.nbytes for a in made if not any(np.shares_memory(a, b) for b in spare))
    assert p.work_bytes == pytest.approx(n_bytes, rel=0.03, abs=20_000)
