"""What the values of a column mean: numbers, truth values or text; for features, and for labels.

Columns are those of pyarrow: text where the file is CSV, of any type where it is Parquet.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wtm.cli.files import import_pyarrow
from wtm.cli.numerals import Numerals, drop_remedy, has_leading_zero, matches
from wtm.tables.conditions import Categories, Conditions, Numbers
from wtm.tables.float64 import as_float64
from wtm.utils.printable import short_repr, shorten

__all__ = ["as_conditions_need", "as_labels", "as_learnt", "cleaned", "distinct_column", "distinct_values", "is_text"]

_WHOLE = r"^[+-]?[0-9]+$"
_TRUTH = {"true": "1", "false": "0"}
_LARGEST_LABEL = 2**63


def cleaned(text: Any, missing: Sequence[str]) -> Any:
    """Text of a CSV file without white space around it; null where it is empty or one of `missing`."""
    pa = import_pyarrow()
    trimmed = pa.compute.utf8_trim_whitespace(text)
    is_missing = pa.compute.is_in(trimmed, value_set=pa.array(["", *missing], pa.string()))
    return pa.compute.if_else(is_missing, pa.scalar(None, pa.string()), trimmed)


def as_learnt(column: Any, name: str, numerals: Numerals | None) -> Any:
    """A training column as what it holds.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    name : str
    numerals : Numerals or None
        How numbers are spelt, where it comes from a file of text, so that they have to be found. They are, where every
        value is one and none has a leading zero, as identifiers, postcodes and telephone numbers have; "true" and
        "false" in any case are truth values. None: the file has types.

    Returns
    -------
    pyarrow.ChunkedArray
        Of numbers, truth values, text or a categorical type.

    Raises
    ------
    ValueError
        It has a type that says nothing about what to make of it, an infinite number, or an integer that float64 does
        not hold.
    """
    if numerals is None:
        column = _plain(column, name)
        _check_float64(column, name)
        return column
    distinct = distinct_column(column)
    if not len(distinct):
        return _all_missing(column)
    if _holds_truth(distinct):
        return _truth(column)
    if _all(numerals.spell(distinct)) and not has_leading_zero(distinct):
        return numerals.read_finite(column, f"column {short_repr(name)}", drop_remedy(name))
    return column


def as_conditions_need(
    column: Any, name: str, conditions: Conditions | None, first_row: int, numerals: Numerals
) -> Any:
    """A column as a model needs it.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    name : str
    conditions : Conditions or None
        What the model makes of the column; None where it takes 0 and 1 as they are.
    first_row : int
        Number of the first row in the file, from 1, for messages.
    numerals : Numerals
        How text spells numbers.

    Raises
    ------
    ValueError
        It holds something else than in training, an infinite number, or an integer that float64 does not hold.
    """
    if conditions is not None and conditions.n_features == conditions.has_missing:
        return _presence(column)  # one value in training: any other says no more than that it is there
    column = _plain(column, name)
    pa = import_pyarrow()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if isinstance(conditions, Categories) and True in conditions.are_text:
        if False not in conditions.are_text and not is_text(column) and column.null_count < len(column):
            raise ValueError(f"column {short_repr(name)} held text in training, and holds {column.type} here.")
        return column
    if is_text(column):
        column = _text_as_numbers(column, name, conditions, first_row, numerals)
    if conditions is None:
        _check_bits(column, name, first_row)
    return column


def _text_as_numbers(column: Any, name: str, conditions: Conditions | None, first_row: int, numerals: Numerals) -> Any:
    pa = import_pyarrow()
    if conditions is None or (isinstance(conditions, Numbers) and conditions.is_binary):
        column = _truth_as_digits(column)
    odd = pa.compute.invert(numerals.spell(column)).fill_null(False)
    if pa.compute.any(odd).as_py():
        row = pa.compute.index(odd, True).as_py()
        value, other = column[row].as_py(), numerals.other
        hint = "If this stands for a missing value, name it by --missing."
        if other.spell_finite(pa.array([value]))[0].as_py():
            hint = f"If {other.decimal!r} is the decimal point, say --decimal {other.decimal!r}."
        raise ValueError(
            f"column {short_repr(name)} held numbers in training, but row {first_row + row:,} holds "
            f"{short_repr(value)}. {hint}"
        )
    return numerals.read_finite(column, f"column {short_repr(name)}", drop_remedy(name))


def _check_float64(column: Any, name: str) -> None:
    """Refuse numbers that are none of float64, or infinite, with the remedy that a command has."""
    types = import_pyarrow().types
    if types.is_integer(column.type) or types.is_floating(column.type):
        try:
            as_float64(column.drop_null().to_numpy(), lambda _: f"column {short_repr(name)}")
        except ValueError as error:
            raise ValueError(f"{error}{drop_remedy(name)}") from None


def _check_bits(column: Any, name: str, first_row: int) -> None:
    pa = import_pyarrow()
    numbers = column.cast(pa.float64(), safe=False)
    is_bit = pa.compute.or_(pa.compute.equal(numbers, 0.0), pa.compute.equal(numbers, 1.0)).fill_null(False)
    if not _all(is_bit):
        row = pa.compute.index(is_bit, False).as_py()
        value = column[row].as_py()
        held = "has no value" if value is None or value != value else f"holds {short_repr(value)}"
        raise ValueError(
            f"column {short_repr(name)} held only 0 and 1 in training, but row {first_row + row:,} {held}. Train with "
            "a Booleanizer where a column may hold anything else."
        )


def as_labels(column: Any, name: str, numerals: Numerals | None) -> np.ndarray:
    """Labels of a target column without missing values: integers, truth values or strings.

    In text, whole numbers are integers, however they are spelt ("1.0" too), unless one has a leading zero or more than
    64 bits; anything else is a string as it stands, a word for infinity too. `numerals` as for `as_learnt`.

    Raises
    ------
    ValueError
        It holds numbers that are not whole or too large, or no labels at all.
    """
    pa = import_pyarrow()
    column = _plain(column, f"{name} (the target)")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if is_text(column):
        distinct = distinct_column(column)
        if numerals is None or has_leading_zero(distinct) or not _all(numerals.spell_finite(distinct)):
            return np.array(column.to_pylist(), np.str_)
        if _all(matches(distinct, _WHOLE)):
            try:
                return np.asarray(pa.compute.utf8_ltrim(column, "+").cast(pa.int64()).to_numpy())
            except pa.ArrowInvalid:
                return np.array(column.to_pylist(), np.str_)
        column = numerals.read(column, f"column {short_repr(name)}")
    values = column.to_numpy()
    if values.dtype.kind != "f":
        return values
    odd = values[values != np.floor(values)]
    if len(odd):
        raise ValueError(
            f"the target {short_repr(name)} holds {odd[0].item()!r}, and labels must be whole numbers, text or truth "
            "values: a classifier can't predict a quantity. Divide it into ranges first."
        )
    large = values[np.abs(values) >= _LARGEST_LABEL]
    if len(large):
        raise ValueError(
            f"the target {short_repr(name)} holds {large[0].item()!r}, and labels that are numbers must fit 64 bits. "
            "Turn them into text."
        )
    return values.astype(np.int64)


def _plain(column: Any, name: str) -> Any:
    """Columns of Parquet as one of the types that all else knows, or refused."""
    pa = import_pyarrow()
    types = pa.types
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if types.is_temporal(kind):
        raise ValueError(
            f"column {short_repr(name)} holds dates or times ({kind}): turn it into numbers first, or leave it out by "
            "--drop."
        )
    if types.is_null(kind):
        return _all_missing(column)
    if getattr(types, "is_string_view", lambda _: False)(kind) or types.is_decimal(kind):
        return column.cast(pa.float64() if types.is_decimal(kind) else pa.string())
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or _is_string(kind):
        return column
    raise ValueError(
        f"column {short_repr(name)} is of the type {shorten(str(kind))}, and must hold numbers, truth values or text. "
        "--drop leaves it out."
    )


def is_text(column: Any) -> bool:
    """Whether a column of pyarrow is text."""
    return _is_string(column.type)


def _is_string(type: Any) -> bool:
    types = import_pyarrow().types
    return types.is_string(type) or types.is_large_string(type)


def distinct_column(column: Any) -> Any:
    """Return the values of a column of pyarrow, each once, without nulls, in the order of their first rows."""
    pa = import_pyarrow()
    return pa.compute.drop_null(pa.compute.unique(column))


def distinct_values(column: Any) -> list[Any]:
    """Return the values of a column of pyarrow, each once; nothing of missing ones."""
    return [value for value in distinct_column(column).to_pylist() if value == value]


def _holds_truth(distinct: Any) -> bool:
    pa = import_pyarrow()
    return _all(pa.compute.is_in(pa.compute.utf8_lower(distinct), value_set=pa.array(list(_TRUTH))))


def _all(truth: Any) -> bool:
    return bool(import_pyarrow().compute.all(truth, min_count=0).as_py())


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
