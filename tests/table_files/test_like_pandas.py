"""The rule of the commands: a CSV or Parquet file means what pandas reads from it."""

import csv

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.helpers.shell import done, invoke
from wtm import Booleanizer, WTMClassifier, load_model
from wtm.table_files import csv_file
from wtm.table_files.csv_cells import Cells, booleans
from wtm.table_files.csv_format import CsvFormat
from wtm.table_files.open_table import open_table

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

TINY = ("--clauses", 10, "--T", 5, "--epochs", 1)
KINDS = [
    ["1", "2", "3", "-4.5", "1e3", ".5", "+7"],
    ["1", "0"],
    ["0", "1", "", "NA"],
    ["true", "False", "TRUE", "tRUE"],
    ["true", "False", "", "null"],
    ["true", "1", "0"],
    [" true", "false"],
    ["red", " red", "red ", "a b", "NA", "None"],
    ["1", "?", "2"],
    ["NAN", "1"],
    [" 1", "2\t", "3"],
    ["007", "01", "10"],
    ["2020-01-01", "12:30", "2021-02-03"],
    ["0x1f", "0x10"],
    ["1,5", "2", "1 000"],
    ["9007199254740993", "1"],
    ["1e999", "inf", "1"],
    ['a"b', "c,d", "e\nf", '"', "g\rh"],
    [""],
    ["x", ""],
    ["  ", "1"],
    ["nan", "<NA>", "n/a", "-nan", "1.#IND"],
]
NAMES = ["", "", "Unnamed: 0", "Unnamed: 1", "Unnamed: 0.1", "Unnamed: 1.1", "Unnamed: 2.2", "a"]
LOSSES = ("holds the integer", "one column, and a line of white space")  # what pandas reads without notice


@st.composite
def tables(draw):
    """A table to train on and a later one, mostly of the same kinds; each a dict from a name to cells."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
    later = [draw(st.sampled_from(KINDS)) if draw(st.integers(0, 3)) == 0 else kind for kind in kinds]

    def table(kinds, min_size, max_size):
        rows = draw(st.lists(st.tuples(*map(st.sampled_from, kinds)), min_size=min_size, max_size=max_size))
        return dict(zip("abc", map(list, zip(*rows, strict=True)), strict=False)) or {
            name: [] for name in "abc"[: len(kinds)]
        }

    first = table(kinds, 6, 20)
    n_rows = len(first["a"])
    return first | {"y": ["u", "v", *(draw(st.sampled_from("uv")) for _ in range(n_rows - 2))]}, table(later, 0, 10)


def write(path, table, quoting):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=quoting)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def attempt(work):
    try:
        return work(), ""
    except (ValueError, TypeError) as error:
        return None, str(error)


QUOTING = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
ON_MANY_TABLES = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=["whole", "in small parts"])
def parts(request, monkeypatch):
    if request.param != "whole":
        monkeypatch.setattr(csv_file, "_BLOCK", 64)
        monkeypatch.setattr(csv_file, "_ROWS_PER_BLOCK", 1)
        monkeypatch.setattr(csv_file, "_BYTES_PER_BATCH", 1)


@pytest.mark.filterwarnings("ignore")
@ON_MANY_TABLES
@given(tables(), QUOTING, st.booleans())
def test_a_model_from_python_predicts_as_in_python(parts, tmp_path, both, quoting, makes_booleanizer):
    train, later = both
    path = tmp_path / "data.csv"
    write(path, train, quoting)
    clf = WTMClassifier(10, 5, n_epochs=1, random_state=0, booleanizer=Booleanizer() if makes_booleanizer else "auto")
    frame = pd.read_csv(path)
    if attempt(lambda: clf.fit(frame.drop(columns="y"), frame["y"]))[0] is None:
        event("not fitted")
        return
    clf.save(tmp_path / "m")
    compare_predictions(clf, later, quoting, tmp_path)


@pytest.mark.filterwarnings("ignore")
@ON_MANY_TABLES
@given(tables(), QUOTING)
def test_a_model_from_the_command_is_that_of_python(parts, tmp_path, both, quoting):
    train, later = both
    path = tmp_path / "data.csv"
    write(path, train, quoting)
    result = invoke("train", path, "--target", "y", "--out", tmp_path / "m", "--holdout", 0, "--overwrite", *TINY)
    frame = pd.read_csv(path)
    clf = WTMClassifier(10, 5, n_epochs=1, random_state=0, booleanizer=Booleanizer())
    fitted, _ = attempt(lambda: clf.fit(frame.drop(columns="y"), frame["y"]))
    assert result.exit_code == (fitted is None) or is_a_loss(result)
    if result.exit_code == 0:
        model = load_model(tmp_path / "m")
        assert model.booleanizer_.to_json() == clf.booleanizer_.to_json()
        assert np.array_equal(model.predict_proba(frame.drop(columns="y")), clf.predict_proba(frame.drop(columns="y")))
        compare_predictions(model, later, quoting, tmp_path)


def compare_predictions(clf, table, quoting, folder):
    """The predictions of the command are those of Python; or it refuses where Python does, or loses nothing."""
    path = folder / "later.csv"
    write(path, table, quoting)
    expected, error = attempt(lambda: clf.predict(pd.read_csv(path)))
    result = invoke("predict", folder / "m", path)
    if expected is None:
        # Python refuses numbers for text, and looks at values of which only the presence counts.
        is_noted = "held text in training and holds" in result.stderr
        assert result.exit_code == 1 or is_noted or (only_presence_counts(clf) and "float64" in error)
    elif result.exit_code:
        assert is_a_loss(result)
    else:
        assert result.stdout.splitlines() == ["prediction", *expected]
    event("refused" if result.exit_code else "predicted")


def is_a_loss(result):
    return result.exit_code == 1 and any(loss in result.stderr for loss in LOSSES)


def only_presence_counts(clf):
    return any(not getattr(conditions, "values", True) for conditions in clf.booleanizer_.conditions_)


SPELLINGS = st.text(st.sampled_from("01234567890.+-eE xinfINFa\t_,"), min_size=1, max_size=7) | st.sampled_from(
    ["inf", "-Infinity", "+INF", "nan", "NAN", "NaN", "1e400", "-1e-400", "0x1F", "1_0", "1.", ".5", ".", "1e", "1d5",
     "٣", "1\xa0", "true", "TRUE ", "tRue", "\v1", "00", "-0"]
)  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5), st.sampled_from(["", "\n", "\r\n", "\ufeff"]))
def test_columns_without_a_name_are_those_of_pandas(tmp_path, names, start):
    path = tmp_path / "data.csv"
    rows = [[f"{i}.{j}" for j in range(len(names))] for i in range(3)]
    path.write_text(start + "\n".join(map(",".join, [names, *rows])) + "\n", "utf-8")
    given = [name for name in names if name]
    if len(set(given)) < len(given):
        with pytest.raises(ValueError, match="more than one column called"), open_table(path, CsvFormat()):
            pass
        return
    with open_table(path, CsvFormat()) as source:
        (table,) = source.batches(source.names)
    pd.testing.assert_frame_equal(table.to_pandas(), pd.read_csv(path, dtype=str), check_dtype=False)


@settings(max_examples=150)
@given(st.lists(SPELLINGS, min_size=1, max_size=3), st.sampled_from(".,"))
def test_cells_are_numbers_and_booleans_where_pandas_reads_them_so(tmp_path_factory, cells, decimal):
    path = tmp_path_factory.getbasetemp() / "cells.csv"
    write(path, {"a": cells, "b": ["x"] * len(cells)}, csv.QUOTE_ALL)
    series = pd.read_csv(path, decimal=decimal)["a"]
    reader = Cells.of(CsvFormat(decimal=decimal))
    text = reader.text(pa.chunked_array([pa.array(cells, pa.string())]))
    assert text.is_null().to_pylist() == series.isna().tolist()
    numbers = reader.numbers(text)
    if text.null_count < len(text):
        assert (numbers is not None) == (pd.api.types.is_numeric_dtype(series) and series.dtype != bool)
        assert (booleans(text) is not None) == all(isinstance(cell, bool) for cell in series.dropna())
        assert (numbers is not None) == all(reader.are_numbers(text).drop_null().to_pylist())
    if numbers is not None:
        assert np.array_equal(numbers.to_numpy(), series.to_numpy(float), equal_nan=True)


def test_parquet_of_pandas_is_the_frame(tmp_path):
    rng = np.random.default_rng(0)
    n_rows = 60
    frame = pd.DataFrame({
        "a": rng.integers(0, 9, n_rows), "b": rng.random(n_rows).round(2), "c": rng.choice(["x", "y", None], n_rows),
        "d": pd.Categorical(rng.choice(["p", "q"], n_rows)), "e": rng.random(n_rows) < 0.5,
        "f": pd.array(rng.choice([1, 2, None], n_rows), "Int64"), "g": rng.choice([True, False, None], n_rows),
        "y": rng.choice(["u", "v"], n_rows),
    }).set_index(pd.Index(rng.permutation(n_rows), name="id"))  # fmt: skip
    frame.to_parquet(tmp_path / "data.parquet", row_group_size=7)
    X, y = frame.drop(columns="y"), frame["y"]
    clf = WTMClassifier(10, 5, n_epochs=1, random_state=0, booleanizer=Booleanizer()).fit(X, y)
    command = ("train", tmp_path / "data.parquet", "--target", "y", "--out", tmp_path / "m", "--holdout", 0, *TINY)
    result = done(*command)
    assert "note: the index of a pandas data frame is left out: 'id'." in result.stderr
    assert load_model(tmp_path / "m").booleanizer_.to_json() == clf.booleanizer_.to_json()
    result = done("predict", tmp_path / "m", tmp_path / "data.parquet", "--keep", "id")
    rows = list(csv.reader(result.stdout.splitlines()))
    assert rows == [["id", "prediction"], *map(list, zip(map(str, frame.index), clf.predict(X), strict=True))]
