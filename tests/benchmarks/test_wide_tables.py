"""The benchmark of wide CSV files, and its section of docs/performance.md."""

import json
from pathlib import Path

import pytest

from benchmarks import wide_tables

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"


@pytest.mark.slow
def test_both_commands_are_measured(tmp_path, capsys):
    out = tmp_path / "results.json"
    wide_tables.main(["--columns", "30", "--out", str(out)])
    results = json.loads(out.read_text())
    assert [found["kind"] for found in results["measured"]] == list(wide_tables.KINDS)
    assert all(min(found["train"] + found["predict"]) > 0 for found in results["measured"])
    assert wide_tables.section(results) in capsys.readouterr().out


def test_the_page_has_the_figures_of_the_results():
    assert PAGE.read_text("utf-8").endswith(wide_tables.section(json.loads(wide_tables.RESULTS.read_text("utf-8"))))
