"""Text of the caller's that has to stay on one line."""

import json
import unicodedata
from typing import Any

__all__ = ["escaped", "shortened", "shown"]

_LONGEST = 80

_ESCAPED = {"Cc", "Cs", "Zl", "Zp"}  # control characters, halves of surrogate pairs, separators of lines and paragraphs
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # they show what follows in another order


def escaped(text: str) -> str:
    r"""Return `text` with the characters that break a line, or a terminal, as JSON escapes them: ``\n``, ``\u001b``."""
    if text.isprintable():
        return text
    return "".join(json.dumps(c)[1:-1] if _must_be_escaped(c) else c for c in text)


def _must_be_escaped(c: str) -> bool:
    return unicodedata.category(c) in _ESCAPED or unicodedata.bidirectional(c) in _TURNING


def shown(value: Any) -> str:
    """Return `value` for a message: as `repr` has it, but shortened."""
    # Of a long text not all is needed.
    return shortened(repr(value[: _LONGEST + 1] if isinstance(value, str) else value))


def shortened(text: str) -> str:
    """Return as much of `text` as tells which one it is."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
