"""Rules on a terminal."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.shell import done
from wtm import load_model
from wtm.cli import rule_lines
from wtm.cli.rule_lines import wrapped
from wtm.rules import Rule
from wtm.tables.condition_grammar import spell_name


@given(st.lists(st.text("ab AND<=", min_size=1, max_size=12), min_size=1, max_size=20), st.integers(1, 60))
def test_a_wrapped_rule_is_the_rule_in_short_lines(names, width):
    rule = str(Rule("yes", 1, 2.5, tuple(map(spell_name, names))))
    first, *others = wrapped(rule, width).split("\n")
    assert " ".join([first, *(line.removeprefix("    ") for line in others)]) == rule
    assert all(line.startswith(("    AND ", "    THEN ")) for line in others)
    for line in (first, *others):
        assert len(line) <= width or not re.search(r".\S (AND|THEN) ", line.strip())


def test_rules_are_wrapped_on_a_terminal_only(trained, monkeypatch):
    model = trained[0] / "model.safetensors"
    rules = load_model(model).rules()[:2]
    assert done("rules", model, "--per-class", 2).stdout == "".join(f"{rule}\n" for rule in rules)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(rule_lines, "is_terminal", lambda: True)
    assert done("rules", model, "--per-class", 2).stdout == "".join(f"{wrapped(str(rule), 40)}\n" for rule in rules)
