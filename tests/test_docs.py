"""The documentation's code runs."""

import re
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[1] / "docs" / "data.md"


def test_recipes_for_data_run(capsys):
    pytest.importorskip("pandas")
    blocks = re.findall(r"```python\n(.*?)```", DATA.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == DATA.read_text("utf-8").count("```python")
    scope: dict = {}
    for block in blocks:
        exec(compile(block, str(DATA), "exec"), scope)
    printed = capsys.readouterr().out
    assert "IF " in printed
    for name in ("'age > 27'", "'colour = red'", "'income is missing'", "'member'", "'x0 > 7'"):
        assert name in printed
    assert scope["clf"].score(scope["X"], scope["digits"]) > 0.9
