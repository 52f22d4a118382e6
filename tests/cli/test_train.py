"""wtm train: a file with a table becomes a model, and what it is worth is measured."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.shell import N_ROWS, as_csv, column, people, refused, same_model
from wtm import WTMClassifier, load_model
from wtm.cli.train import divide

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


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


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_what_can_not_be_held_out_is_told_with_a_share_that_can(counts, share):
    labels = np.repeat(np.arange(len(counts)), counts)
    reason = ""
    try:
        training, held_out = divide(labels, share, 0)
    except ValueError as error:
        reason = str(error)
    if reason:
        assert reason.startswith(f"--holdout {share:g} ")
        assert not re.search("n_samples|test_size|train_size", reason)
        if max(counts) == 1:
            assert reason.endswith("Say --holdout 0 to train on all rows.")
            return
        advice = re.search(r"Say --holdout ([0-9.]+) or (more|less), or 0", reason)
        training, held_out = divide(labels, float(advice[1]), 0)
    assert sorted([*training, *held_out]) == list(range(len(labels)))
    assert len(held_out) >= sum(count > 1 for count in counts)


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
    options = ("--gamma", 0.5, "--seed", 7, "--early-stopping", "--n-jobs", 2, "--quiet")
    clf, result = train(trained[0] / "people.csv", *options)
    asked = {"n_clauses": 20, "T": 10, "s": 4, "n_epochs": 5, "gamma": 0.5, "random_state": 7, "early_stopping": True}
    assert clf.get_params().items() >= asked.items()
    assert f"epoch {clf.best_epoch_} of {len(clf.history_)}\n" in result.stdout
    assert result.stderr == ""
    default = load_model(trained[0] / "model.safetensors").get_params(deep=False)
    own = WTMClassifier().get_params(deep=False)
    chosen = {"n_clauses", "T", "s", "n_epochs", "random_state", "booleanizer"}
    assert {name: default[name] for name in own.keys() - chosen} == {name: own[name] for name in own.keys() - chosen}


def test_seed_and_not_threads_decide(trained, train):
    data = trained[0] / "people.csv"
    one, _ = train(data, "--n-jobs", 1)
    two, _ = train(data, "--n-jobs", 2)
    other, _ = train(data, "--seed", 1)
    assert same_model(one, two)
    assert not same_model(one, other)


def test_a_model_does_not_tell_of_the_threads_that_trained_it(trained, train, tmp_path):
    data, files = trained[0] / "people.csv", []
    for n_jobs in (1, 2):
        clf, _ = train(data, "--n-jobs", n_jobs)
        assert clf.n_jobs is None
        clf.history_ = []  # which holds seconds
        clf.save(tmp_path / f"{n_jobs}.safetensors")
        files.append((tmp_path / f"{n_jobs}.safetensors").read_bytes())
    assert files[0] == files[1]


def test_dropped_columns_are_not_needed_later(trained, train, write):
    clf, _ = train(trained[0] / "people.csv", "--drop", "age, colour", "--drop", "income")
    assert clf.feature_names_in_.tolist() == ["member", "postcode"]
    table = {"a,b": ["1", "2"] * 10, "c": ["1", "2"] * 10, "y": ["u", "v"] * 10}
    clf, _ = train(write(as_csv(table)), "--drop", "a,b", target="y")
    assert clf.feature_names_in_.tolist() == ["c"]


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


def test_text_that_makes_little_sense_is_told(train, write):
    ids = [f"person {i}" for i in range(100)]
    dates = [f"2020-01-{1 + i % 30:02}" for i in range(100)]
    data = write(as_csv({"id": ids, "date": dates, "a": ["1", "2"] * 50, "y": ["u", "v"] * 50}))
    clf, result = train(data, target="y")
    (note,) = result.stderr.splitlines()
    assert "column 'id' (such as 'person 0')" in note
    assert "--drop id" in note
    assert train(data, "--quiet", target="y")[1].stderr == ""
    assert clf.n_features_in_ == 3
    data = write(as_csv({"many": ids * 2, "a": ["1", "2"] * 100, "y": ["u", "v"] * 100}))
    (note,) = train(data, target="y")[1].stderr.splitlines()
    assert "column 'many' is taken as text with 100 different values, of which the 64 most frequent" in note


def test_labels_that_are_spelt_in_several_ways_are_told_in_one_note(train, write):
    a = ["1", "2", "3", "4"] * 10
    clf, result = train(write(as_csv({"a": a, "y": ["true", "True", "FALSE", "false"] * 10})), target="y")
    assert len(clf.classes_) == 4
    assert result.stderr.count("\n") == 1
    assert "the target 'y' has classes that differ in upper and lower case or white space only" in result.stderr
    assert "'FALSE', 'false'; 'True', 'true'" in result.stderr
    for labels in (["yes", "no", "Yes, but", "maybe"], ["1", "0", "2", "3"]):
        assert train(write(as_csv({"a": a, "y": labels * 10})), target="y")[1].stderr == ""


def test_warnings_of_the_training_are_notes(train, write):
    data = write(as_csv({"a": list(np.random.default_rng(0).permutation(["1", "2"] * 50)), "y": ["u", "v"] * 50}))
    _, result = train(data, "--T", 10_000, target="y")
    assert "note: T=10000 is too large" in result.stderr
    assert "Warning" not in result.stderr


def test_warnings_of_the_measuring_are_notes(train, write, recwarn):
    table = {"a": ["1", "2"] * 20, "b": [f"{i}:{i}" for i in range(40)], "y": ["u", "v"] * 20}
    data = write(as_csv(table))  # each row held out has a value that no other has
    told, known = train(data, target="y")[1].stderr.splitlines()
    assert "nearly every row" in told
    assert known.startswith("note: column 'b' holds no value seen in fit")
    assert train(data, "--quiet", target="y")[1].stderr == ""
    assert not recwarn.list


def test_missing_values_that_only_held_out_rows_have(train, write):
    table = {"a": ["1", "0"] * 20, "b": ["0", "1"] * 19 + ["", "1"], "y": ["u", "v"] * 20}
    data = write(as_csv(table))
    for seed in range(5):  # in some of them the missing value is held out
        train(data, "--seed", seed, target="y")
