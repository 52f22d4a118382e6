"""The page on commands has every command and option, in the type of code."""

import re

import pytest
import typer

from tools.command_page import command_page
from wtm.cli.app import app


@pytest.fixture(scope="module")
def sections():
    parts = re.split(r"^#+ (.*)\n", command_page(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands(command, name):
    """The names of a command and of all below it."""
    yield name, command
    for below, sub in getattr(command, "commands", {}).items():
        yield from commands(sub, f"{name} {below}")


def test_each_command_has_a_section_with_its_options(sections):
    root = dict(commands(typer.main.get_command(app), "wtm"))
    assert [f"`{name}`" for name in root][1:] == list(sections)[1:]
    for name, command in root.items():
        text = sections["Commands and options" if name == "wtm" else f"`{name}`"]
        options = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
        listed = {
            option
            for line in re.findall(r"^\* `(-.*?)`", text, re.MULTILINE)
            for option in re.findall(r"--[\w-]+", line)
        }
        assert options <= listed, name
        assert "--help" not in listed


def test_options_in_prose_are_code_and_commands_are_links(sections):
    text = sections["`wtm prune`"]
    assert "Give one of `--rules`, `--max-accuracy-loss` or" in text
    assert "so use [`wtm refit`](#wtm-refit) on it" in text
    assert "Example:\n\n```console\n$ wtm prune people.safetensors" in text
    prose = re.sub(r"```.*?```|`[^`]*`", "", "".join(sections.values()), flags=re.DOTALL)
    assert "--" not in prose
    assert "..." not in prose.replace("x1, ...", "")
