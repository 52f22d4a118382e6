"""wtm train: a file with a table becomes a model, and what it is worth is measured."""

import re

import numpy as np
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.shell import N_ROWS, QUICK, as_csv, column, done, invoke, people, refused, same_model
from wtm import WTMClassifier, load_model
from wtm.cli.holdout import divide

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
    assert {"member", "income is missing", "postcode = A420", 'colour = "light, green"'} <= set(names)
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


@settings(max_examples=100)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_a_share_is_held_out_or_refused(counts, share):
    labels = np.repeat(np.arange(len(counts)), counts)
    n_several, n_divided = sum(count for count in counts if count > 1), sum(count > 1 for count in counts)
    n_held_out = int(np.ceil(share * n_several))
    if not n_divided <= n_held_out <= n_several - n_divided or not n_divided:
        with pytest.raises(ValueError, match=re.escape(f"--holdout {share:g} ")):
            divide(labels, share, 0)
        return
    training, held_out = divide(labels, share, 0)
    assert sorted([*training, *held_out]) == list(range(len(labels)))
    assert len(held_out) == n_held_out
    assert not set(np.flatnonzero(np.array(counts) == 1)) & set(labels[held_out])


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
    asked = {"n_clauses": 10, "T": 5, "s": 4, "n_epochs": 2, "gamma": 0.5, "random_state": 7, "early_stopping": True}
    assert clf.get_params().items() >= asked.items()
    assert f"epoch {clf.best_epoch_} of {len(clf.history_)}\n" in result.stdout
    assert result.stderr == ""
    default = load_model(trained[0] / "model.safetensors").get_params(deep=False)
    own = WTMClassifier().get_params(deep=False)
    chosen = {"n_clauses", "T", "s", "n_epochs", "random_state", "booleanizer"}
    assert {name: default[name] for name in own.keys() - chosen} == {name: own[name] for name in own.keys() - chosen}


@pytest.mark.parametrize("options", [(), ("--regression",), ("--fuzzy",)])
def test_thresholds_by_splits(train, write, options):
    rng = np.random.default_rng(0)
    x = rng.random(2600).round(4)
    data = write(as_csv({"x": x, "noise": rng.random(2600).round(4), "y": (x > 0.97).astype(int)}))
    model, result = train(data, *options, "--thresholds", "splits", target="y")
    assert min(abs(np.array(model.booleanizer_.conditions_[0].thresholds) - 0.97)) < 0.002
    assert model.booleanizer_.strategy_ == "splits"
    assert "--thresholds" not in result.stderr


@pytest.mark.parametrize("options", [(), ("--regression",), ("--fuzzy",)])
def test_epochs_are_averaged(train, write, options):
    data = write(as_csv({"x": list(range(60)), "y": [i // 20 for i in range(60)]}))
    model, _ = train(data, *options, "--average-last", 2, target="y")
    assert model.average_last == model._model.n_averaged == 2
    default, _ = train(data, *options, target="y")
    assert default.average_last == (10 if options == ("--regression",) else 1)


def test_thresholds_by_splits_need_rows(trained, train):
    model, result = train(trained[0] / "people.csv", "--thresholds", "splits")
    assert model.booleanizer_.strategy_ == "quantile"
    assert "--thresholds splits needs 2,000 rows to train on: quantile was used" in result.stderr


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
        for entry in clf.history_:
            del entry["seconds"]
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


NOTES = [
    (
        ["1", "?", "3"],
        (),
        "column 'a' is text because row 2 holds '?'. If this stands for a missing value, pass --missing '?'.",
    ),
    (["1", "?", "3"], ("--missing", "?"), ""),
    (["1.5", "2", "$3"], (), "column 'a' is text because row 3 holds '$3'. If this"),
    (["1,5", "2", "3"], (), "because row 1 holds '1,5'. If ',' is the decimal point, pass --decimal ,."),
    (["1,5", "2,5", ",5"], (), "because row 1 holds '1,5'. If ',' is the decimal point, pass --decimal ,."),
    (["1,5", "2,5", ",5"], ("--decimal", ","), ""),
    (["1.5", "2.5", "3"], ("--decimal", ","), "If '.' is the decimal point, pass --decimal ."),
    (["1", "true", "0"], (), "column 'a' is text because row 2 holds 'true'"),
    (["10", "0420", "999"], (), "column 'a' holds numbers, whose leading zeros do not count, as in row 2."),
    (["0.5", "0", "-0.1"], (), ""),
    (["NA", "red", "blue"], (), ""),
    (["2020-01-01", "2020-01-02", "12:30"], (), ""),
]


@pytest.mark.parametrize(("cells", "options", "words"), NOTES, ids=lambda value: " ".join(value)[:25])
def test_columns_that_are_perhaps_not_what_they_seem_are_noted(train, write, cells, options, words):
    data = write(as_csv({"a": cells * 10, "y": ["u", "v", "u"] * 10}))
    _, result = train(data, *options, target="y")
    assert words in result.stderr
    assert result.stderr.count("\n") == (words != "")
    assert train(data, *options, "--quiet", target="y")[1].stderr == ""


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_columns_from_which_little_can_be_learnt_are_noted_once(train, write, tmp_path, format):
    table = {
        "": [str(7 * i) for i in range(60)],
        "name": [f"person {i}" for i in range(60)],
        "price": [f"{i}.5" for i in range(59)] + ["n/a or so"],
        "a": ["1", "2"] * 30,
        "y": ["u", "v"] * 30,
    }
    data = write(as_csv(table))
    if format == "parquet":
        pd = pytest.importorskip("pandas")
        frame = pd.read_csv(data)
        data = tmp_path / "people.parquet"
        frame.to_parquet(data)
    _, result = train(data, "--refit", target="y")
    notes = result.stderr.splitlines()
    (note,) = [line for line in notes if "Little can be learnt from some columns" in line]
    others = [line for line in notes if "column 'price' is text" in line]
    assert "Drop row numbers and identifiers: column 'Unnamed: 0'" in note
    assert "Drop columns with a different value in most rows: column 'name'" in note
    if format == "csv":  # the reader knows more of the column
        (of_price,) = others
        assert "because row 60 holds 'n/a or so'" in of_price
        assert "column 'price'" not in note
    else:
        assert others == []
        assert "Convert numbers stored as text to numbers: column 'price'" in note
    dropped, result = train(data, "--drop", "Unnamed: 0,name,price", "--refit", target="y")
    assert (dropped.feature_names_in_.tolist(), result.stderr) == (["a"], "")


def test_a_column_with_a_note_of_its_reader_is_not_named_again(train, write):
    numbers = range(80)
    table = {"id": [f"{i:04d}" for i in numbers], "name": [f"p {i}" for i in numbers], "y": ["u", "v"] * 40}
    of_id, of_name = train(write(as_csv(table)), "--holdout", 0, target="y")[1].stderr.splitlines()
    assert "column 'id' holds numbers, whose leading zeros do not count" in of_id
    assert of_name.endswith("Drop columns with a different value in most rows: column 'name'.")


def test_labels_that_look_alike_are_noted(train, write):
    a = ["1", "2", "3", "4"] * 10
    clf, result = train(write(as_csv({"a": a, "y": ["yes", "Yes ", "no", "n o"] * 10})), target="y")
    assert len(clf.classes_) == 4
    (note,) = result.stderr.splitlines()
    assert "labels that differ in case or white space only, and are different classes: 'Yes '; 'yes'." in note


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1", "0", "12"], [0, 1, 12]),
        (["1.0", "0", "2e0"], [0.0, 1.0, 2.0]),
        (["-1", "+1", " 1"], [-1, 1]),
        (["01", "02", "10"], [1, 2, 10]),
        (["True", "false", "true"], [False, True]),
        (["1", "two", "Nan"], ["1", "Nan", "two"]),
        (["a b", ' say "x"', "a,b"], [' say "x"', "a b", "a,b"]),
        (["9007199254740993", "9007199254740992", "-7"], [-7, 9007199254740992, 9007199254740993]),
        (["0x1f", "0x10", "2020-01-01"], ["0x10", "0x1f", "2020-01-01"]),
    ],
)
def test_labels_are_those_of_pandas(train, write, cells, labels):
    data = write(as_csv({"a": ["x", "y", "z"] * 10, "t": cells * 10}))
    clf, _ = train(data, target="t")
    assert clf.classes_.tolist() == labels
    assert np.array_equal(clf.classes_, np.unique(pytest.importorskip("pandas").read_csv(data)["t"]))
    done("predict", data.parent / "trained.safetensors", data, "--out", data.parent / "p.csv")
    assert set(column(data.parent / "p.csv")) <= set(map(str, labels))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([True, False], [False, True]), ([3, 5], [3, 5]), ([3.0, 5.0], [3.0, 5.0]), (["3", "05"], ["05", "3"])],
)
def test_labels_of_parquet_keep_their_type(tmp_path, train, labels, expected):
    data = tmp_path / "data.parquet"
    parquet.write_table(pa.table({"a": [1, 2] * 20, "y": labels * 20}), data)
    clf, _ = train(data, target="y")
    assert clf.classes_.tolist() == expected
    done("predict", tmp_path / "trained.safetensors", data, "--out", tmp_path / "p.parquet")
    assert set(parquet.read_table(tmp_path / "p.parquet")["prediction"].to_pylist()) <= set(expected)


@pytest.mark.parametrize("cell", ["9007199254740993", "-12345678901234567891", "18446744073709551617"])
def test_integers_that_float64_does_not_hold_are_refused(train, write, tmp_path, cell):
    data = write(as_csv({"id": [cell, "1.5"] * 20, "a": ["1", "2"] * 20, "y": ["u", "v"] * 20}))
    line = refused("train", data, "--target", "y", "--out", tmp_path / "m", *QUICK)
    assert f"column 'id' holds the integer {cell}, but" in line
    assert "'wtm train' leaves it out with --drop id." in line
    exact = ["9007199254740992", "9223372036854775808", "18446744073709551616", "-36893488147419103232"]
    train(write(as_csv({"id": exact * 10, "y": ["u", "v"] * 20}), "exact.csv"), target="y")
    assert "holds the integer" in refused("predict", tmp_path / "trained.safetensors", data)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([9007199254740993, 1] * 20, "9007199254740993"),
        ([float("inf"), 1.0] * 20, "contains infinity"),
        (pa.array([0, 1] * 20, pa.timestamp("s")), "holds dates, times or durations. Replace"),
        ([[1], [2, 3]] * 20, "--drop leaves a column out"),
        ([b"1", b"2"] * 20, "--drop leaves a column out"),
    ],
    ids=["integer", "infinity", "dates", "lists", "bytes"],
)
def test_columns_of_parquet_that_can_not_be_learnt_from_are_refused(tmp_path, values, words):
    data = tmp_path / "data.parquet"
    parquet.write_table(pa.table({"a": [1, 2] * 20, "odd": values, "y": ["u", "v"] * 20}), data)
    command = ("train", data, "--target", "y", "--out", tmp_path / "m", *QUICK)
    line = refused(*command)
    assert "column 'odd'" in line
    assert words in line
    done(*command, "--drop", "odd")


LONG = "x" * 100_000


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ({"a": ["1"], "y": [LONG]}, ()),
        ({"a": [LONG], "y": [""]}, ()),
        ({LONG: ["1"], "z": ["u"]}, ()),
        ({"a": ["1", "2"], LONG: ["1", "0.5"]}, ("--target", LONG)),
        ({LONG: ["1", "inf"], "y": ["u", "v"]}, ()),
        ({LONG: ["1", "9007199254740993"], "y": ["u", "v"]}, ()),
    ],
)
def test_errors_are_short(write, tmp_path, table, options):
    data = write(as_csv({name: values * 20 for name, values in table.items()}))
    command = ("train", data, "--target", "y", "--out", tmp_path / "m", *options)
    assert len(refused(*command).replace(str(data), "")) < 800


def test_notes_are_short(write, train, tmp_path):
    names = {
        "a": ["1", "2"] * 10, f"b{LONG}": ["1", "2", "3", "4"] * 4 + ["1", "2", "3", LONG],
        f"c{LONG}": [f"{LONG}{i}" for i in range(20)], f"e{LONG}": [LONG, "v"] * 10, "y": [f"U{LONG}", f"u{LONG}"] * 10,
    }  # fmt: skip
    _, result = train(write(as_csv(names)), target="y")
    assert result.stderr.count("note: ") >= 3
    assert max(map(len, result.stderr.splitlines())) < 1000
    model = tmp_path / "trained.safetensors"
    assert len(refused("predict", model, write(as_csv(names | {"a": ["1", LONG] * 10}), "p.csv"))) < 800


def test_warnings_of_the_training_are_notes(train, write):
    data = write(as_csv({"a": list(np.random.default_rng(0).permutation(["1", "2"] * 50)), "y": ["u", "v"] * 50}))
    _, result = train(data, "--T", 10_000, target="y")
    assert "note: T=10000 is too large" in result.stderr
    assert "Warning" not in result.stderr


def test_warnings_of_the_measuring_are_notes(train, write, recwarn):
    table = {"a": ["1", "2"] * 20, "b": [f"{i}:{i}" for i in range(40)], "y": ["u", "v"] * 20}
    data = write(as_csv(table))  # each row held out has a value that no other has
    (distinct,) = train(data, target="y")[1].stderr.splitlines()  # a column has one note
    assert "different value in most rows" in distinct
    few = write(as_csv({"a": ["1", "2"] * 5, "b": [f"{i}:{i}" for i in range(10)], "y": ["u", "v"] * 5}), "few.csv")
    (known,) = train(few, target="y")[1].stderr.splitlines()
    assert known.startswith("note: column 'b' holds no value seen in fit")
    assert train(data, "--quiet", target="y")[1].stderr == ""
    assert not recwarn.list


def test_missing_values_that_only_held_out_rows_have(train, write):
    table = {"a": ["1", "0"] * 20, "b": ["0", "1"] * 19 + ["", "1"], "y": ["u", "v"] * 20}
    data = write(as_csv(table))
    for seed in range(5):  # in some of them the missing value is held out
        train(data, "--seed", seed, target="y")


def test_the_model_is_saved_before_a_line_is_printed(trained, tmp_path, monkeypatch):
    def closed(*_, err=False, **__):
        if not err:
            raise BrokenPipeError

    monkeypatch.setattr(typer, "echo", closed)
    out = tmp_path / "model.safetensors"
    assert invoke("train", trained[0] / "people.csv", "--target", "buys", "--out", out, *QUICK).exit_code == 1
    assert same_model(load_model(out), load_model(trained[0] / "model.safetensors"))


def test_s_can_be_left_to_the_number_of_rows(trained, tmp_path):
    data = trained[0] / "people.csv"
    words = ["train", data, "--target", "buys", "--out", tmp_path / "model", *QUICK]
    done(*words, "--s", "auto")
    clf = load_model(tmp_path / "model")
    assert clf.s == "auto"
    assert clf.s_ == round((N_ROWS * 4 / 5 / 2) ** 0.25, 1)
    assert "must be a number or auto, got 'most'" in refused(*words, "--overwrite", "--s", "most", code=2)
    for other in ("--fuzzy", "--regression"):
        assert f"--s auto does not go with {other}" in refused(*words, "--overwrite", "--s", "auto", other, code=2)
