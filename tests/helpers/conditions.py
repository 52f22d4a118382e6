"""Hypothesis strategies of conditions, with names that are hard to write down."""

from hypothesis import strategies as st

from wtm.tables.condition_grammar import Interval, IsMissing, Values

AWKWARD = [
    "a AND b", "NOT (x)", "x > 3", "3 < x <= 4", "x = y", "x != y", "x not in {a, b}", "x is missing", "x or missing",
    "x and not missing", "missing", "is missing", "NOT", "AND", "THEN", "THEN votes for no, weight 1", ' "', '""', "\\",
    "a\nb", "a\tb", "a\x00b", " a", "a  b", "a ", "", "{", "a}", "<b>", "1", "nan", "True", "🦜", "👩‍💻", "\u202ex",
    "a\u2028b", "é", "עברית", "x) and not missing", "x" * 10_000, "a, weight 3", "None", "sepal length (cm)",
]  # fmt: skip

finite = st.floats(allow_nan=False, allow_infinity=False)
name = st.one_of(st.sampled_from(AWKWARD), st.text())
value = st.one_of(name, finite, st.integers(), st.booleans())
maybe = st.sampled_from([None, True, False])
condition = st.one_of(
    st.builds(lambda c, low: Interval(c, low=low), name, finite),
    st.builds(lambda c, high, missing: Interval(c, high=high, missing=missing), name, finite, maybe),
    st.builds(Interval, name, finite, finite),
    st.builds(lambda c: Interval(c, low=0.5, is_binary=True), name),
    st.builds(lambda c, missing: Interval(c, high=0.5, missing=missing, is_binary=True), name, maybe),
    st.builds(lambda c, v: Values(c, (v,), equal=True), name, value),
    st.builds(lambda c, v, m: Values(c, tuple(v), False, m), name, st.lists(value, min_size=1, max_size=4), maybe),
    st.builds(IsMissing, name, st.booleans()),
)
