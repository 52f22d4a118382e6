"""Run the code blocks of a page of the documentation, and write what they print into the `text` blocks below them.

python -m tools.page_code docs/data.md

Blocks of Python and bash run in their order, in a fresh folder; those of Python share their variables. Comments of HTML
above a block, which no reader sees, say how:

<!-- not run: the reason -->
<!-- slow: the reason, for a block that only `pytest -m slow` and this command run -->
<!-- needs: the module without which the block is not run -->
<!-- before: Python code that makes what the block works on -->

A line `...` in what a page shows stands for any number of lines.
"""

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
_LANGUAGES = {"python": "python", "py": "python", "bash": "bash", "sh": "bash", "shell": "bash", "console": "bash"}
_COMMENT = re.compile(r"<!--\s*(not run|slow|needs|before):\s*(\S.*?)\s*-->\s*", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of code: where it begins, the comments above it, and what the page says that it prints."""

    page: Path
    line: int
    language: str
    code: str
    marks: dict[str, str]
    shown: str | None
    shown_lines: list[int]

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line + 1}"

    def shows(self, printed: str) -> bool:
        """Tell whether the page shows what the block printed."""
        parts = re.split(r"^\.\.\.\n", self.shown or "", flags=re.MULTILINE)
        return re.fullmatch(r"(?:.*\n)*".join(map(re.escape, parts)), printed) is not None


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of Python and bash of a page."""
    tokens = [token for token in MarkdownIt().parse(page.read_text("utf-8")) if token.map or token.content]
    blocks = []
    for i, token in enumerate(tokens):
        if token.type != "fence" or token.info not in _LANGUAGES or token.map is None:
            continue
        shown: tuple[str | None, list[int]] = (None, [0, 0])
        if i + 1 < len(tokens) and tokens[i + 1].info == "text":
            shown = tokens[i + 1].content, tokens[i + 1].map or [0, 0]
        marks = _marks(tokens[:i], f"{page.name}:{token.map[0] + 1}")
        language = _LANGUAGES[token.info]
        blocks.append(Block(page, token.map[0], language, token.content, marks, *shown))
    return blocks


def _marks(tokens: list[Token], place: str) -> dict[str, str]:
    marks = {}
    while tokens and tokens[-1].type == "html_block":
        comment = _COMMENT.fullmatch(tokens.pop().content)
        if comment is None:
            raise ValueError(f"{place}: the comment above must be 'not run:', 'slow:', 'needs:' or 'before:', and why.")
        marks[comment[1]] = comment[2]
    return marks


def run(page: Path, *, slow: bool = False) -> Iterator[tuple[Block, str]]:
    """Run the blocks of a page, and give each with what it printed."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        for block in blocks_of(page):
            if not _runs(block, slow):
                continue
            printed = io.StringIO()
            with chdir(folder), redirect_stdout(printed):
                exec(block.marks.get("before", ""), scope)
                if block.language == "python":
                    exec(compile("\n" * (block.line + 1) + block.code, str(page), "exec"), scope)
                else:
                    _run_shell(block)
            yield block, printed.getvalue()


def _runs(block: Block, slow: bool) -> bool:
    missing = "needs" in block.marks and find_spec(block.marks["needs"]) is None
    return not (missing or "not run" in block.marks or ("slow" in block.marks and not slow))


def _run_shell(block: Block) -> None:
    """Run commands: `wtm` in this process, where it need not start anew, others by bash."""
    from typer.testing import CliRunner

    from wtm.cli.app import app

    # `python` is the one that runs this, also where its environment is not activated.
    here = os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])}
    for line in block.code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words and words[0] == "wtm":
            result = CliRunner().invoke(app, words[1:], prog_name="wtm")
            if result.exit_code:
                raise RuntimeError(f"{block}: {line}\n{result.output}")
            print(result.stdout, end="")
        elif words:
            command = ["bash", "-c", line]
            print(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=here).stdout, end="")


def write_shown(page: Path) -> None:
    """Run a page, and write what its blocks print below those that show it."""
    differ = [(block, printed) for block, printed in run(page, slow=True) if block.shown is not None]
    lines = page.read_text("utf-8").splitlines(keepends=True)
    for block, printed in reversed(differ):
        if not block.shows(printed):
            start, end = block.shown_lines
            lines[start + 1 : end - 1] = printed.splitlines(keepends=True)
    page.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write_shown(Path(name).resolve())
