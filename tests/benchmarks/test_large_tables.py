"""The benchmarks of large tables, and their sections of docs/performance.md."""

import json
from pathlib import Path

import pytest

from benchmarks import large_data, wide_tables

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"


@pytest.mark.slow
def test_both_commands_are_measured(tmp_path, capsys):
    out = tmp_path / "results.json"
    wide_tables.main(["--columns", "30", "--out", str(out)])
    results = json.loads(out.read_text())
    assert [found["kind"] for found in results["measured"]] == list(wide_tables.KINDS)
    assert all(min(found["train"] + found["predict"]) > 0 for found in results["measured"])
    assert wide_tables.section(results) in capsys.readouterr().out


@pytest.mark.parametrize("part", [wide_tables, large_data])
def test_the_page_has_the_figures_of_the_results(part):
    assert part.section(json.loads(part.RESULTS.read_text("utf-8"))) in PAGE.read_text("utf-8")
