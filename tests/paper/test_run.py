"""Trainings are kept, interrupted and resumed, bit for bit."""

import dataclasses
import os
import signal
import threading

import numpy as np
import pytest

from tests.helpers.made_up_results import SMALL, small_problem
from wtm import WTMClassifier, load_model
from wtm.paper import run as module
from wtm.paper.record import SAMPLED, Record, read_record
from wtm.paper.run import carry_out, checkpoint_path, load_checkpoint
from wtm.paper.run_options import Options
from wtm.paper.settings import Plan

PLAN = Plan(SMALL, 6)
CLASSIC = Plan(dataclasses.replace(SMALL, method="TM", gamma=0.0), 4)
posix = pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")


@pytest.fixture(scope="module")
def problem():
    return small_problem()


def options(out, **changes):
    return dataclasses.replace(Options(out, n_jobs=1), **changes)


def without_seconds(record):
    return {name: column for name, column in record.history.items() if name != "seconds"}


def record_path(out, setting=SMALL, seed=0):
    return out / "connect-4" / f"{Record({}, setting, seed, 0).name}.json"


@pytest.fixture
def stop_after(monkeypatch):
    """Raise the signal of Ctrl-C, some times, after a number of epochs."""
    original = WTMClassifier.set_params

    def stop_after(n_epochs, times=1):
        def stop(epoch):
            if epoch.number == n_epochs:
                for _ in range(times):
                    signal.raise_signal(signal.SIGINT)

        def set_params(self, *, callbacks, **parameters):
            return original(self, callbacks=[stop, callbacks], **parameters)

        monkeypatch.setattr(WTMClassifier, "set_params", set_params)

    # A test run in the background of a script is told to ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield stop_after
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def no_training(monkeypatch):
    monkeypatch.setattr(module, "train", None)


def test_each_training_is_a_record_and_is_the_classifiers(problem, tmp_path):
    records = carry_out(problem, [PLAN, CLASSIC], options(tmp_path, seeds=(0, 5)))
    assert [(r.setting, r.seed, r.n_epochs) for r in records] == [
        (SMALL, 0, 6), (SMALL, 5, 6), (CLASSIC.setting, 0, 4), (CLASSIC.setting, 5, 4),
    ]  # fmt: skip
    for record in records:
        assert read_record(record_path(tmp_path, record.setting, record.seed)) == record
    clf = WTMClassifier(n_clauses=10, T=5, s=4, gamma=0.05, n_epochs=6, random_state=5)
    data = problem.dataset
    clf.fit(data.X_train, data.y_train, X_val=data.X_test, y_val=data.y_test)
    assert records[1].history["test_accuracy"] == [entry["valid_accuracy"] for entry in clf.history_]
    assert records[1].history["type_i"] == [entry["type_i"] for entry in clf.history_]
    assert records[1].weights[0]["all"]["maximum"] == clf.machines_[0].weights.max()
    again = load_checkpoint(record_path(tmp_path, seed=5), records[1].setting, records[1].seed)
    np.testing.assert_array_equal(again.class_sums(data.X_test), clf.class_sums(data.X_test))
    assert again.score(data.X_test, data.y_test) == records[1].history["test_accuracy"][-1]


@posix
@pytest.mark.parametrize("n_epochs", [1, 5, 6])
def test_interrupted_and_resumed_is_the_same_bit_for_bit(problem, tmp_path, stop_after, monkeypatch, n_epochs):
    (whole,) = carry_out(problem, [PLAN], options(tmp_path / "whole"))
    stop_after(n_epochs)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt, match=f"{n_epochs} of 6 epochs.*--resume"):
        carry_out(problem, [PLAN], options(tmp_path / "parts"))
    assert signal.getsignal(signal.SIGINT) is handler
    so_far = read_record(record_path(tmp_path / "parts"))
    assert (so_far.n_epochs, so_far.planned) == (n_epochs, 6)
    monkeypatch.undo()
    (parts,) = carry_out(problem, [PLAN], options(tmp_path / "parts", resume=True))
    assert without_seconds(parts) == without_seconds(whole)
    assert parts.weights == whole.weights
    sessions = [session["epochs"] for session in parts.sessions]
    assert sessions == ([[1, 6]] if n_epochs == 6 else [[1, n_epochs], [n_epochs + 1, 6]])
    one, other = (load_model(checkpoint_path(record_path(tmp_path / name))) for name in ("parts", "whole"))
    for a, b in zip(one.machines_, other.machines_, strict=True):
        for name in ("automata", "include_bits", "exponents", "random"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@posix
def test_a_second_signal_stops_at_once_and_keeps_the_last_checkpoint(problem, tmp_path, stop_after, monkeypatch):
    monkeypatch.setattr(module, "CHECKPOINT_SECONDS", 0.0)
    stop_after(3, times=2)
    with pytest.raises(KeyboardInterrupt, match="in the middle of an epoch"):
        carry_out(problem, [PLAN], options(tmp_path))
    assert read_record(record_path(tmp_path)).n_epochs == 2
    monkeypatch.undo()
    (record,) = carry_out(problem, [PLAN], options(tmp_path, resume=True))
    assert [session["epochs"] for session in record.sessions] == [[1, 2], [3, 6]]
    assert all(session["cpu_seconds"] > 0 and session["wall_seconds"] > 0 for session in record.sessions)
    assert min(record.cpu_seconds) > 0


def test_a_process_that_dies_between_record_and_checkpoint_loses_nothing_more(problem, tmp_path, monkeypatch):
    (whole,) = carry_out(problem, [PLAN], options(tmp_path / "whole"))
    carry_out(problem, [PLAN], options(tmp_path, n_epochs=2))

    def die(self, path):
        raise SystemError("killed")

    monkeypatch.setattr(WTMClassifier, "save", die)
    with pytest.raises(SystemError):
        carry_out(problem, [PLAN], options(tmp_path, n_epochs=4, resume=True))
    monkeypatch.undo()
    assert read_record(record_path(tmp_path)).n_epochs == 4
    assert load_model(checkpoint_path(record_path(tmp_path))).n_epochs_ == 2
    (record,) = carry_out(problem, [PLAN], options(tmp_path, resume=True))
    assert without_seconds(record) == without_seconds(whole)
    assert [session["epochs"] for session in record.sessions] == [[1, 2], [3, 6]]


def test_longer_later(problem, tmp_path):
    (whole,) = carry_out(problem, [PLAN], options(tmp_path / "whole", n_epochs=8))
    carry_out(problem, [PLAN], options(tmp_path / "parts"))
    (parts,) = carry_out(problem, [PLAN], options(tmp_path / "parts", n_epochs=8, resume=True))
    assert without_seconds(parts) == without_seconds(whole)


def test_finished_trainings_are_skipped(problem, tmp_path, monkeypatch, capsys):
    (first,) = carry_out(problem, [PLAN], options(tmp_path))
    monkeypatch.setattr(module, "train", None)
    for n_epochs in (6, 2):
        assert carry_out(problem, [PLAN], options(tmp_path, n_epochs=n_epochs, resume=True)) == [first]
    assert "6 epochs are already there" in capsys.readouterr().err


@pytest.mark.parametrize("n_epochs", [2, 6, 7])
def test_without_resume_nothing_is_replaced(problem, tmp_path, n_epochs, no_training, monkeypatch):
    record = record_path(tmp_path)
    checkpoint_path(record).parent.mkdir(parents=True)
    for path in (record, checkpoint_path(record)):
        path.write_text("precious")
        with pytest.raises(ValueError, match=rf"{path.name} already exists\. Pass --resume"):
            carry_out(problem, [CLASSIC, PLAN], options(tmp_path, n_epochs=n_epochs))
        assert path.read_text() == "precious"
        path.unlink()
    assert not record_path(tmp_path, CLASSIC.setting).exists()


def test_a_record_or_checkpoint_alone_is_not_replaced_when_resuming(problem, tmp_path, monkeypatch):
    carry_out(problem, [PLAN], options(tmp_path, n_epochs=2))
    path = record_path(tmp_path)
    checkpoint = checkpoint_path(path)
    record, model = path.read_bytes(), checkpoint.read_bytes()
    monkeypatch.setattr(module, "train", None)
    checkpoint.unlink()
    with pytest.raises(ValueError, match=rf"{path.stem}\.json has 2 epochs and can't be resumed without .*safetensors"):
        carry_out(problem, [PLAN], options(tmp_path, n_epochs=3, resume=True))
    (again,) = carry_out(problem, [PLAN], options(tmp_path, n_epochs=2, resume=True))
    assert again.n_epochs == 2
    assert path.read_bytes() == record
    path.unlink()
    checkpoint.write_bytes(model)
    with pytest.raises(ValueError, match=rf"{path.stem}\.safetensors already exists"):
        carry_out(problem, [PLAN], options(tmp_path, n_epochs=3, resume=True))
    assert checkpoint.read_bytes() == model


@pytest.mark.parametrize("other", [{"seed": 1}, {"setting": dataclasses.replace(PLAN.setting, gamma=0.25)}])
def test_a_checkpoint_of_another_machine_or_seed_is_refused(problem, tmp_path, other):
    carry_out(problem, [PLAN], options(tmp_path, n_epochs=2))
    setting, seed = other.get("setting", SMALL), other.get("seed", 0)
    carry_out(problem, [Plan(setting, 2)], options(tmp_path, seeds=(seed,)))
    model = checkpoint_path(record_path(tmp_path)).read_bytes()
    checkpoint_path(record_path(tmp_path, setting, seed)).write_bytes(model)
    with pytest.raises(ValueError, match="is of another machine or seed"):
        carry_out(problem, [Plan(setting, 3)], options(tmp_path, seeds=(seed,), resume=True))


def test_a_damaged_checkpoint_is_named(problem, tmp_path):
    carry_out(problem, [PLAN], options(tmp_path, n_epochs=2))
    path = checkpoint_path(record_path(tmp_path))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match=path.name):
        carry_out(problem, [PLAN], options(tmp_path, resume=True))


def test_other_data_are_refused(problem, tmp_path):
    carry_out(problem, [PLAN], options(tmp_path, n_epochs=2))
    with pytest.raises(ValueError, match="is of other data"):
        carry_out(small_problem(flipped=20), [PLAN], options(tmp_path, resume=True))


def test_outside_the_main_thread_training_works_too(problem, tmp_path):
    found = []
    worker = threading.Thread(target=lambda: found.extend(carry_out(problem, [PLAN], options(tmp_path))))
    worker.start()
    worker.join()
    assert found[0].n_epochs == 6


def test_quick_is_small_and_apart(tmp_path):
    plan = Plan(dataclasses.replace(SMALL, n_clauses=25_000), 1_000)
    quick = options(tmp_path, quick=True)
    assert (quick.apply(plan).setting.n_clauses, quick.apply(plan).n_epochs) == (100, 5)
    assert options(tmp_path, quick=True, n_epochs=5).apply(plan).n_epochs == 5
    assert quick.choose([plan, dataclasses.replace(plan, n_epochs=500)]) == [quick.apply(plan)]
    assert options(tmp_path).choose([plan]) == [plan]
    assert quick.folder("tea") == tmp_path / "quick" / "tea"
    assert options(tmp_path).folder("tea") == tmp_path / "tea"


def test_methods_choose_among_the_machines(tmp_path):
    assert options(tmp_path, methods=frozenset({"tm"})).choose([PLAN, CLASSIC]) == [CLASSIC]
    with pytest.raises(ValueError, match="--methods tm selects no machine of this experiment; use wtm"):
        options(tmp_path, methods=frozenset({"tm"})).choose([PLAN])


def test_large_machines_of_mnist_are_measured_on_sampled_training_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "large_machines", lambda key: (SMALL, CLASSIC.setting))
    problem = small_problem("mnist")
    (first,) = carry_out(problem, [PLAN], options(tmp_path, n_epochs=4))
    (record,) = carry_out(problem, [PLAN], options(tmp_path, resume=True))
    X, y = problem.sampled_rows()
    assert len(y) == len(problem.dataset.y_test) // 4
    path = tmp_path / "mnist" / f"{record.name}.json"
    assert len(record.history[SAMPLED]) == PLAN.n_epochs
    assert record.history[SAMPLED][:4] == first.history[SAMPLED]
    assert record.history[SAMPLED][-1] == load_checkpoint(path, record.setting, record.seed).score(X, y)
    (other,) = carry_out(small_problem(), [PLAN], options(tmp_path))
    assert SAMPLED not in other.history


def test_what_another_process_has_trained_further_is_not_replaced(problem, tmp_path, monkeypatch):
    carry_out(problem, [PLAN], options(tmp_path / "whole", n_epochs=3))
    longer, path, train = record_path(tmp_path / "whole").read_bytes(), record_path(tmp_path), module.train

    def train_and_be_overtaken(*arguments, **others):
        path.write_bytes(longer)
        train(*arguments, **others)

    monkeypatch.setattr(module, "train", train_and_be_overtaken)
    with pytest.raises(ValueError, match=r"has 3 epochs, more than the 2 trained here: another process"):
        carry_out(problem, [PLAN], options(tmp_path, n_epochs=2))
    assert path.read_bytes() == longer
