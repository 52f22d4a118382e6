"""What users ought to hear of columns that are taken as text, and are perhaps none."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from wtm.cli.files import import_pyarrow
from wtm.cli.numerals import Numerals, has_leading_zero
from wtm.cli.values import distinct_column, is_text
from wtm.utils.printable import short_repr, shorten

__all__ = ["concern_about_labels", "concerns_about_text"]

_LOOKED_AT = 1000  # values of a column that are no numbers, each once
_NEARLY_ALL = 0.9
_FEW = 3
_FEWEST_ROWS = 20  # of which nearly all must differ, to be called so
_MOST_NAMED = 10

_THOUSANDS = r"[1-9][0-9]{0,2}(?:[,.'’_\s][0-9]{3})+"
_DECORATED = re.compile(
    rf"""[-+(<>=≤≥~≈]* \s* (?P<before> (?:[A-Z]{{0,3}}[$¢£¤¥฿\u20a0-\u20cf])? [#№]?) \s* [-+]?
    (?: (?P<hex>0[xX])[0-9a-fA-F]+
      | (?:{_THOUSANDS} | 0 | [1-9][0-9]*)? (?:(?<=[0-9])[.,][0-9]* | [.,][0-9]+)? (?:(?<=[0-9])[eE][-+]?[0-9]+)?
    )
    (?P<after>[^0-9]{{0,12}})""",
    re.VERBOSE,
)
_GROUPED = re.compile(rf"[-+]?{_THOUSANDS}")


def concerns_about_text(columns: Mapping[str, Any], max_categories: int, numerals: Numerals | None) -> Iterator[str]:
    """Tell of the training columns that are text and would serve better otherwise, each at most once.

    Parameters
    ----------
    columns : dict of str to pyarrow.ChunkedArray
        As they are to be learnt.
    max_categories : int
        So many values of a column become features.
    numerals : Numerals or None
        How the file spells numbers; None where it has types, and text is meant to be text.
    """
    is_typed, numerals = numerals is None, numerals or Numerals()
    examples: dict[str, dict[str, str]] = {_OTHER_POINT: {}, _DISGUISED: {}, _DISTINCT: {}}
    for name, column in columns.items():
        if not is_text(column):
            continue
        distinct = distinct_column(column)
        odd = distinct.filter(import_pyarrow().compute.invert(numerals.spell(distinct)))
        kind = _kind(distinct, odd, numerals)
        if kind is not None:
            examples[_DISGUISED if is_typed else kind][name] = odd[0].as_py()
        elif not is_typed and 0 < len(odd) <= min(_FEW, len(distinct) - len(odd)) and not has_leading_zero(distinct):
            others = ", ".join(map(shorten, sorted(odd.to_pylist())))
            yield (
                f"column {short_repr(name)} holds numbers, but also {others}, and so is taken as text. If this stands "
                "for a missing value, name it by --missing."
            )
        elif _NEARLY_ALL * (len(column) - column.null_count) <= len(distinct) >= _FEWEST_ROWS:
            examples[_DISTINCT][name] = distinct[0].as_py()
        elif len(distinct) > max_categories:
            yield (
                f"column {short_repr(name)} is taken as text with {len(distinct):,} different values, of which the "
                f"{max_categories} most frequent make a feature each. --drop leaves a column out."
            )
    for kind, found in examples.items():
        if found:
            yield kind.format(columns=_listed(found), drop=_drop(list(found)), other=numerals.other.decimal)


def concern_about_labels(labels: np.ndarray, target: str) -> str | None:
    """Tell of labels, strings each once, that people would take for one; None where there are none."""
    alike: dict[str, list[str]] = {}
    for label in labels.tolist():
        alike.setdefault(" ".join(label.split()).casefold(), []).append(label)
    found = [same for same in alike.values() if len(same) > 1]
    if not found:
        return None
    listed = "; ".join(", ".join(map(short_repr, same[:_FEW])) for same in found[:_FEW])
    return (
        f"the target {short_repr(target)} has classes that differ in upper and lower case or white space only, such as "
        f"{listed}. If they mean the same, spell them alike."
    )


_OTHER_POINT = (
    "taken as text, but numbers if {other!r} is the decimal point: {columns}. If it is, say --decimal {other!r}."
)
_DISGUISED = (
    "taken as text, each value by itself, but numbers with something around them: {columns}. Make plain numbers of "
    "them, or say {drop}."
)
_DISTINCT = (
    "taken as text, with another value in nearly every row, of which little can be learnt: {columns}. Keep what rows "
    "have in common, or say {drop}."
)


def _kind(distinct: Any, odd: Any, numerals: Numerals) -> str | None:
    """What numbers in disguise a column holds, if nearly all its values are such, or plain numbers; `odd` are none."""
    if not len(odd) or has_leading_zero(distinct):
        return None
    some = odd[:_LOOKED_AT].to_pylist()
    with_other_point = import_pyarrow().compute.all(numerals.other.spell_finite(distinct)).as_py()
    if with_other_point and not all(map(_GROUPED.fullmatch, some)):
        return _OTHER_POINT
    dresses = Counter(dress for value in some if (dress := _dress(value)) is not None)
    n_alike = max(dresses.values(), default=0)
    n_other = (1 - n_alike / len(some)) * len(odd)
    are_nearly_all = _NEARLY_ALL * len(distinct) <= len(distinct) - n_other
    return _DISGUISED if n_alike > _FEW and are_nearly_all else None


def _dress(value: str) -> tuple[str, ...] | None:
    """What stands around the one number in a value; None where there is no such number."""
    found = _DECORATED.fullmatch(value)
    if found is None or not any(c.isdigit() for c in value):
        return None
    return found["before"], (found["hex"] or "").lower(), found["after"].strip(" )").lower()


def _listed(examples: Mapping[str, str]) -> str:
    named = [
        f"column {short_repr(name)} (such as {short_repr(value)})"
        for name, value in list(examples.items())[:_MOST_NAMED]
    ]
    more = len(examples) - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more else "")


def _drop(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED or any("," in name for name in names):
        return " ".join(f"--drop {shlex.quote(shorten(name))}" for name in names[:_MOST_NAMED])
    return f"--drop {shlex.quote(','.join(map(shorten, names)))}"
