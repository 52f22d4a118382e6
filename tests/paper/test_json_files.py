import errno
import json
import os
import platform
import re
from datetime import datetime
from pathlib import Path
from unittest import mock

import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wtm
from wtm.kernels.kernel_cache import kernel_digest
from wtm.paper.environment import environment
from wtm.paper.json_files import check_absent, prepare_folder, read_json, write_json
from wtm.paper.text_table import say, show
from wtm.utils.revision import git_revision


def test_environment_names_versions_and_machine_but_not_the_host():
    found = environment()
    assert found["versions"]["wtm"] == wtm.__version__
    assert found["versions"]["numba"] == numba.__version__
    assert found["versions"]["python"] == platform.python_version()
    assert found["machine"]["cores"] >= 1
    assert all(found["machine"].values())
    assert datetime.fromisoformat(found["finished"]).utcoffset().total_seconds() == 0
    assert found["revision"] == git_revision()
    assert found["kernel_digest"] == kernel_digest()
    is_checkout = (Path(wtm.__file__).parents[2] / "requirements-reproduction.txt").is_file()
    assert found["lock_file"] == ("requirements-reproduction.txt" if is_checkout else None)
    if len(platform.node()) > 3:
        assert platform.node() not in json.dumps(found)


def test_llvm_target_is_the_one_asked_for(monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "haswell")
    assert environment()["machine"]["llvm_target"] == "haswell"


text = st.text('a"\\/\n\t\0é\u2028\U0001f375')  # few characters: the table of all takes a second
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
json_values = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=10)


@settings(max_examples=30)
@given(st.dictionaries(text, json_values))
def test_json_comes_back(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "a.json"
    with mock.patch("os.fsync"):  # waiting for the disk would take most of the time
        write_json(path, content)
    assert read_json(path) == content


def test_lists_of_numbers_take_a_line_each(tmp_path):
    write_json(tmp_path / "a.json", {"a": [1, 2.5, None], "b": {"c": [True] * 100}})
    assert len((tmp_path / "a.json").read_text().splitlines()) == 6


def test_json_has_no_numbers_that_are_not_json(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "results.json", {"value": float("nan")})
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_json(path, {"old": 1})

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=f"No space left on device: '{re.escape(str(path))}'"):
        write_json(path, {"new": 1})
    assert read_json(path) == {"old": 1}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "{", "[1]", "7", "\udcff".encode("utf-8", "surrogatepass").decode("latin-1")])
def test_a_damaged_file_is_named(tmp_path, content):
    path = tmp_path / "a.json"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(ValueError, match=r"a\.json is damaged"):
        read_json(path)


def test_existing_files_are_not_replaced(tmp_path):
    check_absent(tmp_path / "a", tmp_path / "b")
    (tmp_path / "b").touch()
    with pytest.raises(ValueError, match=r"b already exists\. Pass --resume to continue, choose another folder"):
        check_absent(tmp_path / "a", tmp_path / "b")
    with pytest.raises(ValueError, match=r"b already exists\. Choose another folder"):
        check_absent(tmp_path / "b", resumable=False)


def test_prepare_folder(tmp_path):
    folder = tmp_path / "a" / "b"
    prepare_folder(folder)
    prepare_folder(folder)
    assert list(folder.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        prepare_folder(tmp_path / "file")


def test_what_is_said_goes_to_standard_error_and_what_is_shown_to_standard_output(capsys):
    say("started")
    show("[bold]100 %[/bold] :tea:")
    captured = capsys.readouterr()
    assert captured.err == "started\n"
    assert captured.out == "[bold]100 %[/bold] :tea:\n"
