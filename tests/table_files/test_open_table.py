"""Files with tables, however they are written, and files that hold no table."""

import csv
import gzip
import io
import os
import re
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.shell import N_ROWS, QUICK, as_csv, done, invoke, people, refused, same_model
from wtm import load_model
from wtm.rules import rules_of
from wtm.table_files import arrow, csv_file, open_table, parquet_file
from wtm.table_files.csv_format import CsvFormat
from wtm.utils import memory_limits

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (as_csv(people(), newline="\r\n"), ()),
        (as_csv(people(), newline="\r\n").encode("utf-8-sig"), ()),
        (as_csv(people()) + "\n\n", ()),
        (as_csv(people(), separator=";"), ("--separator", ";")),
        (as_csv(people(), separator="\t"), ("--separator", "tab")),
        (as_csv(people()).encode("utf-16"), ("--encoding", "utf-16")),
        (gzip.compress(as_csv(people()).encode("utf-16")), ("--encoding", "utf-16")),
        (gzip.compress(as_csv(people()).encode()), ()),
    ],
    ids=["windows", "bom", "empty-lines", "semicolon", "tab", "utf-16", "gzip-utf-16", "gzip"],
)
def test_every_way_to_write_a_csv_is_the_same_table(trained, train, write, content, options):
    data = write(content)
    clf, result = train(data, *options)
    assert result.stderr == ""
    assert same_model(clf, load_model(trained[0] / "model.safetensors"))
    result = done("predict", data.parent / "trained.safetensors", data)  # the model keeps the options
    assert result.stdout == (trained[0] / "predictions.csv").read_text("utf-8")
    assert ("read with the options of the training" in result.stderr) == bool(options)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_names_are_text_whatever_they_look_like(write, end):
    names = ["01", "1.50", "2020-01-01", "true", "NA", "null", "two\nlines", 'a "quoted" one', "", "a,b", "1e400"]
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerow(names)
    for rows in ("", end.join(["1,0,0,0,0,0,0,0,0,0,0"] * 3)):
        path = write(text.getvalue() + rows)
        with open_table.open_table(path, CsvFormat()) as source:
            assert source.names == [name or "Unnamed: 8" for name in names]
        with open_table.open_table(path, CsvFormat(header=False)) as source:
            assert source.names == [f"x{i}" for i in range(len(names))]
            (first, *_) = source.batches(["x0", "x6"])
            assert [first[name][0].as_py() for name in first.column_names] == ["01", "two\nlines"]


def test_a_row_of_many_columns_may_be_longer_than_a_block(write):
    n_columns, n_rows = 10_000, 2
    header = ",".join(f"column {i}" for i in range(n_columns))
    row = ",".join(["x" * 250] * n_columns)
    assert len(row) > csv_file._BLOCK
    with open_table.open_table(write("\n".join([header, *[row] * n_rows])), CsvFormat()) as source:
        batches = list(source.batches(source.names[-2:]))
    assert sum(map(len, batches)) == n_rows


@pytest.mark.parametrize("options", [(), ("--no-header",), ("--separator", ";")], ids=str)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_first_row_is_the_same_however_it_is_read(write, monkeypatch, options, end):
    separator = ";" if ";" in options else ","
    table = {f" é {i}" * (i % 3): [str(i), str(-i)] for i in range(40)}
    for start, quoted in [("", False), ("\ufeff", False), (end, False), ("", True)]:
        text = as_csv(table, separator=separator, newline=end)
        if quoted:
            text = f'"a{separator}"" {end}b"{text}'
        found = []
        for most in (2, 1 << 30):
            monkeypatch.setattr(csv_file, "_MANY_COLUMNS", most)
            line = refused("train", write(start + text), "--target", "y", "--out", "m", *options)
            found.append(line)
        assert found[0] == found[1]
        assert "has no column 'y'" in found[0]


def test_the_types_of_columns_are_not_guessed(write, monkeypatch):
    """pyarrow would try some ten types for each column of the first block, twice as long as the rest takes."""
    found = []
    open_csv = pa.csv.open_csv

    def spy(*arguments, convert_options, **others):
        reader = open_csv(*arguments, convert_options=convert_options, **others)
        found.append((len(reader.schema), len(convert_options.column_types)))
        return reader

    monkeypatch.setattr(pa.csv, "open_csv", spy)
    with open_table.open_table(write(as_csv(people())), CsvFormat()) as source:
        list(source.batches(source.names))
    assert len(found) == 2
    assert all(n_columns == n_types for n_columns, n_types in found)


def test_a_tsv_has_tabs(trained, train, write):
    clf, _ = train(write(as_csv(people(), separator="\t"), "data.tsv"))
    assert same_model(clf, load_model(trained[0] / "model.safetensors"))


def test_names_and_text_are_as_they_are_written(train, write):
    clf, _ = train(write("größe , b\n" + " klein,u\ngroß ,v\n" * 10), target=" b")
    assert clf.feature_names_in_.tolist() == ["größe "]
    assert clf.booleanizer_.get_feature_names_out().tolist() == ['"größe " = " klein"', '"größe " = "groß "']


def test_latin_1(train, write):
    table = {"größe": ["klein", "groß"] * 10, "käufer": ["ja", "nö"] * 10}
    data = write(as_csv(table), encoding="latin-1")
    clf, _ = train(data, "--encoding", "latin-1", target="käufer")
    assert clf.booleanizer_.get_feature_names_out().tolist() == ["größe = groß", "größe = klein"]
    command = ("train", data, "--target", "käufer", "--out", data.parent / "m")
    assert "is not encoded in 'utf-8': pass its encoding, such as --encoding latin-1 or cp1252." in refused(*command)
    late = write(as_csv({"a": ["1"] * 10, "b": ["ü"] * 10}), encoding="latin-1")
    assert "--encoding latin-1" in refused("train", late, "--target", "b", "--out", data.parent / "m")


def test_options_that_contradict_the_training_are_noted(train, write):
    data = write(as_csv(people(), separator=";"))
    train(data, "--separator", ";", "--missing", "?")
    commas = write(as_csv(people()), "commas.csv")
    note, *others = done("predict", data.parent / "trained.safetensors", commas, "--separator", ",").stderr.splitlines()
    assert note == "note: --separator , replaces the option of the training."
    assert others == [f"note: {commas} is read with the options of the training: --missing '?'"]


def test_options_of_csv_do_not_apply_to_parquet(trained, tmp_path):
    parquet.write_table(pa.table(people()), tmp_path / "people.parquet")
    command = ("train", tmp_path / "people.parquet", "--target", "buys", "--out", tmp_path / "m", "--missing", "?")
    assert "is Parquet, to which --missing '?' does not apply" in done(*command, *QUICK).stderr


def test_a_damaged_format_in_a_model_is_refused(trained, tmp_path):
    clf = load_model(trained[0] / "model.safetensors")
    for stored in ("{", "[]", '{"sep": ";"}', '{"decimal": 1}', '{"missing": "?"}', 7):
        clf.csv_format_ = stored
        clf.save(tmp_path / "m")
        assert "csv_format_" in refused("predict", tmp_path / "m", trained[0] / "people.csv")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("wrong", [(), ("--encoding", "latin-1")], ids=["default", "latin-1"])
def test_text_of_16_or_32_bits_is_recognized(train, write, encoding, wrong):
    data = write(as_csv(people()), encoding=encoding)
    line = refused("train", data, "--target", "buys", "--out", data.parent / "m", *wrong)
    (remedy,) = re.findall(r"pass (--encoding \S+)\.$", line)
    train(data, *remedy.split())


def test_without_a_header_columns_have_numbers(trained, train, write):
    data = write(as_csv(people(), header=False))
    clf, _ = train(data, "--no-header", target="x5")
    assert clf.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3", "x4"]
    known = load_model(trained[0] / "model.safetensors")
    assert [rule.weight for rule in rules_of(clf)] == [rule.weight for rule in rules_of(known)]
    result = done("predict", data.parent / "trained.safetensors", data)
    assert result.stdout == (trained[0] / "predictions.csv").read_text("utf-8")


def test_columns_without_a_name_are_called_as_in_pandas(train, write):
    data = write(as_csv({"": map(str, range(20)), "a": ["1", "2"] * 10, "y": ["u", "v"] * 10}))
    clf, result = train(data, target="y")
    assert clf.feature_names_in_.tolist() == ["Unnamed: 0", "a"]
    (note,) = result.stderr.splitlines()
    assert "Drop row numbers and identifiers: column 'Unnamed: 0'" in note
    clf, result = train(data, "--drop", "Unnamed: 0", target="y")
    assert (clf.feature_names_in_.tolist(), result.stderr) == (["a"], "")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_parquet_of_data_frames(library, tmp_path, train):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"age": [1.0, None, 2.0] * 20, "colour": ["red", None, "blue"] * 20, "y": [0, 1, 0] * 20})
    data = tmp_path / "data.parquet"
    (frame.to_parquet if library == "pandas" else frame.write_parquet)(data)
    clf, _ = train(data, target="y")
    names = ["age > 1.5", "age is missing", "colour = blue", "colour = red", "colour is missing"]
    assert clf.booleanizer_.get_feature_names_out().tolist() == names


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_memory_does_not_grow_with_the_rows(tmp_path, monkeypatch, name):
    n_rows, text = 100_000, "twenty characters..."
    table = pa.table({"a": [text] * n_rows, "b": [text[::-1]] * n_rows})
    if name.endswith("csv"):
        (tmp_path / name).write_text(as_csv(table.to_pydict()), "utf-8")
    else:
        parquet.write_table(table, tmp_path / name, row_group_size=1000, use_dictionary=False)
    del table
    monkeypatch.setattr(csv_file, "_BLOCK", 10_000)
    monkeypatch.setattr(csv_file, "_BYTES_PER_BATCH", 10_000)
    monkeypatch.setattr(parquet_file, "_ROWS_PER_BATCH", 1000)
    before = pa.total_allocated_bytes()
    peak = n_read = 0
    with open_table.open_table(tmp_path / name, CsvFormat()) as file:
        for batch in file.batches(["a", "b"]):
            n_read += len(batch)
            peak = max(peak, pa.total_allocated_bytes() - before)
    assert n_read == n_rows
    assert 0 < peak < 2 * n_rows * len(text) / 4


@pytest.mark.skipif(os.name != "posix", reason="named pipes are another matter elsewhere")
def test_pipes_are_read(trained, tmp_path):
    content = (trained[0] / "people.csv").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
    writer.start()
    result = done("predict", trained[0] / "model.safetensors", tmp_path / "pipe")
    writer.join()
    assert result.stdout == (trained[0] / "predictions.csv").read_text("utf-8")
    result = invoke("predict", trained[0] / "model.safetensors", "-", input=content)
    assert result.stdout == (trained[0] / "predictions.csv").read_text("utf-8")
    assert "standard input is empty" in refused("predict", trained[0] / "model.safetensors", "-")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("a,y\n", "has no rows"),
        ("\n\n", "has no rows"),
        ("a,b\n1,2\n", "has no column 'y', which --target names. Its columns are 'a', 'b'"),
        (
            "a;y\n1;2\n",
            "Its columns are 'a;y'. The separator ',' does not occur in the first line. If ';' separates",
        ),
        (
            "a;b;y\n1,5;2,0;u\n",
            "has 1 field, and the first row has 3. The separator ',' does not occur in the first line. If",
        ),
        ("y\n1\n2\n", "no column to learn from"),
        ("a,y\n1,NA\n2,u\n", "Cells 'NA' of CSV are read as missing: if this is a label, rename it or use Parquet."),
        ("a,y,a\n1,2,3\n", "more than one column called 'a'"),
        ("a,y\n1,u\n2\n", "row 2 has 1 field, and the rows before it have 2"),
        ("a,y\n1,u\n2,v,w\n", "row 2 has 3 fields, and the rows before it have 2"),
        ('"a","y"\n"1",1,"u"\n"2",2,"v"\n', "If R wrote row names into it, use row.names=FALSE."),
        ("a,y\n1,u\n2,u\n", "the target 'y' has the one value 'u' in all rows"),
        ("a,y\n1,0.5\n2,1.5\n", "continuous"),
        ("a,y\n1,1e300\n2,1\n", "1e+300, which is too large: convert the labels to strings"),
        ("a,y\n1,9223372036854775809\n2,-1\n", "'y' holds the integer 9223372036854775809, but"),
        ("a,y\n" + "".join(f"1,id{i}\n" for i in range(20)), "Is the target an identifier?"),
        ("a,y\n" + "5,u\n5,v\n" * 5, "no column with two different values"),
        (
            "a,y\n" + "5,u\n1e999,v\n" * 5,
            "row 2 of column 'a' holds '1e999', which is infinite or too large",
        ),
        ("a,y\n1,u\n2,v\n", "--holdout 0.2 is not possible: no class has two rows"),
        ("a,y\n1,u\n2,v\n1,u\n2,v\n", "--holdout 0.2 of 4 rows"),
        (b"\x02\xff,y\n1,1\n", "is not encoded in 'utf-8'"),
        (
            "sep=;\na;y\n1;2\n",
            "which is not part of the table: remove it, and pass --separator ';'.",
        ),
        (b"PAR1 but no more", "can't be read"),
        (b"\x1f\x8b but no more", "can't be read"),
        (gzip.compress(as_csv(people()).encode())[:-20], "can't be read"),
        (b"PK\x03\x04 and more", "is a zip archive or an Excel workbook, not CSV or Parquet"),
        (b"\xd0\xcf\x11\xe0 and more", "is an old Excel workbook, not CSV or Parquet"),
        (b"ARROW1 and more", "is a Feather file, not CSV or Parquet"),
        (b"\x80\x04\x95 and more", "is a pickle, not CSV or Parquet"),
        ('[{"a": 1, "y": 2}]', "is JSON, not CSV or Parquet"),
        ('{"a": [1], "y": [2]}', "is JSON, not CSV or Parquet"),
    ],
)
def test_files_that_are_no_use_are_refused_in_one_line(write, tmp_path, content, words):
    line = refused("train", write(content), "--target", "y", "--out", tmp_path / "m.safetensors", *QUICK)
    assert words in line
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


MODEL = "model.safetensors"
OPEN = "its quotation mark is not closed"


@pytest.mark.parametrize("options", [(), ("--encoding", "utf-16")], ids=str)
@pytest.mark.parametrize("block", [2 << 20, 700])
@pytest.mark.parametrize("value", ['"ok', '"', '"""', '"a ""word"" ', '"naïve, '])
def test_a_value_that_swallows_the_rest_is_refused(trained, write, tmp_path, monkeypatch, value, block, options):
    monkeypatch.setattr(csv_file, "_BLOCK", block)
    n_left = 10
    table = people() | {"last": ["fine"] * N_ROWS}
    table["colour"][-n_left:] = ["red"] * n_left  # no other quotation mark below
    rows = as_csv(table).splitlines()
    rows[-n_left] = rows[-n_left].removesuffix("fine") + value
    content = "\r\n".join(rows).encode(options[-1] if options else "utf-8")
    row = len(rows) - n_left
    for data in (write(content), write(gzip.compress(content), "packed")):
        for command in (("train", data, "--target", "buys", "--drop", "last"), ("predict", trained[0] / MODEL, data)):
            line = refused(*command, "--out", tmp_path / "out.csv", *options)
            assert f"ends inside a quoted value, in column 'last' of row {row}: {OPEN}" in line
        data.unlink()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('a,y\n1,u\n2,"v', "in column 'y' of row 2: " + OPEN),
        ('a,y\n1,u\n"2,v\n3,u\n', "Is there a quotation mark that is not closed?"),
        ('a,"y\n1,u\n2,v\n', "has no rows"),
    ],
)
def test_a_quotation_mark_is_left_open_anywhere(write, tmp_path, content, words):
    assert words in refused("train", write(content), "--target", "y", "--out", tmp_path / "m")


VALUES = st.text(st.sampled_from('a",\n\r é'), max_size=6)


@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(st.lists(VALUES, min_size=n, max_size=n), min_size=1, max_size=4)),
    st.sampled_from(["\n", "\r\n", "", "\n\n"]),
    st.booleans(),
)
def test_what_is_closed_is_not_refused_and_what_is_open_is(tmp_path_factory, rows, newline, is_open):
    """Values of all kinds, as a program writes them; then with the last one's second mark taken away."""
    path = tmp_path_factory.getbasetemp() / "closed.csv"
    names = [f"c{i}" for i in range(len(rows[0]))]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([names, *rows])
    content = text.getvalue().removesuffix("\n")
    last = rows[-1][-1]
    # Of one column, a line break at the end may be closed: nothing is lost.
    swallows = is_open and (len(names) > 1 or last.strip("\r\n") == last)
    path.write_bytes((content[:-1] if is_open else content + newline).encode())
    outcome = read_or_fail(path, names[:1])
    if swallows:
        assert f"of row {len(rows)}: {OPEN}" in outcome or "a line of white space" in outcome
    elif len(names) == 1 and any(row[0] and not row[0].strip(" ") for row in rows):
        assert "one column, and a line of white space" in outcome
    else:
        assert outcome == [row[0] for row in rows]


def read_or_fail(path, names):
    with open_table.open_table(path, CsvFormat()) as file:
        try:
            return [value for batch in file.batches(names) for value in batch[names[0]].to_pylist()]
        except ValueError as error:
            return str(error)


@pytest.mark.parametrize("name", ["data.parquet", "DATA.PQ"])
@pytest.mark.parametrize("content", ["a,y\n1,u\n", b"\x00AR1, and no more", b"PAR1 but no more"])
def test_what_is_called_parquet_is_not_read_as_csv(write, tmp_path, name, content):
    line = refused("train", write(content, name), "--target", "y", "--out", tmp_path / "m", *QUICK)
    assert name in line


@pytest.mark.parametrize("content", ['a,y\n1,"u\n' + "2,v\n" * 1000, 'a,y\n1,u\n2,"v\n' + "2,v\n" * 1000])
def test_a_row_that_never_ends_is_refused(write, tmp_path, monkeypatch, content):
    monkeypatch.setattr(csv_file, "_BLOCK", 1000)
    line = refused("train", write(content), "--target", "y", "--out", tmp_path / "m")
    assert "has a row of more than" in line
    assert "a quotation mark that is not closed" in line


def test_files_that_are_not_there(trained, tmp_path):
    gone, model, data = tmp_path / "gone", trained[0] / "model.safetensors", trained[0] / "people.csv"
    no_such = f"wtm: {gone} does not exist."
    assert no_such in refused("train", gone, "--target", "y", "--out", tmp_path / "m")
    assert no_such in refused("predict", model, gone)
    assert no_such in refused("predict", gone, data)
    assert no_such in refused("rules", gone)
    assert "is a folder" in refused("train", tmp_path, "--target", "y", "--out", tmp_path / "m")
    assert "can't be loaded as a model" in refused("predict", data, data)


def test_without_pyarrow_the_remedy_is_told(trained, tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "pa", None)
    line = refused("train", trained[0] / "people.csv", "--target", "buys", "--out", tmp_path / "m")
    assert "pip install 'weighted-tsetlin-machine[tables]'" in line


def test_a_small_parquet_of_many_equal_rows_is_refused_before_it_is_read(tmp_path, monkeypatch):
    file, n_rows = tmp_path / "many.parquet", 3_000_000
    text = pa.DictionaryArray.from_arrays(pa.array(np.arange(n_rows) % 2, pa.int8()), pa.array(["no", "yes"]))
    parquet.write_table(pa.table({"a": text, "buys": text}), file)
    assert file.stat().st_size < 1_000_000
    monkeypatch.setattr(memory_limits, "available_memory", lambda: 100 << 20)
    monkeypatch.setattr(parquet_file.ParquetFile, "batches", None)
    line = refused("train", file, "--target", "buys", "--out", tmp_path / "m.safetensors")
    assert "Training on 3,000,000 rows and 2 columns" in line
    assert "--drop" in line


def test_batches_of_a_wide_parquet_have_fewer_rows(tmp_path, monkeypatch):
    file = tmp_path / "wide.parquet"
    parquet.write_table(pa.table({f"x{i}": np.arange(100) for i in range(50)}), file)
    monkeypatch.setattr(parquet_file, "_CELLS_PER_BATCH", 500)
    with open_table.open_table(file, CsvFormat()) as table:
        batches = list(table.batches(table.names))
    assert [len(batch) for batch in batches] == [10] * 10
    assert pa.concat_tables(batches)["x7"].to_pylist() == list(range(100))
