"""Arguments that are paths."""

import pathlib

import numpy as np
import pytest

from tests.helpers.problems import small, xor
from wtm import load_model
from wtm.datasets import load
from wtm.utils.paths import as_path


class BytesPath:
    def __fspath__(self):
        return b"model"

    def __repr__(self):  # without an address, so that the test has the same id in every process
        return "BytesPath()"


WRONG = [b"model", 3, None, 1.5, ["model"], BytesPath(), np.array(["model"])]


@pytest.mark.parametrize("path", WRONG, ids=repr)
def test_other_types_are_refused_by_name_and_value(path):
    with pytest.raises(TypeError, match=r"^target must be a string or path-like, .* got .* of type "):
        as_path(path, "target")


def test_bytes_get_a_remedy():
    with pytest.raises(TypeError, match=r"os\.fsdecode"):
        as_path(b"model", "path")


def test_null_characters_are_refused():
    with pytest.raises(ValueError, match=r"path must not contain a null character, got 'a\\x00b'"):
        as_path("a\0b", "path")


def test_an_empty_path_is_not_the_current_folder():
    with pytest.raises(ValueError, match=r"^data_dir must name a file or folder, got an empty string"):
        as_path("", "data_dir")


@pytest.mark.parametrize("path", ["a/b", pathlib.Path("a/b"), pathlib.PurePosixPath("a/b"), np.str_("a/b")], ids=repr)
def test_paths(path):
    assert as_path(path, "path") == pathlib.Path("a/b")


@pytest.mark.parametrize("path", [path for path in WRONG if path is not None], ids=repr)
def test_every_argument_that_is_a_path_is_checked(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = small(n_epochs=1).fit(*xor())
    for name, call in (
        ("path", model.save), ("path", load_model), ("data_dir", lambda data_dir: load("noisy-xor", data_dir)),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=rf"^{name} must be a string or path-like"):
            call(path)
        with pytest.raises(ValueError, match=rf"^{name} must name a file or folder"):
            call("")
    assert not list(tmp_path.iterdir())
