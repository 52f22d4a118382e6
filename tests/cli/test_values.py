"""What the values of a column mean, in CSV and in Parquet."""

import re
import shlex
from decimal import Decimal

import numpy as np
import pytest

from tests.helpers.shell import N_ROWS, QUICK, as_csv, column, done, refused, same_model, typed_people
from wtm import Booleanizer, WTMClassifier
from wtm.cli.train import divide

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def test_missing_values_are_those_that_the_user_names_and_the_model_remembers_them(train, write):
    table = {"a": ["1", "unknown", "3", "?"] * 10, "b": ["x", "?", "unknown", "y"] * 10, "y": ["u", "v"] * 20}
    data = write(as_csv(table))
    clf, result = train(data, "--drop", "b", target="y")
    assert "column 'a' holds numbers, but also unknown, and so is taken as text" in result.stderr
    assert "a = unknown" in clf.booleanizer_.get_feature_names_out()
    clf, result = train(data, "--missing", "unknown,?", target="y")
    names = ["a > 2", "a is missing", "b = x", "b = y", "b is missing"]
    assert clf.booleanizer_.get_feature_names_out().tolist() == names
    assert result.stderr == ""
    model, out = data.parent / "trained.safetensors", data.parent / "p.csv"
    done("predict", model, data, "--out", out)
    X = [[float(a) if a.isdigit() else None, b if len(b) == 1 and b != "?" else None]
         for a, b in zip(table["a"], table["b"], strict=True)]  # fmt: skip
    with pytest.warns(UserWarning, match="feature names"):
        assert column(out) == clf.predict(X).tolist()
    line = refused("predict", model, data, "--missing", "?", "--out", data.parent / "other.csv")
    assert "column 'a' held numbers in training, but row 2 holds 'unknown'" in line
    assert not (data.parent / "other.csv").exists()


@pytest.mark.parametrize(
    ("spelt", "labels"),
    [
        (["1", "0", "12"], [0, 1, 12]),
        (["1.0", "0", "2e0"], [0, 1, 2]),
        (["-1", "+1", "1"], [-1, 1]),
        (["01", "02", "10"], ["01", "02", "10"]),
        (["True", "False", "True"], ["False", "True"]),
        (["1", "two", "None"], ["1", "None", "two"]),
        (["a b", 'say "x"', "a,b"], ["a b", "a,b", 'say "x"']),
    ],
    ids=["integers", "whole", "signs", "leading-zeros", "truth", "mixed", "quotes"],
)
def test_labels_of_any_kind(train, write, spelt, labels):
    data = write(as_csv({"a": ["x", "y", "z"] * 10, "t": spelt * 10}))
    clf, _ = train(data, target="t")
    assert clf.classes_.tolist() == labels
    out = data.parent / "p.csv"
    done("predict", data.parent / "trained.safetensors", data, "--out", out)
    assert set(column(out)) <= set(map(str, labels))


def test_whole_numbers_of_any_length_are_labels_as_they_stand(train, write):
    for spelt in (
        ["9007199254740993", "9007199254740992", "-7"],
        ["9223372036854775807", "+1", "-9223372036854775808"],
    ):
        clf, _ = train(write(as_csv({"a": ["x", "y", "z"] * 10, "t": spelt * 10})), target="t")
        assert clf.classes_.tolist() == sorted(map(int, spelt))
    clf, _ = train(write(as_csv({"a": ["x", "y"] * 10, "t": ["9223372036854775808", "1"] * 10})), target="t")
    assert clf.classes_.tolist() == ["1", "9223372036854775808"]


@pytest.mark.parametrize("value", ["9007199254740993", "-12345678901234567891", "1" * 300])
def test_integers_that_float64_does_not_hold_are_refused(train, write, tmp_path, value):
    words = "column 'id' holds the integer"
    data = write(as_csv({"id": [value, "1"] * 20, "a": ["1", "2"] * 20, "y": ["u", "v"] * 20}))
    line = refused("train", data, "--target", "y", "--out", tmp_path / "m", *QUICK)
    assert f"{words} {value}, but beyond 2**53" in line
    assert "leaves the column out with --drop id." in line
    mixed = write(as_csv({"id": [f"{value}.0", "1.5"] * 20, "y": ["u", "v"] * 20}), "mixed.csv")
    line = refused("train", mixed, "--target", "y", "--out", tmp_path / "m", *QUICK)
    assert f"{words} {value}, but beyond 2**53" in line
    assert "--drop id" in line
    exact = write(as_csv({"id": ["9007199254740992", "1"] * 20, "y": ["u", "v"] * 20}), "exact.csv")
    assert train(exact, target="y")[0].n_features_in_ == 1
    assert words in refused("predict", tmp_path / "trained.safetensors", data)


@pytest.mark.parametrize("nothing", [[], [None]])
def test_integers_of_parquet_that_float64_does_not_hold_are_refused_too(tmp_path, nothing):
    data = tmp_path / "data.parquet"
    ids = pa.array([9007199254740993, 1, *nothing] * 20)
    parquet.write_table(
        pa.table({"my id": ids, "a": [1, 2, *nothing] * 20, "y": ["u", "v", *["u"] * len(nothing)] * 20}), data
    )
    line = refused("train", data, "--target", "y", "--out", tmp_path / "m", *QUICK)
    assert "column 'my id' holds the integer 9007199254740993" in line
    assert "--drop 'my id'" in line
    done("train", data, "--target", "y", "--out", tmp_path / "m", "--drop", "my id", *QUICK)


@pytest.mark.parametrize("spelt", ["inf", "-inf", "Infinity", "+INF", "-infinity", "1e999"])
@pytest.mark.parametrize("others", [["1", "2.5"], ["", "3"], ["inf", "-inf"], ["", ""]])
def test_infinity_is_a_number_and_refused_as_in_every_table(train, write, tmp_path, spelt, others):
    column = [spelt, *others] * 10
    table = {"a": column, "b": ["1", "2", "3"] * 10, "y": ["u", "v", "u"] * 10}
    line = refused("train", write(as_csv(table)), "--target", "y", "--out", tmp_path / "m", *QUICK)
    with pytest.raises(ValueError, match="contains infinity") as caught:
        Booleanizer().fit(pa.table({"a": [float(value) if value else None for value in column], "b": [0.0, 1, 2] * 10}))
    assert str(caught.value) in line
    first = next(value for value in column if "inf" in value.lower() or value == "1e999")
    assert f"Here it is {first!r}, which --missing can name." in line
    assert "--drop a" in line
    known = write(as_csv(table | {"a": ["1", "2", "3"] * 10}), "known.csv")
    train(known, target="y")
    line = refused("predict", tmp_path / "trained.safetensors", write(as_csv(table)))
    assert "'a'. Replace it by a finite number" in line
    clf, _ = train(write(as_csv(table)), "--missing", ",".join({spelt, "inf", "-inf"}), target="y")
    assert "b > 1.5" in clf.booleanizer_.get_feature_names_out()


LONG = "x" * 100_000


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ({"a": ["1"], "y": [LONG]}, ()),
        ({"a": [LONG], "y": [""]}, ()),
        ({LONG: ["1"], "z": ["u"]}, ()),
        ({"a": ["1", "2"], LONG: ["1", "0.5"]}, ("--target", LONG)),
        ({LONG: ["1", "inf"], "y": ["u", "v"]}, ()),
        ({LONG: ["1", "9007199254740993"], "y": ["u", "v"]}, ()),
    ],
)
def test_errors_show_no_more_of_a_value_than_tells_which_one(write, tmp_path, table, options):
    data = write(as_csv({name: values * 20 for name, values in table.items()}))
    command = ("train", data, "--target", "y", "--out", tmp_path / "m", *options)
    assert len(refused(*command).replace(str(data), "")) < 800


def test_notes_and_errors_of_long_values_are_short(write, train, tmp_path):
    some = [f"{LONG}{i}" for i in range(20)]
    names = {
        "a": ["1", "2"] * 10, f"b{LONG}": ["1", "2", "3", "4"] * 4 + ["1", "2", "3", LONG], f"c{LONG}": some,
        f"d{LONG}": [f"${i}" for i in range(20)], f"e{LONG}": [LONG, "v"] * 10,
        "y": [f"U{LONG}", f"u{LONG}", "v", "V"] * 5,
    }  # fmt: skip
    _, result = train(write(as_csv(names)), target="y")
    assert result.stderr.count("note: ") >= 4
    assert max(map(len, result.stderr.splitlines())) < 1000
    model = tmp_path / "trained.safetensors"
    names["a"][3] = LONG
    assert len(refused("predict", model, write(as_csv(names), "p.csv"))) < 800
    del names[f"e{LONG}"]
    assert len(refused("predict", model, write(as_csv(names), "p.csv"))) < 800
    names["a"][3], names[f"e{LONG}"] = "1", ["w"] * 20
    result = done("predict", model, write(as_csv(names), "p.csv"), "--out", tmp_path / "out.csv")
    assert "holds no value seen in fit" in result.stderr
    assert max(map(len, result.stderr.splitlines())) < 800


def test_infinity_of_parquet_is_refused_with_the_remedy(tmp_path):
    data = tmp_path / "data.parquet"
    parquet.write_table(pa.table({"a": [float("inf"), 1.0] * 20, "b": [1, 2] * 20, "y": ["u", "v"] * 20}), data)
    line = refused("train", data, "--target", "y", "--out", tmp_path / "m", *QUICK)
    assert "contains infinity" in line
    assert "--drop a" in line


def test_words_for_infinity_among_words_are_words_and_labels_too(train, write):
    data = write(as_csv({"a": ["inf", "sup", "min"] * 10, "y": ["inf", "1", "2"] * 10}))
    clf, _ = train(data, target="y")
    assert clf.booleanizer_.get_feature_names_out().tolist() == ['a = "inf"', "a = min", "a = sup"]
    assert clf.classes_.tolist() == ["1", "2", "inf"]


def test_decimal_commas(train, write, tmp_path):
    table = {
        "a": ["1,5", "2", "-3,25e1", ",5"] * 10,
        "b": ["x", "y"] * 20,
        "v": ["1.2", "1.3"] * 20,
        "y": ["u", "v"] * 20,
    }
    points = table | {"a": [value.replace(",", ".") for value in table["a"]]}
    data = write(as_csv(table, separator=";"))
    clf, result = train(data, "--separator", ";", "--drop", "v", target="y")
    (note,) = result.stderr.splitlines()
    assert "column 'a' (such as '1,5'). If it is, say --decimal ','" in note
    clf, result = train(data, "--separator", ";", "--decimal", ",", target="y")
    expected, _ = train(write(as_csv(points), "points.csv"), "--drop", "v", target="y")
    names = clf.booleanizer_.get_feature_names_out().tolist()
    assert [
        name for name in names if not name.startswith("v")
    ] == expected.booleanizer_.get_feature_names_out().tolist()
    assert [name for name in names if name.startswith("v")] == ['v = "1.2"', 'v = "1.3"']  # a point is none here
    assert "--decimal '.'" in result.stderr
    train(data, "--separator", ";", "--decimal", ",", "--drop", "v", target="y")
    model, out = tmp_path / "trained.safetensors", tmp_path / "p.csv"
    done("predict", model, data, "--separator", ";", "--decimal", ",", "--keep", "a", "--out", out)
    assert column(out, "a") == table["a"]
    with_points = done("predict", model, write(as_csv(points), "points.csv"), "--keep", "b")
    assert column(out) == [line.split(",")[1] for line in with_points.stdout.splitlines()[1:]]
    line = refused("predict", model, data, "--separator", ";")
    assert "row 1 holds '1,5'. If ',' is the decimal point, say --decimal ','." in line


DISGUISED = {
    "percent": ["5%", "7.5 %", "0%", "12%", "100%", "0"],
    "thousands": ["1,234", "12,345", "1,234,567", "9,999", "999", "1,000"],
    "price": ["$5", "$1,200.50", "-$7", "$0.5", "$ 8", "$9"],
    "euro": ["5 €", "1.234,56 €", "7 €", "8,5 €", "9 €", "10 €"],
    "hex": ["0x1f", "0xFF", "0X10", "0xa", "0xb", "0xc"],
    "weight": ["12 kg", "5.5kg", "1 KG", "7 kg", "8 kg", "9 kg"],
    "censored": ["<5", ">100", "7", "<10", "≥8", "<2"],
    "accounts": ["(5)", "(1,200)", "(7)", "(8)", "9", "10"],
}
ORDINARY = {
    "age": ["18-24", "25-34", "35-44", "45-54", "55-64", "65+"],
    "school": ["1st-4th", "5th-6th", "9th", "HS-grad", "11th", "Masters"],
    "code": ["A1", "B2", "C3", "A10", "D4", "E5"],
    "seat": ["1A", "2B", "3C", "4D", "5E", "6F"],
    "group": ["group 1", "group 2", "group 3", "group 4", "group 5", "group 6"],
    "time": ["12:30", "1:15", "2:20", "3:30", "4:40", "5:50"],
    "date": ["2020-01-01", "2020-01-02", "01.02.2020", "3/4/2020", "2020-01-03", "5.6.20"],
    "version": ["1.2.3", "1.2.4", "2.0.1", "3.1.1", "4.0.0", "10.0.0.1"],
    "zip": ["01234", "12345", "90210", "00501", "33109", "60601"],
    "phone": ["+49 30 12", "030/1234", "555-1234", "12-34", "0800-1", "112-1"],
    "colour": ["red", "green", "blue", "grey", "black", "pink"],
    "doors": ["2", "3", "4", "5more", "2", "4"],
}


def test_numbers_in_disguise_are_told_in_one_note_and_ordinary_text_is_not(train, write):
    n = 20
    rows = {name: values * n for name, values in (DISGUISED | ORDINARY).items()}
    labels = {"y": ["u", "v", "v"] * (6 * n // 3)}
    _, result = train(write(as_csv(rows | labels)), "--missing", "5more", target="y")
    (note,) = result.stderr.splitlines()
    for name, values in DISGUISED.items():
        assert f"column {name!r} (such as {values[0]!r})" in note
    assert f"--drop {','.join(DISGUISED)}." in note
    assert not any(repr(name) in note for name in ORDINARY)
    _, result = train(write(as_csv({name: rows[name] for name in ORDINARY} | labels)), "--missing", "5more", target="y")
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("name", "options"), [("percent", "--drop percent"), ("a,b", "--drop a,b"), ("it's", "--drop")]
)
def test_the_remedy_of_a_note_is_an_option_as_it_stands(train, write, name, options):
    data = write(as_csv({name: DISGUISED["percent"] * 10, "a": ["1", "2", "3"] * 20, "y": ["u", "v"] * 30}))
    (note,) = train(data, target="y")[1].stderr.splitlines()
    assert options in note
    (remedy,) = re.findall(r"(--drop .*)\.$", note)
    clf, result = train(data, *shlex.split(remedy), target="y")
    assert clf.feature_names_in_.tolist() == ["a"]
    assert result.stderr == ""


def test_columns_that_gave_little_or_nothing_take_whatever_comes(write, train):
    table = {"a": ["1", "2"] * 20, "none": [""] * 40, "same": ["7"] * 40, "y": ["u", "v"] * 20}
    table |= {"one": ["x", ""] * 20, "five": ["5", ""] * 20, "true": ["true", ""] * 20}
    clf, _ = train(write(as_csv(table)), target="y")
    names = ["a > 1.5", "one is missing", "five is missing", "true is missing"]
    assert clf.booleanizer_.get_feature_names_out().tolist() == names
    data = write("a,one,five,true,none,same\n1,other,text,text,text,text\n2,5,,maybe,6,007\n")
    result = done("predict", data.parent / "trained.safetensors", data)
    nothing = pa.nulls(2, pa.float64())
    known = pa.table({"a": [1.0, 2.0], "none": nothing, "same": nothing, "one": ["x", "x"], "five": [5.0, None],
                      "true": [1.0, 1.0]})  # fmt: skip
    assert result.stdout.splitlines()[1:] == clf.predict(known).tolist()


def test_parquet_has_types(tmp_path, train):
    n = 60
    table = pa.table(
        {
            "number": pa.array([1, 2, None] * 20, pa.int16()),
            "big": pa.array([Decimal("1.50"), Decimal("2"), None] * 20),
            "truth": pa.array([True, False, None] * 20),
            "text": ["1", "NA", " x"] * 20,
            "kind": pa.array(["a", "b", None] * 20).dictionary_encode(),
            "nothing": pa.nulls(n),
            "y": pa.array(["u", "v", "u"] * 20).dictionary_encode(),
        }
    )
    data = tmp_path / "data.pq"
    parquet.write_table(table, data, row_group_size=7)
    clf, _ = train(data, target="y")
    expected = WTMClassifier(20, 10, 4, n_epochs=5, random_state=0, booleanizer=Booleanizer())
    features = table.drop_columns("y")
    training, _ = divide(np.array(table["y"].to_pylist()), 0.2, 0)
    expected.fit(features.take(training), table["y"].take(training).to_pylist())
    assert same_model(clf, expected)
    done("predict", tmp_path / "trained.safetensors", data, "--out", tmp_path / "p.parquet", "--keep", "number,kind")
    found = parquet.read_table(tmp_path / "p.parquet")
    assert found["prediction"].to_pylist() == expected.predict(features).tolist()
    assert found["number"].equals(table["number"])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([True, False], [False, True]),
        ([3, 5], [3, 5]),
        ([3.0, 5.0], [3, 5]),
        (["3", "05"], ["05", "3"]),
    ],
)
def test_labels_of_parquet_keep_their_type(tmp_path, train, labels, expected):
    data = tmp_path / "data.parquet"
    parquet.write_table(pa.table({"a": [1, 2] * 20, "y": labels * 20}), data)
    clf, _ = train(data, target="y")
    assert clf.classes_.tolist() == expected
    done("predict", tmp_path / "trained.safetensors", data, "--out", tmp_path / "p.parquet")
    assert set(parquet.read_table(tmp_path / "p.parquet")["prediction"].to_pylist()) <= set(expected)


def test_columns_of_parquet_that_say_nothing_are_refused(tmp_path, trained):
    data, model = tmp_path / "data.parquet", trained[0] / "model.safetensors"
    table = pa.table({"a": [1, 2] * 20, "y": ["u", "v"] * 20})
    for values, words in (
        (pa.array([0, 1] * 20, pa.timestamp("s")), "holds dates or times"),
        ([[1], [2, 3]] * 20, "is of the type list"),
        ([b"1", b"2"] * 20, "is of the type binary"),
    ):
        parquet.write_table(table.append_column("odd", pa.array(values)), data)
        line = refused("train", data, "--target", "y", "--out", tmp_path / "m", "--overwrite")
        assert "column 'odd'" in line
        assert words in line
        done("train", data, "--target", "y", "--out", tmp_path / "m", "--drop", "odd", "--overwrite", *QUICK)
    parquet.write_table(typed_people().set_column(4, "postcode", pa.array([420] * N_ROWS)), data)
    assert "column 'postcode' held text in training, and holds int64 here" in refused("predict", model, data)
    parquet.write_table(table[:0], data)
    assert "has no rows" in refused("train", data, "--target", "y", "--out", tmp_path / "n")


@pytest.mark.parametrize("most", [2, 64])
def test_a_column_of_text_and_numbers_takes_either(tmp_path, most):
    X = np.array(["a", "b", "a", "b", 1] * 10, object)[:, None]
    clf = WTMClassifier(20, 10, 4, n_epochs=5, random_state=0, booleanizer=Booleanizer(max_categories=most))
    clf.fit(X, X[:, 0] == "a").save(tmp_path / "m")
    for values in ([1, 2], ["a", "c"]):
        parquet.write_table(pa.table({"x": values}), tmp_path / "data.parquet")
        done("predict", tmp_path / "m", tmp_path / "data.parquet", "--out", tmp_path / "p.csv", "--overwrite")
        assert column(tmp_path / "p.csv") == [str(label) for label in clf.predict([[value] for value in values])]
