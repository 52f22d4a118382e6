"""wtm predict: a model and a file with a table become predictions."""

import csv
import io

import numpy as np
import pytest

from tests.helpers.shell import N_ROWS, as_csv, column, done, people, refused, typed_people
from wtm import WTMClassifier, load_model
from wtm.table_files import csv_file, parquet_file

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


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
    assert "has no columns 'age', 'postcode', which the model needs" in line


def test_values_that_were_never_seen(trained, write, tmp_path):
    rows = "age,colour,income,member,postcode\n200,violet,,true,Z7\n,,,,\n1e3,NA,-5,FALSE,A420\n"
    done("predict", trained[0] / "model.safetensors", write(rows), "--out", tmp_path / "p.csv")
    assert len(column(tmp_path / "p.csv")) == 3
    assert "holds 'maybe'" in refused(
        "predict", trained[0] / "model.safetensors", write(rows.replace("FALSE", "maybe"))
    )


def test_a_column_without_any_known_value_is_noted_once(trained, write, tmp_path):
    command = ("predict", trained[0] / "model.safetensors")
    data = write("age,colour,income,member,postcode\n" + "30,RED,1,true,A420\n31,BLUE,1,true,A420\n" * 5)
    (note,) = done(*command, data, "--proba").stderr.splitlines()
    assert note.startswith("note: column 'colour' holds no value seen in fit")
    assert done(*command, data, "--quiet").stderr == ""
    known = write("age,colour,income,member,postcode\n30,red,1,true,A420\n")
    assert done(*command, known).stderr == ""


def test_a_table_without_rows_has_predictions_without_rows(trained, write, tmp_path):
    data = write("age,colour,income,member,postcode\n")
    assert done("predict", trained[0] / "model.safetensors", data).stdout == "prediction\n"
    done("predict", trained[0] / "model.safetensors", data, "--out", tmp_path / "p.parquet", "--proba")
    found = parquet.read_table(tmp_path / "p.parquet")
    assert (found.num_rows, found.column_names) == (0, ["prediction", "probability_no", "probability_yes"])
    assert "is empty" in refused("predict", trained[0] / "model.safetensors", write(""))


def in_batches(monkeypatch, size):
    """Read about so many rows at a time from now on."""
    monkeypatch.setattr(csv_file, "_BLOCK", 100 * size)
    monkeypatch.setattr(csv_file, "_ROWS_PER_BLOCK", 1)
    monkeypatch.setattr(csv_file, "_BYTES_PER_BATCH", 100 * size)
    monkeypatch.setattr(parquet_file, "_ROWS_PER_BATCH", size)


def test_batches_change_nothing(trained, tmp_path, monkeypatch):
    model, data = trained[0] / "model.safetensors", trained[0] / "people.csv"
    parquet.write_table(typed_people(), tmp_path / "people.parquet")
    whole = done("predict", model, data, "--proba").stdout
    in_batches(monkeypatch, 7)
    assert done("predict", model, data, "--proba").stdout == whole
    assert done("predict", model, tmp_path / "people.parquet", "--proba").stdout == whole


ROWS = ["30,red,1,true,A420"] * 40


@pytest.mark.parametrize(
    ("changes", "notes"),
    [
        ({}, 0),
        (dict.fromkeys(range(39), "30,RED,1,true,A420"), 0),  # the last row alone has a colour that is known
        (dict.fromkeys(range(40), "30,RED,1,true,A420"), 1),
        (dict.fromkeys(range(40), "30,RED,1,true,Z1"), 2),
        (dict.fromkeys(range(40), "30,,1,true,A420"), 1),
        (dict.fromkeys(range(0, 40, 2), "30,,1,true,A420") | dict.fromkeys(range(1, 40, 2), "30,RED,1,true,A420"), 1),
        (dict.fromkeys(range(40), ",red,1,true,A420"), 1),
        (dict.fromkeys(range(39), ",red,1,true,A420"), 0),
    ],
    ids=[
        "known",
        "one is known",
        "all new",
        "two columns",
        "all missing",
        "missing or new",
        "numbers missing",
        "one number",
    ],
)
def test_columns_are_judged_by_all_batches(trained, write, monkeypatch, changes, notes):
    rows = [changes.get(i, row) for i, row in enumerate(ROWS)]
    data = write("age,colour,income,member,postcode\n" + "\n".join(rows) + "\n")
    told = []
    for size in (1, 7, 1000):
        in_batches(monkeypatch, size)
        result = done("predict", trained[0] / "model.safetensors", data, "--proba")
        told.append((result.stdout, result.stderr))
    assert len(set(told)) == 1
    found = told[0][1].splitlines()
    assert len(found) == notes
    are_missing = {key.split(",")[1] for key in changes.values()} == {""} or (notes == 1 and ",red" in str(changes))
    words = "is missing in all rows" if are_missing else "holds no value seen in fit"
    assert all(words in note for note in found)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("old,red,1,true,A420", "column 'age' held numbers in training, but row 32 holds 'old'. If this stands for"),
        ('30,red,"1,5",true,A420', "but row 32 holds '1,5'. If ',' is the decimal point, pass --decimal ,."),
        ("True,red,1,true,A420", "column 'age' held numbers in training, but row 32 holds 'True'"),
        ("30,red,1,1,A420", "column 'member' held numbers in training, but row 32 holds '1'"),
        ("1e999,red,1,true,A420", "row 32 of column 'age' holds '1e999', which is infinite or too large"),
        ("30,red,9007199254740993,true,A420", "row 32 of column 'income' holds the integer 9007199254740993"),
        ("30,red,1,true", "row 32 has 4 fields, and the rows before it have 5"),
    ],
)
def test_an_error_is_that_of_a_row_wherever_batches_end(trained, write, monkeypatch, row, words):
    data = write("age,colour,income,member,postcode\n" + "\n".join([*ROWS[:31], row, *ROWS[32:]]) + "\n")
    for size in (1, 7, 1000):
        in_batches(monkeypatch, size)
        out = data.parent / "p.csv"
        assert words in refused("predict", trained[0] / "model.safetensors", data, "--out", out)
        assert not out.exists()


def test_text_that_is_numbers_is_read_as_text_and_noted(trained, write, monkeypatch):
    rows = [row.replace("A420", "420") for row in ROWS]
    for last, n_notes in (("A420", 0), ("420", 1)):
        data = write("age,colour,income,member,postcode\n" + "\n".join([*rows, f"30,red,1,true,{last}"]) + "\n")
        for size in (1, 1000):
            in_batches(monkeypatch, size)
            result = done("predict", trained[0] / "model.safetensors", data)
            assert len(result.stdout.splitlines()) == len(rows) + 2
            assert result.stderr.count("column 'postcode' held text in training and holds numbers here") == n_notes


def test_csv_does_not_tell_text_from_numbers_in_a_column_of_both(write, tmp_path):
    X = np.array(["a", "b", "a", "b", 1] * 10, object)[:, None]
    clf = WTMClassifier(10, 5, n_epochs=1, random_state=0).fit(X, X[:, 0] == "a")
    clf.save(tmp_path / "m")
    assert "column 'x' held both text and numbers" in refused("predict", tmp_path / "m", write("x\na\n1\n"))
    for values in ([1, 2], ["a", "c"]):
        parquet.write_table(pa.table({"x": values}), tmp_path / "data.parquet")
        done("predict", tmp_path / "m", tmp_path / "data.parquet", "--out", tmp_path / "p.csv", "--overwrite")
        assert column(tmp_path / "p.csv") == [str(label) for label in clf.predict([[value] for value in values])]


def test_columns_that_gave_little_or_nothing_take_other_values(write, train):
    table = {"a": ["1", "2"] * 20, "same": ["7"] * 40, "one": ["x", ""] * 20, "y": ["u", "v"] * 20}
    clf, _ = train(write(as_csv(table)), target="y")
    assert clf.booleanizer_.get_feature_names_out().tolist() == ["a > 1.5", "one is missing"]
    data = write("a,same,one\n1,text,other\n2,,\n")
    result = done("predict", data.parent / "trained.safetensors", data)
    known = pa.table({"a": [1.0, 2.0], "same": [7.0, 7.0], "one": ["x", None]})
    assert result.stdout.splitlines()[1:] == clf.predict(known).tolist()


def test_a_category_that_csv_reads_as_missing_is_noted(write, tmp_path):
    X = pa.table({"region": ["NA", "EU", "AS"] * 30})
    model = tmp_path / "model.safetensors"
    WTMClassifier(n_clauses=10, n_epochs=3, random_state=0).fit(X, [1, 0, 0] * 30).save(model)
    (note,) = done("predict", model, write("region\nNA\nEU\nAS\n")).stderr.splitlines()
    assert "column 'region' had the value 'NA' in training" in note
    assert "Predict from Parquet" in note
    parquet.write_table(X, tmp_path / "x.parquet")
    assert done("predict", model, tmp_path / "x.parquet").stderr == ""


@pytest.mark.parametrize(("cell", "number"), [("2", 2), ("0.5", 0.5), ("", np.nan), ("inf", None), ("x", None)])
def test_a_model_of_bits_takes_numbers_unless_it_is_strict(write, tmp_path, cell, number):
    X = np.random.default_rng(0).integers(0, 2, (60, 2))
    clf = WTMClassifier(4, 4, 2, n_epochs=2, random_state=0).fit(X, X[:, 1])
    clf.save(tmp_path / "m")
    clf.set_params(booleanizer="strict").save(tmp_path / "strict")
    bits, others = write("a,b\n1,true\n0,FALSE\n"), f"a,b\n1,1\n0,{cell}\n"
    for model in ("m", "strict"):
        done("predict", tmp_path / model, bits)
    data = write(others)
    refused("predict", tmp_path / "strict", data)
    if number is None:
        refused("predict", tmp_path / "m", data)
    else:
        expected = load_model(tmp_path / "m").predict([[1, 1], [0, number]])
        assert done("predict", tmp_path / "m", data).stdout.splitlines()[1:] == [str(label) for label in expected]


@pytest.mark.parametrize("type", ["null", "int64", "string"])
def test_a_column_of_text_may_be_missing_throughout(trained, tmp_path, type):
    known = typed_people().drop_columns("buys")
    nothing = pa.nulls(N_ROWS, pa.type_for_alias(type))
    parquet.write_table(known.set_column(1, "colour", nothing), tmp_path / "p.parquet")
    result = done("predict", trained[0] / "model.safetensors", tmp_path / "p.parquet")
    text = known.set_column(1, "colour", pa.nulls(N_ROWS, pa.string()))
    clf = load_model(trained[0] / "model.safetensors")
    assert result.stdout.splitlines()[1:] == clf.predict(text).tolist()
    (note,) = result.stderr.splitlines()
    assert "column 'colour' is missing in all rows" in note


def test_a_column_named_twice_is_refused(trained, tmp_path):
    model, data = trained[0] / "model.safetensors", trained[0] / "people.csv"
    for keep in (("--keep", "age,age"), ("--keep", "age", "--keep", "colour,age")):
        assert "--keep names 'age' more than once" in refused("predict", model, data, *keep, code=2)
    line = refused("train", data, "--target", "buys", "--out", tmp_path / "m", "--drop", "age,age", code=2)
    assert "--drop names 'age' more than once" in line


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
    done("predict", tmp_path / "m", write("a,b,c\n2,0,1\n"), "--out", tmp_path / "p.csv", "--overwrite")
    assert column(tmp_path / "p.csv") == [str(label) for label in clf.predict([[2, 0, 1]])]
    assert "held numbers in training" in refused("predict", tmp_path / "m", write("a,b,c\n1,0,x\n"))
    assert done("rules", tmp_path / "m").stdout.splitlines() == [str(rule) for rule in clf.rules()[:10]]
