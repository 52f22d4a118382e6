"""Tables of text as plain text, Markdown, HTML and LaTeX, with everything escaped that means something there."""

import html
import re
from collections.abc import Callable, Sequence

_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~&$]")
_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}", "-": "{-}", **{c: f"\\{c}" for c in "{}%$#&_"},
}  # fmt: skip

Row = Sequence[str]


def as_text(head: Row, rows: Sequence[Row]) -> list[str]:
    """Return lines with aligned columns: numbers at the right, the last column at the left."""
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "  ".join([*(cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1]])
        for row in (head, *rows)
    ]


def as_markdown(head: Row, rows: Sequence[Row]) -> str:
    """Return a table of GitHub-flavoured Markdown."""
    lines = [head, ["---:"] * (len(head) - 1) + ["---"], *(_escaped(row, _markdown) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_html(head: Row, rows: Sequence[Row]) -> str:
    """Return a table of HTML."""
    body = "".join(_html_row(row, "td") for row in rows)
    return f"<table>\n<thead>\n{_html_row(head, 'th')}</thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def as_latex(head: Row, rows: Sequence[Row]) -> str:
    """Return a ``tabular``; the last column is a paragraph, half as wide as the text."""
    lines = [r"\hline", _latex_row(head), r"\hline", *map(_latex_row, rows), r"\hline"]
    layout = "r" * (len(head) - 1) + r"p{0.5\textwidth}"
    return "\n".join([rf"\begin{{tabular}}{{{layout}}}", *lines, r"\end{tabular}", ""])


def _escaped(row: Row, escape: Callable[[str], str]) -> list[str]:
    return [escape(cell) for cell in row]


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", text)


def _html_row(row: Row, tag: str) -> str:
    cells = "".join(f"<{tag}>{cell}</{tag}>" for cell in _escaped(row, html.escape))
    return f"<tr>{cells}</tr>\n"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _latex_row(row: Row) -> str:
    return " & ".join(_escaped(row, _latex)) + r" \\"
