import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.synthetic import SMALL, small_problem
from wtm.machine.machine import Machine
from wtm.machine.model import Model
from wtm.machine.training import train
from wtm.paper import checkpoint as module
from wtm.paper.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from wtm.paper.run import parameters_of

ABOUT = {"data": {"name": "Tea, ein Getränk"}, "sessions": []}


@pytest.fixture(scope="module")
def parameters():
    return parameters_of(SMALL, small_problem())


@pytest.fixture(scope="module")
def checkpoint(parameters):
    model = Model([Machine.new(parameters, 7, i) for i in range(3)], 2**62 + 7)
    problem = small_problem()
    history = [
        result.entry
        for result in train(model, problem.training, problem.testing, n_epochs=2, shuffle=True, n_threads=1)
    ]
    return Checkpoint(model, history, ABOUT)


def assert_same_machines(a, b):
    for one, other in zip(a.machines, b.machines, strict=True):
        for name in ("automata", "include_bits", "exponents", "random"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
            assert getattr(one, name).dtype == getattr(other, name).dtype


def test_a_checkpoint_comes_back_as_it_was(checkpoint, parameters, tmp_path):
    path = tmp_path / "a.safetensors"
    save_checkpoint(path, checkpoint)
    found = load_checkpoint(path, parameters)
    assert_same_machines(found.model, checkpoint.model)
    before, after = checkpoint.model, found.model
    assert (after.seed, after.n_seen, after.n_epochs) == (before.seed, before.n_seen, before.n_epochs)
    assert found.history == checkpoint.history
    assert found.about == ABOUT
    assert [path.name for path in tmp_path.iterdir()] == ["a.safetensors"]


def test_what_comes_back_can_be_trained(checkpoint, parameters, tmp_path):
    path, problem = tmp_path / "a.safetensors", small_problem()
    save_checkpoint(path, checkpoint)
    models = [load_checkpoint(path, parameters).model for _ in range(2)]
    for model in models:
        list(train(model, problem.training, None, n_epochs=2, shuffle=True, n_threads=1))
    assert_same_machines(*models)
    assert models[0].n_epochs == 4


def test_a_failure_while_writing_leaves_the_old_checkpoint(checkpoint, parameters, tmp_path, monkeypatch):
    path = tmp_path / "a.safetensors"
    save_checkpoint(path, checkpoint)
    good = path.read_bytes()

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wtm.paper.files.os.fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        save_checkpoint(path, checkpoint)
    assert path.read_bytes() == good
    assert list(tmp_path.iterdir()) == [path]


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_damaged_checkpoints_are_refused_by_name(checkpoint, parameters, tmp_path_factory, data):
    path = tmp_path_factory.mktemp("damaged") / "a.safetensors"
    save_checkpoint(path, checkpoint)
    good = path.read_bytes()
    content = data.draw(
        st.one_of(
            st.integers(0, len(good) - 1).map(lambda end: good[:end]),  # cut off
            st.binary(max_size=200),  # something else
            st.tuples(st.integers(1, 7), st.integers(1, 255)).map(  # a wrong byte in the length of the header
                lambda at: good[: at[0]] + bytes([good[at[0]] ^ at[1]]) + good[at[0] + 1 :]
            ),
        )
    )
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.safetensors is no usable checkpoint"):
        load_checkpoint(path, parameters)


def test_a_checkpoint_of_other_machines_is_refused(checkpoint, tmp_path):
    path = tmp_path / "a.safetensors"
    save_checkpoint(path, checkpoint)
    other = parameters_of(SMALL.__class__("WTM", 12, 0.25, 0.05, 5), small_problem())
    with pytest.raises(ValueError, match=r"no usable checkpoint .*expected uint8"):
        load_checkpoint(path, other)


def test_resting_automata_take_little_space(parameters, tmp_path):
    large = parameters_of(SMALL.__class__("WTM", 2_000, 0.25, 0.05, 5), small_problem())
    machine = Machine.new(large, 0, 0)
    save_checkpoint(tmp_path / "a", Checkpoint(Model([machine], 0), [], {}))
    assert (tmp_path / "a").stat().st_size < machine.automata.nbytes / 5


def test_format_is_named_in_the_file(checkpoint, tmp_path, parameters, monkeypatch):
    monkeypatch.setattr(module, "_FORMAT", "wtm checkpoint 0")
    save_checkpoint(tmp_path / "old", checkpoint)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="format is 'wtm checkpoint 0'"):
        load_checkpoint(tmp_path / "old", parameters)
