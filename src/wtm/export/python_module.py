"""Models as a Python module without dependencies."""

from collections.abc import Sequence
from typing import Any

from wtm.export.model_tables import ModelTables

_HEAD = '''\
"""A classifier written by wtm.export.to_python: class_sums(row) and predict(row).

A row is a sequence of all columns in their order, or a mapping from the names in COLUMNS to values. None and NaN are
missing. Python 3.7 or newer; no dependencies.
"""

'''

_TAIL = '''\


def class_sums(row):
    """Return the weighted sum of votes for each class, as a list of floats."""
    return [total * UNIT for total in _totals(row)]


def predict(row):
    """Return the class with the largest sum, the first one on a tie."""
    totals = _totals(row)
    return CLASSES[totals.index(max(totals))]


def _totals(row):
    by_name = hasattr(row, "keys")
    if not by_name and len(row) != N_COLUMNS:
        raise ValueError("row must have {} values, got {}".format(N_COLUMNS, len(row)))
    values = [row[name if by_name else position] for position, name in COLUMNS]
    holds = [_holds(values[column], test, value) for column, test, value in FEATURES]
    totals = [0] * len(CLASSES)
    for label, vote, true, false in RULES:
        if all(holds[feature] for feature in true) and not any(holds[feature] for feature in false):
            totals[label] += vote
    return totals


def _holds(x, test, value):
    if x is None or x != x:
        return test == "missing"
    if test == ">":
        return x > value
    return test == "=" and x == value
'''


def to_python(clf: Any, *, feature_names: Sequence[str] | None = None, bits: int | None = None) -> str:
    """Write a model as a Python module that needs neither wtm nor any other package.

    It has `class_sums(row)` and `predict(row)`, which give what the methods of `clf` give for one row. A row is a
    sequence of all columns or a mapping from column names to values; None and NaN are missing.

    Parameters
    ----------
    clf : WTMClassifier
        A fitted classifier.
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
        `clf` is not a fitted WTMClassifier, or another argument is not as described.
    """
    tables = ModelTables.of(clf, feature_names, bits)
    return "".join(
        [
            _HEAD,
            f"N_COLUMNS = {tables.n_columns}\n",
            f"UNIT = {tables.unit!r}\n\n",
            _items("CLASSES", "the labels", tables.labels),
            _items("COLUMNS", "position and name", [(c.position, c.name) for c in tables.columns]),
            _items("FEATURES", "column, test, value", [(f.column, f.test, f.value) for f in tables.features]),
            _items(
                "RULES",
                "class, vote, features that must be true, features that must be false",
                [(r.label, r.vote, r.true, r.false) for r in tables.rules],
            ),
            _TAIL,
        ]
    )


def _items(name: str, content: str, items: Sequence[Any]) -> str:
    return "".join([f"{name} = [  # {content}\n", *(f"    {item!a},\n" for item in items), "]\n"])
