"""Counts of parts of a table, added up: the same conditions as from the whole table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wtm import Booleanizer
from wtm.tables import counted_columns
from wtm.tables.columns import Tally
from wtm.tables.counted_columns import add_counts, count_columns, grouped
from wtm.tables.reading import read_table

numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6), st.just(np.nan))
texts = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))


@given(st.lists(st.tuples(numbers, texts), min_size=2, max_size=40), st.data())
def test_parts_give_the_conditions_of_the_whole(rows, data):
    table = np.array(rows, object)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(rows) - 1), max_size=3)))
    parts = np.split(table, cuts)
    columns = add_counts([count_columns(read_table(part)) for part in parts])
    try:
        expected = Booleanizer(3).fit(table)
    except ValueError:
        with pytest.raises(ValueError, match="no column with two different values"):
            Booleanizer(3).fit_counts(columns, len(rows), None)
        return
    assert Booleanizer(3).fit_counts(columns, len(rows), None).to_json() == expected.to_json()


@given(st.lists(st.integers(1, 50), min_size=1, max_size=200), st.integers(1, 60))
def test_groups_keep_ranks(counts, most):
    tally = Tally(np.arange(len(counts), dtype=float), np.array(counts, np.int64), False)
    found = grouped(tally, most)
    total = sum(counts)
    ranks = np.cumsum(counts)
    assert (np.cumsum(found.counts) == ranks[found.distinct.astype(int)]).all()
    assert found.counts.sum() == total
    assert len(found.distinct) <= 3 * most
    share = -(-total // most)
    assert (found.counts[found.counts >= 2 * share] == tally.counts[tally.counts >= 2 * share]).all()


def test_long_columns_are_counted_in_groups(monkeypatch):
    monkeypatch.setattr(counted_columns, "MOST_VALUES", 1)
    values = np.random.default_rng(0).random((20_000, 1))
    columns = add_counts([count_columns(read_table(part)) for part in np.split(values, 8)])
    assert len(columns[0].counts.distinct) < 4 * 1024
    found = Booleanizer(9).fit_counts(columns, len(values), None).conditions_[0].thresholds
    expected = Booleanizer(9).fit(values).conditions_[0].thresholds
    assert np.abs(np.array(found) - expected).max() < 0.01


def test_numbers_and_text_in_one_column_are_refused():
    parts = [count_columns(read_table(np.array([[value], [value]], object))) for value in (1.0, "a")]
    with pytest.raises(ValueError, match="column 0 holds only numbers in some chunks, and text in others"):
        add_counts(parts)


def test_the_rarest_of_many_categories_are_dropped(monkeypatch):
    monkeypatch.setattr(counted_columns, "_MOST_CATEGORIES", 2)
    part = count_columns(read_table(np.array([["a"], ["b"], ["b"], ["c"], ["c"]], object)))
    assert add_counts([part, part])[0].counts.counts == {"b": 4, "c": 4}
