"""From a file to predictions and rules: any file, and real ones."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.shell import done, read_csv, refused

pytest.importorskip("pyarrow")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_any_bytes_end_in_one_line(tmp_path, content):
    data = tmp_path / "data.csv"
    data.write_bytes(content)
    refused("train", data, "--target", "a column that does not exist", "--out", tmp_path / "m")


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
    done("predict", model, data, "--out", out, "--keep", target)
    rows = read_csv(out)
    assert np.mean([row["prediction"] == row[target] for row in rows]) >= least
