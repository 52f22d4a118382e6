"""A command that ends in the middle of a file has the documented exit code, however its threads stand.

If pyarrow read through an object of Python, its reading thread could call Python while the interpreter shuts down, and
SIGABRT would end a few processes in a hundred.
"""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
parquet = pytest.importorskip("pyarrow.parquet")

N_RUNS, FEW_RUNS = 300, 30
N_ROWS = 1_000_000


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    # Some processes end before the signal arrives; after the command's own handling, Python's ends them.
    ("kind", "end", "n_runs", "allowed"),
    [
        ("csv", "error", N_RUNS, {1}),
        ("csv.gz", "error", N_RUNS, {1}),
        ("csv.gz", "interruption", N_RUNS, {130, 0, -signal.SIGINT}),
        ("csv", "full disk", FEW_RUNS, {1}),
        ("csv on stdin", "error", FEW_RUNS, {1}),
        ("parquet", "error", FEW_RUNS, {1}),
        ("parquet", "full disk", FEW_RUNS, {1}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_exit_codes(kind, end, n_runs, allowed, tmp_path):
    if end == "full disk" and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    kind, _, source = kind.partition(" on ")
    path = tmp_path / f"data.{kind}"
    text = b"age,colour,income\n" + b"".join(b"%d,red,%d\n" % (i % 80, i) for i in range(N_ROWS))
    path.write_bytes(gzip.compress(text, compresslevel=1) if kind == "csv.gz" else text)
    if kind == "parquet":
        parquet.write_table(csv.read_csv(pa.BufferReader(text)), path, row_group_size=N_ROWS // 10)
    command = [sys.executable, "-m", "tests.helpers.repeated_reading", str(path), str(n_runs), end, source or "file"]
    ran = subprocess.run(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True, timeout=3600)
    found = json.loads(ran.stdout)
    assert sum(found.values()) == n_runs
    assert set(found) <= {str(code) for code in allowed}, found
    # How many signals arrive while the command reads depends on the machine.
    assert found.get("130" if end == "interruption" else "1", 0) > n_runs // 10, found
