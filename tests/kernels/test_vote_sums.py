"""Sums of votes of a block: from tables, by corrections, and as the lazy engine keeps them."""

import types
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numba.core.caching import NullCache

from tests.helpers.machines import machine_in, packed_rows, parameters, random_rows
from tests.helpers.random_streams import packed
from wtm.kernels import lazy, vote_sums
from wtm.machine import class_machine
from wtm.machine.schedule import Schedule


@njit
def add_votes(sums, votes, first, tile, place, tables):
    vote_sums.add_votes(sums, votes, first, tile, place, tables)


@njit
def add_vote(sums, words, buffer, vote):
    vote_sums.add_vote(sums, buffer, vote_sums.load(words, 0), vote)


def some_votes(rng, n):
    """Votes of either sign, as large as they get."""
    return rng.integers(-(1 << 51), 1 << 51, n)


@pytest.mark.parametrize("place", range(8))
def test_sums_from_tables(place):
    rng = np.random.default_rng(place)
    votes, first = some_votes(rng, 100), 36
    outputs = rng.random((512, 64)) < 0.3
    tile = rng.integers(0, 1 << 64, 8 * vote_sums.TILE_STRIDE, np.uint64)
    for example, row in enumerate(outputs):
        tile[example // 64 * vote_sums.TILE_STRIDE + example % 64 * 8 + place] = packed(row)[0]
    before = some_votes(rng, 512)
    sums, tables = before.copy(), np.empty(vote_sums.TABLE_WORDS, np.int64)
    add_votes(sums, votes, first, tile, place, tables)
    assert (sums == before + outputs @ votes[first:]).all()


@pytest.mark.parametrize("n", [0, 1, 20, 21, 300, 512])
def test_a_vote_is_added_for_the_examples_of_a_set(n):
    rng = np.random.default_rng(n)
    before, vote = some_votes(rng, 512), int(some_votes(rng, 1)[0])
    chosen = np.zeros(512, np.bool_)
    chosen[rng.choice(512, n, replace=False)] = True
    sums = before.copy()
    add_vote(sums, packed(chosen), np.empty(8, np.uint64), vote)
    assert (sums == before + chosen * vote).all()


def lazy_epoch_with(limit):
    """The kernel with another limit for the probability of feedback below which sums are kept."""
    source = Path(lazy.__file__).read_text("utf-8")
    line = next(line for line in source.splitlines() if line.startswith("_FEW_UPDATES = "))
    module = types.ModuleType("lazy_with_another_limit")
    exec(compile(source.replace(line, f"_FEW_UPDATES = {limit}"), lazy.__file__, "exec"), module.__dict__)
    assert limit == module._FEW_UPDATES
    module.lazy_epoch._cache = NullCache()  # which would take it for the kernel itself
    return module.lazy_epoch


@pytest.fixture(scope="module")
def variants():
    return {"never": lazy_epoch_with(-1), "always": lazy_epoch_with(1 << 40)}


@pytest.mark.parametrize("T", [3.0, 15.0, 100.0])
@pytest.mark.parametrize("gamma", [0.0, 0.1])
@pytest.mark.parametrize("n_clauses", [20, 300, 1100])
def test_kept_sums_train_the_same_machine(variants, monkeypatch, n_clauses, gamma, T):
    rng = np.random.default_rng(0)
    n_features, n_rows = 12, 1100
    X = random_rows(rng, n_rows, n_features)
    schedule = Schedule(rng.permutation(n_rows), np.where(X[:, 0] ^ X[:, 1], 1.0, -1.0))
    p = parameters(n_features, n_clauses, T=T, s=3.0, gamma=gamma, engine="lazy")
    exponents = rng.integers(-9, 10, n_clauses) if gamma else None
    trained = []
    for kernel in (*variants.values(), lazy.lazy_epoch):
        monkeypatch.setattr(class_machine, "lazy_epoch", kernel)
        machine = machine_in(p, np.full((n_clauses, 2 * n_features), 127), exponents)
        counts = [machine.train(packed_rows(X), schedule) for _ in range(3)]
        trained.append((counts, machine.states, machine.exponents, machine.random))
    assert trained[0][0][-1].type_i > 0
    for other in trained[1:]:
        assert other[0] == trained[0][0]
        assert all((a == b).all() for a, b in zip(other[1:], trained[0][1:], strict=True))
