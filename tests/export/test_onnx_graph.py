import json

import numpy as np
import pytest
from hypothesis import given, settings

from tests.helpers.export_cases import (
    HOSTILE_NAMES,
    Case,
    bits,
    connect_4,
    names,
    odd_table,
    table,
    wide,
    without_rules,
)
from tests.helpers.problems import small
from wtm.export import to_onnx

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def session(model):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def feed(run, case, columns, missing=""):
    """The inputs of a model, from rows."""
    if [i.name for i in run.get_inputs()] == ["X"]:
        return {"X": np.array(case.rows, np.float64)}
    column_of = json.loads(run.get_modelmeta().custom_metadata_map["columns"])
    values = dict(zip(columns, zip(*case.rows, strict=True), strict=True))
    fed = {}
    for i in run.get_inputs():
        column = values[column_of[i.name]]
        is_text = "string" in i.type
        cells = [missing if x is None else x for x in column] if is_text else column
        fed[i.name] = np.array(cells, object if is_text else np.float64)[:, None]
    return fed


def check(case, columns=None, missing="", **options):
    """Compare labels, sums and probabilities with the classifier's."""
    run = session(to_onnx(case.clf, missing=missing, feature_names=columns, **options))
    columns = [f"x{j}" for j in range(len(case.rows[0]))] if columns is None else columns
    labels, sums, probabilities = run.run(None, feed(run, case, columns, missing))
    assert labels.tolist() == case.labels
    assert type(labels.tolist()[0]) is type(case.labels[0])
    if not options:
        assert sums.tolist() == case.sums
        np.testing.assert_allclose(probabilities, case.clf.predict_proba(case.X), rtol=1e-10, atol=1e-300)
    return run


def test_bits_get_the_same_sums_and_labels():
    check(connect_4())


def test_tables_get_the_same_sums_and_labels():
    run = check(table(), ["age", "income", "colour", "member", "n"], missing="<missing>")
    assert {i.name for i in run.get_inputs()} == {"age", "income", "colour", "member", "n"}


def test_wide_rows_work():
    case = wide()
    check(Case(case.clf, case.X[:20], case.X[:20].toarray().tolist()))


def test_numbers_with_missing_values_are_one_input():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    codes = [1.5, 2.0, 7.0, np.nan]
    rows = [[codes[i % 4], np.nan if i % 5 == 0 else rng.normal()] for i in range(1000)]
    frame = pd.DataFrame(rows, columns=["code", "value"]).astype({"code": "category"})
    y = [float((row[0] == 2.0) or row[1] > 0) for row in rows]
    clf = small(n_clauses=20, T=5).fit(frame, y)
    run = check(Case(clf, frame, rows), ["code", "value"])
    assert [(i.name, i.type, i.shape) for i in run.get_inputs()] == [("X", "tensor(double)", ["n_samples", 2])]


def test_columns_of_text_and_numbers_are_refused():
    with pytest.raises(ValueError, match="Column 'x0' held both text and numbers"):
        to_onnx(odd_table().clf)


def test_the_text_for_missing_must_not_be_a_category():
    with pytest.raises(ValueError, match=r"missing='' is also a category of column 'x2'. Pass another text"):
        to_onnx(table().clf)


def check_names(columns):
    """Two more columns make all columns inputs of their own; categories are the names."""
    base = bits(len(columns))
    texts = [columns[i % len(columns)] for i in range(len(base.rows))]
    rows = [[*row, text] for row, text in zip(base.rows, texts, strict=True)]
    X = np.array(rows, object)
    clf = small(n_clauses=20, T=5, s=5, n_epochs=2).fit(
        X, [i % len(columns) * 2 < len(columns) for i in range(len(texts))]
    )
    run = check(Case(clf, X, rows), [*columns, "text column"], missing="<missing>")
    inputs = [i.name for i in run.get_inputs()]
    assert all(name.isidentifier() and name.isascii() for name in inputs)
    assert all(name in inputs for name in columns if name in ("a_b", "int"))


@settings(max_examples=8)
@given(names)
def test_names_are_data(columns):
    if any("\ud800" <= c <= "\udfff" for c in "".join(columns)):
        with pytest.raises(ValueError, match="half a character"):
            check_names(columns)
    else:
        check_names(columns)


def test_hostile_names_are_data():
    check_names([name for name in HOSTILE_NAMES if name != "\ud800"])
    check(bits(len(HOSTILE_NAMES)), HOSTILE_NAMES)


def test_a_model_without_rules_works():
    check(without_rules())
