"""Paths that callers give."""

import pathlib

import numpy as np
import pytest

from tests.helpers.problems import small, xor
from wtm import load_model
from wtm.datasets import load
from wtm.utils.paths import checked_path


class BytesPath:
    def __fspath__(self):
        return b"model"


WRONG = [b"model", 3, None, 1.5, ["model"], BytesPath(), np.array(["model"])]


@pytest.mark.parametrize("path", WRONG, ids=repr)
def test_what_is_no_path_is_refused_by_name_and_value(path):
    with pytest.raises(TypeError, match=r"^target must be a string or path-like, .* got .* of type "):
        checked_path(path, "target")


def test_bytes_get_a_remedy():
    with pytest.raises(TypeError, match=r"os\.fsdecode"):
        checked_path(b"model", "path")


def test_null_characters_are_refused():
    with pytest.raises(ValueError, match=r"path must not hold a null character, got 'a\\x00b'"):
        checked_path("a\0b", "path")


def test_an_empty_path_is_not_the_current_folder():
    with pytest.raises(ValueError, match=r"^data_dir is empty"):
        checked_path("", "data_dir")


@pytest.mark.parametrize("path", ["a/b", pathlib.Path("a/b"), pathlib.PurePosixPath("a/b"), np.str_("a/b")], ids=repr)
def test_paths(path):
    assert checked_path(path, "path") == pathlib.Path("a/b")


@pytest.mark.parametrize("path", [path for path in WRONG if path is not None], ids=repr)
def test_every_argument_that_is_a_path_is_checked(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = small(n_epochs=1).fit(*xor())
    for name, call in (
        ("path", model.save), ("path", load_model), ("data_dir", lambda data_dir: load("noisy-xor", data_dir)),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=rf"^{name} must be a string or path-like"):
            call(path)
        with pytest.raises(ValueError, match=rf"^{name} is empty"):
            call("")
    assert not list(tmp_path.iterdir())
