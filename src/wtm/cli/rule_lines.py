"""Print rules: one line each where programs read them, wrapped lines on a terminal."""

import re
import shutil
import sys
from collections.abc import Iterable

import typer

_INDENT = "    "


def print_rules(lines: Iterable[str]) -> None:
    """Print rules, each given as a line, on standard output."""
    width = shutil.get_terminal_size().columns if is_terminal() else None
    for line in lines:
        typer.echo(line if width is None else wrapped(line, width))


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def wrapped(rule: str, width: int) -> str:
    """Break a rule before AND and THEN, into lines of at most `width` characters where no condition is longer."""
    first, *others = re.split(r" (?=AND |THEN )", rule)
    lines = [first]
    for part in others:
        if len(lines[-1]) + 1 + len(part) <= width:
            lines[-1] += f" {part}"
        else:
            lines.append(_INDENT + part)
    return "\n".join(lines)
