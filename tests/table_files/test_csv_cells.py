"""Columns of CSV that are read many at a time are read as one at a time."""

import pytest

from wtm.table_files import csv_cells
from wtm.table_files.csv_cells import Cells, cells_as_text, plain_numbers
from wtm.table_files.csv_format import CsvFormat
from wtm.table_files.training_columns import column_note, training_column, training_columns

pa = pytest.importorskip("pyarrow")

COLUMNS = {
    "bits": ["0", "1", "1", "0"],
    "numbers": ["1.5", "-2", " 3e5 ", "4"],
    "some": ["", "2", "NA", "4"],
    "none": ["", "", "", ""],
    "zeros": ["007", "1", "2", "3"],
    "text": ["a", "b", "", "c"],
    "nearly": ["1", "2", "3", "x"],
    "booleans": ["true", "False", "", "TRUE"],
    "large": ["1e300", "2", "3", "4"],
    "exact": [str(2**53), "2", "3", "4"],
    "nan": ["NAN", "1", "2", "3"],
    "more": ["5", "6", "7", "8"],
}


@pytest.mark.parametrize("cells_per_block", [1, 9, 20, 1 << 18])
@pytest.mark.parametrize("n_chunks", [1, 2])
@pytest.mark.parametrize("bytes_per_block", [1, 1 << 26])
def test_many_columns_are_read_as_one(monkeypatch, cells_per_block, n_chunks, bytes_per_block):
    monkeypatch.setattr(csv_cells, "_CELLS_PER_BLOCK", cells_per_block)
    monkeypatch.setattr(csv_cells, "_BYTES_PER_BLOCK", bytes_per_block)
    cells = Cells.of(CsvFormat())
    columns = [pa.chunked_array([values[:1], values[1:]][-n_chunks:] if n_chunks == 2 else [values], pa.string())
               for values in COLUMNS.values()]  # fmt: skip
    texts = dict(zip(COLUMNS, cells_as_text(columns, cells), strict=True))
    for (name, text), column in zip(texts.items(), columns, strict=True):
        assert text.to_pylist() == cells.text(column).to_pylist(), name
    found, notes = training_columns(texts, cells, range(1, 5))
    expected_notes = {}
    for name, text in texts.items():
        column = training_column(text, name, cells, range(1, 5))
        note = column_note(name, text, column, cells, range(1, 5))
        # Text that is noted comes as categories, so that no warning follows the note.
        type = pa.dictionary(pa.int32(), pa.string()) if note and column.type == pa.string() else column.type
        assert found[name].type == type, name
        assert found[name].to_pylist() == column.to_pylist(), name
        if note:
            expected_notes[f"column {name!r}"] = note
    assert notes == expected_notes
    assert "column 'zeros'" in notes


def test_no_rows_and_no_columns():
    cells = Cells.of(CsvFormat())
    empty = pa.chunked_array([], pa.string())
    assert [len(text) for text in cells_as_text([empty, empty], cells)] == [0, 0]
    assert plain_numbers([], cells) == cells_as_text([], cells) == []


def test_a_column_costs_less_than_a_call(monkeypatch):
    """Of a wide table of numbers, thousands of columns are read with the same calls."""
    calls = []
    numbers = Cells.numbers
    monkeypatch.setattr(Cells, "numbers", lambda self, text: calls.append(len(text)) or numbers(self, text))
    text = pa.array(["0", "1.5", None, "7"])
    cells = Cells.of(CsvFormat())
    found, _ = training_columns({str(i): text for i in range(10_000)}, cells, range(1, 5))
    assert len(found) == 10_000
    assert calls == [40_000]
