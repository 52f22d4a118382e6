"""Recognize files that are not CSV or Parquet, and encodings of text, by their first bytes."""

import codecs
import re

_AS_PARQUET = "Convert it to Parquet or CSV, in Python with pandas.{}(...).to_parquet(...)."
_KINDS = {
    rb"(?s).{4}\x00{4}\{\"": ("a model file", "Pass a table; MODEL comes before DATA."),
    rb"PK\x03\x04": (
        "a zip archive or an Excel workbook",
        "Unpack the archive, or save the sheet as CSV in a spreadsheet program.",
    ),
    rb"\xd0\xcf\x11\xe0": ("an old Excel workbook", "Save the sheet as CSV in a spreadsheet program."),
    rb"ARROW1|FEA1": ("a Feather file", _AS_PARQUET.format("read_feather")),
    rb"\x80[\x02-\x05]": ("a pickle", "If it holds a data frame, write it with frame.to_parquet(...) in Python."),
    rb"SQLite format 3": ("an SQLite database", _AS_PARQUET.format("read_sql")),
    rb'\s*(\{\s*"|\[\s*[\[{])': (
        "JSON",
        _AS_PARQUET.format("read_json") + " For JSON lines, pass lines=True.",
    ),
    rb"\x89HDF\r\n": ("an HDF5 file", _AS_PARQUET.format("read_hdf")),
    rb"\x93NUMPY": ("a NumPy array", "In Python, write pandas.DataFrame(numpy.load(...)).to_csv(...)."),
    rb"RD[AX][23]\n|[AX]\n\x00\x00\x00[\x02\x03]": (
        "a file of R",
        "In R, use write.csv(..., row.names=FALSE).",
    ),
    rb"\$FL[23]@\(#\)": ("an SPSS file", _AS_PARQUET.format("read_spss")),
    rb"<stata_dta>": ("a Stata file", _AS_PARQUET.format("read_stata")),
    rb"(?i)\s*<(!doctype html|html|\?xml)": ("a page of HTML or XML", "Was it downloaded from the right address?"),
    rb"%PDF-": ("a PDF document", "Export the table as CSV."),
    rb"\x89PNG|\xff\xd8\xff|GIF8[79]a": ("an image", "Give the name of a CSV or Parquet file."),
    rb"7z\xbc\xaf|Rar!\x1a|\xfd7zXZ": ("an archive", "Unpack it."),
}
_COMPRESSIONS = {
    rb"\x1f\x8b": "gzip",
    rb"BZh[1-9]1AY": "bz2",
    rb"\x28\xb5\x2f\xfd": "zstd",
    rb"\x04\x22\x4d\x18": "lz4",
}
_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_SAMPLE = 1024  # a multiple of 4
_MOST = 0.5


def check_kind(start: bytes, name: str) -> None:
    """Raise a ValueError if a file called `name` is empty, or of a kind that is known and not CSV or Parquet."""
    if not start:
        raise ValueError(f"{name} is empty.")
    for pattern, (kind, remedy) in _KINDS.items():
        if re.match(pattern, start):
            raise ValueError(f"{name} is {kind}, not CSV or Parquet. {remedy}")


def compression_of(start: bytes) -> str | None:
    """Return the compression, as pyarrow calls it, of a file that starts so."""
    return next((kind for pattern, kind in _COMPRESSIONS.items() if re.match(pattern, start)), None)


def wide_encoding(start: bytes) -> str | None:
    """Return the encoding of 16 or 32 bits that text which starts so seems to have, or None."""
    for bom, encoding in _BOMS.items():
        if start.startswith(bom):
            return encoding
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        text = start[: min(_SAMPLE, len(start) // 4 * 4)].decode(encoding, "replace")
        if text and sum("\t" <= c <= "~" for c in text) >= _MOST * len(text):
            return encoding
    return None
