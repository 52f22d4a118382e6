"""The pages of the studies in the repository are what their results make."""

from pathlib import Path

import pytest

from studies import few_rules, few_rules_page, report, rule_length
from studies.designs import FOLDER
from wtm.paper.json_files import read_json

REPOSITORY = Path(__file__).parents[2]
PAGES = {
    "ablations": lambda path: report.write_page(REPOSITORY / "results" / FOLDER, path),
    "few-rules": lambda path: few_rules_page.write_page(read_json(REPOSITORY / few_rules.RESULTS), path),
    "rule-length": lambda path: rule_length.write_page(read_json(REPOSITORY / rule_length.RESULTS), path),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_in_the_repository_is_what_its_results_make(name, tmp_path):
    PAGES[name](tmp_path / "page.md")
    there = REPOSITORY / "docs" / f"{name}.md"
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == there.read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_elsewhere_nothing_is_written(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["report", *arguments])
    with pytest.raises((FileNotFoundError, SystemExit), match=r"change to the root of the repository|0"):
        report.main()
    assert list(tmp_path.iterdir()) == []
