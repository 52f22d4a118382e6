"""How a CSV file is written, as options give it and a model file keeps it."""

import json
import shlex
from dataclasses import asdict, dataclass
from typing import Any, Self

from wtm.utils.printable import short_repr

PANDAS_MISSING = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip
"""Cells that `pandas.read_csv` reads as missing."""

_KINDS = {"separator": str, "decimal": str, "missing": list, "encoding": str, "header": bool}


@dataclass(frozen=True)
class CsvFormat:
    """The options of a CSV file; None where an option is not given."""

    separator: str | None = None  # one character; by default the comma, or the tab in a file called .tsv
    decimal: str | None = None  # the decimal point, "." by default, or ","
    missing: tuple[str, ...] | None = None  # cells read as missing, in addition to PANDAS_MISSING
    encoding: str | None = None  # UTF-8 by default
    header: bool | None = None  # whether the first row holds the columns' names, as it does by default

    def given(self) -> dict[str, Any]:
        """Return the options that are given."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def over(self, others: Self) -> Self:
        """Return these options, completed by `others`."""
        return type(self)(**others.given() | self.given())

    def to_json(self) -> str:
        """Return the options that are given, as JSON."""
        return json.dumps(self.given())

    @classmethod
    def from_json(cls, text: Any) -> Self:
        """Return the options that `to_json` wrote; a ValueError if `text` is something else."""
        try:
            options = json.loads(text)
            if all(type(value) is _KINDS[name] for name, value in options.items()):
                options |= {"missing": tuple(map(str, options["missing"]))} if "missing" in options else {}
                return cls(**options)
        except (ValueError, TypeError, AttributeError, KeyError):
            pass
        raise ValueError(f"csv_format_ of the model must hold options of CSV as JSON, got {short_repr(text)}.")


def option_words(options: dict[str, Any]) -> str:
    """Return options of a `CsvFormat` as on a command line."""
    words = ["--header" if options["header"] else "--no-header"] if "header" in options else []
    for name, value in options.items():
        if name != "header":
            words += [f"--{name}", ",".join(value) if name == "missing" else {"\t": "tab"}.get(value, value)]
    return shlex.join(words)
