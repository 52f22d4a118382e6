"""Conditions evaluated row by row, in plain Python, from their text."""

from wtm.rules import parse_condition
from wtm.tables.condition_grammar import Interval, IsMissing


def is_missing(value):
    return value is None or value != value


def holds(name, row):
    """Whether the condition called `name` holds for `row`, a dict from column names to values (None: missing)."""
    condition = parse_condition(name)
    value = row[condition.column]
    if isinstance(condition, IsMissing):
        return is_missing(value) == condition.is_missing
    if isinstance(condition, Interval):
        if is_missing(value):
            return condition.low == float("-inf") and condition.missing is not False
        return condition.low < value <= condition.high
    if condition.equal:
        return not is_missing(value) and value == condition.values[0]
    if is_missing(value):
        return condition.missing is not False
    return value not in condition.values


def table_of_truth(names, rows):
    """What the names say, as lists of booleans."""
    return [[holds(name, row) for name in names] for row in rows]
