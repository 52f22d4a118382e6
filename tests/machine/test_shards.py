"""Clauses trained in shards: the same model with any number of threads, and the paper's without shards."""

import itertools
import threading
from dataclasses import replace

import joblib
import numpy as np
import pytest

from tests.helpers.machines import packed_rows, parameters, random_rows
from tests.helpers.problems import assert_same_model, is_same_model, three_classes, xor
from wtm import FuzzyWTMClassifier, FuzzyWTMRegressor, WTMClassifier, WTMRegressor, load_model
from wtm.kernels.layout import BLOCK
from wtm.kernels.params import Params
from wtm.kernels.shard_votes import exchange_votes
from wtm.machine.class_machine import Machine
from wtm.machine.schedule import Schedule
from wtm.machine.shards import Exchange, bounds_of_blocks, examples_evaluated_at_once
from wtm.reference import change_of_others

pytestmark = pytest.mark.filterwarnings("ignore:Shards trained with votes")

X, Y = xor(700, 12)
COMMON = {"n_clauses": 32, "T": 16, "s": 3.0, "n_epochs": 3, "random_state": 1}
IN_SHARDS = {"n_shards": 8, "vote_block": 64}
KINDS = {
    "strict": (WTMClassifier, {}, Y),
    "direct": (WTMClassifier, {"engine": "direct"}, Y),
    "fuzzy": (FuzzyWTMClassifier, {"literal_failures": 3}, Y),
    "fuzzy, direct": (FuzzyWTMClassifier, {"literal_failures": 3, "engine": "direct"}, Y),
    "number": (WTMRegressor, {}, Y / 2),
    "fuzzy number": (FuzzyWTMRegressor, {}, Y / 2),
    "averaged": (WTMClassifier, {"average_last": 2}, Y),
}


def fitted(kind="strict", **changes):
    estimator, more, y = KINDS[kind]
    return estimator(**COMMON | more | changes).fit(X, y)


def test_bounds_cover_all_examples_once():
    for n_examples, vote_block in itertools.product((0, 1, 5, 64, 1000), (1, 2, 64, 300, 512)):
        bounds = bounds_of_blocks(n_examples, vote_block)
        trained = [i for start, stop, _ in bounds for i in range(start, stop)]
        assert trained == list(range(n_examples))
        assert [stop for _, stop, _ in bounds][:-1] == [start for start, _, _ in bounds][1:]
        assert all(0 <= end - stop <= vote_block for _, stop, end in bounds)
        assert [end for _, _, end in bounds][:-1] == [stop for _, stop, _ in bounds][1:]
        assert bounds[-1][1:] == (n_examples, n_examples)


@pytest.mark.parametrize("vote_block", [1, 2, 64, 100, 300, 512])
def test_engines_evaluate_whole_blocks_of_votes(vote_block):
    size = examples_evaluated_at_once(vote_block)
    assert size % vote_block == 0
    assert 512 - vote_block < size <= 512


@pytest.mark.parametrize("kind", KINDS)
def test_one_shard_is_the_papers_machine(kind):
    expected = fitted(kind)
    for vote_block in (7, 512):
        assert_same_model(fitted(kind, n_shards=1, vote_block=vote_block), expected)
    assert [entry["vote_drift"] for entry in expected.history_] == [0.0] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_shards_exchange_votes_as_seldom_as_possible_by_default(kind):
    assert_same_model(fitted(kind, n_shards=4), fitted(kind, n_shards=4, vote_block=BLOCK))


@pytest.mark.parametrize("kind", KINDS)
def test_threads_and_tasks_change_nothing(kind):
    expected = fitted(kind, **IN_SHARDS)
    for n_jobs in (2, 3, 7):
        found = fitted(kind, **IN_SHARDS, n_jobs=n_jobs)
        assert_same_model(found, expected)
        assert [e["vote_drift"] for e in found.history_] == [e["vote_drift"] for e in expected.history_]
    with joblib.parallel_config("loky", n_jobs=2):
        assert_same_model(fitted(kind, **IN_SHARDS), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_shards_and_blocks_of_votes_decide_the_model(kind):
    settings = [{}, *({"n_shards": n, "vote_block": b} for n, b in ((2, 64), (8, 64), (8, 100), (8, 1)))]
    models = [fitted(kind, **changes) for changes in settings]
    assert not any(is_same_model(a, b) for a, b in itertools.combinations(models, 2))


@pytest.mark.parametrize("n_shards", [1, 2, 5])
def test_the_exchange_of_votes_is_that_of_the_reference(n_shards):
    rng = np.random.default_rng(n_shards)
    changes = rng.integers(-3, 4, 40) + rng.integers(-3, 4, (n_shards, 40))
    params = parameters(1, n_clauses=4, T=30.0).kernel_params
    one = round(1 / params.unit)
    at_start, totals = one * rng.integers(-9, 10, (n_shards, 40)), one * rng.integers(-40, 41, 40)
    before, slope = totals // one, np.array([0.5])
    used = totals + one * changes * 3 // 2
    drift = exchange_votes(at_start, one * changes, used, params, 40, 25, totals, slope)
    assert slope[0] == pytest.approx(change_of_others(changes.astype(float), 0.5), rel=1e-12)
    assert (totals[:25] == at_start.sum(axis=0)[:25]).all()
    off = np.clip(used / one, -30, 30) - np.clip(before + changes.sum(axis=0), -30, 30)
    assert drift == pytest.approx(np.abs(off).sum() / 30, rel=1e-9)


def test_the_change_of_other_shards_is_predicted_by_least_squares():
    rng = np.random.default_rng(0)
    changes = rng.normal(size=50) + rng.normal(size=(4, 50))
    others = changes.sum(axis=0) - changes
    expected = np.linalg.lstsq(changes.reshape(-1, 1), others.ravel())[0][0]
    assert 0 < change_of_others(changes, 0.0) < 3
    assert change_of_others(changes, 0.0) == pytest.approx(expected, rel=1e-9)
    assert change_of_others(np.tile(changes[0], (4, 1)), 0.0) == pytest.approx(3)
    assert change_of_others(np.array([[1.0, 2.0], [-1.0, -2.0]]), 0.0) == 0  # it would be negative
    assert change_of_others(np.zeros((4, 50)), 1.5) == 1.5


def test_a_block_of_one_example_has_no_drift():
    drifts = [fitted(n_shards=4, vote_block=b).history_[0]["vote_drift"] for b in (1, 16, 512)]
    assert drifts[0] == 0.0
    assert 0 < drifts[1] < drifts[2]


@pytest.mark.parametrize("kind", KINDS)
def test_training_can_be_resumed(kind, tmp_path):
    whole = fitted(kind, **IN_SHARDS, n_epochs=5)
    model = fitted(kind, **IN_SHARDS, n_epochs=2)
    model.save(tmp_path / "model.wtm")
    for resumed in (model, load_model(tmp_path / "model.wtm")):
        assert (resumed.n_shards, resumed.vote_block) == (8, 64)
        resumed.set_params(n_epochs=3, warm_start=True).fit(X, KINDS[kind][2])
        assert_same_model(resumed, whole)


def test_batches_continue_the_same_stream():
    whole = fitted(**IN_SHARDS, n_epochs=3)
    model = WTMClassifier(**COMMON | IN_SHARDS)
    for _ in range(3):
        model.partial_fit(*_by_content(), classes=[0, 1])
    again = WTMClassifier(**COMMON | IN_SHARDS).fit(*_by_content())
    assert_same_model(again, whole)
    assert_same_model(model, whole)


def _by_content():
    order = np.lexsort(X.T)
    return X[order], Y[order]


def test_shards_can_change_when_training_is_resumed():
    model = fitted(n_epochs=2)
    model.set_params(n_shards=4, vote_block=512, warm_start=True, n_epochs=1).fit(X, Y)
    assert model.machines_[0].parameters.n_shards == 4
    assert model.history_[-1]["vote_drift"] > 0


@pytest.mark.parametrize("n_rows", [1, 2, 511, 513])
def test_any_number_of_rows(n_rows):
    rng = np.random.default_rng(n_rows)
    p = parameters(70, 16, engine="lazy", n_shards=4, vote_block=100)
    literals = packed_rows(random_rows(rng, n_rows, 70))
    schedule = Schedule(np.arange(n_rows), rng.choice([-1.0, 1.0], n_rows))
    machines = [Machine.new(p, 0, 0) for _ in range(2)]
    for machine, n_threads in zip(machines, (1, 4), strict=True):
        machine.train(literals, schedule, n_threads=n_threads)
    assert (machines[0].automata == machines[1].automata).all()
    assert (machines[0].automata != Machine.new(p, 0, 0).automata).any()


def test_shards_take_their_share_of_either_polarity():
    p = parameters(5, 12, n_shards=3)
    machine = Machine.new(p, 0, 0)
    machine.exponents[:] = np.arange(12)
    before = machine.random.copy()
    shards = machine._split()
    assert [shard.exponents.tolist() for shard in shards] == [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]
    assert (machine.random != before).any()
    assert len({shard.random.tobytes() for shard in shards}) == 3
    for shard in shards:
        shard.exponents += 100
    machine._join(shards)
    assert machine.exponents.tolist() == list(range(100, 112))


def test_an_error_in_a_thread_ends_them_all():
    params = replace(parameters(5, 4)).kernel_params
    assert isinstance(params, Params)
    seen = []

    def fail(start, stop, end):
        seen.append(start)
        if start == 2:
            raise MemoryError("no room")

    exchange = Exchange(params, 8, 2, 1)
    before = threading.active_count()
    with pytest.raises(MemoryError, match="no room"):
        exchange.train([lambda *_: None, fail], 2)
    assert seen == [0, 0, 1, 2]
    assert threading.active_count() <= before


def test_an_interruption_ends_all_threads(monkeypatch):
    params, started = parameters(5, 4).kernel_params, threading.Event()

    def interrupted(works, n_threads):
        threads = [threading.Thread(target=work, daemon=True) for work in works[:-1]]  # the last one never comes
        for thread in threads:
            thread.start()
        started.threads = threads
        raise KeyboardInterrupt

    monkeypatch.setattr("wtm.machine.shards.run_in_threads", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Exchange(params, 8, 3, 1).train([lambda *_: None] * 3, 3)
    for thread in started.threads:
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_shards": 0}, "n_shards must be at least 1, got 0"),
        ({"n_shards": 5}, "n_shards must divide half of n_clauses, got n_shards=5 and n_clauses=32.*n_shards=4.*40"),
        ({"n_shards": 12}, "Use n_shards=8, or n_clauses=48"),
        ({"n_shards": 10**9}, r"Use n_shards=16\.$"),  # so many clauses would be refused too
        ({"vote_block": 0}, "vote_block must be at least 1, got 0"),
        ({"vote_block": 513}, "vote_block must be at most 512, got 513"),
    ],
)
def test_wrong_values_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        fitted(**changes)


@pytest.mark.parametrize("name", ["n_shards", "vote_block"])
@pytest.mark.parametrize("value", [2.0, True, "2"])
def test_wrong_types_are_refused(name, value):
    with pytest.raises(TypeError, match=f"{name} must be an integer"):
        fitted(**{name: value})


def test_three_classes_share_the_threads(monkeypatch):
    found = []
    train = Machine.train
    monkeypatch.setattr(Machine, "train", lambda self, *a, **k: found.append(k["n_threads"]) or train(self, *a, **k))
    for n_jobs in (1, 2, 3, 5, 6, 16):
        WTMClassifier(**COMMON | {"n_epochs": 1} | IN_SHARDS, n_jobs=n_jobs).fit(*three_classes(60))
    assert found[::3] == [1, 1, 1, 1, 2, 5]
