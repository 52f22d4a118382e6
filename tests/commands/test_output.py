"""What commands write: whole or not at all, and never in place of what they read."""

import gzip
import os

import pytest

from shell import N_ROWS, QUICK, as_csv, column, done, people, refused

parquet = pytest.importorskip("pyarrow.parquet")


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


def test_predictions_as_gzip_and_parquet(trained, tmp_path):
    model, data = trained[0] / "model.safetensors", trained[0] / "people.csv"
    done("predict", model, data, "--out", tmp_path / "p.csv.gz", "--quiet")
    assert gzip.decompress((tmp_path / "p.csv.gz").read_bytes()) == (trained[0] / "predictions.csv").read_bytes()
    done("predict", model, data, "--out", tmp_path / "p.parquet", "--keep", "income")
    found = parquet.read_table(tmp_path / "p.parquet").to_pydict()
    assert found == {"income": people()["income"], "prediction": column(trained[0] / "predictions.csv")}
