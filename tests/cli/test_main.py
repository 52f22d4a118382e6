"""The command itself: version, help, usage, terminals."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import wtm
from tests.helpers.shell import done, invoke, refused
from wtm.cli.app import app


def wtm_process(*arguments, **options):
    command = [sys.executable, "-m", "wtm", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def test_version():
    assert wtm_process("--version").stdout == f"wtm {wtm.__version__}\n"


def test_the_command_imports_experiments_only_when_they_run():
    code = "import sys, wtm.cli.app; print({'matplotlib', 'wtm.datasets', 'wtm.paper.run'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout == "set()\n"


def command_paths(group=None, path=()):
    for name, command in (group or typer.main.get_command(app)).commands.items():
        yield (*path, name)
        if hasattr(command, "commands"):
            yield from command_paths(command, (*path, name))


@pytest.mark.parametrize("path", [(), *command_paths()], ids=" ".join)
def test_help_ends_with_an_example(path):
    text = " ".join(done(*path, "--help").stdout.split())
    assert text.startswith(f"Usage: {' '.join(['wtm', *path])} ")
    if path:
        _, example = text.split("Example: ")
        assert f"wtm {' '.join(path)}" in example


@pytest.mark.parametrize(("signal", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
@pytest.mark.parametrize("place", ["typer.main.get_command", "typer.core._main"])
def test_a_signal_before_a_command_runs_ends_in_a_line(signal, code, place):
    """While typer builds the commands, and while it reads the arguments."""
    program = f"""
import os, signal, time, typer.main
from wtm.cli.main import main

def interrupted(*arguments, **options):
    os.kill(os.getpid(), signal.{signal})
    time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)
{place} = interrupted
main()
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    assert result.returncode == code
    assert result.stderr == {130: "wtm: interrupted.\n", 143: "wtm: terminated.\n"}[code]


@pytest.mark.parametrize("module", ["typer", "wtm.cli.commands", "wtm.cli.table_options"])
@pytest.mark.parametrize(("signal", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_while_the_commands_are_imported_ends_in_a_line(signal, code, module):
    program = f"""
import os, signal, sys, time

class Interrupted:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{signal})
            time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupted())
from wtm.cli.main import main
main()
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    assert (result.returncode, result.stderr) == (
        code,
        {130: "wtm: interrupted.\n", 143: "wtm: terminated.\n"}[code],
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("train", "--help")])
def test_text_that_can_not_be_written_ends_in_a_line(arguments):
    command = [sys.executable, "-m", "wtm", *arguments]
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (1, "wtm: No space left on device\n")


@pytest.mark.parametrize(
    "arguments",
    [("learn",), ("--verse",), ("reproduce", "connect-5"), ("train", "--out"), ("evaluate", "a", "b", "c"), ("sweep",)],
    ids=" ".join,
)
def test_wrong_usage(arguments):
    line = refused(*arguments, code=2)
    assert arguments[-1] in line
    assert line.endswith("--help'.")


@pytest.mark.parametrize("group", [(), ("reproduce",)])
def test_a_group_without_a_command_shows_its_help(group):
    result = invoke(*group)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == done(*group, "--help").stdout


@pytest.mark.slow
def test_a_terminal_that_knows_ascii_only_is_no_failure(tmp_path):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    result = wtm_process("reproduce", "connect-4", "--quick", "--epochs", 1, "--out", tmp_path, env=environment)
    assert (result.returncode, result.stderr.count("codec")) == (0, 0)
    assert "Results written to" in result.stderr
