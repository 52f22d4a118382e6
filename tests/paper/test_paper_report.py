import json
import platform
from datetime import datetime

import numba
import pytest
from wtm.paper.report import environment, prepare_folder, say, show, write_json

import wtm


def test_environment_names_versions_and_machine_but_not_the_host():
    found = environment()
    assert found["versions"]["wtm"] == wtm.__version__
    assert found["versions"]["numba"] == numba.__version__
    assert found["versions"]["python"] == platform.python_version()
    assert found["machine"]["cores"] >= 1
    assert all(found["machine"].values())
    if len(platform.node()) > 3:
        assert platform.node() not in json.dumps(found)


def test_llvm_target_is_the_one_asked_for(monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "haswell")
    assert environment()["machine"]["llvm_target"] == "haswell"


def test_json_holds_the_results_with_their_environment(tmp_path):
    path = tmp_path / "results.json"
    write_json(path, {"experiment": "tea", "value": 0.1})
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["experiment"] == "tea"
    assert content["value"] == 0.1
    assert content["versions"] == environment()["versions"]
    assert datetime.fromisoformat(content["finished"]).utcoffset().total_seconds() == 0


def test_json_has_no_numbers_that_are_not_json(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "results.json", {"value": float("nan")})
    assert list(tmp_path.iterdir()) == []


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
