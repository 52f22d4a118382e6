"""wtm evaluate: the predictions for a file are compared with its labels."""

import json

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss

from tests.helpers.shell import N_ROWS, as_csv, done, people, refused, typed_people
from wtm import WTMClassifier, load_model

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def expected(trained):
    clf = load_model(trained[0] / "model.safetensors")
    labels, X = people()["buys"], typed_people().drop_columns("buys")
    return {
        "rows": N_ROWS,
        "accuracy": accuracy_score(labels, clf.predict(X)),
        "accuracy_of_most_frequent_class": np.mean(np.array(labels) == "yes"),
        "log_loss": log_loss(labels, clf.predict_proba(X)),
        "classes": ["no", "yes"],
        "confusion_matrix": confusion_matrix(labels, clf.predict(X)).tolist(),
    }


def test_metrics_are_those_of_scikit_learn(trained, tmp_path, expected):
    model, data = trained[0] / "model.safetensors", trained[0] / "people.csv"
    assert json.loads(done("evaluate", model, data, "--out", "-").stdout) == expected
    done("evaluate", model, data, "--out", tmp_path / "metrics.json")
    assert json.loads((tmp_path / "metrics.json").read_text("utf-8")) == expected
    assert "already exists" in refused("evaluate", model, data, "--out", tmp_path / "metrics.json")
    parquet.write_table(typed_people(), tmp_path / "people.parquet", row_group_size=7)
    assert json.loads(done("evaluate", model, tmp_path / "people.parquet", "--out", "-").stdout) == expected


def test_metrics_are_printed(trained, expected):
    result = done("evaluate", trained[0] / "model.safetensors", trained[0] / "people.csv")
    accuracy, loss, _, *table = result.stdout.splitlines()
    assert accuracy.startswith(f"accuracy on {N_ROWS} rows: {100 * expected['accuracy']:.2f} % ")
    assert loss == f"log loss: {expected['log_loss']:.4f}"
    counts = [[int(word) for word in line.split() if word.isdigit()] for line in table]
    assert [row for row in counts if row] == expected["confusion_matrix"]
    assert result.stderr == ""


def test_many_classes_are_not_cut(train, write):
    labels = [f"a class with a long name, number {i:02d}" for i in range(30)]
    data = write(as_csv({"a": [str(i) for i in range(30)] * 3, "y": labels * 3}))
    train(data, "--holdout", 0, target="y")
    printed = done("evaluate", data.parent / "trained.safetensors", data).stdout
    assert all(printed.count(label) == 2 for label in labels)


def test_labels_are_printed_as_they_are(train, write):
    labels = ["[red]a[/red]", "[/b]", ":smile:", "c\nd"]
    data = write(as_csv({"a": ["1", "2", "3", "4"] * 10, "y": labels * 10}))
    train(data, target="y")
    printed = done("evaluate", data.parent / "trained.safetensors", data).stdout
    assert all(printed.count(label) == 2 for label in [*labels[:3], r"c\nd"])


def test_csv_is_read_as_in_training(train, write):
    table = people()
    table["age"][0] = "?"
    data = write(as_csv(table, separator=";"))
    train(data, "--separator", ";", "--missing", "?")
    result = done("evaluate", data.parent / "trained.safetensors", data)
    assert "read with the options of the training: --separator ';' --missing '?'" in result.stderr
    assert f"accuracy on {N_ROWS} rows" in result.stdout


@pytest.mark.parametrize(
    ("labels", "later", "classes", "counts"),
    [
        (["1", "0", "2"], ["1.0", "1", " 2"], [0, 1, 2], [0, 20, 10]),
        (["1.0", "0.0", "2"], ["1", "2", "1"], [0.0, 1.0, 2.0], [0, 20, 10]),
        (["True", "false", "true"], ["TRUE", "true", "true"], [False, True], [0, 30]),
        (["1", "two", "01"], ["1", "01", "1"], ["01", "1", "two"], [10, 20, 0]),
    ],
)
def test_labels_are_those_of_the_model_even_if_some_are_not_there(train, write, labels, later, classes, counts):
    a = ["x", "y", "z"] * 10
    train(write(as_csv({"a": a, "y": labels * 10})), target="y")
    data = write(as_csv({"a": a, "y": later * 10}), "later.csv")
    metrics = json.loads(done("evaluate", data.parent / "trained.safetensors", data, "--out", "-").stdout)
    assert metrics["classes"] == classes
    assert np.sum(metrics["confusion_matrix"], axis=1).tolist() == counts


def test_labels_that_the_model_does_not_know_are_refused(trained, write):
    table = people()
    table["buys"][6] = "perhaps"
    data = write(as_csv(table))
    line = refused("evaluate", trained[0] / "model.safetensors", data)
    assert f"not classes of the model, in 1 of {N_ROWS} rows, the first in row 7: 'perhaps'." in line
    assert "The classes are 'no', 'yes'." in line
    numbers = write(as_csv({**table, "buys": ["1"] * N_ROWS}), "numbers.csv")
    assert "in row 1: '1'" in refused("evaluate", trained[0] / "model.safetensors", numbers)


def test_rows_without_a_label_are_an_error_or_left_out(trained, write):
    table = people()
    table["buys"][3] = ""
    data, model = write(as_csv(table)), trained[0] / "model.safetensors"
    assert "--drop-missing-target" in refused("evaluate", model, data)
    result = done("evaluate", model, data, "--drop-missing-target", "--out", "-")
    assert json.loads(result.stdout)["rows"] == N_ROWS - 1
    assert "has no rows" in refused("evaluate", model, write(",".join(table) + "\n"))
    del table["buys"]
    assert "has no column 'buys', the target of the model" in refused("evaluate", model, write(as_csv(table)))


def test_a_model_from_python_needs_the_target(write, tmp_path):
    X = np.random.default_rng(0).integers(0, 2, (60, 2))
    frame = pa.table({"a": X[:, 0], "b": X[:, 1]})
    clf = WTMClassifier(4, 4, 2, n_epochs=2, random_state=0).fit(frame, X[:, 1])
    clf.save(tmp_path / "m")
    data = write(as_csv({"a": X[:, 0], "b": X[:, 1], "y": X[:, 1]}))
    assert "pass --target" in refused("evaluate", tmp_path / "m", data)
    metrics = json.loads(done("evaluate", tmp_path / "m", data, "--target", "y", "--out", "-").stdout)
    assert metrics["accuracy"] == clf.score(frame, X[:, 1])
