"""Prepare the caller's text for one line of a message."""

import json
import unicodedata
from typing import Any

MAX_LENGTH = 80

_ESCAPED = {"Cc", "Cs", "Zl", "Zp"}  # control characters, surrogates, line and paragraph separators
_BIDI_CONTROLS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # they reorder what follows


def escape(text: str) -> str:
    r"""Write the characters that would break a line or a terminal as JSON does: ``\n``, ``\u001b``."""
    if text.isprintable():
        return text
    return "".join(json.dumps(c)[1:-1] if _must_be_escaped(c) else c for c in text)


def _must_be_escaped(c: str) -> bool:
    return unicodedata.category(c) in _ESCAPED or unicodedata.bidirectional(c) in _BIDI_CONTROLS


def counted(number: int, noun: str) -> str:
    """Return a number of things whose plural ends in s, such as ``1 row`` and ``2,000 rows``."""
    return f"{number:,} {noun}" + "s" * (number != 1)


def short_repr(value: Any) -> str:
    """Return `repr(value)`, cut to at most 80 characters."""
    return shorten(repr(value[: MAX_LENGTH + 1] if isinstance(value, str) else value))


def shorten(text: str, max_length: int = MAX_LENGTH) -> str:
    """Return `text`, cut to at most `max_length` characters; the cut is marked by three dots."""
    return text if len(text) <= max_length else f"{text[: max_length - 3]}..."
