"""The text of a CSV file as UTF-8, read as a stream: what pyarrow takes without a word is noticed on the way."""

import codecs
import csv
import io
from collections import deque
from pathlib import Path
from typing import Any

from wtm.utils.printable import short_repr

__all__ = ["BOM", "Text", "encoding_error", "n_whole_rows"]

BOM = codecs.BOM_UTF8

_ENCODINGS = ("utf-8", "latin-1", "utf-16")
_WITH_ZEROS = ("utf-16", "utf-32")  # their bytes are zero for the most part, or every other one, in most languages
_MANY_ZEROS = 0.1


class Text:
    """A readable file of bytes, for pyarrow: a ValueError where there is a null character, as text has none.

    Parameters
    ----------
    stream : file of bytes
        Encoded in UTF-8 by now.
    encoding : str
        How the file itself is encoded, or is said to be.
    path : Path
        For messages.
    n_kept : int
        So many bytes of the end, at least, are kept for `ends_in_quotes`.
    """

    closed = False

    def __init__(self, stream: Any, encoding: str, path: Path, n_kept: int) -> None:
        self._stream = stream
        self._encoding = encoding
        self._path = path
        self._n_kept = n_kept
        self._end: deque[bytes] = deque()
        self._n_in_end = 0
        self._n_lines = 0

    def readable(self) -> bool:
        """As files have it."""
        return True

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
        self.closed = True

    def read(self, size: int) -> bytes:
        """Read so many bytes at most."""
        chunk: bytes = self._stream.read(size)
        if b"\0" in chunk:
            raise self._null_error(chunk)
        self._n_lines += chunk.count(b"\n")
        self._end.append(chunk)
        self._n_in_end += len(chunk)
        while self._n_in_end - len(self._end[0]) >= self._n_kept:
            self._n_in_end -= len(self._end.popleft())
        return chunk

    def ends_in_quotes(self, last: bytes, separator: str | None) -> bool:
        r"""Whether the file, which is read to its end, ends within the quotation marks of a value.

        Then this value is the last one, has swallowed all the rest, and the file's text is no more than an opening
        quotation mark and the value, in which quotation marks are double. A value whose quotation mark is closed can't
        look so: there would be another mark behind it, or, in front of what seems to open, no separator.

        Parameters
        ----------
        last : bytes
            The last value of the last row, as pyarrow reads it.
        separator : str or None
            None where there is one column. In it a value of line breaks alone may look so; nothing is lost with it.
        """
        end = b"".join(self._end).removeprefix(BOM)
        value = b'"' + last.replace(b'"', b'""')
        if not end.endswith(value):
            return False
        before = end[: -len(value)][-1:]
        if separator is None:
            return before in b"\r\n" and bool(last.strip(b"\r\n"))
        return before == separator.encode()

    def _null_error(self, chunk: bytes) -> ValueError:
        if chunk.count(b"\0") > _MANY_ZEROS * len(chunk):
            return encoding_error(self._path, self._encoding, _WITH_ZEROS)
        try:
            codecs.getincrementaldecoder("utf-8")().decode(chunk[chunk.find(b"\n") + 1 :])
        except UnicodeDecodeError:
            return encoding_error(self._path, self._encoding)
        line = self._n_lines + chunk.count(b"\n", 0, chunk.index(b"\0")) + 1
        return ValueError(f"{self._path} holds a null character in line {line:,}, and text has none: take it out.")


def n_whole_rows(block: str, separator: str) -> int:
    """Count the rows before the last in a block, which is cut off."""
    n_whole, n_read = 0, 0
    try:
        for row in csv.reader(io.StringIO(block, newline=""), delimiter=separator):
            n_whole, n_read = n_read, n_read + bool(row)
    except csv.Error:  # the last one is too long
        return n_read
    return n_whole


def encoding_error(path: Path, tried: str, others: tuple[str, ...] = _ENCODINGS) -> ValueError:
    """Say that a file is encoded in another way, perhaps in one of `others`."""
    codec = codecs.lookup(tried).name.removesuffix("-sig")
    *most, last = (other for other in others if codecs.lookup(other).name != codec)
    named = f"{', '.join(most)} or {last}" if most else last
    return ValueError(f"{path} is not encoded in {short_repr(tried)}: name its encoding, such as --encoding {named}.")
