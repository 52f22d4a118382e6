"""Ablations are kept, and resumed bit for bit; so is the authors' program."""

import json
import signal
from dataclasses import asdict, replace

import numpy as np
import pytest

from studies import authors_program, designs, report
from studies.ablations import train_ablations
from studies.authors_program import Program, train_programs
from studies.designs import ABLATIONS, Ablation, read_ablations
from studies.report import ablations_table
from tests.helpers.made_up_results import ENVIRONMENT, SMALL, keep, made_up_record, small_problem, write_ablation
from wtm.paper.json_files import read_json
from wtm.paper.run_options import Options

TRAIN = {"ours": train_ablations, "given": train_ablations, "theirs": train_programs}


@pytest.fixture
def tea(monkeypatch):
    """The ablations are three small ones."""
    problem = small_problem("mnist")
    ablations = {
        "ours": Ablation("ours", SMALL, 3),
        "given": Ablation("given", SMALL, 3, changes={"shuffle": False}),
        "theirs": Ablation("theirs", SMALL, 3, by_program=True),
    }
    for module in (designs, report):
        monkeypatch.setattr(module, "ABLATIONS", ablations)
    for train in (train_ablations, train_programs):
        monkeypatch.setitem(train.__globals__, "load", lambda data, data_dir, grey=None: problem)


def accuracies(folder, key, seed=0):
    return read_json(folder / "ablations" / f"{key}-seed{seed}.json")["test_accuracy"]


@pytest.mark.parametrize("key", ["ours", "given", pytest.param("theirs", marks=pytest.mark.slow)])
def test_ablations_are_resumed_bit_for_bit_with_more_epochs_and_more_seeds(tea, tmp_path, key, capsys):
    train = TRAIN[key]
    train([key], Options(tmp_path / "whole", n_epochs=5, seeds=(0, 1)))
    train([key], Options(tmp_path / "parts"))
    with pytest.raises(ValueError, match=rf"{key}-seed0\.json already exists"):
        train([key], Options(tmp_path / "parts"))
    train([key], Options(tmp_path / "parts", n_epochs=5, seeds=(0, 1), resume=True))
    for seed in (0, 1):
        found = accuracies(tmp_path / "parts", key, seed)
        assert len(found) == 5
        assert found == accuracies(tmp_path / "whole", key, seed)
    capsys.readouterr()
    train([key], Options(tmp_path / "parts", n_epochs=4, resume=True))
    assert f"{key}-seed0: 5 epochs are already there" in capsys.readouterr().err
    assert len(accuracies(tmp_path / "parts", key)) == 5


def test_ablations_differ(tea, tmp_path):
    for key, train in TRAIN.items():
        train([key], Options(tmp_path))
    assert len({tuple(accuracies(tmp_path, key)) for key in TRAIN}) == 3
    assert list(read_ablations(tmp_path / "ablations")) == list(TRAIN)


@pytest.mark.parametrize("n_epochs", [2, 5])
def test_an_interrupted_program_is_resumed_bit_for_bit(tea, tmp_path, monkeypatch, n_epochs):
    train_programs(["theirs"], Options(tmp_path / "whole", n_epochs=5))
    original = Program.epoch

    def epoch(self):
        if self.n_epochs == n_epochs - 1:
            signal.raise_signal(signal.SIGINT)
        return original(self)

    monkeypatch.setattr(Program, "epoch", epoch)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt, match=rf"theirs-seed0 has {n_epochs} of 5 epochs\. .*--resume"):
            train_programs(["theirs"], Options(tmp_path, n_epochs=5))
    finally:
        signal.signal(signal.SIGINT, before)
    monkeypatch.undo()
    assert len(accuracies(tmp_path, "theirs")) == n_epochs


def test_a_program_that_dies_loses_what_came_after_the_last_checkpoint(tea, tmp_path, monkeypatch):
    monkeypatch.setattr(authors_program, "CHECKPOINT_SECONDS", 0.0)
    original = Program.epoch
    monkeypatch.setattr(Program, "epoch", lambda self: 1 / 0 if self.n_epochs == 2 else original(self))
    with pytest.raises(ZeroDivisionError):
        train_programs(["theirs"], Options(tmp_path, n_epochs=5))
    monkeypatch.setattr(Program, "epoch", original)
    assert len(accuracies(tmp_path, "theirs")) == 2
    train_programs(["theirs"], Options(tmp_path, n_epochs=5, resume=True))
    train_programs(["theirs"], Options(tmp_path / "whole", n_epochs=5))
    assert accuracies(tmp_path, "theirs") == accuracies(tmp_path / "whole", "theirs")


def test_a_checkpoint_of_another_size_is_refused(tmp_path):
    problem, path = small_problem("mnist"), tmp_path / "a.npz"
    Program(problem, SMALL, 1).save(path)
    larger = Program(problem, replace(SMALL, n_clauses=12), 1)
    before = {name: array.copy() for name, array in larger._arrays.items()}
    with pytest.raises(ValueError, match=r"a\.npz is of another machine"):
        larger.load(path)
    for name, array in larger._arrays.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize("key", ["ours", "theirs"])
def test_results_without_their_checkpoint_are_not_replaced(tea, tmp_path, key):
    TRAIN[key]([key], Options(tmp_path))
    path = tmp_path / "ablations" / f"{key}-seed0.json"
    before = path.read_bytes()
    (checkpoint,) = (tmp_path / "ablations" / "checkpoints").iterdir()
    checkpoint.unlink()
    with pytest.raises(ValueError, match=rf"{key}-seed0\.json has 3 epochs and can't be resumed"):
        TRAIN[key]([key], Options(tmp_path, n_epochs=4, seeds=(1, 0), resume=True))
    assert path.read_bytes() == before
    assert not path.with_name(f"{key}-seed1.json").exists()


def made_up(seed, accuracies):
    data = made_up_record(SMALL, [1], key="mnist").data
    return {"seed": seed, "setting": asdict(SMALL), "data": data, "test_accuracy": accuracies}


def test_an_ablation_is_compared_with_main_trainings_over_the_same_epochs(tmp_path):
    setting, folder = ABLATIONS["no-boost"].setting, tmp_path / "ablations"
    keep(tmp_path, *(made_up_record(setting, [97.0 + s / 10] * 20, seed=s, key="mnist") for s in range(2)))
    write_ablation(tmp_path, "lazy", *([90.0] * 30, [90.0] * 30, [97.2] * 30), setting=setting)
    write_ablation(tmp_path, "no-boost", *([50.0] * 16 + [96.0 + s / 10] * 14 for s in range(3)), setting=setting)
    (row,) = ablations_table(folder, read_ablations(folder)).rows
    assert row[1:] == ["500", "20 (4)", "96.10 ± 0.25 (3 seeds)", "97.10 ± 0.25 (3 seeds)", "-1.00 ± 0.23"]


def test_seeds_with_fewer_epochs_count_while_too_few_have_all(tmp_path):
    setting, n_epochs, folder = ABLATIONS["no-boost"].setting, ABLATIONS["no-boost"].n_epochs, tmp_path / "ablations"
    complete = [[97.0] * n_epochs] * 3
    write_ablation(tmp_path, "no-boost", [50.0] * 10, *complete[:2], setting=setting)
    assert [len(run["test_accuracy"]) for run in read_ablations(folder)["no-boost"]] == [10, n_epochs, n_epochs]
    write_ablation(tmp_path, "no-boost", [50.0] * 10, *complete, setting=setting)
    assert [run["seed"] for run in read_ablations(folder)["no-boost"]] == [1, 2, 3]


def test_ablations_of_the_direct_engine_are_compared_with_it(tmp_path):
    setting, folder = ABLATIONS["direct"].setting, tmp_path / "ablations"
    write_ablation(tmp_path, "direct", [97.0] * 30, setting=setting)
    write_ablation(tmp_path, "sampler-bernoulli", [96.0] * 10, setting=setting)
    alone, row = ablations_table(folder, read_ablations(folder)).rows
    assert alone[2:] == ["30 (6)", "97.00 (1 seed)", "–", "–"]
    assert row[2:] == ["10 (2)", "96.00 (1 seed)", "97.00 (1 seed)", "-1.00"]


@pytest.mark.parametrize(("content", "said"), [
    ("{", "is damaged"),
    ('{"kind": "ablation"}', "is damaged"),
    (json.dumps(made_up(0, [0.5]) | ENVIRONMENT), "is of another setting or data set"),
])  # fmt: skip
def test_a_wrong_file_of_results_is_named(tmp_path, content, said):
    (tmp_path / "lazy-seed0.json").write_text(content)
    with pytest.raises(ValueError, match=rf"lazy-seed0\.json .*{said}"):
        read_ablations(tmp_path)


def test_names_of_ablations_are_those_of_files():
    assert all(name.replace("-", "").isalnum() for name in ABLATIONS)


@pytest.mark.parametrize("key", ["ours", "theirs"])
def test_a_checkpoint_alone_is_not_replaced(tea, tmp_path, key):
    folder = tmp_path / "ablations" / "checkpoints"
    folder.mkdir(parents=True)
    path = folder / f"{key}-seed0{'.npz' if key == 'theirs' else '.safetensors'}"
    path.write_text("kept")
    with pytest.raises(ValueError, match=rf"{path.name} already exists"):
        TRAIN[key]([key], Options(tmp_path, resume=True))
    assert path.read_text() == "kept"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"ablation": "given"}, "is of another training"),
        ({"setting": asdict(replace(SMALL, T=9))}, "is of another training"),
        ({"seed": 1}, "is of another training"),
        ({"test_accuracy": 3}, "is damaged"),
        ({"data": {"key": "mnist", "digest": "tea"}}, "is of other data"),
    ],
)
def test_other_results_are_not_continued(tea, tmp_path, changed, said):
    content = {"ablation": "ours", "setting": asdict(SMALL), "seed": 0, "data": {"digest": "0"}, "test_accuracy": [0.5]}
    folder = tmp_path / "ablations"
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "ours-seed0.json").write_text(json.dumps(content | changed))
    (folder / "checkpoints" / "ours-seed0.safetensors").write_text("")
    before = (folder / "ours-seed0.json").read_bytes()
    with pytest.raises(ValueError, match=rf"ours-seed0\.json {said}"):
        train_ablations(["ours"], Options(tmp_path, resume=True))
    assert (folder / "ours-seed0.json").read_bytes() == before


def test_a_checkpoint_of_another_ablation_is_refused(tea, tmp_path):
    train_ablations(["ours", "given"], Options(tmp_path, n_epochs=1))
    folder = tmp_path / "ablations" / "checkpoints"
    (folder / "ours-seed0.safetensors").replace(folder / "given-seed0.safetensors")
    with pytest.raises(ValueError, match=r"given-seed0\.safetensors is of another machine"):
        train_ablations(["given"], Options(tmp_path, resume=True))


def test_a_damaged_checkpoint_of_the_program_is_named(tmp_path):
    problem, path = small_problem("mnist"), tmp_path / "a.npz"
    program = Program(problem, SMALL, 1)
    program.save(path)
    whole = path.read_bytes()
    for damaged in (b"", b"tea", whole[:-9], whole[:200] + b"\0" * 50 + whole[250:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"a\.npz is damaged"):
            program.load(path)
    np.savez_compressed(path, **program._arrays, test_accuracy=[])
    with pytest.raises(ValueError, match=r"a\.npz lacks sampled_accuracy, type_i, so another version wrote it"):
        program.load(path)


@pytest.mark.parametrize("key", ["ours", "theirs"])
def test_what_another_process_has_trained_further_is_not_replaced(tea, tmp_path, key, monkeypatch):
    TRAIN[key]([key], Options(tmp_path / "whole", n_epochs=3))
    longer = (tmp_path / "whole" / "ablations" / f"{key}-seed0.json").read_bytes()
    path = tmp_path / "ablations" / f"{key}-seed0.json"
    load = train_ablations.__globals__["load"]

    def load_and_be_overtaken(*arguments):
        path.write_bytes(longer)
        return load(*arguments)

    monkeypatch.setitem(TRAIN[key].__globals__, "load", load_and_be_overtaken)
    with pytest.raises(ValueError, match=r"has 3 epochs, more than the 2 trained here: another process"):
        TRAIN[key]([key], Options(tmp_path, n_epochs=2))
    assert path.read_bytes() == longer
