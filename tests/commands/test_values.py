"""What the values of a column mean, in CSV and in Parquet."""

from decimal import Decimal

import numpy as np
import pytest

from shell import N_ROWS, QUICK, as_csv, column, done, refused, same_model, typed_people
from wtm import Booleanizer, WTMClassifier
from wtm.commands.train import divide

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
    assert "Leave the column out" in line
    exact = write(as_csv({"id": ["9007199254740992", "1"] * 20, "y": ["u", "v"] * 20}), "exact.csv")
    assert train(exact, target="y")[0].n_features_in_ == 1
    assert words in refused("predict", tmp_path / "trained.safetensors", data)


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
