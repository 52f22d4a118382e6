"""Targets that are numbers, as the files hold them."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wtm.table_files.csv_cells import Cells
from wtm.table_files.csv_format import CsvFormat

pa = pytest.importorskip("pyarrow")
from wtm.table_files.target_labels import target_numbers  # noqa: E402

NUMBERS = st.floats(-1e150, 1e150) | st.integers(-(2**63), 2**64 - 1)
CELLS = NUMBERS.map(str) | st.sampled_from([" 7", "1e3 ", "+2", "007"])
NO_NUMBERS = st.sampled_from(["x", "", "1e151", "inf", "-Infinity", "0x1f", "True", "1,5", "1_000", "nan", "--1", "e5"])


@given(st.lists(CELLS, min_size=1), st.integers(0, 5))
def test_numbers_of_csv_are_those_of_python(cells, first):
    rows = np.arange(len(cells)) + first
    found = target_numbers(pa.chunked_array([cells]), "y", Cells.of(CsvFormat()), rows, "")
    assert (found.dtype, found.tolist()) == (np.float64, [float(cell) for cell in cells])


@given(st.lists(CELLS), st.lists(CELLS), NO_NUMBERS)
def test_the_first_cell_that_is_none_is_named(before, after, cell):
    column = pa.chunked_array([[*before, cell, *after]])
    rows = 2 * np.arange(len(column)) + 1
    with pytest.raises(ValueError, match=re.escape(f"row {rows[len(before)]:,} of the target 'y' holds '{cell}'")):
        target_numbers(column, "y", Cells.of(CsvFormat()), rows, "Do this.")


@given(st.lists(NUMBERS, min_size=1), st.sampled_from(["float64", "int64", "uint64", "float32", "int8"]))
def test_numbers_of_parquet_are_those_of_numpy(numbers, kind):
    with np.errstate(all="ignore"):
        values = np.array(numbers, np.float64).astype(kind)
    values = np.where(np.isfinite(values), values, 0)
    found = target_numbers(pa.chunked_array([values]), "y", None, np.arange(len(values)) + 1, "")
    assert np.array_equal(found, values.astype(np.float64))
