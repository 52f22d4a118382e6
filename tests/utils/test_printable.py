"""Values of the caller in messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wtm.utils.printable import short_repr, shorten


@given(st.text() | st.integers() | st.floats() | st.booleans())
def test_short_values_are_whole_and_others_are_cut(value):
    text = short_repr(value)
    assert len(text) <= 80
    if len(repr(value)) <= 80:
        assert text == repr(value)
    else:
        assert text.endswith("...")
        assert repr(value).startswith(text[:-3]) or "'" in value


@pytest.mark.parametrize("value", ["a" * 10**6, "\n" * 10**6, "\0" * 79, 10**100])
def test_long_values_are_cut(value):
    assert short_repr(value) == repr(value)[:77] + "..."
    assert shorten("b" * 81) == "b" * 77 + "..."
    assert shorten("b" * 80) == "b" * 80
