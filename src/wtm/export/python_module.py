"""Models as a Python module without dependencies."""

from collections.abc import Sequence
from dataclasses import astuple
from string import Template
from typing import Any

from wtm.export.model_tables import ModelTables

_HEAD = '''\
"""A $kind written by wtm.export.to_python: $functions.

A row is a sequence of all columns in their order, or a mapping from the names in COLUMNS to values. None and NaN are
missing. Python 3.7 or newer; no dependencies.
"""

'''

_OF_LABELS = '''\


def class_sums(row):
    """Return the weighted sum of votes for each class, as a list of floats."""
    return [total * UNIT for total in _totals(row)]


def predict(row):
    """Return the class with the largest sum, the first one on a tie."""
    totals = _totals(row)
    return CLASSES[totals.index(max(totals))]
'''

_OF_NUMBERS = '''\


def predict(row):
    """Return $predicted."""
    numbers = [
        middle + min(1.0, max(-1.0, total * SHARE)) * half for total, (middle, half) in zip(_totals(row), RANGES)
    ]
    return $number
'''

_OF_BOTH = """\


def _totals(row):
    by_name = hasattr(row, "keys")
    if not by_name and len(row) != N_COLUMNS:
        raise ValueError("row must have {} values, got {}".format(N_COLUMNS, len(row)))
    values = [row[name if by_name else position] for position, name in COLUMNS]
    holds = [_holds(values[column], test, value) for column, test, value in FEATURES]
    totals = [0] * $n_totals
$add
    return totals


def _holds(x, test, value):
    if x is None or x != x:
        return test == "missing"
    if test == ">":
        return x > value
    return test == "=" and x == value
"""


_ADD_STRICT = """\
    for label, vote, true, false in RULES:
        if all(holds[feature] for feature in true) and not any(holds[feature] for feature in false):
            totals[label] += vote"""

_ADD_FUZZY = """\
    for label, vote, true, false, most in RULES:
        n_failed = sum(not holds[feature] for feature in true) + sum(holds[feature] for feature in false)
        totals[label] += vote * max(0, most - n_failed)"""


def to_python(model: Any, *, feature_names: Sequence[str] | None = None, bits: int | None = None) -> str:
    """Write a model as a Python module that needs neither wtm nor any other package.

    It has `predict(row)` and, of a classifier, `class_sums(row)`, which give what the methods of `model` give for one
    row. A row is a
    sequence of all columns or a mapping from column names to values; None and NaN are missing.

    Parameters
    ----------
    model : classifier or regressor of wtm
        Fitted.
    feature_names : sequence of str of length `n_features_in_`, optional
        Names of the columns; the default is the names seen in `fit`, or else ``x0``, ``x1`` and so on.
    bits : int, optional
        Round votes to signed integers of this many bits, from 2 to 63. By default they are exact.

    Returns
    -------
    str
        The source, in ASCII.

    Raises
    ------
    sklearn.exceptions.NotFittedError, TypeError, ValueError
        `model` is not a fitted model of wtm, or another argument is not as described.
    """
    tables = ModelTables.of(model, feature_names, bits)
    of_kind, outputs, words = _parts(tables)
    is_fuzzy, text = tables.literal_failures is not None, "class" if tables.range is None else "output"
    content = f"{text}, vote, conditions that must be true, conditions that must be false"
    return "".join(
        [
            Template(_HEAD).substitute(words),
            f"N_COLUMNS = {tables.n_columns}\n",
            outputs,
            _items("COLUMNS", "position and name", [(c.position, c.name) for c in tables.columns]),
            _items("FEATURES", "column, test, value", [(f.column, f.test, f.value) for f in tables.features]),
            _items(
                "RULES",
                content + ", most votes" * is_fuzzy,
                [(r.label, r.vote, r.true, r.false, *([r.most] if is_fuzzy else [])) for r in tables.rules],
            ),
            Template(of_kind + _OF_BOTH).substitute(words, add=_ADD_FUZZY if is_fuzzy else _ADD_STRICT),
        ]
    )


def _parts(tables: ModelTables) -> tuple[str, str, dict[str, str]]:
    """Return the functions and the constants of a classifier or a regressor, and the words that differ."""
    if tables.range is None:
        words = {"kind": "classifier", "functions": "class_sums(row) and predict(row)", "n_totals": "len(CLASSES)"}
        return _OF_LABELS, f"UNIT = {tables.unit!r}\n\n" + _items("CLASSES", "the labels", tables.labels), words
    share, middle, half, is_single = astuple(tables.range)
    ranges = list(zip(middle, half, strict=True))
    predicted, number = ("the predicted number", "numbers[0]") if is_single else ("the predicted numbers", "numbers")
    words = {"kind": "regressor", "functions": "predict(row)", "n_totals": "len(RANGES)"}
    words |= {"predicted": predicted, "number": number}
    return _OF_NUMBERS, f"SHARE = {share!r}\n\n" + _items("RANGES", "middle, half of the width", ranges), words


def _items(name: str, content: str, items: Sequence[Any]) -> str:
    return "".join([f"{name} = [  # {content}\n", *(f"    {item!a},\n" for item in items), "]\n"])
