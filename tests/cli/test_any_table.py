"""From a file to predictions and rules: any table, real ones, and that of the documentation."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.shell import QUICK, as_csv, done, invoke, read_csv, refused
from wtm.cli import MISSING
from wtm.cli.column_notes import concerns_about_text
from wtm.cli.files import Format, open_table
from wtm.cli.numerals import Numerals
from wtm.cli.values import as_learnt, cleaned, is_text

pyarrow = pytest.importorskip("pyarrow")


def test_the_example_of_the_readme(trained, tmp_path, monkeypatch):
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
    block = readme.split("## Tables from the shell")[1].split("```bash\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_bytes((trained[0] / "people.csv").read_bytes())
    results = [done(*shlex.split(line)[1:]) for line in block.splitlines()]
    assert "held-out rows" in results[0].stdout
    assert list(read_csv("predictions.csv")[0]) == ["age", "prediction", "probability_no", "probability_yes"]
    assert results[2].stdout.count("THEN votes") == 4


_CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8) | st.sampled_from(
    ["", "1", "-2.5", "1e3", "007", "true", "NA", "?", 'a"b', "c,d", "e\nf", "\r0", " g "]
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(_CELLS, _CELLS, st.sampled_from(["u", "v"])), min_size=1, max_size=25))
def test_any_table_is_learnt_and_predicted_or_refused_in_one_line(tmp_path, rows):
    data, model, out = (tmp_path / name for name in ("data.csv", "m", "p.csv"))
    table = dict(zip(["a", "b", "y"], zip(*rows, strict=True), strict=True))
    data.write_text(as_csv(table, newline="\r\n"), "utf-8", newline="")  # so every line end in a value is in quotes
    result = invoke("train", data, "--target", "y", "--out", model, "--overwrite", "--holdout", 0, *QUICK)
    if result.exit_code:
        assert result.exit_code == 1
        assert result.stderr.splitlines()[-1].startswith("wtm: ")
        assert isinstance(result.exception, SystemExit)
        return
    done("predict", model, data, "--out", out, "--overwrite", "--keep", "a,b,y")
    assert [(row["a"], row["b"], row["y"]) for row in read_csv(out)] == rows


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_end_in_one_line(tmp_path, content):
    data = tmp_path / "data.csv"
    data.write_bytes(content)
    refused("train", data, "--target", "a column that is not there", "--out", tmp_path / "m")


@pytest.mark.parametrize(("name", "file"), [
    ("mushroom", "agaricus-lepiota.data.gz"), ("adult", "adult.data.gz"),
])  # fmt: skip
def test_there_is_nothing_to_say_of_the_text_in_real_tables(real_data, name, file):
    source, numerals = open_table(real_data(name) / name / file, Format(header=False)), Numerals()
    table = pyarrow.concat_tables(source.batches(source.names))
    columns = {name: as_learnt(cleaned(table[name], MISSING.split(",")), name, numerals) for name in source.names}
    assert sum(map(is_text, columns.values())) >= 8
    assert list(concerns_about_text(columns, 64, numerals)) == []


@pytest.mark.parametrize(("name", "file", "target", "least"), [
    ("mushroom", "agaricus-lepiota.data.gz", "x0", 0.999),
    pytest.param("adult", "adult.data.gz", "x14", 0.84, marks=pytest.mark.slow),
])  # fmt: skip
def test_real_tables_with_defaults(real_data, tmp_path, name, file, target, least):
    data, model, out = real_data(name) / name / file, tmp_path / "m", tmp_path / "p.csv"
    result = done("train", data, "--no-header", "--target", target, "--out", model)
    assert result.stderr == ""  # no note on text that is what it seems
    (line,) = (line for line in result.stdout.splitlines() if "held-out" in line)
    assert float(line.split("held-out rows: ")[1].split(" %")[0]) >= 100 * least
    done("predict", model, data, "--no-header", "--out", out, "--keep", target)
    rows = read_csv(out)
    assert np.mean([row["prediction"] == row[target].strip() for row in rows]) >= least
