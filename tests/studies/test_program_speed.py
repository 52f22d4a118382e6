"""What surrounds the authors' program: its data, its output, and the file of results."""

import json

import numpy as np
import pytest

from studies import program_speed
from studies.program_speed import measure_speed, run_program, write_data
from tests.helpers.made_up_results import SMALL, small_problem
from wtm.paper.report.program_speed import read_program_speed, speed_table

OUTPUT = """\
samples=60K, features=784, classes=10 - clauses=500, p=0.0850, gamma=0.00250, threshold=25
epoch 001 of training and testing - 5750s and 1610s -  93.24%  and  93.43%
epoch 002 of training and testing - 4170s and 1600s - 100.00%  and  94.67%
total time: 00:00:13
"""


@pytest.fixture
def program(tmp_path):
    """A program that prints two epochs, and keeps what it was called with."""
    path = tmp_path / "mnist"
    path.write_text(f"#!/bin/sh\necho \"$@\" > called\ncat <<'END'\n{OUTPUT}END\n")
    path.chmod(0o755)
    return path


def test_the_programs_output_is_read(program):
    found = run_program(program, SMALL, 2)
    assert found == {"seconds": [5.75, 4.17], "test_accuracy": [0.9343, 0.9467]}
    assert (program.parent / "called").read_text().split() == [
        "-c",
        "10",
        "-p",
        "0.25",
        "-t",
        "5",
        "-g",
        "0.05",
        "-e",
        "2",
    ]


def numbered_problem():
    problem = small_problem("mnist")
    for part in ("train", "test"):
        labels = getattr(problem.dataset, f"y_{part}")
        object.__setattr__(problem.dataset, f"y_{part}", np.unique(labels, return_inverse=True)[1])
    return problem


def test_rows_are_written_as_the_program_reads_them(tmp_path):
    problem = numbered_problem()
    write_data(problem, tmp_path / "data")
    written = np.loadtxt(tmp_path / "data" / "mnist-test.data", int)
    np.testing.assert_array_equal(written[:, :-1], problem.dataset.X_test)
    np.testing.assert_array_equal(written[:, -1], problem.dataset.y_test)


def test_results_are_what_the_report_reads(program, tmp_path, monkeypatch):
    monkeypatch.setattr(program_speed, "load_problem", lambda key, data_dir: numbered_problem())
    monkeypatch.setattr(program_speed, "check_sources", lambda sources: None)
    monkeypatch.setattr(program_speed, "compile_program", lambda sources, folder: program)
    monkeypatch.setattr(program_speed, "SIZES", {SMALL: 2})
    path = tmp_path / "speed.json"
    measure_speed(tmp_path, None, path)
    (machine,) = json.loads(path.read_text())["machines"]
    assert [len(machine[name]["seconds"]) for name in ("program", "repetition", "wtm")] == [2, 2, 2]
    names = [row[0] for row in speed_table(read_program_speed(path)).rows]
    assert names == ["10 clauses, epoch 1", "10 clauses, epoch 2"]
    with pytest.raises(ValueError, match="already exists"):
        measure_speed(tmp_path, None, path)


def test_a_folder_without_the_sources_is_named_before_the_work(tmp_path):
    with pytest.raises(ValueError, match=r"SOURCES: .*tea has no makefile and no utils\.h\. Pass a checkout"):
        measure_speed(tmp_path / "tea", tmp_path / "nowhere", tmp_path / "speed.json")


def test_a_command_that_fails_is_named_with_its_last_line(program):
    program.write_text("#!/bin/sh\necho first >&2\necho last >&2\nexit 3\n")
    with pytest.raises(ValueError, match=r"mnist -c 10 .* failed with exit code 3: last"):
        run_program(program, SMALL, 2)
