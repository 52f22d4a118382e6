"""The sub-commands of ``wtm reproduce``, from their options to their files."""

import dataclasses
import functools
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.made_up_results import write_imdb, write_mnist
from tests.helpers.shell import invoke
from wtm.datasets import DatasetNotFoundError, load_connect_4
from wtm.paper import problem, trainings
from wtm.paper.settings import Preset

WTM = [sys.executable, "-m", "wtm"]


@pytest.fixture
def few_positions(monkeypatch):
    """Let the experiment see a few hundred of the positions only."""
    full = load_connect_4()
    train, test = slice(None, None, 200), slice(None, None, 50)
    few = dataclasses.replace(
        full,
        X_train=full.X_train[train],
        y_train=full.y_train[train],
        X_test=full.X_test[test],
        y_test=full.y_test[test],
    )
    monkeypatch.setattr(problem, "load_connect_4", lambda split: few)
    return few


@pytest.fixture
def empty_figures(monkeypatch):
    """Figures are drawn, but not rendered, which takes most of the time; `test_figures` renders them."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, file, **options: file.write(b"<svg/>"))


def records_in(folder):
    """The records of a folder, by the first part of their names."""
    return {
        path.name.split("-")[0]: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*-seed0.json"))
    }


def without_times(record):
    return {key: value for key, value in record["history"].items() if key != "seconds"}


def test_connect_4_from_start_to_end(tmp_path):
    result = invoke("reproduce", "connect-4", "--epochs", 1, "--out", tmp_path / "results")
    assert result.exit_code == 0, result.stderr
    assert "Connect-4, preset light" in result.stdout
    assert "80.13" in result.stdout
    assert "\x1b" not in result.stdout + result.stderr
    starts = [line.split(":")[0].split("-")[0] for line in result.stderr.splitlines()]
    assert starts == ["wtm", "wtm", "tm", "tm", f"Results written to {tmp_path}/results/connect".split("-")[0]]
    out = tmp_path / "results" / "connect-4"
    assert {path.suffix for path in out.iterdir()} == {".json", ".svg", ".txt", ""}
    records = records_in(out)
    assert records["wtm"]["data"]["training_rows"] == 60_802
    assert records["wtm"]["data"]["majority"] == {"label": "win", "test_share": pytest.approx(4_402 / 6_755)}
    assert [records[name]["setting"]["gamma"] for name in ("wtm", "tm")] == [0.0001, 0.0]
    for record in records.values():
        (accuracy,) = record["history"]["test_accuracy"]
        assert f"{100 * accuracy:.2f}" in result.stdout
    assert ElementTree.parse(out / "learning-curve-light.svg").getroot().tag.endswith("svg")
    assert (out / "rules-light.txt").read_text(encoding="utf-8").split().count("THEN") == 30


_SLOW = (["mnist"], ["mnist", "--preset", "best"], ["imdb"], ["imdb", "--recipe", "authors", "--preset", "classic"])


@pytest.mark.parametrize("command", [
    ["connect-4"], ["connect-4", "--preset", "classic"], ["connect-4", "--preset", "best"],
    *(pytest.param(command, marks=pytest.mark.slow) for command in _SLOW),
])  # fmt: skip
def test_a_quick_run_learns_more_than_the_most_frequent_class(command, tmp_path, request, empty_figures):
    data = [] if command[0] == "connect-4" else ["--data-dir", request.getfixturevalue("data_dir")]
    result = invoke("reproduce", *command, *data, "--quick", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    records = [json.loads(path.read_text("utf-8")) for path in tmp_path.rglob("*-seed0.json")]
    for record in records:
        majority = record["data"]["majority"]
        assert record["history"]["test_accuracy"][-1] > majority["test_share"] + 0.02
        said = f"Always predicting “{majority['label']}”, the most frequent class: {majority['test_share']:.2%}"
        assert said in result.stdout
        assert result.stderr.count(f"most frequent class has {majority['test_share']:.2%}") == len(records)


def test_a_quick_sample_has_the_shares_of_the_classes_in_any_order_of_the_file():
    data = load_connect_4()
    n_rows = 25_000
    alternating = dataclasses.replace(
        data, X_train=data.X_train[:n_rows], y_train=np.arange(n_rows) % 2, X_test=data.X_train[:n_rows],
        y_test=np.arange(n_rows) % 2,
    )  # fmt: skip
    for y in (few := problem._sample(alternating)).y_train, few.y_test:
        assert 0.45 < y.mean() < 0.55


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
@pytest.mark.parametrize(("numbers", "code", "said"), [
    ((signal.SIGINT,), 130, "Ctrl-C: stopping after this epoch. Another Ctrl-C stops at once."),
    pytest.param((signal.SIGTERM, signal.SIGTERM), 143,
                 "SIGTERM: stopping after this epoch. Another Ctrl-C stops at once.", marks=pytest.mark.slow),
])  # fmt: skip
def test_an_interrupted_process_keeps_what_it_has_and_another_resumes_bit_for_bit(
    tmp_path, numbers, code, said, empty_figures
):
    command = ["reproduce", "connect-4", "--quick", "--methods", "wtm", "--out", tmp_path / "parts", "--epochs"]
    # A test run in the background of a script ignores the signal, and its children would inherit that.
    listen = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*WTM, *map(str, command), "100000"], preexec_fn=listen, **pipes) as process:
        try:
            assert process.stderr.readline().startswith("wtm-100-")
            time.sleep(0.05)  # some epochs; any number will do
            for number in numbers:
                process.send_signal(number)
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == code
    assert output == ""
    stopping, kept = errors.splitlines()
    assert stopping == said
    assert kept.endswith("of 100,000 epochs. Run the same command with --resume to continue.")
    before = records_in(tmp_path / "parts" / "quick" / "connect-4")["wtm"]
    n_epochs = len(before["history"]["seconds"]) + 2
    if code != 130:
        return  # how a process was stopped makes no difference to what it keeps
    for name, resume in (("parts", ["--resume"]), ("whole", [])):
        result = invoke(*command[:-2], tmp_path / name, "--epochs", n_epochs, *resume)
        assert result.exit_code == 0, result.output
    parts, whole = (records_in(tmp_path / name / "quick" / "connect-4")["wtm"] for name in ("parts", "whole"))
    assert without_times(parts) == without_times(whole)
    assert parts["weights"] == whole["weights"]
    assert [session["epochs"] for session in parts["sessions"]] == [[1, n_epochs - 2], [n_epochs - 1, n_epochs]]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a closed pipe is another error elsewhere")
def test_a_reader_that_goes_away_is_no_error_worth_a_traceback(tmp_path):
    command = [*WTM, "reproduce", "connect-4", "--quick", "--epochs", "1", "--methods", "tm", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        errors = process.stderr.read()
    assert process.returncode == 1
    assert "Traceback" not in errors
    assert len(records_in(tmp_path / "quick" / "connect-4")["tm"]["history"]["seconds"]) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("reproduce", "connect-4", "--preset", "heavy"),
        ("reproduce", "connect-4", "--epochs", "0"),
        ("reproduce", "connect-4", "--epochs", "many"),
        ("reproduce", "connect-4", "--n-jobs", "0"),
        ("reproduce", "connect-4", "--seed", "-1"),
        ("reproduce", "connect-4", "--seed", str(2**63)),
        ("reproduce", "connect-4", "--seeds", "0"),
        ("reproduce", "connect-4", "--methods", "tea"),
        ("reproduce", "connect-4", "--data-dir", "there"),
        ("reproduce", "imdb", "--recipe", "tea"),
        ("reproduce", "compression", "tea"),
        ("reproduce", "sweep", "mnist", "--over", "tea"),
    ],
)
def test_wrong_usage(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert arguments[-1] in result.stderr or arguments[-2] in result.stderr
    assert list(tmp_path.iterdir()) == []


EXPERIMENTS = ("connect-4", "mnist", "imdb", "compression", "sweep", "weights", "report")


@pytest.mark.parametrize("command", [(), ("reproduce",), *(("reproduce", experiment) for experiment in EXPERIMENTS)])
def test_help_everywhere(command):
    result = invoke(*command, "--help")
    assert result.exit_code == 0
    assert "Usage" in result.stdout


def assert_one_line(result, *parts, code=1):
    assert result.exit_code == code
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("wtm: ")]
    assert result.stderr.endswith(line + "\n")
    assert "Traceback" not in result.output
    for part in parts:
        assert part in line


def test_results_that_cannot_be_written_are_found_out_before_the_work(tmp_path):
    file = tmp_path / "file"
    file.write_text("kept")
    for out in (file, file / "below"):
        result = invoke("reproduce", "connect-4", "--out", out)
        assert_one_line(result, f"--out: no results can be written to {out}")
        assert result.stderr.count("\n") == 1
    assert file.read_text() == "kept"
    for out in (tmp_path / ("n" * 300), *([Path("/proc/out")] if sys.platform == "linux" else [])):
        result = invoke("reproduce", "connect-4", "--out", out)
        assert_one_line(result, f"--out: no results can be written to {out}")
        assert result.stderr.count("\n") == 1


def test_missing_data(tmp_path, monkeypatch):
    def missing(split):
        raise DatasetNotFoundError("The data set was not found.\nLooked in: nowhere.")

    monkeypatch.setattr(problem, "load_connect_4", missing)
    assert_one_line(invoke("reproduce", "connect-4", "--out", tmp_path), "was not found. Looked in: nowhere.")


def test_interruption_inside_a_command(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(trainings, "learn_weights", interrupted)
    result = invoke("reproduce", "weights")
    assert result.exit_code == 130
    assert result.stderr == "wtm: interrupted.\n"


def test_seeds_end_with_the_largest(tmp_path):
    arguments = ("--quick", "--seed", 2**63 - 1, "--seeds", 2, "--out", tmp_path)
    assert_one_line(
        invoke("reproduce", "connect-4", *arguments), "exceeds the largest seed, 9223372036854775807", code=2
    )
    assert list(tmp_path.iterdir()) == []


def test_where_there_are_no_quick_results_the_command_for_them_is_named(tmp_path):
    result = invoke("reproduce", "report", "--quick", "--results", tmp_path)
    assert_one_line(result, f"run an experiment with --out {tmp_path} --quick first")


@pytest.mark.parametrize(("command", "name"), [
    (["mnist"], "MNIST"),
    (["weights"], "MNIST"),
    (["compression", "mnist"], "MNIST"),
    (["imdb"], "IMDb"),
    (["sweep", "imdb", "--over", "gamma"], "IMDb"),
])  # fmt: skip
def test_a_named_folder_without_the_data(command, name, tmp_path):
    (tmp_path / "data").mkdir()
    result = invoke("reproduce", *command, "--data-dir", tmp_path / "data", "--out", tmp_path / "out")
    assert_one_line(result, f"{name} was not found", str(tmp_path / "data"))


def test_report_without_results(tmp_path):
    result = invoke("reproduce", "report", "--results", tmp_path / "none", "--out", tmp_path / "docs")
    assert_one_line(result, "There are no results in", "none")


def test_connect_4_results_depend_on_the_seed_and_not_on_threads(few_positions, tmp_path):
    runs = {}
    for name, *options in (("a", "--n-jobs", 1), ("b", "--n-jobs", 2)):
        result = invoke("reproduce", "connect-4", "--epochs", 2, "--seeds", 2, "--out", tmp_path / name, *options)
        assert result.exit_code == 0, result.output
        assert re.search(r"seeds +1 +2 +2", result.stdout)  # the authors' one training, and two machines of ours
        paths = sorted((tmp_path / name / "connect-4").glob("*.json"))
        runs[name] = {path.name: without_times(json.loads(path.read_text())) for path in paths}
    assert runs["a"] == runs["b"]
    assert [name.rpartition("-")[2] for name in runs["a"]] == ["seed0.json", "seed1.json"] * 2
    one, other = list(runs["a"].values())[:2]
    assert one != other
    for file in ("rules-light.txt", "learning-curve-light.svg"):
        one, other = ((tmp_path / name / "connect-4" / file).read_bytes() for name in "ab")
        assert one == other


def test_without_matplotlib_everything_but_the_plot_is_written(few_positions, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = invoke("reproduce", "connect-4", "--epochs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "No learning-curve-light.svg: matplotlib is not installed" in result.stderr
    assert f"Results written to {tmp_path / 'connect-4'}\n" in result.stderr
    assert not list(tmp_path.rglob("*.svg"))


def test_finished_results_are_not_replaced(few_positions, tmp_path):
    command = ("reproduce", "connect-4", "--methods", "wtm", "--out", tmp_path, "--epochs")
    assert invoke(*command, 3).exit_code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for n_epochs in (2, 3, 4):
        assert_one_line(invoke(*command, n_epochs), "already exists", "--resume", "--out")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert "3 epochs are already there" in invoke(*command, 2, "--resume").stderr


@pytest.mark.parametrize("experiment", ["connect-4", "weights"])
def test_quick_results_have_a_folder_to_themselves(tmp_path, experiment):
    out = tmp_path / "quick"
    assert_one_line(invoke("reproduce", experiment, "--out", out), f"--out {out}: ", "--quick", code=2)
    assert not out.exists()


def test_every_experiment_in_its_quick_form_and_a_report_of_all(few_positions, empty_figures, tmp_path):
    data_dir, out = tmp_path / "data", tmp_path / "out"
    data_dir.mkdir()
    write_mnist(data_dir, n_train=200)
    write_imdb(data_dir, n_reviews=200)
    data, quick = ("--data-dir", data_dir), ("--quick", "--epochs", 1, "--out", out)
    for preset in Preset:
        for command in (["connect-4"], ["mnist", *data], ["imdb", *data], ["imdb", "--recipe", "authors", *data]):
            result = invoke("reproduce", *command, "--preset", preset, *quick, "--resume")
            assert result.exit_code == 0, result.output
    for command in (
        ["compression", "connect-4"], ["compression", "mnist", *data], ["compression", "imdb", *data],
        ["sweep", "connect-4", "--over", "gamma"], ["sweep", "connect-4", "--over", "clauses", "--methods", "wtm"],
        ["weights", *data],
    ):  # fmt: skip
        result = invoke("reproduce", *command, *quick, "--resume")
        assert result.exit_code == 0, result.output
    result = invoke("reproduce", "report", "--results", out, "--quick")
    assert result.exit_code == 0, result.output
    report = (out / "quick" / "paper.md").read_text(encoding="utf-8")
    assert "Their figures mean nothing" in report
    missing = [" ".join(part.split()) for part in report.split("\n\n") if part.startswith("Missing")]
    assert sum("sweep" in line for line in missing) == 3  # one line per data set
    assert sum("python -m studies." in line for line in missing) == 3
    assert len(missing) == 6
    assert not (out / "connect-4").exists()
