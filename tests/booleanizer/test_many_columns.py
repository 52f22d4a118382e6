"""Many columns are learnt and evaluated at once, and give what each gives alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import thresholds_by_column
from wtm import Booleanizer
from wtm.tables import columns as columns_module
from wtm.tables.columns import NumberColumn
from wtm.tables.feature_blocks import feature_blocks
from wtm.tables.reading import read_table
from wtm.tables.table import Table
from wtm.tables.tallies import tally_columns
from wtm.tables.thresholds import choose_thresholds

VALUES = {
    "counts": lambda rng, shape: rng.poisson(1.0, shape) * 1.0,
    "few": lambda rng, shape: rng.integers(0, 4, shape),
    "0 and 1": lambda rng, shape: (rng.random(shape) < 0.1).astype(np.uint8),
    "booleans": lambda rng, shape: rng.random(shape) < 0.3,
    "short floats": lambda rng, shape: rng.normal(size=shape).astype(np.float32),
    "floats": lambda rng, shape: rng.normal(size=shape).round(2),
    "zeros": lambda rng, shape: rng.choice([0.0, -0.0, 1.0], shape),
}


@st.composite
def tables(draw):
    """Columns of one or more dtypes, some with missing values, and how often each row counts."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    n_rows = draw(st.integers(2, 250))
    found = [np.arange(n_rows)]
    for kind in draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3)):
        of_kind = VALUES[kind](rng, (draw(st.integers(1, 5)), n_rows))
        if of_kind.dtype.kind == "f":
            of_kind[rng.random(of_kind.shape) < draw(st.sampled_from([0, 0, 0.3, 1]))] = np.nan
        found += list(of_kind)
    times = rng.integers(1, 9, n_rows) if draw(st.booleans()) else None
    return [NumberColumn(f"column {j}", column) for j, column in enumerate(found)], times


@settings(max_examples=150)
@given(tables(), st.sampled_from([1, 2, 3, 10, 50, 20_000]), st.sampled_from([0, 1 << 12]))
def test_thresholds_are_those_of_each_column_alone(table, n_thresholds, rows_per_run):
    columns, times = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "_ROWS_PER_RUN", rows_per_run)
        together = [
            thresholds
            for tallies in tally_columns(columns, times)
            for thresholds in choose_thresholds(tallies, n_thresholds)
        ]
    alone = [column.tally(times) for column in columns]
    assert together == [
        tuple(thresholds_by_column.choose_thresholds(tally.distinct, tally.counts, n_thresholds)) for tally in alone
    ]


@settings(max_examples=60)
@given(tables())
def test_conditions_and_features_are_those_of_each_column_alone(table):
    columns, times = table
    table = Table(len(columns[0].values), columns)
    b = Booleanizer(3).fit_table(table, None, times)
    at_once = np.concatenate(list(feature_blocks(b.conditions_, table)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "_ROWS_PER_RUN", 0)
        assert Booleanizer(3).fit_table(table, None, times).conditions_ == b.conditions_
        assert (np.concatenate(list(feature_blocks(b.conditions_, table))) == at_once).all()


def test_columns_that_are_counted_alone_are_learnt_from_together():
    few = [NumberColumn(f"column {j}", np.arange(5000) % 40) for j in range(100)]
    varied = NumberColumn("varied", np.arange(20_000.0))
    assert [len(tallies) for tallies in tally_columns([*few, varied, *few[:3]], None)] == [64, 37, 3]


def test_an_error_names_the_column():
    X = np.ones((5, 40))
    X[3, 17] = np.inf
    with pytest.raises(ValueError, match="infinity, or a number too large for float64, in column 17"):
        Booleanizer().fit(X)
    X[3, 17] = 2
    b = Booleanizer().fit(X + np.arange(5)[:, np.newaxis])
    X[3, 17] = -np.inf
    with pytest.raises(ValueError, match="column 17"):
        b.transform(X)
    identifiers = np.arange(200).reshape(5, 40)
    identifiers[2, 21] = 2**53 + 1
    with pytest.raises(ValueError, match="column 21 holds the integer"):
        Booleanizer().fit(identifiers)


def test_runs_are_short_columns_of_one_dtype():
    columns = read_table(np.zeros((1000, 300))).columns
    assert [(run.start, run.stop) for run in columns_module.runs(columns)] == [(0, 131), (131, 262), (262, 300)]
    assert len(list(columns_module.runs(read_table(np.zeros((5000, 3))).columns))) == 3
    mixed = [*columns[:2], None, NumberColumn("", np.zeros(1000, np.float32)), columns[0]]
    assert [run.stop for run in columns_module.runs(mixed)] == [2, 3, 4, 5]
