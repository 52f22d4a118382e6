"""Wrong arguments of the studies are named, and no error is a traceback."""

import pytest

from studies import baselines, report, sampling_speed
from studies.command_line import run_command
from studies.designs import parse_arguments


@pytest.fixture
def called_with(monkeypatch):
    return lambda *arguments: monkeypatch.setattr("sys.argv", ["study", *map(str, arguments)])


def parse():
    return parse_arguments("Train.", ["a", "b"])


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (parse, ("c",)),
        (parse, ("--epochs", 0)),
        (parse, ("--epochs", -3)),
        (parse, ("--epochs", "many")),
        (parse, ("--seed", -1)),
        (parse, ("--seed", 2**63)),
        (parse, ("--seeds", 0)),
        (parse, ("--seeds", 1001)),
        (parse, ("--n-jobs", 0)),
        (parse, ("--seeds", 2, "--seed", 2**63 - 1)),
        (baselines.main, ("--seeds", 0)),
        (baselines.main, ("tea",)),
        (sampling_speed.main, ("--rounds", 0)),
        (report.main, ("--tea",)),
    ],
)
def test_wrong_arguments_are_named(main, arguments, called_with, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    called_with(*arguments)
    with pytest.raises(SystemExit, match="2"):
        main()
    line = capsys.readouterr().err.splitlines()[-1]
    assert all(str(argument) in line for argument in arguments)
    assert list(tmp_path.iterdir()) == []


def test_options_in_any_order(called_with):
    called_with("--seeds", 3, "b", "--seed", 5, "--epochs", 1)
    names, options = parse()
    assert names == ["b"]
    assert options.seeds == range(5, 8)
    assert options.n_epochs == 1


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ValueError("tea\nis cold"), 1, "wtm: tea is cold\n"),
        (FileNotFoundError(2, "No such file", "tea"), 1, "wtm: tea does not exist.\n"),
        (KeyboardInterrupt(), 130, "wtm: interrupted.\n"),
    ],
)
def test_errors_are_one_line(error, code, said, capsys):
    def main():
        raise error

    with pytest.raises(SystemExit) as ended:
        run_command(main)
    assert ended.value.code == code
    assert capsys.readouterr().err == said
