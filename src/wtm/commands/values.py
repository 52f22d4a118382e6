"""What the values of a column mean: numbers, truth values or text; for features, and for labels.

Columns are those of pyarrow: text where the file is CSV, of any type where it is Parquet.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wtm.commands.files import import_pyarrow
from wtm.tables.columns import precision_error
from wtm.tables.conditions import Categories, Conditions, Numbers

__all__ = ["as_conditions_need", "as_labels", "as_learnt", "cleaned", "concern_about_text", "distinct_values"]

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_WHOLE = r"^[+-]?[0-9]+$"
_LONG = r"^[+-]?[0-9]{16,309}$"  # whole numbers that may be no float64, and are not too large for it
_LEADING_ZERO = r"^[+-]?0[0-9]"
_TRUTH = {"true": "1", "false": "0"}
_FEW_ODD = 3
_LARGEST_LABEL = 2**63


def cleaned(text: Any, missing: Sequence[str]) -> Any:
    """Text of a CSV file without white space around it; null where it is empty or one of `missing`."""
    pa = import_pyarrow()
    trimmed = pa.compute.utf8_trim_whitespace(text)
    is_missing = pa.compute.is_in(trimmed, value_set=pa.array(["", *missing], pa.string()))
    return pa.compute.if_else(is_missing, pa.scalar(None, pa.string()), trimmed)


def as_learnt(column: Any, name: str, *, is_text: bool) -> Any:
    """A training column as what it holds.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    name : str
    is_text : bool
        Whether it comes from a file of text, so that numbers have to be found. They are, where every value is one and
        none has a leading zero, as identifiers, postcodes and telephone numbers have; "true" and "false" in any case
        are truth values.

    Returns
    -------
    pyarrow.ChunkedArray
        Of numbers, truth values, text or a categorical type.

    Raises
    ------
    ValueError
        It has a type that says nothing about what to make of it, or an integer that float64 does not hold.
    """
    if not is_text:
        return _plain(column, name)
    distinct = _distinct(column)
    if not len(distinct):
        return _all_missing(column)
    if _holds_truth(distinct):
        return _truth(column)
    if _all(_looks_like_number(distinct)) and not _has_leading_zero(distinct):
        return _numbers(column, name)
    return column


def as_conditions_need(column: Any, name: str, conditions: Conditions | None, first_row: int) -> Any:
    """A column as a model needs it.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    name : str
    conditions : Conditions or None
        What the model makes of the column; None where it takes 0 and 1 as they are.
    first_row : int
        Number of the first row in the file, from 1, for messages.

    Raises
    ------
    ValueError
        It holds something else than in training, or an integer that float64 does not hold.
    """
    if conditions is not None and conditions.n_features == conditions.has_missing:
        return _presence(column)  # one value in training: any other says no more than that it is there
    column = _plain(column, name)
    pa = import_pyarrow()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if isinstance(conditions, Categories) and True in conditions.are_text:
        if False not in conditions.are_text and not _is_text(column) and column.null_count < len(column):
            raise ValueError(f"column {name!r} held text in training, and holds {column.type} here.")
        return column
    if _is_text(column):
        column = _text_as_numbers(column, name, conditions, first_row)
    if conditions is None:
        _check_bits(column, name, first_row)
    return column


def _text_as_numbers(column: Any, name: str, conditions: Conditions | None, first_row: int) -> Any:
    pa = import_pyarrow()
    if conditions is None or (isinstance(conditions, Numbers) and conditions.is_binary):
        column = _truth_as_digits(column)
    odd = pa.compute.invert(_looks_like_number(column)).fill_null(False)
    if pa.compute.any(odd).as_py():
        row = pa.compute.index(odd, True).as_py()
        raise ValueError(
            f"column {name!r} held numbers in training, but row {first_row + row:,} holds {column[row].as_py()!r}. If "
            "this stands for a missing value, name it by --missing."
        )
    return _numbers(column, name)


def _check_bits(column: Any, name: str, first_row: int) -> None:
    pa = import_pyarrow()
    numbers = column.cast(pa.float64(), safe=False)
    is_bit = pa.compute.or_(pa.compute.equal(numbers, 0.0), pa.compute.equal(numbers, 1.0)).fill_null(False)
    if not _all(is_bit):
        row = pa.compute.index(is_bit, False).as_py()
        value = column[row].as_py()
        held = "has no value" if value is None or value != value else f"holds {value!r}"
        raise ValueError(
            f"column {name!r} held only 0 and 1 in training, but row {first_row + row:,} {held}. Train with a "
            "Booleanizer where a column may hold anything else."
        )


def as_labels(column: Any, name: str, *, is_text: bool) -> np.ndarray:
    """Labels of a target column without missing values: integers, truth values or strings.

    In text, whole numbers are integers, however they are spelt ("1.0" too), unless one has a leading zero or more than
    64 bits; anything else is a string as it stands.

    Raises
    ------
    ValueError
        It holds numbers that are not whole or too large, or no labels at all.
    """
    pa = import_pyarrow()
    column = _plain(column, f"{name} (the target)")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if _is_text(column):
        distinct = _distinct(column)
        if not is_text or _has_leading_zero(distinct) or not _all(_looks_like_number(distinct)):
            return np.array(column.to_pylist(), np.str_)
        if _all(_matches(distinct, _WHOLE)):
            try:
                return np.asarray(_without_plus(column).cast(pa.int64()).to_numpy())
            except pa.ArrowInvalid:
                return np.array(column.to_pylist(), np.str_)
        column = _numbers(column, name)
    values = column.to_numpy()
    if values.dtype.kind != "f":
        return values
    odd = values[values != np.floor(values)]
    if len(odd):
        raise ValueError(
            f"the target {name!r} holds {odd[0].item()!r}, and labels must be whole numbers, text or truth values: "
            "a classifier can't predict a quantity. Divide it into ranges first."
        )
    large = values[np.abs(values) >= _LARGEST_LABEL]
    if len(large):
        raise ValueError(
            f"the target {name!r} holds {large[0].item()!r}, and labels that are numbers must fit 64 bits. Turn them "
            "into text."
        )
    return values.astype(np.int64)


def concern_about_text(column: Any, name: str, max_categories: int) -> str | None:
    """What a user ought to hear of a training column, if it is taken as text, or None."""
    if not _is_text(column):
        return None
    distinct = _distinct(column)
    is_number = _looks_like_number(distinct)
    odd = distinct.filter(import_pyarrow().compute.invert(is_number)).to_pylist()
    n_numbers = len(distinct) - len(odd)
    if n_numbers and len(odd) <= min(_FEW_ODD, n_numbers) and not _has_leading_zero(distinct):
        listed = ", ".join(sorted(odd))
        return (
            f"column {name!r} holds numbers, but also {listed}, and so is taken as text. If this stands for a missing "
            "value, name it by --missing."
        )
    if len(distinct) > max_categories:
        return (
            f"column {name!r} is taken as text with {len(distinct):,} different values, of which the {max_categories} "
            "most frequent make a feature each. --drop leaves a column out."
        )
    return None


def _plain(column: Any, name: str) -> Any:
    """Columns of Parquet as one of the types that all else knows, or refused."""
    pa = import_pyarrow()
    types = pa.types
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if types.is_temporal(kind):
        raise ValueError(
            f"column {name!r} holds dates or times ({kind}): turn it into numbers first, or leave it out by --drop."
        )
    if types.is_null(kind):
        return _all_missing(column)
    if getattr(types, "is_string_view", lambda _: False)(kind) or types.is_decimal(kind):
        return column.cast(pa.float64() if types.is_decimal(kind) else pa.string())
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or _is_string(kind):
        return column
    raise ValueError(
        f"column {name!r} is of the type {kind}, and must hold numbers, truth values or text. --drop leaves it out."
    )


def _is_text(column: Any) -> bool:
    return _is_string(column.type)


def _is_string(type: Any) -> bool:
    types = import_pyarrow().types
    return types.is_string(type) or types.is_large_string(type)


def _distinct(column: Any) -> Any:
    pa = import_pyarrow()
    return pa.compute.drop_null(pa.compute.unique(column))


def distinct_values(column: Any) -> list[Any]:
    """Return the values of a column of pyarrow, each once; nothing of missing ones."""
    return [value for value in _distinct(column).to_pylist() if value == value]


def _matches(text: Any, pattern: str) -> Any:
    return import_pyarrow().compute.match_substring_regex(text, pattern)


def _looks_like_number(text: Any) -> Any:
    return _matches(text, _NUMBER)


def _has_leading_zero(distinct: Any) -> bool:
    return bool(import_pyarrow().compute.any(_matches(distinct, _LEADING_ZERO), min_count=0).as_py())


def _holds_truth(distinct: Any) -> bool:
    pa = import_pyarrow()
    return _all(pa.compute.is_in(pa.compute.utf8_lower(distinct), value_set=pa.array(list(_TRUTH))))


def _all(truth: Any) -> bool:
    return bool(import_pyarrow().compute.all(truth, min_count=0).as_py())


def _numbers(text: Any, name: str) -> Any:
    pa = import_pyarrow()
    for spelt in text.filter(_matches(text, _LONG)).to_pylist():
        if int(spelt) != float(spelt):
            raise precision_error(f"column {name!r}", int(spelt))
    return _without_plus(text).cast(pa.float64())


def _without_plus(text: Any) -> Any:
    return import_pyarrow().compute.utf8_ltrim(text, "+")


def _truth(text: Any) -> Any:
    pa = import_pyarrow()
    return pa.compute.equal(pa.compute.utf8_lower(text), "true")


def _truth_as_digits(text: Any) -> Any:
    pa = import_pyarrow()
    lower = pa.compute.utf8_lower(text)
    for word, digit in _TRUTH.items():
        text = pa.compute.if_else(pa.compute.equal(lower, word), digit, text)
    return text


def _presence(column: Any) -> Any:
    """A column of zeros, missing where `column` is."""
    pa = import_pyarrow()
    is_missing = pa.compute.is_null(column, nan_is_null=True)
    return pa.compute.if_else(is_missing, pa.scalar(None, pa.float64()), 0.0)


def _all_missing(column: Any) -> Any:
    pa = import_pyarrow()
    return pa.chunked_array([pa.nulls(len(column), pa.float64())])
