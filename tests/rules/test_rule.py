"""The text of a rule, and the rule read back from it."""

import unicodedata

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.conditions import condition, name
from wtm.rules import Rule, parse_condition, parse_rule


def rule_of(label, polarity, weight, *conditions):
    return Rule(label, polarity, weight, tuple(map(parse_condition, conditions)))


def test_rules_read_as_sentences():
    conditions = ("x on a1", "NOT (x on a2)")
    assert (
        str(rule_of("win", 1, 3.2109, *conditions)) == "IF x on a1 AND NOT (x on a2) THEN votes for win, weight 3.211"
    )
    assert str(rule_of(4, -1, 1.0, conditions[0])) == "IF x on a1 THEN votes against 4, weight 1"
    assert str(rule_of("New York", 1, 2.0, "age > 40.5")) == "IF age > 40.5 THEN votes for New York, weight 2"


@given(
    st.builds(
        Rule,
        st.one_of(name, st.integers(), st.booleans()),
        st.sampled_from([-1, 1]),
        st.floats(2**-16, 2**40),
        st.lists(condition, min_size=1, max_size=4).map(tuple),
    )
)
def test_a_rule_is_one_line_that_reads_back(rule):
    assert parse_rule(f"{rule:.17g}") == rule
    text = str(rule)
    assert text.splitlines() == [text]
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in text)
    assert text.encode()
    about = parse_rule(text)
    assert about.conditions == rule.conditions
    assert about.weight == pytest.approx(rule.weight, rel=1e-3)


def test_only_what_breaks_a_line_is_escaped():
    ordinary = "größe in m²\N{NO-BREAK SPACE}尺寸\N{IDEOGRAPHIC SPACE}\N{ZERO WIDTH JOINER}שלום"
    assert ordinary in str(rule_of("win", 1, 1.0, f'"{ordinary}" > 3'))
    rule = Rule("a\nb\u202e", 1, 1.0, (parse_condition(r'"c\td\u001b\u2028"'),))
    assert str(rule) == r'IF "c\td\u001b\u2028" THEN votes for "a\nb\u202e", weight 1'


@pytest.mark.parametrize(
    "text",
    ["", "IF ", "x THEN votes for y, weight 1", "IF x THEN votes for y", "IF x AND  THEN votes for y, weight 1",
     "IF x THEN votes with y, weight 1", "IF x THEN votes for y, weight one"],
)  # fmt: skip
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match=r"is not a (rule|condition)"):
        parse_rule(text)


@pytest.mark.parametrize("weight", ["-1", "0", "-0.0", "1e999", "1e-999", "1.2.3", "e"])
def test_weights_are_greater_than_0(weight):
    with pytest.raises(ValueError, match="weight of a rule must be a number greater than 0, got"):
        parse_rule(f"IF x THEN votes for y, weight {weight}")


@pytest.mark.parametrize("text", [None, 3, b"IF x THEN votes for y, weight 1", ["IF"]])
def test_what_is_not_text_is_refused(text):
    with pytest.raises(TypeError, match="text must be a string"):
        parse_rule(text)


def test_a_rule_holds_for_rows_of_any_table():
    rule = rule_of("yes", 1, 1.0, "x0 > 1", "NOT (x1)")
    X = np.array([[2, 0], [2, 1], [0, 0], [3, 0]])
    for table in (X, X.tolist(), sp.csr_array(X), pd.DataFrame(X, columns=["x0", "x1"])):
        assert rule.holds(table).tolist() == [True, False, False, True]
    assert rule.holds(X, ["x1", "x0"]).tolist() == [False, False, False, False]
    with pytest.raises(ValueError, match="X has no column 'x0', which the rule IF x0 > 1"):
        rule.holds(pd.DataFrame(X, columns=["a", "b"]))


RULE = rule_of("win", 1, 1.0, "age > 40.5", "member")
TABLES = {"age": [30.0, 50.0, 60.0], "member": [1, 1, 0]}


def test_a_rule_holds_in_every_kind_of_table():
    frame = pd.DataFrame(TABLES)
    tables = [frame, frame[["member", "age"]], pl.from_pandas(frame), pa.table(TABLES), pa.record_batch(TABLES)]
    for X in tables:
        assert RULE.holds(X).tolist() == [False, True, False]
    for X in (frame.to_numpy(), frame.to_numpy().tolist(), sp.csr_array(frame.to_numpy())):
        assert RULE.holds(X, ["age", "member"]).tolist() == [False, True, False]
    assert RULE.holds(frame[:0]).shape == (0,)


@pytest.mark.parametrize("X", [None, 3, "abc", [1, 2], {"age": [1]}, object(), [[1, 2], [3]], np.zeros((2, 2, 2))])
def test_what_is_not_a_table_is_refused(X):
    with pytest.raises((ValueError, TypeError)):
        RULE.holds(X)


@given(st.recursive(st.none() | st.integers() | st.text(max_size=3) | st.floats(), st.lists, max_leaves=6))
def test_whatever_rows_are_passed_they_are_refused_or_evaluated(X):
    try:
        held = RULE.holds(X, ["age", "member"])
    except (ValueError, TypeError) as error:
        assert str(error)  # noqa: PT017
    else:
        assert held.shape == (len(X),)


def test_names_of_columns_are_checked():
    X = [[50, 1]]
    for wrong in ("ab", 3, {"age", "member"}, b"ab"):
        with pytest.raises(TypeError, match="feature_names must be a list of 2 names, got"):
            RULE.holds(X, wrong)
    with pytest.raises(ValueError, match="feature_names must name each of the 2 columns of X, got 1 names"):
        RULE.holds(X, ["age"])
    with pytest.raises(ValueError, match="feature_names must differ, but 'age' occurs more than once"):
        RULE.holds(X, ["age", "age"])
    with pytest.raises(ValueError, match="X has no column 'age'"):
        RULE.holds(X)
