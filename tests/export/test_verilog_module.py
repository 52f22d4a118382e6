import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings

from tests.export.test_python_module import module
from tests.helpers.export_cases import CASES, HOSTILE_NAMES, bits, connect_4, names, table
from wtm.export import to_python, to_verilog
from wtm.export.model_tables import ModelTables

IVERILOG = shutil.which("iverilog")
pytestmark = pytest.mark.skipif(IVERILOG is None, reason="needs Icarus Verilog (Debian package iverilog)")

BENCH = """\
module bench;
  reg [N_FEATURES-1:0] rows [0:N_ROWS-1];
  reg [N_FEATURES-1:0] features;
  wire [LABEL] label;
  wire signed [SUM] SUMS;
  integer i;
  model_predict model (features, label, SUMS);
  initial begin
    $readmemb("rows.txt", rows);
    for (i = 0; i < N_ROWS; i = i + 1) begin
      features = rows[i];
      #1 $display("FORMAT", label, SUMS);
    end
  end
endmodule
"""


def simulate(folder, source, rows, n_labels):
    """Labels and sums, of rows of bits."""
    sums = ", ".join(f"sum_{i}" for i in range(n_labels))
    bench = BENCH.replace("N_FEATURES", str(len(rows[0]))).replace("N_ROWS", str(len(rows))).replace("SUMS", sums)
    bench = bench.replace("FORMAT", " ".join(["%0d"] * (n_labels + 1)))
    bench = bench.replace("LABEL", re.search(r"wire \[(.*?)\] label", source)[1])
    bench = bench.replace("SUM", re.search(r"signed \[(.*?)\] sum_0", source)[1])
    (folder / "model.v").write_text(source, "ascii")
    (folder / "bench.v").write_text(bench)
    (folder / "rows.txt").write_text("\n".join("".join("01"[bit] for bit in reversed(row)) for row in rows))
    command = [IVERILOG, "-g2001", "-Wall", "-Wno-timescale", "-o", "bench", "bench.v", "model.v"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (built.returncode, built.stderr) == (0, "")
    ran = subprocess.run(["vvp", "bench"], cwd=folder, capture_output=True, text=True, check=True)
    return np.array([line.split() for line in ran.stdout.splitlines()], np.int64)


def features_of(case):
    scope = module(to_python(case.clf))
    return [
        [scope["_holds"](row[scope["COLUMNS"][column][0]], test, value) for column, test, value in scope["FEATURES"]]
        or [False]
        for row in case.rows
    ]


def check(folder, case, **options):
    source = to_verilog(case.clf, **options)
    tables = ModelTables.of(case.clf, bits=options.get("bits"))
    found = simulate(folder, source, features_of(case), len(tables.labels))
    if "bits" not in options:
        assert (case.clf.classes_[found[:, 0]] == case.labels).all()
        assert (found[:, 1:] * tables.unit == case.sums).all()
    return source


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_rows_get_the_same_sums_and_labels(case, tmp_path):
    check(tmp_path, case().first(200))


@settings(max_examples=6)
@given(names)
def test_names_stay_in_comments(tmp_path_factory, columns):
    check(tmp_path_factory.mktemp("v"), bits(len(columns)), feature_names=columns)


def test_hostile_names_stay_in_comments(tmp_path):
    source = check(tmp_path, bits(len(HOSTILE_NAMES)), feature_names=HOSTILE_NAMES)
    assert source.isascii()


def test_few_bits_make_narrow_sums(tmp_path):
    source = to_verilog(connect_4().clf, bits=4)
    assert max(int(vote) for vote in re.findall(r"'sd(\d+)", source)) == 7
    exact = int(re.search(r"sums of (\d+) bits", to_verilog(connect_4().clf))[1])
    assert int(re.search(r"sums of (\d+) bits", source)[1]) <= exact - 20


def test_the_name_is_checked():
    with pytest.raises(ValueError, match="name must be"):
        to_verilog(table().clf, "end module")
