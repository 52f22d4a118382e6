"""Schedules are complete and uniform, and depend only on the seed and running numbers."""

from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wtm.machine.schedule import draw_schedule, order_by_content

# A dozen p-values below; with this bound a right program fails one of them for less than one choice of the
# seeds in 10**7.
P_BOUND = 1e-8


def labels_of(n_rows, n_classes, seed=0):
    return np.random.default_rng(seed).integers(0, n_classes, n_rows)


def draw(labels, n_classes, seed=1, n_seen=0, shuffle=True):
    return draw_schedule(np.asarray(labels), n_classes, seed=seed, n_seen=n_seen, shuffle=shuffle)


def other_of(schedule, n_rows):
    """The class that sees each row as the other one: int (n_rows,)."""
    other = np.full(n_rows, -1)
    for machine, (rows, targets) in enumerate(schedule):
        other[rows[targets < 0]] = machine
    return other


def uniform(observed, n_cells):
    counts = np.array([observed.get(cell, 0) for cell in range(n_cells)])
    return stats.chisquare(counts).pvalue


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 10, 100])
@pytest.mark.parametrize("n_rows", [1, 2, 63, 64, 65, 1000])
def test_every_row_is_assigned_once_to_its_label_and_once_to_another_class(n_rows, n_classes, shuffle):
    labels = labels_of(n_rows, n_classes)
    schedule = draw(labels, n_classes, shuffle=shuffle)
    assert len(schedule) == n_classes
    for machine, (rows, targets) in enumerate(schedule):
        assert sorted(rows[targets > 0]) == np.flatnonzero(labels == machine).tolist()
        assert (labels[rows[targets < 0]] != machine).all()
    as_other = np.concatenate([rows[targets < 0] for rows, targets in schedule])
    assert sorted(as_other) == list(range(n_rows))


@pytest.mark.parametrize("n_classes", [2, 3, 100])
def test_work_does_not_grow_with_the_number_of_classes(n_classes):
    schedule = draw(labels_of(5000, n_classes), n_classes)
    assert sum(len(rows) for rows, _ in schedule) == 2 * 5000


def test_all_classes_take_the_rows_in_one_order():
    n_rows, n_classes = 300, 4
    labels = labels_of(n_rows, n_classes)
    # With two classes each sees all rows, so this is the whole order, which does not depend on the labels.
    order = draw(np.zeros(n_rows, int), 2)[0].rows
    assert (draw(np.ones(n_rows, int), 2)[0].rows == order).all()
    place = np.empty(n_rows, int)
    place[order] = np.arange(n_rows)
    for rows, _ in draw(labels, n_classes):
        assert (np.diff(place[rows]) > 0).all()
    for rows, _ in draw(labels, n_classes, shuffle=False):
        assert (np.diff(rows) > 0).all()


@pytest.mark.parametrize("own", [0, 2, 4])
def test_other_classes_are_uniform(own):
    n_rows = 40_000
    drawn = Counter(other_of(draw(np.full(n_rows, own), 5), n_rows).tolist())
    assert drawn[own] == 0
    counts = [drawn[c] for c in range(5) if c != own]
    assert stats.chisquare(counts).pvalue > P_BOUND


def test_other_classes_of_one_example_are_independent_of_the_next_and_of_the_next_epoch():
    n_rows = 40_000
    labels = np.zeros(n_rows, int)
    first = other_of(draw(labels, 4, shuffle=False), n_rows) - 1
    second = other_of(draw(labels, 4, n_seen=n_rows, shuffle=False), n_rows) - 1
    assert uniform(Counter((3 * first[:-1:2] + first[1::2]).tolist()), 9) > P_BOUND
    assert uniform(Counter((3 * first + second).tolist()), 9) > P_BOUND


def test_orders_are_uniform():
    orders = list(permutations(range(4)))
    by_epoch = Counter(orders.index(tuple(draw([0] * 4, 2, n_seen=4 * e)[0].rows.tolist())) for e in range(4800))
    assert uniform(by_epoch, 24) > P_BOUND
    by_seed = Counter(orders.index(tuple(draw([0] * 4, 2, seed=s)[0].rows.tolist())) for s in range(4800))
    assert uniform(by_seed, 24) > P_BOUND


def test_the_order_of_many_rows_is_uniform_in_place_and_neighbours():
    n_rows = 1000
    orders = np.array([draw([0] * n_rows, 2, seed=s)[0].rows for s in range(300)])
    # Where rows of the first tenth come, by tenths; and how far the next row lies away, by tenths of the circle.
    places = np.argsort(orders, axis=1)[:, :100] // 100
    assert uniform(Counter(places.ravel().tolist()), 10) > P_BOUND
    steps = (orders[:, 1::2] - orders[:, 0::2]) % n_rows
    assert steps.min() > 0
    assert uniform(Counter(((steps - 1) * 9 // (n_rows - 1)).ravel().tolist()), 9) > P_BOUND


def test_order_and_other_class_are_independent():
    n_rows = 40_000
    schedule = draw(np.zeros(n_rows, int), 3)
    early = np.isin(np.arange(n_rows), schedule[0].rows[: n_rows // 2])
    second = other_of(schedule, n_rows) == 1
    assert uniform(Counter((2 * early + second).tolist()), 4) > P_BOUND
    # Nor does what is drawn for the i-th example say where the i-th row comes.
    second = other_of(draw(np.zeros(n_rows, int), 3, shuffle=False), n_rows) == 1
    assert uniform(Counter((2 * early + second).tolist()), 4) > P_BOUND


def test_a_schedule_is_a_function_of_its_arguments():
    labels = labels_of(500, 3)

    def flat(**arguments):
        return np.concatenate([np.concatenate(part) for part in draw(labels, 3, **arguments)]).tolist()

    np.random.seed(1)
    state = np.random.get_state()[1].copy()
    once = flat(seed=7, n_seen=100)
    assert (np.random.get_state()[1] == state).all()
    np.random.seed(2)
    assert flat(seed=7, n_seen=100) == once
    assert flat(seed=8, n_seen=100) != once
    assert flat(seed=7, n_seen=600) != once
    assert flat(seed=7, n_seen=100, shuffle=False) != flat(seed=7, n_seen=600, shuffle=False)


@pytest.mark.parametrize("seed", [0, 1, 2**62, 2**63 - 1])
def test_any_seed_of_63_bits(seed):
    assert len(draw(labels_of(10, 3), 3, seed=seed)) == 3


@pytest.mark.parametrize("first", [1, 64, 299])
def test_an_unshuffled_epoch_may_come_in_two_calls(first):
    labels = labels_of(300, 4)
    whole = draw(labels, 4, n_seen=50, shuffle=False)
    start = draw(labels[:first], 4, n_seen=50, shuffle=False)
    rest = draw(labels[first:], 4, n_seen=50 + first, shuffle=False)
    for all_of_it, a, b in zip(whole, start, rest, strict=True):
        assert all_of_it.rows.tolist() == a.rows.tolist() + (b.rows + first).tolist()
        assert all_of_it.targets.tolist() == a.targets.tolist() + b.targets.tolist()


# --- The order of the rows ----------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(0, 60), st.integers(1, 4))
def test_rows_are_ordered_by_what_they_hold_alone(seed, n_rows, n_words):
    rng = np.random.default_rng(seed)
    literals = rng.integers(0, 3, (n_rows, n_words)).astype(np.uint64) << np.uint64(62)
    labels = rng.integers(0, 2, (n_rows, 1)).astype(np.uint64)
    order = order_by_content(literals, labels)
    assert sorted(order.tolist()) == list(range(n_rows))
    rows = np.column_stack([literals, labels])[order].tolist()
    changes = sum(before != after for before, after in pairwise(rows))
    assert changes == max(0, len({*map(tuple, rows)}) - 1)  # equal rows are adjacent
    shuffled = rng.permutation(n_rows)
    again = order_by_content(literals[shuffled], labels[shuffled])
    assert np.column_stack([literals, labels])[shuffled][again].tolist() == rows


def test_equal_rows_are_ordered_by_their_weights():
    literals, labels = np.zeros((6, 1), np.uint64), np.array([0, 0, 0, 0, 1, 1])
    weights = np.array([2.5, 0.5, 1.0, 0.5, 0.25, 0.75])
    order = order_by_content(literals, labels.astype(np.uint64)[:, None], weights)
    by_label = [weights[order][labels[order] == label].tolist() for label in (0, 1)]
    assert by_label == [[0.5, 0.5, 1.0, 2.5], [0.25, 0.75]]


def test_the_order_is_that_of_every_platform():
    literals = np.arange(12, dtype=np.uint64).reshape(6, 2) * np.uint64(0x0123456789ABCDEF)
    keys = []
    for label, row in enumerate(literals.tolist()):
        key = label
        for word in row:
            key = mixed((key * 0x9E3779B97F4A7C15 % 2**64) ^ word)
        keys.append(key)
    assert order_by_content(literals, np.arange(6, dtype=np.uint64)[:, None]).tolist() == sorted(
        range(6), key=keys.__getitem__
    )


def mixed(x):
    """The output function of splitmix64, in Python's integers."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)
