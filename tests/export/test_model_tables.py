import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from tests.helpers.export_cases import CASES, connect_4, table
from tests.helpers.problems import small, xor
from wtm import Booleanizer, WTMClassifier, export, load_model
from wtm.export.model_tables import ModelTables, signed_bits

WRITERS = [export.to_json, export.to_python, export.to_c, export.to_sql, export.to_onnx, export.to_verilog]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_rules_are_different_and_can_be_true(case):
    tables = ModelTables.of(case().clf)
    conditions = [(rule.label, rule.true, rule.false) for rule in tables.rules]
    assert len(set(conditions)) == len(conditions)
    assert all(rule.vote and (rule.true or rule.false) for rule in tables.rules)
    assert all(set(rule.true).isdisjoint(rule.false) for rule in tables.rules)
    used = {feature for rule in tables.rules for feature in (*rule.true, *rule.false)}
    assert used == set(range(len(tables.features)))
    assert {feature.column for feature in tables.features} == set(range(len(tables.columns)))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_rules_are_those_that_are_shown(case):
    clf = case().clf
    tables, shown = ModelTables.of(clf), clf.rules(one_sided=False)
    labels = list(tables.labels)
    votes = sorted((rule.label, abs(rule.vote) * tables.unit) for rule in tables.rules)
    assert votes == sorted((labels.index(rule.label), rule.weight) for rule in shown)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_no_condition_of_a_rule_follows_from_others(case):
    """Each condition alone rules out a row for which all others hold, of the rows that hold one value per column."""
    clf = case().clf
    tables = ModelTables.of(clf)
    for rule in tables.rules:
        literals = [(f, True) for f in rule.true] + [(f, False) for f in rule.false]
        for literal in literals:
            column = tables.features[literal[0]].column
            same = [(f, is_true) for f, is_true in literals if tables.features[f].column == column]
            values = _values(tables, column)
            others = [v for v in values if all(v[f] == is_true for f, is_true in same if (f, is_true) != literal)]
            assert any(v[literal[0]] != literal[1] for v in others)
            assert any(v[literal[0]] == literal[1] for v in others)


def _values(tables, column):
    """The truth of the features on a column for each kind of value that it can hold."""
    features = {i: f for i, f in enumerate(tables.features) if f.column == column}
    thresholds = sorted(f.value for f in features.values() if f.test == ">")
    categories = [f.value for f in features.values() if f.test == "="]
    numbers = [*thresholds, np.inf] if thresholds else []
    values = [{i: f.test == ">" and number > f.value for i, f in features.items()} for number in numbers]
    values += [{i: f.test == "=" and f.value == value for i, f in features.items()} for value in categories]
    values.append({i: f.test == "missing" for i, f in features.items()})
    return [*values, dict.fromkeys(features, False)]


@settings(max_examples=20)
@given(st.integers(2, 63))
def test_votes_fit_into_the_bits_and_use_them(bits):
    exact, rounded = ModelTables.of(connect_4().clf), ModelTables.of(connect_4().clf, bits=bits)
    assert signed_bits(rounded.max_vote) <= bits
    scale = exact.unit / rounded.unit
    if scale == 1:
        assert rounded == exact
    else:
        assert signed_bits(exact.max_vote) > bits
        assert rounded.max_vote >= 2 ** (bits - 2)
    votes = {(r.label, *_conditions(rounded, r)): r.vote for r in rounded.rules}
    for rule in exact.rules:
        found = votes.get((rule.label, *_conditions(exact, rule)), 0)
        assert abs(found - rule.vote * scale) <= 0.5


def _conditions(tables, rule):
    features = [(tables.columns[f.column].position, f.test, f.value) for f in tables.features]
    return tuple(features[f] for f in rule.true), tuple(features[f] for f in rule.false)


def test_no_sum_is_larger_than_its_bound():
    for bits in (None, 8):
        tables = ModelTables.of(connect_4().clf, bits=bits)
        sums = connect_4().clf.class_sums(connect_4().X) / tables.unit
        assert np.abs(sums).max() <= tables.max_sum * (1 if bits is None else 1.1)


def test_agreement_is_that_of_the_rounded_votes():
    case = table()
    for bits, at_least in ((2, 0.5), (8, 0.99), (None, 1)):
        scope: dict = {}
        exec(export.to_python(case.clf, bits=bits), scope)
        same = np.mean([scope["predict"](row) == label for row, label in zip(case.rows, case.labels, strict=True)])
        found = export.summarize(case.clf, case.X, bits=bits)
        assert found.agreement == same >= at_least
        assert found.n_rows == len(case.rows)
        assert f"{same:.2%} of 1,000 rows" in str(found)
    assert found.c_bytes == export.to_c(case.clf).n_bytes
    assert export.summarize(case.clf).agreement is None


@pytest.mark.parametrize("write", WRITERS)
def test_what_is_not_a_fitted_classifier_is_refused(write):
    if write is export.to_onnx:
        pytest.importorskip("onnx")
    with pytest.raises(NotFittedError):
        write(WTMClassifier())
    with pytest.raises(TypeError, match="model must be a classifier or regressor of wtm for tables, got a Booleanizer"):
        write(Booleanizer())
    with pytest.raises(TypeError, match=r"got a Pipeline. .* pass pipeline\[-1\]: .*:-1\].transform"):
        write(make_pipeline(WTMClassifier()))
    for bits, error in ((1, ValueError), (64, ValueError), (8.0, TypeError), (True, TypeError), ("8", TypeError)):
        with pytest.raises(error, match="bits must be"):
            write(table().clf, bits=bits)


@pytest.mark.parametrize("write", WRITERS[1:])
def test_names_must_be_one_for_each_column(write):
    if write is export.to_onnx:
        pytest.importorskip("onnx")
    with pytest.raises(ValueError, match="feature_names must name each of the model's 5 features, got 2 names"):
        write(table().clf, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="feature_names must differ, but 'a' occurs more than once"):
        write(table().clf, feature_names=["a"] * 5)


def test_a_loaded_model_and_each_number_type_of_numpy_are_accepted(tmp_path):
    X, y = xor()
    clf = small().fit(X, y)
    clf.save(tmp_path / "model", prediction_only=True)
    for write in (export.to_json, export.to_python):
        assert write(load_model(tmp_path / "model"), bits=np.int8(6)) == write(clf, bits=6)
