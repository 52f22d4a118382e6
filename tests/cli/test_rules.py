"""The commands that print rules and explanations, beside the same calls in Python."""

import re

import pandas as pd
import pytest

from tests.helpers.shell import as_csv, done, people, refused, typed_people
from wtm import load_model

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def model(trained):
    return trained[0] / "model.safetensors"


@pytest.fixture(scope="module")
def data(trained):
    return trained[0] / "people.csv"


@pytest.fixture(scope="module")
def frame(data, model):
    frame = pd.read_csv(data)
    return frame[load_model(model).feature_names_in_], frame["buys"]


def test_rules_are_counted_on_a_file(model, data, frame):
    table = load_model(model).rules(*frame)
    columns = table.columns
    printed = done("rules", model, "--per-class", 4, "--data", data).stdout.splitlines()
    assert printed == [
        f"{rule} [support {columns['support'][i]:.1%}, precision {columns['precision'][i]:.1%}, "
        f"separation {columns['separation'][i]:.4g}, decides {columns['decides'][i]:.1%}]"
        for i, rule in enumerate(table[:4])
    ]


def test_rows_without_a_label_are_left_out(model, write):
    table = people()
    labels = table["buys"]
    some = done("rules", model, "--data", write(as_csv({name: cells[:60] for name, cells in table.items()}))).stdout
    table["buys"] = ["" if i >= 60 else label for i, label in enumerate(labels)]
    assert done("rules", model, "--data", write(as_csv(table), "gaps.csv")).stdout == some


def test_the_labels_can_be_in_another_column(model, data, write):
    table = people()
    table["bought"] = table.pop("buys")
    renamed = write(as_csv(table))
    expected = done("rules", model, "--data", data).stdout
    assert done("rules", model, "--data", renamed, "--target", "bought").stdout == expected
    assert "pass --data too" in refused("rules", model, "--target", "bought", code=2)
    assert "no column 'sold', which --target names" in refused("rules", model, "--data", renamed, "--target", "sold")


def test_a_rule_that_never_holds_has_no_precision(model, data, write):
    table = people()
    few = write(as_csv({name: cells[:1] for name, cells in table.items()}))
    n_rules = len(load_model(model).rules())
    lines = done("rules", model, "--data", few, "--per-class", n_rules).stdout.splitlines()
    silent = [line for line in lines if "[support 0.0%, separation " in line]
    assert silent
    assert all(("precision " in line) == (line not in silent) for line in lines)
    assert "nan" not in "".join(lines)


def test_a_note_says_how_many_rules_are_not_printed(model):
    n_rules = len(load_model(model).rules())
    result = done("rules", model, "--per-class", n_rules - 3)
    assert result.stderr == f"note: 3 more rules; --per-class {n_rules} shows them\n"
    assert done("rules", model, "--per-class", n_rules - 3, "--quiet").stderr == ""
    assert done("rules", model, "--per-class", n_rules).stderr == ""
    assert done("rules", model, "--per-class", n_rules - 1).stderr.startswith("note: 1 more rule; ")


def test_without_labels_there_is_no_precision(model, write, frame):
    table = people()
    del table["buys"]
    result = done("rules", model, "--data", write(as_csv(table)))
    assert "precision" not in result.stdout
    assert "has no column with labels, so precision is not counted" in result.stderr
    table = load_model(model).rules(frame[0])
    support, separation, decides = (table.columns[name][0] for name in ("support", "separation", "decides"))
    first = f"{table[0]} [support {support:.1%}, separation {separation:.4g}, decides {decides:.1%}]"
    assert result.stdout.splitlines()[0] == first


def test_each_class_has_its_rules(tmp_path, write):
    table = people()
    table["kind"] = [("a", "b", "c")[int(age) % 3] if int(age) > 30 else "b" for age in table["age"]]
    path = tmp_path / "m"
    done("train", write(as_csv(table)), "--target", "kind", "--out", path, "--clauses", 20, "--epochs", 2, "--T", 5)
    labels = re.findall(r"THEN votes \w+ (\w+), ", done("rules", path, "--per-class", 2).stdout)
    assert labels == ["a", "a", "b", "b", "c", "c"]


def test_a_model_without_rules_says_so(model, tmp_path):
    clf = load_model(model)
    for machine in clf.machines_:
        machine.include_bits[:] = 0
    clf._voting = None
    clf._model = clf._model.for_prediction()
    clf.save(tmp_path / "m", prediction_only=True)
    assert done("rules", tmp_path / "m").stdout.startswith("No rules")


def test_rows_are_explained(model, data, frame, tmp_path):
    explanations = load_model(model).explain(frame[0])
    assert done("explain", model, data).stdout == f"row 1, {explanations[0]}\n"
    found = done("explain", model, data, "--row", 7, "--row", 3, "--nearest-change").stdout
    assert found == "".join(
        f"row {row}, {explanations[row - 1]}\n{explanations[row - 1].nearest_change()}\n" for row in (3, 7)
    )
    import pyarrow.parquet as pq

    pq.write_table(typed_people(), tmp_path / "people.parquet", row_group_size=10)
    assert done("explain", model, tmp_path / "people.parquet", "--row", 117).stdout == f"row 117, {explanations[116]}\n"


def test_errors_name_the_remedy(model, data, write):
    assert "has 120 rows, so there is no row 121, which --row names" in refused("explain", model, data, "--row", 121)
    other = write("age,colour\n1,red\n")
    assert "no column" in refused("explain", model, other)
    assert "no column" in refused("rules", model, "--data", other)
    assert refused("rules", model, "--data", write(as_csv(people()).replace(",yes", ",perhaps")))
