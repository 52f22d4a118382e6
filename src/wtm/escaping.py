"""Text of the caller's that has to stay on one line."""

import json
import unicodedata
from typing import Any

__all__ = ["escaped", "shown"]

_LONGEST = 80

_ESCAPED = {"Cc", "Cs", "Zl", "Zp"}  # control characters, halves of surrogate pairs, separators of lines and paragraphs


def escaped(text: str) -> str:
    r"""Return `text` with the characters that break a line, or a terminal, as JSON escapes them: ``\n``, ``\u001b``."""
    if text.isprintable():
        return text
    return "".join(json.dumps(c)[1:-1] if unicodedata.category(c) in _ESCAPED else c for c in text)


def shown(value: Any) -> str:
    """Return `value` for a message: as `repr` has it, but a long one only as far as tells which one it is."""
    # A part of a long text is enough to make, as it is not much longer so: each character is at least one.
    text = repr(value[: _LONGEST + 1]) if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
