import json
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from sklearn.metrics import confusion_matrix

from tests.helpers.export_cases import bits, connect_4, names, odd_table, table, wide
from tests.helpers.tables import mixed_frame, mixed_model
from wtm import export
from wtm.report_page import to_html


def data_of(text):
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(data)


def test_rules_are_those_of_the_classifier_in_its_order():
    clf, (X, y) = mixed_model(), mixed_frame()
    data = data_of(to_html(clf, X, y))
    rules = clf.rules(X, y, one_sided=False)
    conditions = [condition["text"] for condition in data["conditions"]]
    found = [" AND ".join(conditions[i] for i in of_rule) for of_rule in data["rules"]["conditions"]]
    assert found == rules.columns["conditions"]
    assert data["rules"]["vote"] == list(map(str, rules.votes.tolist()))
    assert [data["classes"][i] for i in data["rules"]["class"]] == rules.columns["class"]
    for name in ("support", "precision", "separation", "decides"):
        assert data["rules"][name] == pytest.approx(rules.columns[name], rel=1e-3)
    confusion = confusion_matrix(y, clf.predict(X), labels=clf.classes_)
    pairs = [[a, b, confusion[a, b]] for a, b in zip(*np.nonzero(confusion), strict=True)]
    expected = {"predicted": confusion.sum(axis=0).tolist(), "labelled": confusion.sum(axis=1).tolist(), "pairs": pairs}
    assert data["counts"] == expected
    by_name = {column["name"]: column["importance"] for column in data["columns"]}
    assert by_name == pytest.approx(dict(zip(X.columns, clf.feature_importances_, strict=True)), rel=1e-3)


def test_rows_are_spread_over_the_table_and_have_their_nearest_change():
    clf, (X, y) = mixed_model(), mixed_frame()
    data = data_of(to_html(clf, X, y, n_rows=3))
    assert [row["name"] for row in data["rows"]] == ["1", "200", "400"]
    for row in data["rows"]:
        at = int(row["name"]) - 1
        assert data["classes"][row["label"]] == y[at]
        (explanation,) = clf.explain(X[at : at + 1])
        assert row["nearest"]["text"] == str(explanation.nearest_change())
        for column, value in zip(data["columns"], row["values"], strict=True):
            expected = X[column["name"]][at]
            assert (value is None and pd.isna(expected)) or value == expected


def test_every_kind_of_table_gives_the_same_page():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    clf, (X, y) = mixed_model(), mixed_frame()
    expected = to_html(clf, X, y, n_rows=2)
    for same in (pl.from_pandas(X), pa.Table.from_pandas(X), pa.RecordBatch.from_pandas(X), X.set_index(X["age"] * 7)):
        assert to_html(clf, same, y, n_rows=2) == expected
    case = connect_4().first(20)
    expected = to_html(case.clf, case.X, n_rows=2)
    for same in (case.rows, sp.coo_array(case.X), sp.csc_matrix(case.X), case.X.astype(float)):
        assert to_html(case.clf, same, n_rows=2) == expected


def test_rows_and_labels_are_optional():
    clf, (X, y) = mixed_model(), mixed_frame()
    data = data_of(to_html(clf))
    assert (data["counts"], data["rows"]) == (None, [])
    assert "support" not in data["rules"]
    data = data_of(to_html(clf, X))
    assert data["counts"]["predicted"] == [int((clf.predict(X) == label).sum()) for label in clf.classes_]
    assert "precision" not in data["rules"]
    assert {row["label"] for row in data["rows"]} == {None}
    assert data_of(to_html(clf, X, y, n_rows=0))["rows"] == []
    named = data_of(to_html(clf, X, row_names=pd.Series(X.index * 10, X.index + 1), n_rows=2))
    assert [row["name"] for row in named["rows"]] == ["0", "3990"]


def test_columns_that_no_rule_uses_take_no_space():
    case = wide(1 << 12).first(3)
    data = data_of(to_html(case.clf, case.X, n_rows=1))
    used = (case.clf.feature_importances_ > 0).sum()
    assert len(data["columns"]) == len(data["rows"][0]["values"]) == used < 1 << 12


def test_a_model_read_from_json_has_the_same_page():
    case = table().first(40)
    text, loaded = to_html(case.clf, case.X), export.from_json(export.to_json(case.clf))
    one, other = data_of(text)["rules"], data_of(to_html(loaded, case.X))["rules"]
    assert sorted(one["vote"]) == sorted(other["vote"])


def test_two_thousand_rules_take_less_than_two_megabytes():
    rng = np.random.default_rng(0)
    clauses = [{"class": 0, "vote": int(rng.integers(1, 1 << 40)), "true": sorted(rng.choice(42, 12, False).tolist()),
                "false": sorted((42 + rng.choice(42, 24, False)).tolist())} for _ in range(2_000)]  # fmt: skip
    case = connect_4()
    state = json.loads(export.to_json(case.clf))
    assert len(state["features"]) == 84
    clf = export.from_json(json.dumps(state | {"rules": clauses}))
    text = to_html(clf, case.X, n_rows=2)
    assert len(data_of(text)["rules"]["vote"]) == 2_000
    assert len(text) < 2_000_000


@settings(max_examples=10)
@given(names)
def test_no_name_can_end_the_data(columns):
    case = bits(len(columns)).first(3)
    text = to_html(case.clf, case.X, feature_names=columns, n_rows=1)
    assert text.isascii()
    assert text.count("<script") == text.count("</script>") == 2
    assert {column["name"] for column in data_of(text)["columns"]} <= set(columns)


def test_what_can_not_be_shown_is_refused():
    case = odd_table()
    with pytest.raises(ValueError, match=r"image_shape must have a pixel for each of the 2 columns, got 3 x 4 = 12"):
        to_html(case.clf, image_shape=(3, 4))
    for shape in (2, (2,), (2, 1, 1), (-1, -2), ("2", 1), (1.0, 2)):
        with pytest.raises(ValueError, match="image_shape must be a height and a width"):
            to_html(case.clf, image_shape=shape)
    with pytest.raises(TypeError, match="n_rows must be an instance of int"):
        to_html(case.clf, n_rows=1.5)
    with pytest.raises(ValueError, match="n_rows == -1, must be >= 0"):
        to_html(case.clf, n_rows=-1)
    with pytest.raises(ValueError, match="y was passed without X"):
        to_html(case.clf, y=[1])
    with pytest.raises(ValueError, match="row_names was passed without X"):
        to_html(case.clf, row_names=[1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        to_html(case.clf, case.X, row_names=[1])
    for wrong in (case.X, "ab", 3):
        with pytest.raises(ValueError, match="row_names must be a list of names, got"):
            to_html(case.clf, case.X, row_names=wrong)
    with pytest.raises(TypeError, match="model must be a classifier or regressor of wtm for tables, got a str"):
        to_html("model")
    with pytest.raises(ValueError, match="feature_names must name each"):
        to_html(case.clf, feature_names=["a"])
