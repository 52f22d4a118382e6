"""Files with tables, however they are written, and files that are none."""

import csv
import gzip
import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.shell import N_ROWS, QUICK, as_csv, column, done, people, refused, same_model
from wtm import load_model
from wtm.cli import files
from wtm.cli.separators import separator_concern
from wtm.rules import rules_of

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
        (gzip.compress(as_csv(people()).encode()), ()),
    ],
    ids=["windows", "bom", "empty-lines", "semicolon", "tab", "utf-16", "gzip"],
)
def test_every_way_to_write_a_csv_is_the_same_table(trained, train, write, content, options):
    data = write(content)
    clf, _ = train(data, *options)
    model = trained[0] / "model.safetensors"
    assert same_model(clf, load_model(model))
    done("predict", model, data, *options, "--out", data.parent / "p.csv")
    assert column(data.parent / "p.csv") == column(trained[0] / "predictions.csv")


def test_a_tsv_has_tabs_and_fields_may_have_blanks_around_them(trained, train, write):
    clf, _ = train(write(as_csv(people(), separator="\t"), "data.tsv"))
    assert same_model(clf, load_model(trained[0] / "model.safetensors"))
    table = {"a": ["1", " 2", "3 "] * 10, "b": [" x", "y ", " x "] * 10}
    clf, _ = train(write("a , b\n" + as_csv(table, header=False)), target="b")
    assert (clf.feature_names_in_.tolist(), clf.classes_.tolist()) == (["a"], ["x", "y"])
    assert clf.booleanizer_.get_feature_names_out().tolist() == ["a > 1.5", "a > 2.5"]


def test_latin_1_and_names_in_any_language(train, write):
    table = {"größe": ["klein", "groß"] * 10, "käufer": ["ja", "nö"] * 10}
    data = write(as_csv(table), encoding="latin-1")
    clf, _ = train(data, "--encoding", "latin-1", target="käufer")
    assert clf.booleanizer_.get_feature_names_out().tolist() == ["größe = groß", "größe = klein"]
    assert "is not encoded in 'utf-8'" in refused("train", data, "--target", "käufer", "--out", data.parent / "m")
    late = write(as_csv({"a": ["1"] * 10, "b": ["ü"] * 10}), encoding="latin-1")
    assert "--encoding latin-1" in refused("train", late, "--target", "b", "--out", data.parent / "m")
    assert "no encoding" in refused("train", data, "--target", "b", "--out", data.parent / "m", "--encoding", "klingon")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_zero_bytes_are_of_another_encoding(encoding, tmp_path):
    data = tmp_path / "people.csv"
    data.write_bytes(as_csv(people()).encode(encoding))
    assert "is not encoded in 'utf-8'" in refused("train", data, "--target", "buys", "--out", tmp_path / "m")
    command = ("train", data, "--target", "buys", "--out", tmp_path / "m")
    assert "such as --encoding utf-16 or utf-32" in refused(*command)
    wrong = "latin-1" if "-" in encoding[4:] else "cp437"
    assert f"is not encoded in {wrong!r}: name its encoding, such as --encoding utf-16" in refused(
        *command, "--encoding", wrong
    )


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("row", [1, 50, 1500])
def test_a_null_character_in_text_is_named_by_its_line(encoding, row, write, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_BLOCK", 5000)
    table = {"größe": ["klein"] * 2000, "y": ["u", "v"] * 1000}
    table["größe"][row - 1] = "kl\0in"
    data = write(as_csv(table), encoding=encoding)
    line = refused("train", data, "--target", "y", "--out", tmp_path / "m", "--encoding", encoding)
    assert f"holds a null character in line {row + 1:,}, and text has none" in line


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encoding_that_failed_is_not_proposed(encoding, write, tmp_path):
    data = write(b"a,y\n1,\xff\n1,\xfe\xfd\xff", "odd.csv")
    line = refused("train", data, "--target", "y", "--out", tmp_path / "m", "--encoding", encoding)
    assert f"is not encoded in {encoding!r}: name its encoding" in line
    assert encoding.removesuffix("-sig") not in line.partition("such as")[2]


def test_without_a_header_columns_have_numbers(trained, train, write):
    data = write(as_csv(people(), header=False))
    clf, _ = train(data, "--no-header", target="x5")
    assert clf.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3", "x4"]
    known = load_model(trained[0] / "model.safetensors")
    assert [rule.weight for rule in rules_of(clf)] == [rule.weight for rule in rules_of(known)]
    out = data.parent / "p.csv"
    done("predict", data.parent / "trained.safetensors", data, "--no-header", "--out", out)
    assert column(out) == column(trained[0] / "predictions.csv")


def test_a_single_column_with_an_empty_line_keeps_its_rows(write, train):
    clf, _ = train(write(as_csv({"a": ["1", "2", ""] * 10, "y": ["u", "v", "w"] * 10})), target="y")
    data = write("a\n1\n\n2\n")
    result = done("predict", data.parent / "trained.safetensors", data)
    assert len(result.stdout.splitlines()) == 4
    assert clf.n_features_in_ == 1


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
    monkeypatch.setattr(files, "_BLOCK", 10_000)
    monkeypatch.setattr(files, "_ROWS", 1000)
    before = pa.total_allocated_bytes()
    peak = n_read = 0
    for batch in files.open_table(tmp_path / name, files.Format()).batches(["a", "b"]):
        n_read += len(batch)
        peak = max(peak, pa.total_allocated_bytes() - before)
    assert n_read == n_rows
    assert 0 < peak < 2 * n_rows * len(text) / 4


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("a,y\n", "has no rows"),
        ("a,y", "has no rows"),
        ("\n\n", "has no rows"),
        ("a,b\n1,2\n", "has no column 'y', which --target names. Its columns are 'a', 'b'"),
        ("a;y\n1;2\n", "Say --separator ';', or --separator ',' if it is right"),
        ("a;b;y\n1,5;2,0;u\n2,5;3,0;v\n", "Say --separator ';' --decimal ',', or"),
        ("a;b;y\n1;2;u\n1;v\n", "Say --separator ';', or"),
        ("a\ty\n1,5\t2\n", "Say --separator tab --decimal ',', or"),
        ("a|b|y\n1|2|3\n", "Say --separator '|', or"),
        ("\ufeffy|weight, kg|b\n1|2|3\n", "Say --separator '|', or"),
        ("y\n1\n2\n", "no column to learn from"),
        ("a,y,a\n1,2,3\n", "more than one column called 'a'"),
        ("a,y\n1,u\n2\n", "Row #3: Expected 2 columns, got 1"),
        ("a,y\n1,u\n2,v,w\n", "Row #3: Expected 2 columns, got 3"),
        ("a,y\n1,u\n2,u\n", "has the one value u in all rows"),
        ("a,y\n1,0.5\n2,1.5\n", "'y' holds 0.5, and labels must be whole numbers"),
        ("a,y\n1,1e300\n2,1\n", "'y' holds 1e+300, and labels that are numbers must fit 64 bits"),
        ("a,y\n1,9223372036854775808\n2,1.0\n", "9.223372036854776e+18, and labels that are numbers must fit 64 bits"),
        ("a,y\n" + "".join(f"1,id{i}\n" for i in range(20)), "is it an identifier?"),
        ("a,y\n" + "5,u\n5,v\n" * 5, "no column with two different values"),
        ("a,y\n" + "5,u\n1e999,v\n" * 5, "contains infinity, or a number too large for float64, in column 'a'"),
        ("a,y\n1,u\n2,v\n", "--holdout 0.2 is not possible: no class has two rows, of the 2 in all"),
        ("a,y\n1,u\n2,v\n1,u\n2,v\n", "--holdout 0.2 of 4 rows"),
        (b"\x00,y\n\x02\xff,1\n", "is not encoded in 'utf-8'"),
        (b"PAR1 but no more", "can't be read"),
        (b"\x1f\x8b but no more", "can't be read"),
        (gzip.compress(as_csv(people()).encode())[:-20], "can't be read"),
    ],
)
def test_files_that_are_no_use_are_refused_in_one_line(write, tmp_path, content, words):
    line = refused("train", write(content), "--target", "y", "--out", tmp_path / "m.safetensors", *QUICK)
    assert words in line
    assert not (tmp_path / "m.safetensors").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_a_separator_is_doubted_for_good_reasons_only(train, write, tmp_path):
    texts = ["a; b", "c; d", "e|f", "one, two; three"] * 5
    table = {"t;u": texts, "a,b|c": ["1;2", "3;4"] * 10, "y": ["u", "v"] * 10}
    assert train(write(as_csv(table)), target="y")[0].feature_names_in_.tolist() == ["t;u", "a,b|c"]
    assert train(write("y,z\n" + "u,1;2\nv,3\n" * 10), target="y")[0].feature_names_in_.tolist() == ["z"]
    odd = write("|1x3 Cross validator\n1,u\n2,v\n")
    assert "Expected 1 columns, got 2" in refused("train", odd, "--target", "y", "--out", tmp_path / "m")
    command = ("train", write("a;y\n1;2\n"), "--target", "y", "--out", tmp_path / "m")
    assert "has no column 'y'" in refused(*command, "--separator", ",")
    assert "Say --separator ',', or --separator tab" in refused(
        "train", write("a,y\n1,2\n", "data.tsv"), "--target", "y", "--out", tmp_path / "m"
    )
    assert "Say --separator ';' --decimal ',', or" in refused(
        "train", write("1,5;2,0;u\n2,5;3,0;v\n"), "--no-header", "--target", "x2", "--out", tmp_path / "m"
    )
    assert "Say --separator ';', or" in refused(
        "train",
        write("a;y\nü;2\n", encoding="utf-16"),
        "--encoding",
        "utf-16",
        "--target",
        "y",
        "--out",
        tmp_path / "m",
    )


@given(st.lists(st.lists(st.text(max_size=5), min_size=2, max_size=3), min_size=1), st.sampled_from(",;|\t"))
def test_no_separator_is_proposed_that_makes_fewer_columns(rows, separator):
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    for header in (True, False):
        concern = separator_concern(text.getvalue(), separator, header=header, decimal=".")
        assert concern is None or "--decimal" in concern or len({len(row) for row in rows}) > 1


MODEL = "model.safetensors"
OPEN = "its quotation mark is not closed"


@pytest.mark.parametrize("options", [(), ("--encoding", "utf-16"), ("--encoding", "utf-16-le")], ids=str)
@pytest.mark.parametrize("block", [2 << 20, 700])
@pytest.mark.parametrize("value", ['"ok', '"', '"""', '"a ""word"" ', '"naïve, '])
def test_a_value_that_swallows_the_rest_is_refused(trained, write, tmp_path, monkeypatch, value, block, options):
    monkeypatch.setattr(files, "_BLOCK", block)
    n_left = 10
    table = people() | {"last": ["fine"] * N_ROWS}
    table["colour"][-n_left:] = ["red"] * n_left  # no other quotation mark below
    rows = as_csv(table).splitlines()
    rows[-n_left] = rows[-n_left].removesuffix("fine") + value
    data = write("\r\n".join(rows), encoding=options[-1] if options else "utf-8")
    row = len(rows) - n_left
    for command in (("train", data, "--target", "buys", "--drop", "last"), ("predict", trained[0] / MODEL, data)):
        line = refused(*command, "--out", tmp_path / "out.csv", *options)
        assert f"ends within a value, in column 'last' of row {row}: {OPEN}" in line
    assert list(tmp_path.iterdir()) == [data]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('a,y\n1,u\n2,"v', "in column 'y' of row 2: " + OPEN),
        ('a,y\n1,u\n"2,v\n3,u\n', "Is there a quotation mark that is not closed?"),
        ('a,"y\n1,u\n2,v\n', "has no rows. Is there a quotation mark that is not closed?"),
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
    newline = newline if len(names) > 1 else newline[:2].replace("\n\n", "\n")  # an empty line would be a row
    swallows = is_open and (len(names) > 1 or rows[-1][-1].strip("\r\n") != "")
    path.write_bytes((content[:-1] if is_open else content + newline).encode())
    batches = files.open_table(path, files.Format()).batches(names[:1])
    if swallows:
        with pytest.raises(ValueError, match=f"of row {len(rows)}: {OPEN}"):
            list(batches)
    else:
        assert [value for batch in batches for value in batch["c0"].to_pylist()] == [row[0] for row in rows]


@pytest.mark.parametrize("name", ["data.parquet", "DATA.PQ"])
@pytest.mark.parametrize("content", ["a,y\n1,u\n", b"\x00AR1, and no more", b"PAR1 but no more"])
def test_what_is_called_parquet_is_not_read_as_csv(write, tmp_path, name, content):
    line = refused("train", write(content, name), "--target", "y", "--out", tmp_path / "m", *QUICK)
    assert name in line
    assert "Parquet" in line


def test_a_row_that_never_ends_is_refused(write, tmp_path, monkeypatch):
    monkeypatch.setattr("wtm.cli.files._BLOCK", 1000)
    data = write('a,y\n1,"u\n' + "2,v\n" * 1000)
    command = ("train", data, "--target", "y", "--out", tmp_path / "m")
    assert ": row 1 is of more" in (line := refused(*command))
    assert "a quotation mark that is not closed" in line
    for n_before in (2, 900):
        write("a,y\n" + "1,u\n2,v\n" * n_before + '3,"u\n' + "2,v\n" * 1000)
        assert f": row {2 * n_before + 1:,} is of more" in refused(*command)
    write('a,"y\n' + "2,v\n" * 1000)
    assert "a quotation mark that is not closed" in refused(*command)


def test_files_that_are_not_there(trained, tmp_path):
    gone, model, data = tmp_path / "gone", trained[0] / "model.safetensors", trained[0] / "people.csv"
    no_such = f"wtm: {gone}: No such file or directory"
    assert no_such in refused("train", gone, "--target", "y", "--out", tmp_path / "m")
    assert no_such in refused("predict", model, gone)
    assert f"{gone}" in refused("predict", gone, data)
    assert f"{gone}" in refused("rules", gone)
    assert "is a folder" in refused("train", tmp_path, "--target", "y", "--out", tmp_path / "m")
    assert "can't be loaded as a model" in refused("predict", data, data)


def test_without_pyarrow_the_remedy_is_told(trained, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    line = refused("train", trained[0] / "people.csv", "--target", "buys", "--out", tmp_path / "m")
    assert "pip install 'weighted-tsetlin-machine[tables]'" in line
