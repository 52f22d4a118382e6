"""Every condition on every column has one text, which reads back as the same condition."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.helpers.conditions import condition, finite, name
from wtm.tables.columns import NumberColumn
from wtm.tables.condition_grammar import (
    Interval,
    IsMissing,
    Values,
    conjunction,
    parse_condition,
    parse_value,
    spell_label,
    split_outside_quotes,
)


@given(condition)
def test_a_text_reads_back_as_its_condition(condition):
    text = str(condition)
    assert parse_condition(text) == condition
    assert len(text.splitlines()) == 1
    assert text.isprintable() or not text.isascii()


@given(condition, condition)
def test_different_conditions_have_different_texts(one, other):
    assume(one != other)
    assert str(one) != str(other)


@given(st.lists(condition, min_size=1, max_size=5))
@example([Values("x", ("AND",), True), Values("x", ("THEN", "AND"), False)])
def test_conditions_are_told_apart_in_a_conjunction(conditions):
    text = " AND ".join(map(str, conditions))
    assert list(map(parse_condition, split_outside_quotes(text, " AND "))) == conditions
    assert split_outside_quotes(text, " THEN ") == [text]


@given(st.one_of(name, st.integers(), st.booleans(), finite))
def test_a_label_reads_back(label):
    assert parse_value(spell_label(label)) == label
    assert len(spell_label(label).splitlines()) == 1


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Interval("age", 40.5, 60.0), "40.5 < age <= 60"),
        (Interval("age", high=60.0, missing=True), "age <= 60 or missing"),
        (Interval("age", high=60.0, missing=False), "age <= 60 and not missing"),
        (Interval("sepal length (cm)", low=-1e-7), "sepal length (cm) > -1e-07"),
        (Interval("x on a1", high=0.5, is_binary=True), "NOT (x on a1)"),
        (Interval("NOT (x)", high=0.5, is_binary=True), 'NOT ("NOT (x)")'),
        (Interval("a AND b", low=0.5, is_binary=True), '"a AND b"'),
        (Values("colour", ("red", "dark blue", 1, "1"), False), 'colour not in {red, "dark blue", 1, "1"}'),
        (Values("colour", ("red",), False, missing=False), "colour != red and not missing"),
        (IsMissing("income", False), "income is not missing"),
        (IsMissing("this is missing"), '"this is missing" is missing'),
    ],
)
def test_ordinary_names_need_no_quotes(condition, text):
    assert str(condition) == text


@pytest.mark.parametrize(
    "text",
    ["", " ", "a AND b", "age >", "> 3", "age > x", "age > nan", "a > 1 > 2", 'x"y', "x = a b", "x not in {}",
     "x not in {a,  b}", '"a', "3 < x", "4 <= x < 3", "x is  missing", "x = 1 or absent", "a\nb > 3"],
)  # fmt: skip
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match="is not a condition such as"):
        parse_condition(text)


@given(st.sets(st.floats(-5, 5), max_size=3), st.sampled_from([True, None]))
def test_a_conjunction_holds_where_all_conditions_hold(cuts, missing):
    low, *rest = [*sorted(cuts), math.inf]
    values = NumberColumn("column 0", np.array([*cuts, *(c + 0.01 for c in cuts), -9.0, 9.0, np.nan]))
    parts = [Interval("x", high=high, missing=missing) for high in rest[:1] if high < math.inf]
    parts += [IsMissing("x", False)] if low == math.inf or parts else []
    if low < math.inf and len(parts) < 2:
        parts = [Interval("x", low=low), *parts[:-1]]
    both = conjunction(parts)
    assert (both.holds(values) == np.all([part.holds(values) for part in parts], axis=0)).all()


@pytest.mark.parametrize("text", [None, 5, b"a > 1", ["a > 1"]])
def test_a_condition_that_is_no_text_is_a_type_error(text):
    with pytest.raises(TypeError, match=r"text must be a string such as 'age > 40\.5', got"):
        parse_condition(text)
