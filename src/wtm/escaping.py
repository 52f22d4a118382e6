"""Text of the caller's that has to stay on one line."""

import json
import unicodedata

__all__ = ["escaped"]

_ESCAPED = {"Cc", "Cs", "Zl", "Zp"}  # control characters, halves of surrogate pairs, separators of lines and paragraphs
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # they show what follows in another order


def escaped(text: str) -> str:
    r"""Return `text` with the characters that break a line, or a terminal, as JSON escapes them: ``\n``, ``\u001b``."""
    if text.isprintable():
        return text
    return "".join(json.dumps(c)[1:-1] if _must_be_escaped(c) else c for c in text)


def _must_be_escaped(c: str) -> bool:
    return unicodedata.category(c) in _ESCAPED or unicodedata.bidirectional(c) in _TURNING
