"""Values of --missing that occur in no cell, and cells that training read as missing and a command does not."""

import pytest

from tests.helpers.problems import small
from tests.helpers.shell import as_csv, done, refused
from wtm.table_files import csv_file

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

TABLE = {"a": ["1", "2", " ?", "4"] * 10, "b": ["-999.0", "5", "6", "N/A "] * 10, "y": ["u", "v"] * 20}


@pytest.mark.parametrize(
    ("missing", "notes"),
    [
        (" ?", []),
        (" ?,N/A ", []),
        ("NA", []),  # is missing in any case
        ("?", ["--missing '?' matches no cell, but cells hold ' ?': if they are missing, pass --missing ' ?'."]),
        (
            "-999",
            ["--missing -999 matches no cell, but cells hold '-999.0': if they are missing, pass --missing -999.0"],
        ),
        ("n/a ,x", ["pass --missing 'N/A '", "--missing x matches no cell."]),
        ("x,*", ["--missing x, '*' matches no cell."]),
    ],
)
@pytest.mark.parametrize("block", [200, 1 << 20])
def test_a_value_that_matches_no_cell_is_noted(write, train, monkeypatch, missing, notes, block):
    monkeypatch.setattr(csv_file, "_BLOCK", block)
    monkeypatch.setattr(csv_file, "_BYTES_PER_BATCH", block)
    data = write(as_csv(TABLE))
    _, result = train(data, "--missing", missing, target="y")
    predicted = done("predict", data.parent / "trained.safetensors", data, "--missing", missing)
    for stderr in (result.stderr, predicted.stderr):
        found = [line for line in stderr.splitlines() if "--missing" in line and "matches" in line]
        assert len(found) == len(notes)
        assert all(words in line for words, line in zip(notes, found, strict=True))
    stored = done("predict", data.parent / "trained.safetensors", write(as_csv(TABLE | {"a": ["1"] * 40}), "b.csv"))
    assert "matches no cell" not in stored.stderr  # the option of the training need not match


def test_values_that_python_read_as_missing_are_noted(write):
    frame = {"colour": ["red", "blue", " ?", "red"] * 10, "y": ["u", "v"] * 20}
    data = write(as_csv(frame))
    read = pd.read_csv(data, na_values=" ?")
    clf = small().fit(read[["colour"]], read["y"])
    clf.save(data.parent / "m")
    (note,) = done("predict", data.parent / "m", data).stderr.splitlines()
    assert note == (
        "note: column 'colour' had missing values in training and has none here, but ' ?', which training did not see. "
        "If this stands for a missing value, pass --missing ' ?'."
    )
    right = done("predict", data.parent / "m", data, "--missing", " ?")
    assert right.stderr == ""
    assert right.stdout.splitlines()[1:] == clf.predict(read[["colour"]]).tolist()
    for others in (["red", ""], ["red", "blue"], ["red", "", "green"]):
        assert done("predict", data.parent / "m", write(as_csv({"colour": others}), "b.csv")).stderr == ""
    (note,) = done("predict", data.parent / "m", write(as_csv({"colour": ["-", "-"]}), "b.csv")).stderr.splitlines()
    assert "pass --missing -." in note  # and not a second one that no value was seen in fit


@pytest.mark.parametrize("label", ["NA", "None", "nan"])
def test_a_class_may_be_called_as_missing_cells_are(write, label):
    data = write(as_csv({"a": ["1", "2"] * 20, "y": [label, "other"] * 20}))
    read = pd.read_csv(data, keep_default_na=False)
    clf = small(n_epochs=5).fit(read[["a"]], read["y"])
    clf.target_name_ = "y"
    clf.save(data.parent / "m")
    assert "accuracy on 40 rows: 100.00 %" in done("evaluate", data.parent / "m", data).stdout
    rules = done("rules", data.parent / "m", "--data", data, "--per-class", 1)
    assert "precision 100.0%" in rules.stdout
    empty = write(as_csv({"a": ["1", "2"], "y": [label, ""]}), "b.csv")
    assert "accuracy on 1 row: 100.00 %" in done("evaluate", data.parent / "m", empty, "--drop-missing-target").stdout


def test_booleans_next_to_numbers_are_not_missing(write, train):
    data = write(as_csv({"a": ["True", "1", "0"] * 10, "y": ["u", "v", "u"] * 10}))
    _, result = train(data, target="y")
    assert "Write booleans as 1 and 0 in all rows" in result.stderr
    assert "--missing" not in result.stderr
    train(write(as_csv({"a": ["1", "0"] * 10, "y": ["u", "v"] * 10}), "b.csv"), target="y")
    line = refused("predict", data.parent / "trained.safetensors", data)
    assert "Write booleans as 1 and 0 in all rows" in line
    assert "--missing" not in line


def test_a_label_of_more_than_63_bits_is_a_label(write, train, tmp_path):
    large = str(2**63)
    clf, _ = train(write(as_csv({"a": ["1", "2"] * 20, "y": [large, "1"] * 20})), target="y")
    assert clf.classes_.tolist() == [1, 2**63]
    out = done("predict", tmp_path / "trained.safetensors", write("a\n1\n2\n", "b.csv")).stdout.splitlines()
    assert set(out[1:]) <= {large, "1"}
