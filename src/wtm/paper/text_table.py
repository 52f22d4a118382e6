"""Tables of text as Markdown and for terminals, and what experiments print."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

NOTHING = "–"


@dataclass(frozen=True)
class Table:
    """A table of text: the first column names the rows, the others hold figures, or `words`."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False

    def markdown(self) -> str:
        """Return the table as Markdown."""
        rule = [":---", *[":---" if self.words else "---:"] * (len(self.header) - 1)]
        return "\n".join("| " + " | ".join(row) + " |" for row in (self.header, rule, *self.rows))

    def rich(self, title: str, *, transposed: bool = False) -> RichTable:
        """Return the table for a terminal; transposed, for many figures of few rows."""
        lines = [[cell.replace("**", "") for cell in row] for row in (self.header, *self.rows)]
        header, *rows = zip(*lines, strict=True) if transposed else lines
        table = RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
        for i, heading in enumerate(header):
            table.add_column(heading, justify="right" if i else "left")
        for row in rows:
            table.add_row(*row)
        return table


def span(ends: Iterable[float] | None) -> str:
    """Return two accuracies as a range; None as `NOTHING`."""
    return NOTHING if ends is None else "–".join(f"{end:.2f}" for end in ends)


def factor_span(factors: Iterable[float]) -> str:
    """Return the smallest and the largest of some factors, in two digits."""
    factors = list(factors)
    low, high = (f"{float(f'{value:.2g}'):g}" for value in (min(factors), max(factors)))
    return low if low == high else f"{low}–{high}"


def signed(difference: float) -> str:
    """Return a difference with its sign and two digits, never minus zero."""
    return f"{round(difference, 2) + 0.0:+.2f}"


def say(line: str) -> None:
    """Report progress on standard error."""
    print(line, file=sys.stderr, flush=True)


def show(*parts: Any) -> None:
    """Print tables and lines of text on standard output, as they are."""
    console = Console(markup=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part)
