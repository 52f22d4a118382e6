"""Values in JSON and back, with their types."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wtm.modelfile.values import decode, decode_labels, encode, encode_labels, parse_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=9)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SCALARS, inner, max_size=3), max_leaves=8
)


def through_json(value):
    return decode(parse_json(json.dumps(encode(value), allow_nan=False)))


def typed(value):
    """Return a text that differs if type or value differ, even between 0.0 and -0.0."""
    return repr(value)


@given(VALUES)
def test_plain_values_come_back_as_they_were(value):
    assert typed(through_json(value)) == typed(value)


def test_class_weights_keep_the_types_of_their_labels():
    weights = {np.int64(1): np.float32(0.5), np.str_("a"): 2, True: math.inf, np.bool_(False): (1, 2)}
    assert typed(through_json(weights)) == typed({1: math.inf, "a": 2, False: [1, 2]})
    assert typed(through_json({1: 2, "1": 3, 1.5: 4})) == typed({1: 2, "1": 3, 1.5: 4})


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j, np.random.default_rng(0), print, [object()], {"a": object()}])
def test_other_things_are_refused(value):
    with pytest.raises(TypeError, match="is not plain data"):
        encode(value)


@given(
    st.lists(st.text(max_size=5), min_size=1, unique=True)
    | st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, unique=True)
    | st.lists(st.binary(max_size=5), min_size=1, unique=True)
    | st.lists(st.floats(width=32, allow_nan=False), min_size=1, unique=True),
    st.booleans(),
)
def test_labels_come_back_as_they_were(values, as_objects):
    labels = np.unique(np.array(values, object if as_objects and isinstance(values[0], str) else None))
    found = decode_labels(parse_json(json.dumps(encode_labels(labels))))
    assert found.dtype == labels.dtype
    assert typed(found.tolist()) == typed(labels.tolist())


@pytest.mark.parametrize(
    "text",
    ["NaN", "[-Infinity]", "1e999", '{"a": 1, "a": 1}', "[" * 90_000, "9" * 9999, ""],
    ids=lambda text: text[:9],
)
def test_what_is_no_strict_json_is_refused(text):
    with pytest.raises(ValueError, match="can't be read as JSON"):
        parse_json(text)
