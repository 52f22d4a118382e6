"""Models of fewer and shorter rules, made by commands."""

import pandas as pd
import pytest

from tests.helpers.shell import as_csv, done, people, refused
from wtm import load_model

pytest.importorskip("pyarrow")

COMMANDS = {
    "prune": (("--rules", 4), lambda clf, X, y: clf.prune(X, y, n_rules=4)),
    "refit": (("--C", 0.5, "--penalty", "l2"), lambda clf, X, y: clf.refit(X, y, "l2", C=0.5)),
    "simplify": (("--tolerance", 0.1), lambda clf, X, y: clf.simplify(X, 0.1)),
}


@pytest.fixture(scope="module")
def model(trained):
    return trained[0] / "model.safetensors"


@pytest.fixture(scope="module")
def data(trained):
    return trained[0] / "people.csv"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_model_is_that_of_the_method(command, model, data, tmp_path):
    options, reduce = COMMANDS[command]
    out = tmp_path / "small.safetensors"
    printed = done(command, model, data, "--out", out, *options).stdout
    clf, frame = load_model(model), pd.read_csv(data)
    X, y = frame[clf.feature_names_in_], frame["buys"]
    expected, written = reduce(clf, X, y), load_model(out)
    assert list(written.rules()) == list(expected.rules())
    assert (written.predict_proba(X) == expected.predict_proba(X)).all()
    assert repr(written) == repr(clf)
    assert getattr(written, "pruning_", None) == getattr(expected, "pruning_", None)
    n_rules, n_conditions = (len(clf.rules()), len(expected.rules())), (clf.rules(), expected.rules())
    assert f"rules: {n_rules[0]} -> {n_rules[1]}\n" in printed
    assert f"conditions: {n_conditions[0].n_conditions} -> {n_conditions[1].n_conditions}\n" in printed
    if command == "simplify":
        same = (clf.predict(X) == expected.predict(X)).mean()
        assert f"the same label on {same:.2%} of 120 rows\n" in printed
    else:
        assert f"accuracy on 120 rows: {clf.score(X, y):.2%} -> {expected.score(X, y):.2%}\n" in printed
    assert printed.endswith(f"{out}: the new model, for prediction\n")


def test_the_commands_work_one_after_the_other(model, data, tmp_path):
    refitted, few, short = (tmp_path / name for name in ("refitted", "few", "short"))
    done("refit", model, data, "--out", refitted)
    done("prune", refitted, data, "--max-accuracy-loss", 0.02, "--out", few)
    done("simplify", few, data, "--out", short)
    clf = load_model(short)
    assert 0 < len(clf.rules()) <= len(load_model(few).rules()) < len(load_model(model).rules())
    assert done("evaluate", short, data).stdout.startswith("accuracy on 120 rows: ")
    assert done("rules", short).stdout.startswith("IF ")


def test_rows_without_labels_are_left_out_but_not_by_simplify(model, write, tmp_path):
    table = people()
    table["buys"] = [label if i % 3 else "" for i, label in enumerate(table["buys"])]
    data, out = write(as_csv(table)), tmp_path / "small"
    assert "accuracy on 80 rows: " in done("prune", model, data, "--min-weight", 1, "--out", out).stdout
    assert "of 120 rows" in done("simplify", model, data, "--out", out, "--overwrite").stdout
    del table["buys"]
    unlabelled = write(as_csv(table), "unlabelled.csv")
    assert "of 120 rows" in done("simplify", model, unlabelled, "--out", out, "--overwrite").stdout
    for command in (("prune", model, unlabelled, "--rules", 3), ("refit", model, unlabelled)):
        assert "buys" in refused(*command, "--out", tmp_path / "no")
    table["bought"] = people()["buys"]
    renamed = write(as_csv(table), "renamed.csv")
    done("refit", model, renamed, "--target", "bought", "--out", out, "--overwrite")


def test_misuse_is_refused_in_one_line_before_anything_is_written(model, data, write, tmp_path):
    out = tmp_path / "small"
    prune = ("prune", model, data, "--out", out)
    for wanted in ((), ("--rules", 3, "--min-weight", 1)):
        line = refused(*prune, *wanted, code=2)
        assert "exactly one of --rules, --max-accuracy-loss, --max-r2-loss and --min-weight" in line
    assert refused(*prune, "--min-weight", 1e6).startswith("wtm: --min-weight must be at most ")
    one_class = people()
    one_class["buys"] = ["no"] * len(one_class["buys"])
    alike, empty = write(as_csv(one_class), "alike.csv"), write(data.read_text().splitlines()[0] + "\n", "empty.csv")
    assert "two classes or more" in refused("prune", model, alike, "--rules", 3, "--out", out)
    assert "wtm: the target must have rows of every class" in refused("refit", model, alike, "--out", out)
    for command, (options, _) in COMMANDS.items():
        assert "no rows" in refused(command, model, empty, "--out", out, *options)
        assert "standard output" in refused(command, model, data, "--out", "-", *options, code=2)
        assert "does not exist" in refused(command, tmp_path / "none", data, "--out", out, *options)
        assert "can't be loaded as a model" in refused(command, data, data, "--out", out, *options)
        assert "model.safetensors" in refused(command, model, data, "--out", model, *options, "--overwrite")
    assert not out.exists()
    out.write_text("mine")
    for command, (options, _) in COMMANDS.items():
        assert "already exists" in refused(command, model, data, "--out", out, *options)
    assert out.read_text() == "mine"


def test_a_model_that_does_not_name_its_target_needs_one(model, data, tmp_path):
    clf = load_model(model)
    del clf.target_name_
    clf.save(tmp_path / "nameless")
    assert "pass --target" in refused("refit", tmp_path / "nameless", data, "--out", tmp_path / "small")
    done("refit", tmp_path / "nameless", data, "--target", "buys", "--out", tmp_path / "small")
