import pandas as pd
import pytest

from tests.helpers.shell import as_csv, done, people, refused
from wtm import load_model
from wtm.report_page import to_html

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def model(trained):
    return trained[0] / "model.safetensors"


@pytest.fixture(scope="module")
def data(trained):
    return trained[0] / "people.csv"


def test_the_page_is_that_of_the_function(model, data, tmp_path):
    out = tmp_path / "model.html"
    assert done("report", model, "--out", out).output == f"{out}: the page, for a browser\n"
    clf = load_model(model)
    assert out.read_text("ascii") == to_html(clf)
    done("report", model, "--data", data, "--rows", 3, "--out", out, "--overwrite")
    frame = pd.read_csv(data)
    assert out.read_text("ascii") == to_html(clf, frame[clf.feature_names_in_], frame["buys"], n_rows=3)


@pytest.mark.parametrize("command", ["rules", "report", "export"])
def test_data_can_be_any_csv(model, data, write, tmp_path, command):
    table = people() | {"income": [income or "?" for income in people()["income"]]}
    other = write(as_csv(table, separator=";").encode("utf-16"))
    options = ["--separator", ";", "--encoding", "utf-16", "--missing", "?"]
    if command == "export":
        more = ["--format", "json", "--bits", 3, "--out", tmp_path, "--overwrite"]
        other, options = (
            write(as_csv(people(), separator=";").encode("utf-16")),
            options[:-2],
        )  # its --missing is ONNX's
    else:
        more = ["--out", tmp_path / "model.html", "--rows", 2, "--overwrite"] if command == "report" else []
    results = []
    for file, given in ((data, []), (other, options)):
        result = done(command, model, "--data", file, *given, *more)
        page = tmp_path / "model.html"
        results.append((result.output.replace(str(file), ""), page.read_text("ascii") if page.exists() else ""))
    assert results[0] == results[1]
    assert "--separator ';' is for the file in --data" in refused(command, model, "--separator", ";", *more, code=2)


def test_labels_can_be_in_another_column_or_none(model, write, tmp_path):
    table = people()
    table["bought"] = table.pop("buys")
    data, clf = write(as_csv(table)), load_model(model)
    frame = pd.read_csv(data)
    X, command = frame[clf.feature_names_in_], ("report", model, "--data", data, "--rows", 1, "--overwrite", "--out")
    result = done(*command, tmp_path / "model.html")
    assert "has no column with labels" in result.stderr
    assert (tmp_path / "model.html").read_text("ascii") == to_html(clf, X, n_rows=1)
    done(*command, tmp_path / "model.html", "--target", "bought")
    assert (tmp_path / "model.html").read_text("ascii") == to_html(clf, X, frame["bought"], n_rows=1)


def test_rows_keep_their_numbers_where_some_have_no_label(model, write, tmp_path):
    table = people()
    table["buys"] = [label if i % 2 else "" for i, label in enumerate(table["buys"])]
    data, clf = write(as_csv(table)), load_model(model)
    done("report", model, "--data", data, "--rows", 2, "--out", tmp_path / "model.html")
    frame = pd.read_csv(data)[1::2]
    X, y = frame[clf.feature_names_in_], frame["buys"]
    assert (tmp_path / "model.html").read_text("ascii") == to_html(clf, X, y, row_names=X.index + 1, n_rows=2)


def test_misuse_is_refused_before_anything_is_written(model, data, tmp_path):
    command = ("report", model, "--out", tmp_path / "model.html")
    assert "pass --data too" in refused(*command, "--target", "buys", code=2)
    assert "no column 'b', which --target names" in refused(*command, "--data", data, "--target", "b")
    assert "a height and a width such as 28x28, got '28'" in refused(*command, "--image-shape", "28", code=2)
    image = refused(*command, "--image-shape", "2x3")
    assert image.startswith("wtm: --image-shape must have a pixel for each ")
    assert "got 2 x 3 = 6" in image
    assert "got - for standard output" in refused("report", model, "--out", "-", code=2)
    assert "which is read" in refused("report", model, "--out", model, "--overwrite")
    assert not list(tmp_path.iterdir())
    (tmp_path / "model.html").write_text("mine")
    assert "already exists" in refused(*command)
