"""wtm predict: a model and a file with a table become predictions."""

import csv
import io

import numpy as np
import pytest

from shell import N_ROWS, as_csv, column, done, people, refused, typed_people
from wtm import WTMClassifier, load_model

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
