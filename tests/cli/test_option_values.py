"""A value of an option that is wrong whatever the files hold ends in exit code 2 and one line, in every command."""

import pytest
import typer

from tests.helpers.shell import refused
from wtm.cli.app import app

PATHS = {"--out": "", "--data": "", "--data-dir": "{file}", "--results": "{file}"}
WRONG = {
    "--average-last": "0",
    "--C": "0", "--T": "0", "--bits": "1", "--clauses": "3", "--decimal": ";", "--dialect": "oracle", "--drop": "a,a",
    "--encoding": "klingon", "--epochs": "0", "--format": "java", "--gamma": "-1", "--holdout": "1",
    "--image-shape": "28", "--keep": "a,a", "--literal-failures": "0", "--max-accuracy-loss": "1.5",
    "--max-literals": "0", "--max-r2-loss": "-1", "--methods": "x", "--min-weight": "-1", "--n-jobs": "0",
    "--n-shards": "0", "--name": "../x", "--number-type": "half", "--over": "x", "--penalty": "x", "--per-class": "0",
    "--preset": "x", "--recipe": "x",
    "--rounds": "0", "--row": "0", "--rows": "-1", "--rules": "0", "--s": "0.5", "--seed": "-1", "--seeds": "0",
    "--separator": "ab", "--table": "", "--thresholds": "x", "--tolerance": "nan",
    "--vote-block": "513",
}  # fmt: skip
ANY_TEXT = {"--target", "--missing", "--dask"}  # names of columns and the like, which may be right somewhere
REQUIRED = {"train": {"--target": "y", "--out": "m"}, "report": {"--out": "m.html"}, "export": {"--format": "json"}}
REQUIRED |= {"prune": {"--rules": "3", "--out": "m"}, "refit": {"--out": "m"}, "simplify": {"--out": "m"}}
MORE = {"--dialect": {"--format": "sql"}, "--table": {"--format": "sql"}, "--number-type": {"--format": "c"}}
MORE["--keep"] = {"--format": "sql"}
FLAGS = {"--literal-failures": ["--fuzzy"]}


def commands(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def options():
    for path, command in commands(typer.main.get_command(app)):
        for option in command.params:
            name = option.opts[-1]
            if name.startswith("--") and not getattr(option, "is_flag", False) and name not in ANY_TEXT:
                if (path[0], name) == ("reproduce", "--out"):
                    continue  # any folder that can be made is right
                yield pytest.param(path, command, name, id=" ".join([*path, name]))


@pytest.mark.parametrize(("path", "command", "name"), list(options()))
def test_a_wrong_value_ends_in_exit_code_2(path, command, name, trained, monkeypatch):
    monkeypatch.chdir(trained[0].parent)
    data, model = trained[0] / "people.csv", trained[0] / "model.safetensors"
    wrong = (WRONG | PATHS)[name].format(file=data)  # a KeyError: an option without a wrong value in this test
    known = {"MODEL": model, "DATA": "connect-4" if path[0] == "reproduce" else data}
    metavars = [p.metavar or p.name.upper() for p in command.params if not p.opts[0].startswith("-")]
    arguments = [known[metavar.removesuffix("...")] for metavar in metavars]
    given = REQUIRED.get(path[-1], {}) | (MORE.get(name, {}) if path[-1] == "export" else {}) | {name: wrong}
    if path[-1] == "sweep":
        given = {"--over": "gamma"} | given
    words = [word for pair in given.items() for word in pair]
    line = refused(*path, *arguments, *FLAGS.get(name, []), *words, code=2)
    assert name in line
    assert "Input should be" not in line  # as typer words it, without the value


def test_the_remedy_names_options(trained):
    data = trained[0] / "people.csv"
    line = refused("train", data, "--target", "buys", "--out", "m", "--n-shards", "3", "--clauses", "20", code=2)
    assert "got --n-shards 3 and --clauses 20" in line
    assert "Use --n-shards 2, or --clauses 24." in line
