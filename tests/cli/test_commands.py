"""The options of the commands."""

import inspect
import re

import pytest

from tests.helpers.shell import as_csv, done, invoke, refused
from wtm import WTMClassifier, load_model
from wtm.cli.commands import predict as predict_command
from wtm.cli.model_kinds import kind_to_train
from wtm.cli.shared_options import ALL_CORES, NJobs
from wtm.cli.train_command import train as train_command
from wtm.paper.reproduce_command import reproduce

pytest.importorskip("pyarrow")


OPTIONS = {
    "clauses": "n_clauses", "threshold": "T", "s": "s", "gamma": "gamma", "max_literals": "max_literals",
    "literal_failures": "literal_failures", "epochs": "n_epochs",
}  # fmt: skip


@pytest.mark.parametrize(("option", "parameter"), OPTIONS.items())
def test_the_help_names_the_defaults_of_each_estimator(option, parameter):
    found = inspect.signature(train_command).parameters[option]
    assert found.default is None

    def default(*, regression, fuzzy):
        own = inspect.signature(kind_to_train(regression=regression, fuzzy=fuzzy)).parameters.get(parameter)
        return None if own is None else "no limit" if own.default is None else f"{own.default:,g}"

    first, *others = re.fullmatch(r".* Default: (.*)\.", found.annotation.__metadata__[0].help)[1].split("; ")
    named = {words: value for value, words in (other.split(" with ") for other in others)}
    fuzzy = named.get("--fuzzy", first)
    assert fuzzy == default(regression=False, fuzzy=True)
    if parameter != "literal_failures":
        assert first == default(regression=False, fuzzy=False)
        assert named.get("--regression", first) == default(regression=True, fuzzy=False)
    assert named.get("both", fuzzy) == default(regression=True, fuzzy=True)


def test_readable_rules_are_those_of_the_setting_unless_parameters_are_given(tmp_path):
    (tmp_path / "data.csv").write_text(as_csv({"x": range(60), "y": [x > 20 for x in range(60)]}), "utf-8")
    readable = WTMClassifier.readable().get_params()
    for options, changes in [((), {}), (("--s", 3, "--max-literals", 2), {"s": 3, "max_literals": 2})]:
        out = tmp_path / "model"
        done(
            "train", tmp_path / "data.csv", "--target", "y", "--out", out, "--overwrite", "--epochs", 1, "--clauses", 4,
            "--T", 2, "--readable", *options,
        )  # fmt: skip
        found = load_model(out).get_params()
        for name in ("s", "boost_true_positive", "max_literals"):
            assert found[name] == (readable | changes)[name]


def test_every_command_that_computes_has_one_option_for_threads():
    commands = [train_command, predict_command, *(command.callback for command in reproduce.registered_commands)]
    found = [inspect.signature(command).parameters.get("n_jobs") for command in commands]
    with_threads = [parameter for parameter in found if parameter is not None]
    assert len(with_threads) >= 8
    assert {(parameter.annotation, parameter.default) for parameter in with_threads} == {(NJobs, ALL_CORES)}
    assert all("jobs" not in inspect.signature(command).parameters for command in commands)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--clauses", 3), "wtm: --clauses must be even, got 3"),
        (("--T", -1), "wtm: --T must lie between"),
        (("--s", "nan"), "wtm: --s must be finite"),
        (("--epochs", 0), "wtm: --epochs must be at least 1"),
        (("--drop", "colour,size"), "no column 'size', which --drop names"),
        (("--drop", "buys"), "which is the target"),
        (("--drop", "age,colour,income,member,postcode"), "no column to learn from"),
        (("--target", "age", "--holdout", 0.01), "--holdout 0.01"),
    ],
)
def test_options_that_can_not_be(trained, tmp_path, options, words):
    command = ("train", trained[0] / "people.csv", "--target", "buys", "--out", tmp_path / "m")
    of_file = "column" in words or "--holdout" in options  # what is wrong depends on the file
    assert words in refused(*command, *options, code=1 if of_file else 2)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options",
    [
        ("--separator", ";;"),
        ("--separator", "§"),
        ("--holdout", 1),
        ("--decimal", "x"),
        ("--n-jobs", 0),
        ("--seed", -1),
        ("--no",),
    ],
)
def test_misuse_of_options_ends_with_2(trained, tmp_path, options):
    result = invoke("train", trained[0] / "people.csv", "--target", "buys", "--out", tmp_path / "m", *options)
    assert result.exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("train", "", "--target", "buys", "--out", "m"), "DATA"),
        (("train", "DATA", "--target", "buys", "--out", ""), "--out"),
        (("train", "DATA", "--target", "", "--out", "m"), "--target"),
        (("train", "DATA", "--target", "buys", "--drop", "", "--out", "m"), "--drop"),
        (("predict", "", "DATA"), "MODEL"),
        (("predict", "MODEL", ""), "DATA"),
        (("predict", "MODEL", "DATA", "--out", ""), "--out"),
        (("predict", "MODEL", "DATA", "--keep", ""), "--keep"),
        (("rules", ""), "MODEL"),
    ],
)
def test_what_is_empty_is_named(trained, tmp_path, monkeypatch, arguments, name):
    monkeypatch.chdir(tmp_path)
    files = {"DATA": trained[0] / "people.csv", "MODEL": trained[0] / "model.safetensors"}
    line = refused(*(files.get(argument, argument) for argument in arguments), code=2)
    assert name in line
    assert "empty" in line
    assert "is a variable not set?" in line.lower()


def test_each_rule_is_a_line_whatever_names_values_and_labels_are(train, write):
    table = {"a\tb\nc": ["1", "2"] * 20, "d": ["e\nf", "g\x85h"] * 20, "y": ["z\nv", "w"] * 20}
    clf, _ = train(write(as_csv(table)), target="y")
    printed = done("rules", write("").parent / "trained.safetensors", "--per-class", 3).stdout
    assert len(printed.splitlines()) == printed.count("THEN votes") == 2
    assert r' "z\nv", weight' in printed
    assert r'"a\tb\nc" > 1.5' in printed
    assert clf.booleanizer_.get_feature_names_out()[0] == r'"a\tb\nc" > 1.5'


def test_rules_are_printed_with_the_names_of_columns(trained):
    clf = load_model(trained[0] / "model.safetensors")
    printed = done("rules", trained[0] / "model.safetensors", "--per-class", 3).stdout.splitlines()
    assert printed == [str(rule) for rule in clf.rules()[:3]]
    assert any("age" in rule or "member" in rule for rule in printed)
