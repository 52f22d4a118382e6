"""Trainings of variants are kept, and gone on with bit for bit."""

import signal
from dataclasses import asdict, replace

import numpy as np
import pytest

from tests.helpers.synthetic import SMALL, small_problem
from wtm.paper import variants as module
from wtm.paper.files import read_json, write_json
from wtm.paper.program import Program
from wtm.paper.run import Options, parameters_of
from wtm.paper.variant_training import MachineTraining, ProgramTraining, carry_on, checkpoint_path
from wtm.paper.variants import VARIANTS, Variant, read_variants, reproduce, variants_table

ABOUT = {"variant": "tea", "seed": 1, "data": {"digest": "abc"}}
KINDS = ("shuffled", "file order", "program")


def new_training(kind):
    problem = small_problem("mnist")
    if kind == "program":
        return ProgramTraining(Program(problem, SMALL, 1))
    parameters = parameters_of(SMALL, problem)
    return MachineTraining(parameters, problem, 1, file_order=kind == "file order", n_jobs=1)


@pytest.fixture(autouse=True)
def heard():
    """SIGINT is not ignored, as it is in what a shell starts in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Stopped:
    """A training in whose epoch of that number a signal comes."""

    def __init__(self, training, epoch):
        self.training, self.epoch, self.save, self.load = training, epoch, training.save, training.load

    def epochs(self, n_epochs):
        for i, accuracy in enumerate(self.training.epochs(n_epochs), start=1):
            if i == self.epoch:
                signal.raise_signal(signal.SIGINT)
            yield accuracy


@pytest.fixture
def result(tmp_path):
    (tmp_path / "checkpoints").mkdir()
    return tmp_path / "tea-seed1.json"


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_training_goes_on_bit_for_bit(kind, result):
    whole = list(new_training(kind).epochs(7))
    with pytest.raises(KeyboardInterrupt, match=r"tea-seed1 has 3 of 7 epochs\. The same command with --resume"):
        carry_on(Stopped(new_training(kind), 3), result, 7, ABOUT)
    assert carry_on(new_training(kind), result, 7, ABOUT) == whole


def test_a_signal_in_the_last_epoch_loses_nothing(result):
    with pytest.raises(KeyboardInterrupt, match="has 3 of 3 epochs"):
        carry_on(Stopped(new_training("program"), 3), result, 3, ABOUT)
    assert len(carry_on(new_training("program"), result, 3, ABOUT)) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_more_epochs_go_on_from_the_end_and_fewer_are_the_first_of_them(kind, result):
    carry_on(new_training(kind), result, 2, ABOUT)
    whole = list(new_training(kind).epochs(4))
    assert carry_on(new_training(kind), result, 4, ABOUT) == whole
    assert carry_on(new_training(kind), result, 3, ABOUT) == whole[:3]


def test_a_process_that_dies_loses_what_came_after_the_last_checkpoint(result, monkeypatch):
    monkeypatch.setattr("wtm.paper.variant_training.CHECKPOINT_SECONDS", 0.0)
    training = new_training("shuffled")
    dying = Stopped(training, 3)
    monkeypatch.setattr(signal, "raise_signal", lambda number: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        carry_on(dying, result, 5, ABOUT)
    kept = new_training("shuffled")
    assert len(kept.load(checkpoint_path(result))["test_accuracy"]) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_of_something_else_is_refused(kind, result):
    carry_on(new_training(kind), result, 1, ABOUT)
    with pytest.raises(ValueError, match="is of another training or of other data"):
        carry_on(new_training(kind), result, 2, ABOUT | {"data": {"digest": "abd"}})


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_checkpoint_is_named(kind, result):
    carry_on(new_training(kind), result, 1, ABOUT)
    path = checkpoint_path(result)
    content = path.read_bytes()
    for damaged in (b"", content[:40], content[:-9], content.replace(b"checkpoint 1", b"checkpoint 9")):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="is no usable checkpoint"):
            carry_on(new_training(kind), result, 2, ABOUT)


def test_a_checkpoint_of_another_size_is_refused(result):
    carry_on(new_training("program"), result, 1, ABOUT)
    larger = ProgramTraining(Program(small_problem("mnist"), replace(SMALL, n_clauses=12), 1))
    before = {name: array.copy() for name, array in larger._program.arrays.items()}
    with pytest.raises(ValueError, match="is no usable checkpoint"):
        carry_on(larger, result, 2, ABOUT)
    for name, array in larger._program.arrays.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.fixture
def tea(monkeypatch):
    """The variants are two small ones."""
    monkeypatch.setattr(module, "load_problem", lambda data, data_dir, quick: small_problem(data))
    monkeypatch.setattr(module, "VARIANTS", {
        "ours": Variant("ours", SMALL, 3, 2, {}, True),
        "theirs": Variant("theirs", SMALL, 3, 2, {}, by_program=True),
    })  # fmt: skip


def test_variants_are_resumed_with_more_epochs_and_more_seeds(tea, tmp_path, capsys):
    reproduce([], Options(tmp_path / "whole", n_epochs=5, seeds=(0, 1)))
    reproduce(["theirs"], Options(tmp_path / "parts"))
    with pytest.raises(ValueError, match=r"theirs-seed0\.json holds results of a former run"):
        reproduce([], Options(tmp_path / "parts"))
    capsys.readouterr()
    reproduce([], Options(tmp_path / "parts", n_epochs=5, seeds=(0, 1), resume=True))
    assert "theirs-seed0: goes on after epoch 3" in capsys.readouterr().err
    for name in ("ours-seed0", "ours-seed1", "theirs-seed0", "theirs-seed1"):
        whole, parts = (read_json(tmp_path / folder / "variants" / f"{name}.json") for folder in ("whole", "parts"))
        assert whole["test_accuracy"] == parts["test_accuracy"]
        assert whole["setting"]["n_clauses"] == SMALL.n_clauses
    reproduce(["ours"], Options(tmp_path / "parts", n_epochs=4, resume=True))
    assert "ours-seed0: 5 epochs are there" in capsys.readouterr().err


def test_results_whose_checkpoint_is_gone_are_not_replaced(tea, tmp_path):
    reproduce(["ours"], Options(tmp_path))
    path = tmp_path / "variants" / "ours-seed0.json"
    before = path.read_bytes()
    checkpoint_path(path).unlink()
    with pytest.raises(ValueError, match=r"ours-seed0\.json holds 3 epochs, but there is no"):
        reproduce(["ours"], Options(tmp_path, n_epochs=4, seeds=(1, 0), resume=True))
    assert path.read_bytes() == before
    assert not path.with_name("ours-seed1.json").exists()


def made_up(seed, accuracies, *, quick=False):
    return {"seed": seed, "setting": asdict(SMALL), "data": {"quick": quick}, "test_accuracy": accuracies}


def test_seeds_of_unequal_length_are_compared_over_the_same_epochs():
    runs = [made_up(seed, [0.5] * n + [0.9] * n) for seed, n in enumerate((9, 4))]
    (row,) = variants_table({"lazy": runs}).rows
    assert row[2:6] == ["6–8", "2", "70.00", "28.284"]


def test_the_programs_own_seed_stands_apart():
    runs = [made_up(seed, [accuracy] * 200) for seed, accuracy in enumerate((0.7, 0.8, 0.9))]
    own, others = variants_table({"program": runs}).rows
    assert own[0].endswith("its own seed")
    assert own[3:] == ["1", "70.00", "–", "98.50"]
    assert others[3:] == ["2", "85.00", "7.071", "–"]


def test_quick_results_have_no_figures_of_the_authors_beside_them():
    (row,) = variants_table({"program": [made_up(0, [0.7] * 3, quick=True)]}).rows
    assert row[-1] == "–"
    assert row[1] == "10"


def test_without_resume_a_checkpoint_alone_is_not_replaced_either(tea, tmp_path):
    reproduce(["ours"], Options(tmp_path))
    (tmp_path / "variants" / "ours-seed0.json").unlink()
    with pytest.raises(ValueError, match=r"ours-seed0\.safetensors holds results of a former run"):
        reproduce([], Options(tmp_path))


def test_a_damaged_file_of_results_is_named(tea, tmp_path):
    reproduce(["ours"], Options(tmp_path))
    path = tmp_path / "variants" / "ours-seed0.json"
    path.write_text('{"kind": "variant"}')
    with pytest.raises(ValueError, match=r"ours-seed0\.json"):
        reproduce(["ours"], Options(tmp_path, resume=True))


def test_names_of_variants_are_those_of_files():
    assert all(name.replace("-", "").isalnum() for name in VARIANTS)


@pytest.mark.parametrize(("name", "other", "said"), [
    ("ours-seed1", {}, "holds what belongs into ours-seed0"),
    ("theirs-seed0", {}, "holds what belongs into ours-seed0"),
    ("ours-seed0", {"setting": {"n_clauses": 12}}, "is of other settings or data"),
    ("ours-seed0", {"data": {"key": "connect-4", "quick": False, "digest": "0"}}, "is of other settings or data"),
])  # fmt: skip
def test_results_in_a_wrong_place_are_named(tea, tmp_path, name, other, said):
    reproduce(["ours"], Options(tmp_path))
    folder = tmp_path / "variants"
    content = read_json(folder / "ours-seed0.json")
    write_json(folder / f"{name}.json", content | other)
    with pytest.raises(ValueError, match=rf"{name}\.json {said}"):
        read_variants(folder)
