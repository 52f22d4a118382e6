"""What commands write: whole or not at all, and never in place of what they read."""

import csv
import gzip
import sys
from pathlib import Path

import pytest

from tests.helpers.shell import N_ROWS, QUICK, as_csv, column, done, people, refused

parquet = pytest.importorskip("pyarrow.parquet")

ON_LINUX = sys.platform == "linux"


def test_outputs_never_replace_what_is_read_and_others_only_when_told(trained, write, tmp_path):
    data, model = write(as_csv(people())), tmp_path / "model.safetensors"
    model.write_bytes((trained[0] / "model.safetensors").read_bytes())
    kept = {path: path.read_bytes() for path in (data, model)}
    training = ("train", data, "--target", "buys", *QUICK, "--out")
    line = refused(*training, data, "--overwrite")
    assert "which is read: choose another name" in line
    link = tmp_path / "link.csv"
    link.symlink_to(data)
    for out in (data, link):
        assert "which is read" in refused("predict", model, data, "--overwrite", "--out", out)
    assert "already exists; choose another name or pass --overwrite" in refused(*training, model)
    out = tmp_path / "p.csv"
    out.write_text("precious", "utf-8")
    assert "already exists" in refused("predict", model, data, "--out", out)
    assert out.read_text("utf-8") == "precious"
    assert {path: path.read_bytes() for path in kept} == kept
    done("predict", model, data, "--out", out, "--overwrite")
    assert column(out) == column(trained[0] / "predictions.csv")
    assert "does not exist" in refused(*training, tmp_path / "none" / "m")
    assert "is a folder" in refused(*training, tmp_path)
    assert "must end in .csv, .csv.gz or .parquet" in refused(
        "predict", model, data, "--out", tmp_path / "p.xlsx", code=2
    )


def test_other_errors_come_before_an_existing_output(trained, tmp_path):
    data, model = trained[0] / "people.csv", trained[0] / "model.safetensors"
    for options, words in (
        (("--T", 0), "T must lie between"),
        (("--target", "sells"), "no column 'sells'"),
        (("--drop", "none"), "no column 'none'"),
    ):
        code = 2 if "--T" in options else 1
        assert words in refused("train", data, "--target", "buys", "--out", model, *options, code=code)
    assert "does not exist" in refused("train", tmp_path / "gone.csv", "--target", "buys", "--out", model)
    out = tmp_path / "p.csv"
    out.touch()
    assert "no column 'none'" in refused("predict", model, data, "--out", out, "--keep", "none")


def test_a_model_is_not_written_to_standard_output(trained, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = refused("train", trained[0] / "people.csv", "--target", "buys", "--out", "-", *QUICK, code=2)
    assert line.startswith("wtm: a model can't be written to standard output")
    assert not list(tmp_path.iterdir())


def unwritable(tmp_path):
    """Names for files that nobody can write, whatever the rights of who runs the tests."""
    (tmp_path / "link.csv").symlink_to(tmp_path / "none" / "p.csv")
    return [tmp_path / ("n" * 300 + ".csv"), tmp_path / "link.csv", *([Path("/proc/p.csv")] if ON_LINUX else [])]


@pytest.mark.parametrize("command", ["train", "predict"])
def test_what_can_not_be_written_is_refused_before_the_work(trained, tmp_path, monkeypatch, command):
    data, model = trained[0] / "people.csv", trained[0] / "model.safetensors"
    arguments = ["train", data, "--target", "buys"] if command == "train" else ["predict", model, data]
    monkeypatch.setattr("wtm.table_files.csv_file.CsvFile.batches", None)
    for out in unwritable(tmp_path):
        line = refused(*arguments, "--out", out)
        assert line.startswith(f"wtm: --out {out} can't be written: ")
        assert ".tmp" not in line
    assert [path.name for path in tmp_path.iterdir()] == ["link.csv"]


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


def test_predictions_as_gzip_and_parquet(trained, tmp_path):
    model, data = trained[0] / "model.safetensors", trained[0] / "people.csv"
    done("predict", model, data, "--out", tmp_path / "p.csv.gz", "--quiet")
    assert gzip.decompress((tmp_path / "p.csv.gz").read_bytes()) == (trained[0] / "predictions.csv").read_bytes()
    done("predict", model, data, "--out", tmp_path / "p.parquet", "--keep", "income")
    found = parquet.read_table(tmp_path / "p.parquet").to_pydict()
    assert found == {"income": people()["income"], "prediction": column(trained[0] / "predictions.csv")}


@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz"])
def test_text_that_a_spreadsheet_program_would_run_gets_an_apostrophe_if_asked(trained, write, tmp_path, name):
    cells = ["=1+1", "+49 30", "-x", "@SUM(A1)", "-5", "+1.5e3", "a=b", "'=1"]
    columns = people(len(cells)) | {"=note": cells}
    data, out = write(as_csv(columns)), tmp_path / name
    options = ("--keep", "=note", "--out", out)
    done("predict", trained[0] / "model.safetensors", data, *options)
    opened = gzip.open if name.endswith("gz") else open
    with opened(out, "rt", encoding="utf-8", newline="") as file:
        assert [row[0] for row in csv.reader(file)] == ["=note", *cells]
    done("predict", trained[0] / "model.safetensors", data, *options, "--overwrite", "--escape-formulas")
    with opened(out, "rt", encoding="utf-8", newline="") as file:
        escaped = [row[0] for row in csv.reader(file)]
    assert escaped == ["'=note", "'=1+1", "'+49 30", "'-x", "'@SUM(A1)", "-5", "+1.5e3", "a=b", "'=1"]
    line = refused(
        "predict", trained[0] / "model.safetensors", data, "--out", tmp_path / "p.parquet", "--escape-formulas", code=2
    )
    assert "--escape-formulas is for CSV" in line
