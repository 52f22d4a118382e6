import dataclasses
import os
import signal
import threading

import numpy as np
import pytest

from tests.helpers.synthetic import SMALL, small_problem
from wtm import WTMClassifier
from wtm.paper import run as module
from wtm.paper.checkpoint import load_checkpoint
from wtm.paper.record import read_record
from wtm.paper.run import Options, Run, carry_out, folder_of, parameters_of, quicken, trained_classifier
from wtm.paper.settings import Plan

PLAN = Plan(SMALL, 6)
CLASSIC = Plan(dataclasses.replace(SMALL, method="TM", gamma=0.0), 4)


@pytest.fixture(scope="module")
def problem():
    return small_problem()


def options(out, **changes):
    return dataclasses.replace(Options(out, n_jobs=1), **changes)


def arrays(run, problem):
    model = load_checkpoint(run.checkpoint_path, parameters_of(run.setting, problem)).model
    names = ("automata", "include_bits", "exponents", "random")
    return [getattr(machine, name) for machine in model.machines for name in names]


def without_seconds(record):
    return {name: column for name, column in record.history.items() if name != "seconds"}


def run_of(out, setting=SMALL, seed=0):
    return Run(setting, seed, out / "connect-4")


@pytest.fixture
def stop_after(monkeypatch):
    """Sends this process the signal of Ctrl-C when an epoch has been trained so and so often."""

    def stop_after(n_epochs, times=1):
        original, seen = module.show_epochs, []

        def show_epochs(epochs, *rest):
            for entry in original(epochs, *rest):
                seen.append(entry)
                if len(seen) == n_epochs:
                    for _ in range(times):
                        os.kill(os.getpid(), signal.SIGINT)
                yield entry

        monkeypatch.setattr(module, "show_epochs", show_epochs)

    # A test run in the background of a script is told to ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield stop_after
    signal.signal(signal.SIGINT, before)


def test_each_training_is_a_record_and_is_the_classifiers(problem, tmp_path):
    records = carry_out(problem, [PLAN, CLASSIC], options(tmp_path, seeds=(0, 5)))
    assert [(r.setting, r.seed, r.n_epochs) for r in records] == [
        (SMALL, 0, 6), (SMALL, 5, 6), (CLASSIC.setting, 0, 4), (CLASSIC.setting, 5, 4),
    ]  # fmt: skip
    for record in records:
        assert read_record(run_of(tmp_path, record.setting, record.seed).record_path) == record
    clf = WTMClassifier(n_clauses=10, T=5, s=4, gamma=0.05, n_epochs=6, random_state=5)
    data = problem.dataset
    clf.fit(data.X_train, data.y_train, X_val=data.X_test, y_val=data.y_test)
    assert records[1].history["test_accuracy"] == [entry["valid_accuracy"] for entry in clf.history_]
    assert records[1].history["type_i"] == [entry["type_i"] for entry in clf.history_]
    assert records[1].weights[0]["all"]["maximum"] == clf.machines_[0].weights.max()
    again = trained_classifier(run_of(tmp_path, seed=5), problem, records[1])
    np.testing.assert_array_equal(again.class_sums(data.X_test), clf.class_sums(data.X_test))
    assert again.score(data.X_test, data.y_test) == records[1].history["test_accuracy"][-1]


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
@pytest.mark.parametrize("n_epochs", [1, 3, 5])
def test_interrupted_and_resumed_is_the_same_bit_for_bit(problem, tmp_path, stop_after, monkeypatch, n_epochs):
    (whole,) = carry_out(problem, [PLAN], options(tmp_path / "whole"))
    stop_after(n_epochs)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt, match=f"{n_epochs} of 6 epochs.*--resume"):
        carry_out(problem, [PLAN], options(tmp_path / "parts"))
    assert signal.getsignal(signal.SIGINT) is handler
    so_far = read_record(run_of(tmp_path / "parts").record_path)
    assert (so_far.n_epochs, so_far.planned) == (n_epochs, 6)
    monkeypatch.undo()
    (parts,) = carry_out(problem, [PLAN], options(tmp_path / "parts", resume=True))
    assert without_seconds(parts) == without_seconds(whole)
    assert parts.weights == whole.weights
    assert [session["epochs"] for session in parts.sessions] == [[1, n_epochs], [n_epochs + 1, 6]]
    for a, b in zip(
        arrays(run_of(tmp_path / "parts"), problem), arrays(run_of(tmp_path / "whole"), problem), strict=True
    ):
        np.testing.assert_array_equal(a, b)


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
def test_a_second_signal_stops_at_once_and_keeps_the_last_checkpoint(problem, tmp_path, stop_after, monkeypatch):
    monkeypatch.setattr(module, "CHECKPOINT_SECONDS", 0.0)
    stop_after(3, times=2)
    with pytest.raises(KeyboardInterrupt, match="in the middle of an epoch"):
        carry_out(problem, [PLAN], options(tmp_path))
    assert read_record(run_of(tmp_path).record_path).n_epochs == 2
    monkeypatch.undo()
    (record,) = carry_out(problem, [PLAN], options(tmp_path, resume=True))
    assert [session["epochs"] for session in record.sessions] == [[1, 2], [3, 6]]


def test_longer_later(problem, tmp_path):
    (whole,) = carry_out(problem, [PLAN], options(tmp_path / "whole", n_epochs=8))
    carry_out(problem, [PLAN], options(tmp_path / "parts"))
    (parts,) = carry_out(problem, [PLAN], options(tmp_path / "parts", n_epochs=8, resume=True))
    assert without_seconds(parts) == without_seconds(whole)


def test_what_is_finished_is_not_trained_again(problem, tmp_path, monkeypatch, capsys):
    (first,) = carry_out(problem, [PLAN], options(tmp_path))
    monkeypatch.setattr(module, "train", None)
    for n_epochs in (6, 2):
        assert carry_out(problem, [PLAN], options(tmp_path, n_epochs=n_epochs, resume=True)) == [first]
    assert "6 epochs are there" in capsys.readouterr().err


@pytest.mark.parametrize("n_epochs", [2, 6, 7])
def test_without_resume_nothing_is_replaced(problem, tmp_path, n_epochs):
    carry_out(problem, [PLAN], options(tmp_path))
    run = run_of(tmp_path)
    before = run.record_path.read_bytes()
    with pytest.raises(ValueError, match=rf"holds 6 of 6 epochs, which {n_epochs} new ones .*--resume.*--out"):
        carry_out(problem, [CLASSIC, PLAN], options(tmp_path, n_epochs=n_epochs))
    assert run.record_path.read_bytes() == before
    run.record_path.unlink()
    before = run.checkpoint_path.read_bytes()
    with pytest.raises(ValueError, match=r"safetensors holds results of a former run.*--resume"):
        carry_out(problem, [PLAN], options(tmp_path, n_epochs=n_epochs))
    assert run.checkpoint_path.read_bytes() == before
    assert not run_of(tmp_path, CLASSIC.setting).record_path.exists()


def test_a_record_whose_checkpoint_is_gone_is_not_replaced(problem, tmp_path):
    carry_out(problem, [PLAN], options(tmp_path, n_epochs=2))
    run = run_of(tmp_path)
    run.checkpoint_path.unlink()
    before = run.record_path.read_bytes()
    with pytest.raises(ValueError, match=rf"{run.name}\.json holds 2 epochs, but there is no .*safetensors to go on"):
        carry_out(problem, [PLAN], options(tmp_path, n_epochs=3, resume=True))
    assert run.record_path.read_bytes() == before
    (again,) = carry_out(problem, [PLAN], options(tmp_path, n_epochs=2, resume=True))
    assert again.n_epochs == 2


@pytest.mark.parametrize("other", [{"seed": 1}, {"setting": dataclasses.replace(PLAN.setting, gamma=0.25)}])
def test_a_checkpoint_of_another_machine_or_seed_is_refused(problem, tmp_path, other):
    carry_out(problem, [PLAN], options(tmp_path, n_epochs=2))
    run = run_of(tmp_path)
    theirs = dataclasses.replace(run, **other)
    run.checkpoint_path.rename(theirs.checkpoint_path)
    plan, seed = dataclasses.replace(PLAN, setting=theirs.setting), theirs.seed
    with pytest.raises(ValueError, match="is of another machine or seed"):
        carry_out(problem, [plan], options(tmp_path, n_epochs=3, seeds=(seed,), resume=True))
    assert not theirs.record_path.exists()


def test_a_record_lost_after_the_checkpoint_is_made_from_it(problem, tmp_path, monkeypatch):
    (first,) = carry_out(problem, [PLAN], options(tmp_path))
    run_of(tmp_path).record_path.unlink()
    monkeypatch.setattr(module, "train", None)
    (again,) = carry_out(problem, [PLAN], options(tmp_path, resume=True))
    assert (again.history, again.weights) == (first.history, first.weights)


def test_other_data_are_refused(problem, tmp_path):
    carry_out(problem, [PLAN], options(tmp_path, n_epochs=2))
    with pytest.raises(ValueError, match="is of other data"):
        carry_out(small_problem(flipped=20), [PLAN], options(tmp_path, resume=True))
    run_of(tmp_path).record_path.unlink()
    with pytest.raises(ValueError, match="safetensors is of other data"):
        carry_out(small_problem(flipped=20), [PLAN], options(tmp_path, resume=True))


def test_outside_the_main_thread_training_works_too(problem, tmp_path):
    found = []
    worker = threading.Thread(target=lambda: found.extend(carry_out(problem, [PLAN], options(tmp_path))))
    worker.start()
    worker.join()
    assert found[0].n_epochs == 6


def test_quick_is_small_and_apart(tmp_path):
    plan = Plan(dataclasses.replace(SMALL, n_clauses=25_000), 1_000)
    quick = quicken(plan, options(tmp_path, quick=True))
    assert (quick.setting.n_clauses, quick.n_epochs) == (60, 3)
    assert quicken(plan, options(tmp_path, quick=True, n_epochs=5)).n_epochs == 5
    assert quicken(plan, options(tmp_path)) == plan
    assert folder_of(options(tmp_path, quick=True), "tea") == tmp_path / "quick" / "tea"
    assert folder_of(options(tmp_path), "tea") == tmp_path / "tea"
