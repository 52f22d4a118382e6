"""What an experiment says while it works, and how it shows what came out."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

__all__ = ["NOTHING", "Table", "counted", "say", "show", "signed"]

NOTHING = "–"


@dataclass(frozen=True)
class Table:
    """A table of text: the first column says what a row is, the others hold figures, or `words`."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False

    def markdown(self) -> str:
        """The table as Markdown."""
        rule = [":---", *[":---" if self.words else "---:"] * (len(self.header) - 1)]
        return "\n".join("| " + " | ".join(row) + " |" for row in (self.header, rule, *self.rows))

    def rich(self, title: str, *, transposed: bool = False) -> RichTable:
        """The table for a terminal; transposed, what was a row is a column, for many figures of few things."""
        lines = [[cell.replace("**", "") for cell in row] for row in (self.header, *self.rows)]
        header, *rows = zip(*lines, strict=True) if transposed else lines
        table = RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
        for i, heading in enumerate(header):
            table.add_column(heading, justify="right" if i else "left")
        for row in rows:
            table.add_row(*row)
        return table


def counted(n: int, what: str) -> str:
    """A number of things, in words."""
    return f"{n:,} {what}" + "s" * (n != 1)


def signed(difference: float) -> str:
    """A difference with its sign and two digits, never minus zero."""
    return f"{round(difference, 2) + 0.0:+.2f}"


def say(line: str) -> None:
    """Tell on standard error how the work goes."""
    print(line, file=sys.stderr, flush=True)


def show(*parts: Any) -> None:
    """Print tables and lines of text on standard output, as they are."""
    console = Console(markup=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part)
