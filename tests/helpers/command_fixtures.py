"""Fixtures for tests of the commands and of the files that they read."""

import pytest

from tests.helpers.shell import QUICK, as_csv, done, people
from wtm import load_model


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A folder with people.csv, the model of it and its predictions; nothing may change them."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "people.csv").write_text(as_csv(people()), encoding="utf-8")
    command = ("train", folder / "people.csv", "--target", "buys", "--out", folder / "model.safetensors")
    result = done(*command, *QUICK)
    done("predict", folder / "model.safetensors", folder / "people.csv", "--out", folder / "predictions.csv")
    return folder, result


@pytest.fixture
def write(tmp_path):
    """A function that writes a file of text or bytes and returns its path."""

    def write_file(content, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write_file


@pytest.fixture
def train(tmp_path):
    """A function that trains on a file, with options, and returns the model and the command's result."""

    def train_on(path, *options, target="buys"):
        model = tmp_path / "trained.safetensors"
        result = done("train", path, "--target", target, "--out", model, *QUICK, "--overwrite", *options)
        return load_model(model), result

    return train_on
