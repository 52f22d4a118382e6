"""The commands train, predict and rules, on files as people have them."""

import csv
import functools
import gzip
import inspect
import io
import os
import shlex
import signal
import subprocess
import sys
import sysconfig
import time
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from wtm import Booleanizer, WTMClassifier, load_model
from wtm.cli import app
from wtm.commands import files
from wtm.commands.options import train as train_command
from wtm.commands.train import divide
from wtm.rules import rules_of

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

WTM = str(Path(sysconfig.get_path("scripts")) / "wtm")
QUICK = ("--clauses", 20, "--T", 10, "--s", 4, "--epochs", 5)
N_ROWS = 120


def invoke(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), prog_name="wtm")


def done(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    return result


def refused(*arguments):
    """The one line of a command that fails."""
    result = invoke(*arguments)
    assert result.exit_code == 1, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    notes = [line for line in result.stderr.splitlines() if not line.startswith("note: ")]
    assert len(notes) == 1, result.stderr
    assert notes[0].startswith("wtm: ")
    return notes[0]


def people(n_rows=N_ROWS):
    """Columns of all kinds; who is older than 40 or a member buys."""
    rng = np.random.default_rng(0)
    ages = rng.integers(18, 80, n_rows)
    member = rng.random(n_rows) < 0.3
    return {
        "age": [str(age) for age in ages],
        "colour": [("red", "blue", "light, green", 'say "grey"')[i] for i in rng.integers(0, 4, n_rows)],
        "income": ["" if i % 7 == 0 else f"{i / 4}" for i in rng.integers(100, 300, n_rows)],
        "member": ["True" if is_member else "False" for is_member in member],
        "postcode": [("0420", "1010", "0999")[i] for i in rng.integers(0, 3, n_rows)],
        "buys": ["yes" if age > 40 or is_member else "no" for age, is_member in zip(ages, member, strict=True)],
    }


def typed_people():
    table = people()
    return pa.table(
        table
        | {
            "age": [int(age) for age in table["age"]],
            "income": [float(income) if income else None for income in table["income"]],
            "member": [member == "True" for member in table["member"]],
        }
    )


def as_csv(columns, *, separator=",", newline="\n", header=True):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=newline)
    if header:
        writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def read_csv(path):
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def column(path, name="prediction"):
    return [row[name] for row in read_csv(path)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with people.csv, the model of it and its predictions; nothing may change them."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "people.csv").write_text(as_csv(people()), encoding="utf-8")
    command = ("train", folder / "people.csv", "--target", "buys", "--out", folder / "model.safetensors")
    result = done(*command, *QUICK)
    done("predict", folder / "model.safetensors", folder / "people.csv", "--out", folder / "predictions.csv")
    return folder, result


@pytest.fixture
def write(tmp_path):
    """A function that writes a file of text or bytes and returns its path."""

    def write_file(content, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write_file


@pytest.fixture
def train(tmp_path):
    """A function that trains on a file, with options, and returns the model and the command's result."""

    def train_on(path, *options, target="buys"):
        model = tmp_path / "trained.safetensors"
        result = done("train", path, "--target", target, "--out", model, *QUICK, "--overwrite", *options)
        return load_model(model), result

    return train_on


def same_model(one, other):
    return one.booleanizer_.to_json() == other.booleanizer_.to_json() and rules_of(one) == rules_of(other)


# Train


def test_a_model_and_its_accuracy_on_rows_held_out(trained):
    folder, result = trained
    clf = load_model(folder / "model.safetensors")
    assert clf.feature_names_in_.tolist() == ["age", "colour", "income", "member", "postcode"]
    assert clf.classes_.tolist() == ["no", "yes"]
    assert f"{N_ROWS} rows, 5 columns" in result.stdout
    assert f"accuracy on {N_ROWS * 4 // 5} training rows: " in result.stdout
    assert f"accuracy on {N_ROWS // 5} held-out rows: " in result.stdout
    assert result.stdout.endswith("model.safetensors: the model trained on the training rows\n")
    assert result.stderr == ""
    names = clf.booleanizer_.get_feature_names_out().tolist()
    assert {"member", "income is missing", 'postcode = "0420"', 'colour = "light, green"'} <= set(names)
    assert sum(name.startswith("age > ") for name in names) == 10


def test_the_accuracy_is_that_of_the_written_model_on_rows_it_has_not_seen(trained):
    folder, result = trained
    labels = np.array(people()["buys"])
    training, held_out = divide(labels, 0.2, 0)
    assert sorted([*training, *held_out]) == list(range(N_ROWS))
    assert np.mean(labels[held_out] == "yes") == pytest.approx(np.mean(labels == "yes"), abs=0.05)
    found = np.array(column(folder / "predictions.csv"))
    for name, rows in (("training", training), ("held-out", held_out)):
        accuracy = np.mean(found[rows] == labels[rows])
        assert f"{name} rows: {100 * accuracy:.2f} % " in result.stdout


def test_refit_writes_the_model_of_all_rows(trained, train):
    folder, _ = trained
    data = folder / "people.csv"
    refitted, result = train(data, "--refit")
    assert "held-out rows" in result.stdout
    assert result.stdout.endswith("the model trained on all rows\n")
    everything, result = train(data, "--holdout", 0)
    assert "held-out" not in result.stdout
    assert same_model(refitted, everything)
    assert not same_model(refitted, load_model(folder / "model.safetensors"))


def test_the_options_are_those_of_the_classifier(trained, train):
    options = ("--gamma", 0.5, "--seed", 7, "--early-stopping", "--jobs", 2, "--quiet")
    clf, result = train(trained[0] / "people.csv", *options)
    asked = {"n_clauses": 20, "T": 10, "s": 4, "n_epochs": 5, "gamma": 0.5, "random_state": 7, "early_stopping": True}
    assert clf.get_params().items() >= asked.items()
    assert f"epoch {clf.best_epoch_} of {len(clf.history_)}\n" in result.stdout
    assert result.stderr == ""
    default = load_model(trained[0] / "model.safetensors").get_params(deep=False)
    own = WTMClassifier().get_params(deep=False)
    chosen = {"n_clauses", "T", "s", "n_epochs", "random_state", "n_jobs", "booleanizer"}
    assert {name: default[name] for name in own.keys() - chosen} == {name: own[name] for name in own.keys() - chosen}


def test_defaults_are_those_of_the_classifier():
    own, found = inspect.signature(WTMClassifier).parameters, inspect.signature(train_command).parameters
    names = {"clauses": "n_clauses", "threshold": "T", "s": "s", "gamma": "gamma", "epochs": "n_epochs"}
    for option, parameter in names.items():
        assert found[option].default == own[parameter].default


def test_seed_and_not_threads_decide(trained, train):
    data = trained[0] / "people.csv"
    one, _ = train(data, "--jobs", 1)
    two, _ = train(data, "--jobs", 2)
    other, _ = train(data, "--seed", 1)
    assert same_model(one, two)
    assert not same_model(one, other)


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (as_csv(people(), newline="\r\n"), ()),
        (as_csv(people(), newline="\r\n").encode("utf-8-sig"), ()),
        (as_csv(people()) + "\n\n", ()),
        (as_csv(people(), separator=";"), ("--separator", ";")),
        (as_csv(people(), separator="\t"), ("--separator", "tab")),
        (as_csv(people()).encode("utf-16"), ("--encoding", "utf-16")),
        (gzip.compress(as_csv(people()).encode()), ()),
    ],
    ids=["windows", "bom", "empty-lines", "semicolon", "tab", "utf-16", "gzip"],
)
def test_every_way_to_write_a_csv_is_the_same_table(trained, train, write, content, options):
    data = write(content)
    clf, _ = train(data, *options)
    model = trained[0] / "model.safetensors"
    assert same_model(clf, load_model(model))
    done("predict", model, data, *options, "--out", data.parent / "p.csv")
    assert column(data.parent / "p.csv") == column(trained[0] / "predictions.csv")


def test_a_tsv_has_tabs_and_fields_may_have_blanks_around_them(trained, train, write):
    clf, _ = train(write(as_csv(people(), separator="\t"), "data.tsv"))
    assert same_model(clf, load_model(trained[0] / "model.safetensors"))
    table = {"a": ["1", " 2", "3 "] * 10, "b": [" x", "y ", " x "] * 10}
    clf, _ = train(write("a , b\n" + as_csv(table, header=False)), target="b")
    assert (clf.feature_names_in_.tolist(), clf.classes_.tolist()) == (["a"], ["x", "y"])
    assert clf.booleanizer_.get_feature_names_out().tolist() == ["a > 1.5", "a > 2.5"]


def test_latin_1_and_names_in_any_language(train, write):
    table = {"größe": ["klein", "groß"] * 10, "käufer": ["ja", "nö"] * 10}
    data = write(as_csv(table), encoding="latin-1")
    clf, _ = train(data, "--encoding", "latin-1", target="käufer")
    assert clf.booleanizer_.get_feature_names_out().tolist() == ["größe = groß", "größe = klein"]
    assert "is not encoded in utf-8" in refused("train", data, "--target", "käufer", "--out", data.parent / "m")
    late = write(as_csv({"a": ["1"] * 10, "b": ["ü"] * 10}), encoding="latin-1")
    assert "--encoding latin-1" in refused("train", late, "--target", "b", "--out", data.parent / "m")
    assert "no encoding" in refused("train", data, "--target", "b", "--out", data.parent / "m", "--encoding", "klingon")


def test_without_a_header_columns_have_numbers(trained, train, write):
    data = write(as_csv(people(), header=False))
    clf, _ = train(data, "--no-header", target="x5")
    assert clf.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3", "x4"]
    known = load_model(trained[0] / "model.safetensors")
    assert [rule.weight for rule in rules_of(clf)] == [rule.weight for rule in rules_of(known)]
    out = data.parent / "p.csv"
    done("predict", data.parent / "trained.safetensors", data, "--no-header", "--out", out)
    assert column(out) == column(trained[0] / "predictions.csv")


def test_dropped_columns_are_not_needed_later(trained, train, write):
    clf, _ = train(trained[0] / "people.csv", "--drop", "age, colour", "--drop", "income")
    assert clf.feature_names_in_.tolist() == ["member", "postcode"]
    table = {"a,b": ["1", "2"] * 10, "c": ["1", "2"] * 10, "y": ["u", "v"] * 10}
    clf, _ = train(write(as_csv(table)), "--drop", "a,b", target="y")
    assert clf.feature_names_in_.tolist() == ["c"]


def test_missing_values_are_those_that_the_user_names_and_the_model_remembers_them(train, write):
    table = {"a": ["1", "unknown", "3", "?"] * 10, "b": ["x", "?", "unknown", "y"] * 10, "y": ["u", "v"] * 20}
    data = write(as_csv(table))
    clf, result = train(data, "--drop", "b", target="y")
    assert "column 'a' holds numbers, but also unknown, and so is taken as text" in result.stderr
    assert "a = unknown" in clf.booleanizer_.get_feature_names_out()
    clf, result = train(data, "--missing", "unknown,?", target="y")
    names = ["a > 2", "a is missing", "b = x", "b = y", "b is missing"]
    assert clf.booleanizer_.get_feature_names_out().tolist() == names
    assert result.stderr == ""
    model, out = data.parent / "trained.safetensors", data.parent / "p.csv"
    done("predict", model, data, "--out", out)
    X = [[float(a) if a.isdigit() else None, b if len(b) == 1 and b != "?" else None]
         for a, b in zip(table["a"], table["b"], strict=True)]  # fmt: skip
    with pytest.warns(UserWarning, match="feature names"):
        assert column(out) == clf.predict(X).tolist()
    line = refused("predict", model, data, "--missing", "?", "--out", data.parent / "other.csv")
    assert "column 'a' held numbers in training, but row 2 holds 'unknown'" in line
    assert not (data.parent / "other.csv").exists()


def test_rows_without_a_label_are_an_error_or_left_out(train, write):
    table = people()
    table["buys"] = ["" if i in (3, 5) else label for i, label in enumerate(table["buys"])]
    data = write(as_csv(table))
    line = refused("train", data, "--target", "buys", "--out", data.parent / "m")
    assert f"missing in 2 of {N_ROWS} rows" in line
    assert "--drop-missing-target" in line
    clf, result = train(data, "--drop-missing-target")
    assert f"{N_ROWS - 2} rows" in result.stdout
    assert clf.classes_.tolist() == ["no", "yes"]
    data = write("a,buys\n1,\n2,NA\n")
    line = refused("train", data, "--target", "buys", "--out", data.parent / "m", "--drop-missing-target")
    assert "missing in all rows" in line
    parquet.write_table(pa.table({"a": [1, 2, 3], "buys": [1.0, float("nan"), None]}), data)
    assert "missing in 2 of 3 rows" in refused("train", data, "--target", "buys", "--out", data.parent / "m")


@pytest.mark.parametrize(
    ("spelt", "labels"),
    [
        (["1", "0", "12"], [0, 1, 12]),
        (["1.0", "0", "2e0"], [0, 1, 2]),
        (["-1", "+1", "1"], [-1, 1]),
        (["01", "02", "10"], ["01", "02", "10"]),
        (["True", "False", "True"], ["False", "True"]),
        (["1", "two", "None"], ["1", "None", "two"]),
        (["a b", 'say "x"', "a,b"], ["a b", "a,b", 'say "x"']),
    ],
    ids=["integers", "whole", "signs", "leading-zeros", "truth", "mixed", "quotes"],
)
def test_labels_of_any_kind(train, write, spelt, labels):
    data = write(as_csv({"a": ["x", "y", "z"] * 10, "t": spelt * 10}))
    clf, _ = train(data, target="t")
    assert clf.classes_.tolist() == labels
    out = data.parent / "p.csv"
    done("predict", data.parent / "trained.safetensors", data, "--out", out)
    assert set(column(out)) <= set(map(str, labels))


def test_whole_numbers_of_any_length_are_labels_as_they_stand(train, write):
    for spelt in (
        ["9007199254740993", "9007199254740992", "-7"],
        ["9223372036854775807", "+1", "-9223372036854775808"],
    ):
        clf, _ = train(write(as_csv({"a": ["x", "y", "z"] * 10, "t": spelt * 10})), target="t")
        assert clf.classes_.tolist() == sorted(map(int, spelt))
    clf, _ = train(write(as_csv({"a": ["x", "y"] * 10, "t": ["9223372036854775808", "1"] * 10})), target="t")
    assert clf.classes_.tolist() == ["1", "9223372036854775808"]


@pytest.mark.parametrize("value", ["9007199254740993", "-12345678901234567891", "1" * 300])
def test_integers_that_float64_does_not_hold_are_refused(train, write, tmp_path, value):
    words = "column 'id' holds the integer"
    data = write(as_csv({"id": [value, "1"] * 20, "a": ["1", "2"] * 20, "y": ["u", "v"] * 20}))
    line = refused("train", data, "--target", "y", "--out", tmp_path / "m", *QUICK)
    assert f"{words} {value}, but beyond 2**53" in line
    assert "Leave the column out" in line
    exact = write(as_csv({"id": ["9007199254740992", "1"] * 20, "y": ["u", "v"] * 20}), "exact.csv")
    assert train(exact, target="y")[0].n_features_in_ == 1
    assert words in refused("predict", tmp_path / "trained.safetensors", data)


def test_text_that_makes_little_sense_is_told(train, write):
    ids = [f"person {i}" for i in range(100)]
    dates = [f"2020-01-{1 + i % 30:02}" for i in range(100)]
    data = write(as_csv({"id": ids, "date": dates, "a": ["1", "2"] * 50, "y": ["u", "v"] * 50}))
    clf, result = train(data, target="y")
    (note,) = result.stderr.splitlines()
    assert "column 'id' is taken as text with 100 different values, of which the 64 most frequent" in note
    assert train(data, "--quiet", target="y")[1].stderr == ""
    assert clf.n_features_in_ == 3


def test_warnings_of_the_training_are_notes(train, write):
    data = write(as_csv({"a": list(np.random.default_rng(0).permutation(["1", "2"] * 50)), "y": ["u", "v"] * 50}))
    _, result = train(data, "--T", 10_000, target="y")
    assert "note: T=10000 is out of proportion" in result.stderr
    assert "Warning" not in result.stderr


def test_missing_values_that_only_held_out_rows_have(train, write):
    table = {"a": ["1", "0"] * 20, "b": ["0", "1"] * 19 + ["", "1"], "y": ["u", "v"] * 20}
    data = write(as_csv(table))
    for seed in range(5):  # in some of them the missing value is held out
        train(data, "--seed", seed, target="y")


# Errors


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("a,y\n", "has no rows"),
        ("a,y", "has no rows"),
        ("\n\n", "has no rows"),
        ("a,b\n1,2\n", "has no column 'y', which --target names. Its columns are 'a', 'b'"),
        ("a;y\n1;2\n", "Name it by --separator"),
        ("y\n1\n2\n", "no column to learn from"),
        ("a,y,a\n1,2,3\n", "more than one column called 'a'"),
        ("a,y\n1,u\n2\n", "Row #3: Expected 2 columns, got 1"),
        ("a,y\n1,u\n2,v,w\n", "Row #3: Expected 2 columns, got 3"),
        ("a,y\n1,u\n2,u\n", "has the one value u in all rows"),
        ("a,y\n1,0.5\n2,1.5\n", "'y' holds 0.5, and labels must be whole numbers"),
        ("a,y\n1,1e300\n2,1\n", "'y' holds 1e+300, and labels that are numbers must fit 64 bits"),
        ("a,y\n1,9223372036854775808\n2,1.0\n", "9.223372036854776e+18, and labels that are numbers must fit 64 bits"),
        ("a,y\n" + "".join(f"1,id{i}\n" for i in range(20)), "is it an identifier?"),
        ("a,y\n" + "5,u\n5,v\n" * 5, "no column with two different values"),
        ("a,y\n" + "5,u\n1e999,v\n" * 5, "contains infinity, or a number too large for float64, in column 'a'"),
        ("a,y\n1,u\n2,v\n", "--holdout 0.2 of 2 rows"),
        ("a,y\n1,u\n2,v\n1,u\n2,v\n", "--holdout 0.2 of 4 rows"),
        (b"\x00,y\n\x02\xff,1\n", "is not encoded in utf-8"),
        (b"PAR1 but no more", "can't be read"),
        (b"\x1f\x8b but no more", "can't be read"),
        (gzip.compress(as_csv(people()).encode())[:-20], "can't be read"),
    ],
)
def test_files_that_are_no_use_are_refused_in_one_line(write, tmp_path, content, words):
    line = refused("train", write(content), "--target", "y", "--out", tmp_path / "m.safetensors", *QUICK)
    assert words in line
    assert not (tmp_path / "m.safetensors").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.parametrize("name", ["data.parquet", "DATA.PQ"])
@pytest.mark.parametrize("content", ["a,y\n1,u\n", b"\x00AR1, and no more", b"PAR1 but no more"])
def test_what_is_called_parquet_is_not_read_as_csv(write, tmp_path, name, content):
    line = refused("train", write(content, name), "--target", "y", "--out", tmp_path / "m", *QUICK)
    assert name in line
    assert "Parquet" in line


def test_a_row_that_never_ends_is_refused(write, tmp_path, monkeypatch):
    monkeypatch.setattr("wtm.commands.files._BLOCK", 1000)
    data = write('a,y\n1,"u\n' + "2,v\n" * 1000)
    assert "a quotation mark that is not closed" in refused("train", data, "--target", "y", "--out", tmp_path / "m")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--clauses", 3), "n_clauses must be even, got 3"),
        (("--T", -1), "T must be greater than 0"),
        (("--s", "nan"), "s must be finite"),
        (("--epochs", 0), "n_epochs must be at least 1"),
        (("--drop", "colour,size"), "no column 'size', which --drop names"),
        (("--drop", "buys"), "which is the target"),
        (("--drop", "age,colour,income,member,postcode"), "no column to learn from"),
        (("--target", "age", "--holdout", 0.01), "--holdout 0.01"),
    ],
)
def test_options_that_can_not_be(trained, tmp_path, options, words):
    command = ("train", trained[0] / "people.csv", "--target", "buys", "--out", tmp_path / "m")
    assert words in refused(*command, *options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options", [("--separator", ";;"), ("--separator", "§"), ("--holdout", 1), ("--jobs", 0), ("--seed", -1), ("--no",)]
)
def test_misuse_of_options_ends_with_2(trained, tmp_path, options):
    result = invoke("train", trained[0] / "people.csv", "--target", "buys", "--out", tmp_path / "m", *options)
    assert result.exit_code == 2


def test_files_that_are_not_there(trained, tmp_path):
    gone, model, data = tmp_path / "gone", trained[0] / "model.safetensors", trained[0] / "people.csv"
    no_such = f"wtm: {gone}: No such file or directory"
    assert no_such in refused("train", gone, "--target", "y", "--out", tmp_path / "m")
    assert no_such in refused("predict", model, gone)
    assert f"{gone}" in refused("predict", gone, data)
    assert f"{gone}" in refused("rules", gone)
    assert "is a folder" in refused("train", tmp_path, "--target", "y", "--out", tmp_path / "m")
    assert "can't be loaded as a model" in refused("predict", data, data)


def test_outputs_never_replace_what_is_read_and_others_only_when_told(trained, write, tmp_path, monkeypatch):
    data, model = write(as_csv(people())), tmp_path / "model.safetensors"
    model.write_bytes((trained[0] / "model.safetensors").read_bytes())
    kept = {path: path.read_bytes() for path in (data, model)}
    training = ("train", data, "--target", "buys", *QUICK, "--out")
    line = refused(*training, data, "--overwrite")
    assert "which is read and must not be replaced" in line
    link = tmp_path / "link.csv"
    link.symlink_to(data)
    for out in (data, link):
        assert "must not be replaced" in refused("predict", model, data, "--overwrite", "--out", out)
    assert "is there already: take another name, or say --overwrite" in refused(*training, model)
    out = tmp_path / "p.csv"
    out.write_text("precious", "utf-8")
    assert "is there already" in refused("predict", model, data, "--out", out)
    assert out.read_text("utf-8") == "precious"
    assert {path: path.read_bytes() for path in kept} == kept
    done("predict", model, data, "--out", out, "--overwrite")
    assert column(out) == column(trained[0] / "predictions.csv")
    assert "no folder" in refused(*training, tmp_path / "none" / "m")
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda *_: False)  # who runs the tests may be allowed everything
        assert "no file can be written to the folder" in refused(*training, tmp_path / "m")
    assert "is a folder" in refused(*training, tmp_path)
    assert "must end in .csv, .csv.gz or .parquet" in refused("predict", model, data, "--out", tmp_path / "p.xlsx")


def test_an_error_in_the_middle_leaves_what_was_there(trained, write, tmp_path):
    table = people()
    table["age"][-1] = "old"
    out = tmp_path / "p.csv"
    out.write_text("precious", "utf-8")
    data, model = write(as_csv(table)), trained[0] / "model.safetensors"
    line = refused("predict", model, data, "--out", out, "--overwrite")
    assert f"row {N_ROWS} holds 'old'" in line
    assert out.read_text("utf-8") == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "p.csv"]


def test_without_pyarrow_the_remedy_is_told(trained, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    line = refused("train", trained[0] / "people.csv", "--target", "buys", "--out", tmp_path / "m")
    assert "pip install 'weighted-tsetlin-machine[tables]'" in line


# Predict


def test_predictions_are_those_of_the_model_in_python(trained):
    folder, _ = trained
    clf, frame = load_model(folder / "model.safetensors"), typed_people().drop_columns("buys")
    assert column(folder / "predictions.csv") == clf.predict(frame).tolist()
    result = done("predict", folder / "model.safetensors", folder / "people.csv", "--proba", "--keep", "colour,buys")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == ["colour", "buys", "prediction", "probability_no", "probability_yes"]
    assert [row["colour"] for row in rows] == people()["colour"]
    assert [row["prediction"] for row in rows] == clf.predict(frame).tolist()
    found = [[float(row["probability_no"]), float(row["probability_yes"])] for row in rows]
    assert np.array_equal(found, clf.predict_proba(frame))


def test_columns_go_by_name(trained, write, tmp_path):
    table = people()
    shuffled = {"extra": table["age"], **{name: table[name] for name in reversed(table) if name != "buys"}}
    out = tmp_path / "p.csv"
    result = done("predict", trained[0] / "model.safetensors", write(as_csv(shuffled)), "--out", out)
    assert column(out) == column(trained[0] / "predictions.csv")
    assert f"predictions for {N_ROWS} rows" in result.stderr
    for name in ("age", "postcode"):
        del shuffled[name]
    line = refused("predict", trained[0] / "model.safetensors", write(as_csv(shuffled)))
    assert "has no column 'age', 'postcode', which the model needs" in line


def test_values_that_were_never_seen(trained, write, tmp_path):
    rows = "age,colour,income,member,postcode\n200,violet,,true,7\n,,,,\n1e3,NA,-5,FALSE,0420\n"
    done("predict", trained[0] / "model.safetensors", write(rows), "--out", tmp_path / "p.csv")
    assert len(column(tmp_path / "p.csv")) == 3
    assert "holds 'maybe'" in refused(
        "predict", trained[0] / "model.safetensors", write(rows.replace("FALSE", "maybe"))
    )


def test_a_column_without_any_known_value_is_noted_once(trained, write, tmp_path):
    command = ("predict", trained[0] / "model.safetensors")
    data = write("age,colour,income,member,postcode\n" + "30,RED,1,true,0420\n31,BLUE,1,true,0420\n" * 5)
    (note,) = done(*command, data, "--proba").stderr.splitlines()
    assert note.startswith("note: column 'colour' holds no value that was there in fit")
    assert done(*command, data, "--quiet").stderr == ""
    known = write("age,colour,income,member,postcode\n30,red,1,true,0420\n")
    assert done(*command, known).stderr == ""


def test_a_table_without_rows_has_predictions_without_rows(trained, write, tmp_path):
    data = write("age,colour,income,member,postcode\n")
    assert done("predict", trained[0] / "model.safetensors", data).stdout == "prediction\n"
    done("predict", trained[0] / "model.safetensors", data, "--out", tmp_path / "p.parquet", "--proba")
    found = parquet.read_table(tmp_path / "p.parquet")
    assert (found.num_rows, found.column_names) == (0, ["prediction", "probability_no", "probability_yes"])
    assert "is empty" in refused("predict", trained[0] / "model.safetensors", write(""))


def test_chunks_change_nothing(trained, tmp_path, monkeypatch):
    data, out = tmp_path / "people.parquet", tmp_path / "p.csv"
    parquet.write_table(typed_people(), data)
    monkeypatch.setattr("wtm.commands.files._BLOCK", 500)
    monkeypatch.setattr("wtm.commands.files._ROWS", 7)
    done("predict", trained[0] / "model.safetensors", trained[0] / "people.csv", "--out", out)
    assert out.read_bytes() == (trained[0] / "predictions.csv").read_bytes()
    done("predict", trained[0] / "model.safetensors", data, "--out", out, "--overwrite")
    assert out.read_bytes() == (trained[0] / "predictions.csv").read_bytes()


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_memory_does_not_grow_with_the_rows(tmp_path, monkeypatch, name):
    n_rows, text = 100_000, "twenty characters..."
    table = pa.table({"a": [text] * n_rows, "b": [text[::-1]] * n_rows})
    if name.endswith("csv"):
        (tmp_path / name).write_text(as_csv(table.to_pydict()), "utf-8")
    else:
        parquet.write_table(table, tmp_path / name, row_group_size=1000, use_dictionary=False)
    del table
    monkeypatch.setattr(files, "_BLOCK", 10_000)
    monkeypatch.setattr(files, "_ROWS", 1000)
    before = pa.total_allocated_bytes()
    peak = n_read = 0
    for batch in files.open_table(tmp_path / name, files.Format()).batches(["a", "b"]):
        n_read += len(batch)
        peak = max(peak, pa.total_allocated_bytes() - before)
    assert n_read == n_rows
    assert 0 < peak < 2 * n_rows * len(text) / 4


def test_predictions_as_gzip_and_parquet(trained, tmp_path):
    model, data = trained[0] / "model.safetensors", trained[0] / "people.csv"
    done("predict", model, data, "--out", tmp_path / "p.csv.gz", "--quiet")
    assert gzip.decompress((tmp_path / "p.csv.gz").read_bytes()) == (trained[0] / "predictions.csv").read_bytes()
    done("predict", model, data, "--out", tmp_path / "p.parquet", "--keep", "income")
    found = parquet.read_table(tmp_path / "p.parquet").to_pydict()
    assert found == {"income": people()["income"], "prediction": column(trained[0] / "predictions.csv")}


def test_kept_columns(trained, write, tmp_path):
    model, table = trained[0] / "model.safetensors", people()
    table |= {"prediction": table["age"], "note": [" NA \r"] * N_ROWS}
    data = write(as_csv(table, newline="\r\n"))
    assert "the predictions have a column of this name" in refused("predict", model, data, "--keep", "prediction")
    assert "no column 'size', which --keep names" in refused("predict", model, data, "--keep", "age,size")
    done("predict", model, data, "--keep", "note", "--out", tmp_path / "p.csv")
    assert set(column(tmp_path / "p.csv", "note")) == {" NA \r"}


def test_a_model_from_python_without_names_goes_by_place(write, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (100, 3))
    clf = WTMClassifier(20, 10, 4, n_epochs=5, random_state=0).fit(X, X[:, 0] == 1)
    clf.save(tmp_path / "m", prediction_only=True)
    data = write(as_csv(dict(zip("abc", X.T.tolist(), strict=True))))
    done("predict", tmp_path / "m", data, "--out", tmp_path / "p.csv")
    assert column(tmp_path / "p.csv") == [str(label) for label in clf.predict(X)]
    assert "has 2 columns" in refused("predict", tmp_path / "m", write("a,b\n1,0\n"))
    assert "only 0 and 1" in refused("predict", tmp_path / "m", write("a,b,c\n1,0,2\n"))
    assert "saved with prediction_only=True" in refused("rules", tmp_path / "m")


def test_a_single_column_with_an_empty_line_keeps_its_rows(write, train):
    clf, _ = train(write(as_csv({"a": ["1", "2", ""] * 10, "y": ["u", "v", "w"] * 10})), target="y")
    data = write("a\n1\n\n2\n")
    result = done("predict", data.parent / "trained.safetensors", data)
    assert len(result.stdout.splitlines()) == 4
    assert clf.n_features_in_ == 1


def test_columns_that_gave_little_or_nothing_take_whatever_comes(write, train):
    table = {"a": ["1", "2"] * 20, "none": [""] * 40, "same": ["7"] * 40, "y": ["u", "v"] * 20}
    table |= {"one": ["x", ""] * 20, "five": ["5", ""] * 20, "true": ["true", ""] * 20}
    clf, _ = train(write(as_csv(table)), target="y")
    names = ["a > 1.5", "one is missing", "five is missing", "true is missing"]
    assert clf.booleanizer_.get_feature_names_out().tolist() == names
    data = write("a,one,five,true,none,same\n1,other,text,text,text,text\n2,5,,maybe,6,007\n")
    result = done("predict", data.parent / "trained.safetensors", data)
    nothing = pa.nulls(2, pa.float64())
    known = pa.table({"a": [1.0, 2.0], "none": nothing, "same": nothing, "one": ["x", "x"], "five": [5.0, None],
                      "true": [1.0, 1.0]})  # fmt: skip
    assert result.stdout.splitlines()[1:] == clf.predict(known).tolist()


# Parquet


def test_parquet_has_types(tmp_path, train):
    n = 60
    table = pa.table(
        {
            "number": pa.array([1, 2, None] * 20, pa.int16()),
            "big": pa.array([Decimal("1.50"), Decimal("2"), None] * 20),
            "truth": pa.array([True, False, None] * 20),
            "text": ["1", "NA", " x"] * 20,
            "kind": pa.array(["a", "b", None] * 20).dictionary_encode(),
            "nothing": pa.nulls(n),
            "y": pa.array(["u", "v", "u"] * 20).dictionary_encode(),
        }
    )
    data = tmp_path / "data.pq"
    parquet.write_table(table, data, row_group_size=7)
    clf, _ = train(data, target="y")
    expected = WTMClassifier(20, 10, 4, n_epochs=5, random_state=0, booleanizer=Booleanizer())
    features = table.drop_columns("y")
    training, _ = divide(np.array(table["y"].to_pylist()), 0.2, 0)
    expected.fit(features.take(training), table["y"].take(training).to_pylist())
    assert same_model(clf, expected)
    done("predict", tmp_path / "trained.safetensors", data, "--out", tmp_path / "p.parquet", "--keep", "number,kind")
    found = parquet.read_table(tmp_path / "p.parquet")
    assert found["prediction"].to_pylist() == expected.predict(features).tolist()
    assert found["number"].equals(table["number"])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([True, False], [False, True]),
        ([3, 5], [3, 5]),
        ([3.0, 5.0], [3, 5]),
        (["3", "05"], ["05", "3"]),
    ],
)
def test_labels_of_parquet_keep_their_type(tmp_path, train, labels, expected):
    data = tmp_path / "data.parquet"
    parquet.write_table(pa.table({"a": [1, 2] * 20, "y": labels * 20}), data)
    clf, _ = train(data, target="y")
    assert clf.classes_.tolist() == expected
    done("predict", tmp_path / "trained.safetensors", data, "--out", tmp_path / "p.parquet")
    assert set(parquet.read_table(tmp_path / "p.parquet")["prediction"].to_pylist()) <= set(expected)


def test_columns_of_parquet_that_say_nothing_are_refused(tmp_path, trained):
    data, model = tmp_path / "data.parquet", trained[0] / "model.safetensors"
    table = pa.table({"a": [1, 2] * 20, "y": ["u", "v"] * 20})
    for values, words in (
        (pa.array([0, 1] * 20, pa.timestamp("s")), "holds dates or times"),
        ([[1], [2, 3]] * 20, "is of the type list"),
        ([b"1", b"2"] * 20, "is of the type binary"),
    ):
        parquet.write_table(table.append_column("odd", pa.array(values)), data)
        line = refused("train", data, "--target", "y", "--out", tmp_path / "m", "--overwrite")
        assert "column 'odd'" in line
        assert words in line
        done("train", data, "--target", "y", "--out", tmp_path / "m", "--drop", "odd", "--overwrite", *QUICK)
    parquet.write_table(typed_people().set_column(4, "postcode", pa.array([420] * N_ROWS)), data)
    assert "column 'postcode' held text in training, and holds int64 here" in refused("predict", model, data)
    parquet.write_table(table[:0], data)
    assert "has no rows" in refused("train", data, "--target", "y", "--out", tmp_path / "n")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_parquet_of_data_frames(library, tmp_path, train):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"age": [1.0, None, 2.0] * 20, "colour": ["red", None, "blue"] * 20, "y": [0, 1, 0] * 20})
    data = tmp_path / "data.parquet"
    (frame.to_parquet if library == "pandas" else frame.write_parquet)(data)
    clf, _ = train(data, target="y")
    names = ["age > 1.5", "age is missing", "colour = blue", "colour = red", "colour is missing"]
    assert clf.booleanizer_.get_feature_names_out().tolist() == names


# Rules


def test_rules_are_printed_with_the_names_of_columns(trained):
    from wtm.rules import heaviest_rules

    clf = load_model(trained[0] / "model.safetensors")
    printed = done("rules", trained[0] / "model.safetensors", "--per-class", 3).stdout.splitlines()
    assert printed == [str(rule) for rule in heaviest_rules(clf, 3)]
    assert len(printed) == 6
    assert any("age" in rule or "member" in rule for rule in printed)


# The documentation


def test_the_example_of_the_readme(trained, tmp_path, monkeypatch):
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
    block = readme.split("## Tables from the shell")[1].split("```bash\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_bytes((trained[0] / "people.csv").read_bytes())
    results = [done(*shlex.split(line)[1:]) for line in block.splitlines()]
    assert "held-out rows" in results[0].stdout
    assert list(read_csv("predictions.csv")[0]) == ["age", "prediction", "probability_no", "probability_yes"]
    assert results[2].stdout.count("THEN votes") == 4


# Any file


_CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8) | st.sampled_from(
    ["", "1", "-2.5", "1e3", "007", "true", "NA", "?", 'a"b', "c,d", "e\nf", "\r0", " g "]
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(_CELLS, _CELLS, st.sampled_from(["u", "v"])), min_size=1, max_size=25))
def test_any_table_is_learnt_and_predicted_or_refused_in_one_line(tmp_path, rows):
    data, model, out = (tmp_path / name for name in ("data.csv", "m", "p.csv"))
    table = dict(zip(["a", "b", "y"], zip(*rows, strict=True), strict=True))
    data.write_text(as_csv(table, newline="\r\n"), "utf-8", newline="")  # so every line end in a value is in quotes
    result = invoke("train", data, "--target", "y", "--out", model, "--overwrite", "--holdout", 0, *QUICK)
    if result.exit_code:
        assert result.exit_code == 1
        assert result.stderr.splitlines()[-1].startswith("wtm: ")
        assert isinstance(result.exception, SystemExit)
        return
    done("predict", model, data, "--out", out, "--overwrite", "--keep", "a,b,y")
    assert [(row["a"], row["b"], row["y"]) for row in read_csv(out)] == rows


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_end_in_one_line(tmp_path, content):
    data = tmp_path / "data.csv"
    data.write_bytes(content)
    refused("train", data, "--target", "a column that is not there", "--out", tmp_path / "m")


# As processes


def process(*arguments, **options):
    return subprocess.run([WTM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def test_processes(trained, tmp_path):
    data, model = trained[0] / "people.csv", tmp_path / "m"
    result = process("train", data, "--target", "buys", "--out", model, *QUICK)
    assert (result.returncode, result.stderr) == (0, "")
    assert same_model(load_model(model), load_model(trained[0] / "model.safetensors"))
    result = process("predict", model, data)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (trained[0] / "predictions.csv").read_text("utf-8")
    result = process("predict", model, tmp_path / "gone.csv")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1


def test_help_is_quick_since_nothing_is_imported():
    code = "import sys, wtm.cli; print({'numpy', 'pyarrow', 'sklearn', 'numba', 'rich.progress'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout == "set()\n"


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
def test_interrupted_training_leaves_nothing(tmp_path):
    data = tmp_path / "people.csv"
    data.write_text(as_csv(people() | {"id": [f"person {i}" for i in range(N_ROWS)]}), "utf-8")
    command = ["train", data, "--target", "buys", "--out", tmp_path / "m", "--epochs", "10000000"]
    # A test run in the background of a script ignores the signal, and its children would inherit that.
    listen = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([WTM, *map(str, command)], preexec_fn=listen, **pipes) as process:
        try:
            assert "column 'id'" in process.stderr.readline()
            time.sleep(0.5)  # all is read, and training comes next
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, output, errors) == (130, "", "wtm: interrupted.\n")
    assert list(tmp_path.iterdir()) == [data]


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter elsewhere")
def test_a_reader_that_goes_away_is_no_failure_with_a_traceback(trained, tmp_path):
    table = {name: values * 400 for name, values in people().items()}
    data = tmp_path / "many.csv"
    data.write_text(as_csv(table), "utf-8")
    command = [WTM, "predict", str(trained[0] / "model.safetensors"), str(data), "--keep", "colour"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "colour,prediction\n"
        process.stdout.close()
        errors = process.stderr.read()
    assert "Traceback" not in errors


# Real data


@pytest.mark.parametrize(("name", "file", "target", "least"), [
    ("mushroom", "agaricus-lepiota.data.gz", "x0", 0.999),
    pytest.param("adult", "adult.data.gz", "x14", 0.84, marks=pytest.mark.slow),
])  # fmt: skip
def test_real_tables_with_defaults(real_data, tmp_path, name, file, target, least):
    data, model, out = real_data(name) / name / file, tmp_path / "m", tmp_path / "p.csv"
    result = done("train", data, "--no-header", "--target", target, "--out", model)
    (line,) = (line for line in result.stdout.splitlines() if "held-out" in line)
    assert float(line.split("held-out rows: ")[1].split(" %")[0]) >= 100 * least
    done("predict", model, data, "--no-header", "--out", out, "--keep", target)
    rows = read_csv(out)
    assert np.mean([row["prediction"] == row[target].strip() for row in rows]) >= least
