import subprocess
import sys

import pytest

from tests.helpers.shell import as_csv, column, done, people, read_csv, refused
from wtm import export, load_model

FILES = {
    "json": ["model.json"], "python": ["model.py"], "c": ["model.h", "model.c"], "sql": ["model.sql"],
    "onnx": ["model.onnx"], "verilog": ["model.v"],
}  # fmt: skip


@pytest.mark.parametrize("format", FILES)
def test_the_files_are_those_of_the_functions(trained, tmp_path, format):
    if format == "onnx":
        pytest.importorskip("onnx")
    model = trained[0] / "model.safetensors"
    printed = done("export", model, "--format", format, "--out", tmp_path, "--bits", 8).stdout
    paths = [tmp_path / name for name in FILES[format]]
    clf = load_model(model)
    assert printed == f"{', '.join(map(str, paths))}: {export.summarize(clf, bits=8)}\n"
    written = getattr(export, f"to_{format}")(clf, bits=8)
    contents = list(written[:2]) if format == "c" else [written]
    if format == "onnx":
        assert paths[0].read_bytes() == written.SerializeToString()
    else:
        assert [path.read_text("utf-8") for path in paths] == contents
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_a_module_predicts_what_the_command_predicts(trained, tmp_path):
    done("export", trained[0] / "model.safetensors", "--format", "python", "--out", tmp_path, "--name", "people")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import people
for row in {read_csv(trained[0] / "people.csv")!r}:
    row = {{name: text or None for name, text in row.items()}}
    numbers = {{name: row[name] and float(row[name]) for name in ("age", "income")}}
    print(people.predict({{**row, **numbers, "member": row["member"] == "True"}}))
"""
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == column(trained[0] / "predictions.csv")


def test_options_of_a_format_reach_it(trained, tmp_path):
    model = trained[0] / "model.safetensors"
    options = ("--dialect", "sqlite", "--table", 'my "t"', "--keep", "id, age", "--keep", "name")
    done("export", model, "--format", "sql", "--out", tmp_path, *options)
    query = (tmp_path / "model.sql").read_text("utf-8")
    assert query == export.to_sql(load_model(model), dialect="sqlite", table='my "t"', keep=["id", "age", "name"])
    done("export", model, "--format", "c", "--out", tmp_path, "--name", "buyers", "--number-type", "float")
    assert "typedef float buyers_number;" in (tmp_path / "buyers.h").read_text("utf-8")


def test_text_that_is_missing_in_onnx_is_given(train, write, tmp_path):
    pytest.importorskip("onnx")
    table = people()
    table["colour"] = ["" if i % 2 else colour for i, colour in enumerate(table["colour"])]
    table["buys"] = ["no" if colour else "yes" for colour in table["colour"]]
    clf, _ = train(write(as_csv(table)))
    command = ("export", tmp_path / "trained.safetensors", "--format", "onnx", "--out", tmp_path, "--missing")
    done(*command, "none")
    assert (tmp_path / "model.onnx").read_bytes() == export.to_onnx(clf, missing="none").SerializeToString()
    assert "missing='red' is also a category" in refused(*command, "red", "--overwrite")


def test_rounded_votes_are_compared_on_data(trained, tmp_path):
    model, data = trained[0] / "model.safetensors", trained[0] / "people.csv"
    printed = done("export", model, "--format", "json", "--out", tmp_path, "--bits", 2, "--data", data).stdout
    loaded = export.from_json((tmp_path / "model.json").read_text("utf-8"))
    clf = load_model(model)
    pd = pytest.importorskip("pandas")
    X = pd.read_csv(data)[clf.feature_names_in_]
    same = (loaded.predict(X) == clf.predict(X)).mean()
    assert f"the same label as with exact votes on {same:.2%} of 120 rows of {data}\n" in printed
    assert "100.00%" in done("export", model, "--format", "sql", "--out", tmp_path, "--data", data).stdout


def test_csv_is_read_with_the_options_of_the_training(train, write, tmp_path):
    data = write(as_csv(people(), separator=";"))
    train(data, "--separator", ";")
    model = tmp_path / "trained.safetensors"
    assert "120 rows" in done("export", model, "--format", "json", "--out", tmp_path, "--data", data).stdout


def test_a_missing_folder_is_made(trained, tmp_path):
    done("export", trained[0] / "model.safetensors", "--format", "c", "--out", tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["model.c", "model.h"]


def test_misuse_is_refused_before_anything_is_written(trained, tmp_path):
    model = trained[0] / "model.safetensors"
    command = ("export", model, "--out", tmp_path, "--format")
    assert "--format must be one of json, python, c, sql, onnx, verilog; got 'java'" in refused(
        *command, "java", code=2
    )
    assert "--dialect does not apply to --format c" in refused(*command, "c", "--dialect", "sqlite", code=2)
    assert "--number-type does not apply to --format sql" in refused(*command, "sql", "--number-type", "float", code=2)
    assert "--missing does not apply to --format json" in refused(*command, "json", "--missing", "none", code=2)
    assert "--number-type must be one of" in refused(*command, "c", "--number-type", "half", code=2)
    assert "--name must be" in refused(*command, "json", "--name", "../x", code=2)
    assert "--data must be a file" in refused(*command, "json", "--data", "-", code=2)
    assert "does not exist" in refused("export", model, "--format", "json", "--out", tmp_path / "no" / "where")
    new = tmp_path / "new"
    assert "no rows" in refused(
        "export", model, "--format", "json", "--out", new, "--data", _without_rows(tmp_path, trained[0])
    )
    assert not new.exists()
    assert "no rows" in refused(*command, "json", "--data", _without_rows(tmp_path, trained[0]))
    assert [path.name for path in tmp_path.iterdir()] == ["empty.csv"]
    (tmp_path / "model.c").write_text("mine")
    assert "model.c already exists" in refused(*command, "c")
    assert not (tmp_path / "model.h").exists()
    done(*command, "c", "--overwrite")
    assert (tmp_path / "model.c").read_text() != "mine"


def _without_rows(folder, trained):
    path = folder / "empty.csv"
    path.write_text((trained / "people.csv").read_text().splitlines()[0] + "\n")
    return path
