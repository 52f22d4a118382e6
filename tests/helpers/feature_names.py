"""A reader of feature names that knows their grammar alone: does the condition hold for a row?"""

import json
import re

_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_OPERATORS = re.compile(
    rf"""(?P<column>.*)\ (?:
        (?P<greater>>|<=)\ (?P<number>{_NUMBER})(?P<or_missing>\ or\ missing)?
      | (?P<equal>=|!=)\ (?P<value>"(?:[^"\\]|\\.)*"|[^\s"]+)
      | (?P<missing>is\ missing|is\ not\ missing)
    )""",
    re.VERBOSE | re.DOTALL,
)


def read_value(text):
    if text.startswith('"'):
        return json.loads(text)
    if text in ("True", "False"):
        return text == "True"
    return float(text) if re.fullmatch(_NUMBER, text) else text


def is_missing(value):
    return value is None or value != value


def holds(name, row):
    """Whether the condition called `name` holds for `row`, a dict from column names to values (None: missing)."""
    if name in row:
        return bool(row[name]) and not is_missing(row[name])
    if name.startswith("NOT (") and name[5:-1] in row:
        return not holds(name[5:-1], row)
    parts = _OPERATORS.fullmatch(name)
    value = row[parts["column"]]
    if parts["missing"]:
        return is_missing(value) == (parts["missing"] == "is missing")
    if parts["equal"]:
        return (not is_missing(value) and value == read_value(parts["value"])) == (parts["equal"] == "=")
    if is_missing(value):
        return bool(parts["or_missing"])
    return value > float(parts["number"]) if parts["greater"] == ">" else value <= float(parts["number"])


def table_of_truth(names, rows):
    """What the names say, as lists of booleans."""
    return [[holds(name, row) for name in names] for row in rows]
