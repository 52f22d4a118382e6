"""Python values as strict JSON: a value that JSON lacks is written as an object with one key, its kind."""

import json
import math
import numbers
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from wtm.utils.memory_limits import check_memory
from wtm.utils.printable import short_repr

_LABEL_DTYPES = re.compile(r"\|b1|\|[iu]1|[<>][iu][248]|[<>]f[248]|[<>]U[0-9]{1,8}|\|S[0-9]{1,8}|\|O")
_MAX_LABEL_BYTES = 1 << 26  # of the array of classes; its size is not bounded by that of the file

_CONTAINERS_ALLOWED = 100_000
_CHARACTERS_PER_CONTAINER = 16  # beyond; a model's header has more, an empty object 3, and parsed it takes 100 bytes
_BYTES_PER_CONTAINER, _BYTES_PER_ITEM = 300, 64


def parse_json(text: str) -> Any:
    """Parse JSON strictly: NaN, infinity and duplicate keys are errors, and so are millions of empty lists.

    Raises
    ------
    ValueError
        It is not such JSON.
    MemoryError
        What is parsed may not fit in memory.
    """
    check_memory(
        len(text) + _BYTES_PER_CONTAINER * check_containers(text) + _BYTES_PER_ITEM * text.count(","),
        f"Parsing a header of {len(text):,} characters",
        "Free some memory.",
    )
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its header can't be read as JSON: {error}") from error


def check_containers(text: str) -> int:
    """Return about how many lists and objects JSON has; a ValueError if they are too many for so short a text."""
    n_containers = text.count("[") + text.count("{")
    if n_containers > _CONTAINERS_ALLOWED + len(text) // _CHARACTERS_PER_CONTAINER:
        raise ValueError(f"its header has {n_containers:,} lists and objects in only {len(text):,} characters")
    return n_containers


def encode(value: Any) -> Any:
    """Return `value` in JSON types. NumPy scalars become Python's, tuples and arrays become lists.

    Raises
    ------
    TypeError
        `value` is or contains something that is not plain data.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        return number if math.isfinite(number) else {"float": repr(number)}
    if isinstance(value, np.ndarray):
        return encode(value.tolist())
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {"items": [[encode(key), encode(item)] for key, item in value.items()]}
    raise TypeError(f"{value!r} of type {type(value).__name__} is not plain data")


def decode(value: Any) -> Any:
    """Return the value that `encode` wrote as `value`.

    Raises
    ------
    ValueError
        `encode` doesn't write this.
    """
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"float": "nan" | "inf" | "-inf" as name, **others} if not others:
            return float(name)
        case {"bytes": str(digits), **others} if not others:
            return bytes.fromhex(digits)
        case {"items": list(pairs), **others} if not others and all(_is_pair(pair) for pair in pairs):
            return {_hashable(decode(key)): decode(item) for key, item in pairs}
    raise ValueError(f"{short_repr(value)} is not an encoded value")


def encode_labels(labels: np.ndarray) -> dict[str, Any]:
    """Return sorted labels and their dtype in JSON types.

    Raises
    ------
    TypeError
        A model file can't hold labels of this type.
    """
    try:
        encoded = {"dtype": labels.dtype.str, "values": encode(labels)}
        decode_labels(encoded)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Labels of dtype {labels.dtype} can't be written to a model file: {error}. Train with strings, integers, "
            "booleans or floats of up to 64 bits as labels; this model can be pickled."
        ) from error
    return encoded


def decode_labels(encoded: Any) -> np.ndarray:
    """Return the array that `encode_labels` wrote, with the same dtype and values.

    Raises
    ------
    ValueError
        `encoded` is not a sorted list of labels that its dtype can hold.
    """
    match encoded:
        case {"dtype": str(dtype_name), "values": list(encoded_values), **others} if not others:
            values = [decode(value) for value in encoded_values]
        case _:
            raise ValueError(f"{short_repr(encoded)} are not encoded labels")
    if not _LABEL_DTYPES.fullmatch(dtype_name):
        raise ValueError(f"labels can't have the dtype {dtype_name!r}")
    dtype = np.dtype(dtype_name)
    if len(values) * dtype.itemsize > _MAX_LABEL_BYTES:
        raise ValueError(f"{len(values)} labels of dtype {dtype_name} take more than {_MAX_LABEL_BYTES:,} bytes")
    if not all(isinstance(value, str | bytes | int | float) for value in values):
        raise ValueError("labels must be strings, bytes, numbers or booleans")
    try:
        labels = np.array(values, dtype)
        is_sorted = np.array_equal(np.unique(labels), labels)
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error
    kept = labels.tolist()
    if not is_sorted or kept != values or [*map(type, kept)] != [*map(type, values)]:
        raise ValueError(f"the labels {short_repr(values)} are not sorted, or not of dtype {dtype_name}")
    return labels


def _refuse(name: str) -> float:
    raise ValueError(f"it holds {name}")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"it holds {digits}, which is not finite")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        duplicate = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"it holds the key {short_repr(duplicate)} twice")
    return found


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2


def _hashable(key: Any) -> Any:
    if isinstance(key, list | dict):
        raise ValueError(f"{short_repr(key)} can't be a key")
    return key
