import dataclasses
import functools
import json
import os
import signal
import subprocess
import sys
import sysconfig
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from typer.testing import CliRunner

import wtm
from wtm.cli import app
from wtm.datasets import DatasetNotFoundError, load_connect_4
from wtm.paper import connect_4, sampling
from wtm.paper.sampling import Point, Timing

WTM = str(Path(sysconfig.get_path("scripts")) / "wtm")


def wtm_process(*arguments, **options):
    return subprocess.run([WTM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def invoke(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), prog_name="wtm")


def results_in(folder):
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


def without_times(results):
    return [
        [{key: value for key, value in entry.items() if key != "seconds"} for entry in machine["history"]]
        for machine in results["machines"]
    ]


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
    monkeypatch.setattr(connect_4, "load_connect_4", lambda split: few)
    return few


# As a process


def test_version():
    assert wtm_process("--version").stdout == f"wtm {wtm.__version__}\n"
    as_module = subprocess.run([sys.executable, "-m", "wtm", "--version"], capture_output=True, text=True, timeout=60)
    assert as_module.stdout == f"wtm {wtm.__version__}\n"


def test_the_command_imports_experiments_only_when_they_run():
    code = "import sys, wtm.cli; print({'matplotlib', 'wtm.datasets', 'wtm.paper.comparison'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout == "set()\n"


def test_connect_4_from_start_to_end(tmp_path):
    result = wtm_process("reproduce", "connect-4", "--epochs", 1, "--out", "results", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "Connect-4, preset light" in result.stdout
    assert "80.13" in result.stdout
    assert "\x1b" not in result.stdout + result.stderr
    lines = result.stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["WTM", "WTM", "TM", "TM", "Written to results"]
    out = tmp_path / "results"
    assert {path.name for path in out.iterdir()} == {"results.json", "learning-curve.svg", "rules.txt"}
    results = results_in(out)
    assert results["data"]["training_rows"] == 60_802
    assert results["data"]["majority"] == {"label": "win", "test_share": pytest.approx(4_402 / 6_755)}
    assert [machine["parameters"]["gamma"] for machine in results["machines"]] == [0.0001, 0.0]
    for machine in results["machines"]:
        (epoch,) = machine["history"]
        assert epoch["test_accuracy"] == machine["summary"]["last"] == machine["summary"]["peak"]
        assert f"{100 * epoch['test_accuracy']:.2f}" in result.stdout
    assert ElementTree.parse(out / "learning-curve.svg").getroot().tag.endswith("svg")
    assert (out / "rules.txt").read_text(encoding="utf-8").count("THEN votes") == 30


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
def test_interruption_ends_with_130_and_one_line(tmp_path):
    command = [WTM, "reproduce", "connect-4", "--epochs", "100000", "--out", str(tmp_path)]
    # A test run in the background of a script ignores the signal, and its children would inherit that.
    listen = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, preexec_fn=listen, **pipes) as process:
        try:
            assert process.stderr.readline().startswith("WTM: 200 clauses a class")
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert output == ""
    assert errors == "wtm: interrupted.\n"


@pytest.mark.skipif(os.name != "posix", reason="a closed pipe is another error elsewhere")
def test_a_reader_that_goes_away_is_no_error_worth_a_traceback(tmp_path):
    command = [WTM, "reproduce", "sampling", "--rounds", "1", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        errors = process.stderr.read()
    assert process.returncode == 1
    assert "Traceback" not in errors
    assert results_in(tmp_path)["experiment"] == "sampling"


# Wrong usage: exit code 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("reproduce", "connect-4", "--preset", "heavy"),
        ("reproduce", "connect-4", "--epochs", "0"),
        ("reproduce", "connect-4", "--epochs", "many"),
        ("reproduce", "connect-4", "--n-jobs", "0"),
        ("reproduce", "connect-4", "--seed", "-1"),
        ("reproduce", "connect-4", "--seed", str(2**63)),
        ("reproduce", "sampling", "--rounds", "0"),
        ("reproduce", "connect-5"),
        ("learn",),
        ("--verse",),
    ],
)
def test_wrong_usage(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert arguments[-1] in result.stderr or arguments[-2] in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [(), ("reproduce",), ("reproduce", "connect-4"), ("reproduce", "sampling")])
def test_help_everywhere(command):
    result = invoke(*command, "--help")
    assert result.exit_code == 0
    assert "Usage" in result.stdout


# Failures: exit code 1 and one line


def assert_one_line(result, *parts):
    assert result.exit_code == 1
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("wtm: ")]
    assert result.stderr.endswith(line + "\n")
    assert "Traceback" not in result.output
    for part in parts:
        assert part in line


@pytest.mark.parametrize("experiment", ["connect-4", "sampling"])
def test_results_that_cannot_be_written_are_found_out_before_the_work(experiment, tmp_path):
    file = tmp_path / "file"
    file.write_text("kept")
    for out in (file, file / "below"):
        result = invoke("reproduce", experiment, "--out", out)
        assert_one_line(result, str(out))
        assert result.stderr.count("\n") == 1
    assert file.read_text() == "kept"


def test_missing_data(tmp_path, monkeypatch):
    def missing(split):
        raise DatasetNotFoundError("The data set was not found.\nLooked in: nowhere.")

    monkeypatch.setattr(connect_4, "load_connect_4", missing)
    assert_one_line(invoke("reproduce", "connect-4", "--out", tmp_path), "was not found. Looked in: nowhere.")


def test_interruption_inside_a_command(monkeypatch):
    def interrupted(**options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sampling, "reproduce", interrupted)
    result = invoke("reproduce", "sampling")
    assert result.exit_code == 130
    assert result.stderr == "wtm: interrupted.\n"


# What the commands do


def test_connect_4_results_depend_on_the_seed_and_not_on_threads(few_positions, tmp_path):
    runs = {}
    for name, *options in (("a", "--n-jobs", 1), ("b", "--n-jobs", 2), ("c", "--seed", 1)):
        result = invoke("reproduce", "connect-4", "--epochs", 2, "--out", tmp_path / name, *options)
        assert result.exit_code == 0, result.output
        runs[name] = without_times(results_in(tmp_path / name))
    assert runs["a"] == runs["b"] != runs["c"]
    assert (tmp_path / "a" / "rules.txt").read_bytes() == (tmp_path / "b" / "rules.txt").read_bytes()
    assert (tmp_path / "a" / "learning-curve.svg").read_bytes() == (tmp_path / "b" / "learning-curve.svg").read_bytes()


def test_large_presets_train_one_machine(few_positions, tmp_path):
    result = invoke("reproduce", "connect-4", "--preset", "classic", "--epochs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    (machine,) = results_in(tmp_path)["machines"]
    assert machine["machine"] == "TM"
    assert machine["summary"]["weights"] == {"min": 1.0, "max": 1.0, "mean": 1.0}
    assert "82.93" in result.stdout
    assert "82.49" in result.stdout
    assert "All weights of this machine are 1" in (tmp_path / "rules.txt").read_text(encoding="utf-8")


def test_without_matplotlib_everything_but_the_plot_is_written(few_positions, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = invoke("reproduce", "connect-4", "--epochs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "No learning-curve.svg: matplotlib is not installed" in result.stderr
    assert f"Written to {tmp_path}: results.json, rules.txt\n" in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"results.json", "rules.txt"}


def test_sampling(tmp_path):
    result = invoke("reproduce", "sampling", "--rounds", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "in the paper binomial 7" in " ".join(result.stdout.split())
    points = results_in(tmp_path)["points"]
    assert {(point["n_literals"], point["p"]) for point in points} >= {(168, 0.0065), (1568, 0.1), (10_000, 0.25)}
    for point in points:
        assert set(point["samplers"]) == {"bernoulli", "binomial", "bits"}
        assert point["samplers"]["bernoulli"]["factor"] == 1
        for timing in point["samplers"].values():
            assert timing["nanoseconds"] > 0
            assert timing["mean_count"] == pytest.approx(point["n_literals"] * point["p"], rel=0.3)


def test_sampling_fails_when_counts_are_off(tmp_path, monkeypatch):
    def off(n_literals, p, rounds, seed):
        errors = 5.1 if (n_literals, p) == (1568, 0.1) else 0.0
        timing = Timing(1.0, 1.0, 1.0, 1.0, masks=1, mean_count=1.0, standard_errors=-errors)
        return Point(n_literals, p, dict.fromkeys(("bernoulli", "binomial", "bits"), timing))

    monkeypatch.setattr(sampling, "time_samplers", off)
    result = invoke("reproduce", "sampling", "--out", tmp_path)
    assert_one_line(result, "more than 5 standard errors off at u = 1568, p = 0.1.")
    assert results_in(tmp_path)["points"][0]["samplers"]["bits"]["standard_errors"] == 0


def test_an_out_folder_that_is_a_file_is_named(tmp_path):
    file = tmp_path / "file"
    file.touch()
    result = wtm_process("reproduce", "connect-4", "--epochs", 1, "--out", file)
    assert result.returncode == 1
    assert f"--out must name a folder, but {file} is a file." in result.stderr


def test_a_terminal_that_knows_ascii_only_is_no_failure(tmp_path):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    result = wtm_process("reproduce", "connect-4", "--epochs", 1, "--out", tmp_path, env=environment)
    assert (result.returncode, result.stderr.count("codec")) == (0, 0)
    assert "Written to" in result.stderr
