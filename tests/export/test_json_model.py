import copy
import json
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.export_cases import CASES, bits, connect_4, names, table, wide
from tests.helpers.problems import small, three_classes
from wtm.export import from_json, to_json
from wtm.export.model_tables import ModelTables
from wtm.rules import rules_of


def importances(tables):
    """The share of the rules, by weight, that use each column."""
    shares = np.zeros(tables.n_columns)
    for rule in tables.rules:
        for column in {tables.features[f].column for f in (*rule.true, *rule.false)}:
            shares[tables.columns[column].position] += abs(rule.vote)
    return shares / (shares.sum() or 1)


@pytest.mark.parametrize("case", [*CASES.values(), wide], ids=[*CASES, "wide"])
def test_what_is_read_back_predicts_the_same(case):
    case = case()
    loaded = from_json(to_json(case.clf))
    assert (loaded.class_sums(case.X) == case.clf.class_sums(case.X)).all()
    assert (loaded.predict(case.X) == case.clf.predict(case.X)).all()
    assert (loaded.predict_proba(case.X) == case.clf.predict_proba(case.X)).all()
    assert loaded.classes_.dtype == case.clf.classes_.dtype
    assert loaded.feature_importances_ == pytest.approx(importances(ModelTables.of(case.clf)))
    assert to_json(loaded) == to_json(case.clf)
    assert bool(rules_of(loaded)) == bool(rules_of(case.clf))


def test_another_program_can_evaluate_it():
    """The schema is enough: features by column, test and value, and rules of their positions."""
    case = table()
    model = json.loads(to_json(case.clf))

    def holds(feature, row):
        x, test, value = row[feature["column"]], feature["test"], feature["value"]
        if x is None or test == "missing":
            return x is None and test == "missing"
        return x > value if test == ">" else x == value

    for row, expected in zip(case.rows, case.sums, strict=True):
        true = [holds(feature, row) for feature in model["features"]]
        sums = [0] * len(model["classes"]["values"])
        for rule in model["rules"]:
            if all(true[f] for f in rule["true"]) and not any(true[f] for f in rule["false"]):
                sums[rule["class"]] += rule["vote"]
        assert [total * model["unit"] for total in sums] == expected


def test_rules_are_shown_and_explain_as_those_of_the_classifier():
    case = table().first(50)
    loaded = from_json(to_json(case.clf))
    assert sorted(map(str, loaded.rules())) == sorted(map(str, case.clf.rules()))
    for found, expected in zip(loaded.explain(case.X), case.clf.explain(case.X), strict=True):
        assert sorted(map(str, found.rules)) == sorted(map(str, expected.rules))
    assert loaded.transform(case.X).shape == (50, len(loaded.get_feature_names_out()))
    simpler = loaded.simplify(case.X)
    assert (simpler.class_sums(case.X) == loaded.class_sums(case.X)).all()
    fewer = loaded.prune(case.X, case.labels, n_rules=4)
    assert len(fewer.rules()) == 4
    for clf in (fewer, loaded.refit(case.X, case.labels, C=1)):
        assert (from_json(to_json(clf)).class_sums(case.X) == clf.class_sums(case.X)).all()
    with pytest.raises(ValueError, match="only predicts"):
        loaded.fit(case.X, case.labels)


@settings(max_examples=20)
@given(names)
def test_names_are_data(columns):
    clf = copy.copy(bits(len(columns)).clf)
    clf.feature_names_in_ = np.array(columns, object)
    text = to_json(clf)
    assert text.isascii()
    assert "\n" not in text
    assert from_json(text).feature_names_in_.tolist() == columns
    assert {feature["name"] for feature in json.loads(text)["features"]} <= set(columns)


def test_tables_are_refused_as_by_the_classifier():
    loaded = from_json(to_json(table().clf))
    with pytest.raises(ValueError, match="held numbers in fit"):
        loaded.predict([["old", 1.0, "red", True, 1]])
    with pytest.raises(ValueError, match="features"):
        loaded.predict([[1.0]])
    with pytest.raises(AttributeError, match="JSON"):
        _ = loaded.machines_


def test_names_and_strictness_are_kept():
    pd = pytest.importorskip("pandas")
    X, y = three_classes()
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    clf = small(booleanizer="strict").fit(frame, y)
    loaded = from_json(to_json(clf))
    assert loaded.feature_names_in_.tolist() == list(frame)
    assert (loaded.predict(frame) == clf.predict(frame)).all()
    with pytest.raises(ValueError, match="must hold only 0 and 1"):
        loaded.predict(frame + 1)


def test_text_that_is_not_a_model_is_refused():
    for text in ("", "[]", "{}", "null", "{", "NaN", '{"format": "other"}', b"\xff"):
        with pytest.raises(ValueError, match="not a model"):
            from_json(text)
    later = json.loads(to_json(connect_4().clf)) | {"version": 2}
    with pytest.raises(ValueError, match="version 2"):
        from_json(json.dumps(later))


_table_as_json = cache(lambda: to_json(table().clf))

_junk = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=3),
    st.just([]), st.just({}), st.just([{}]), st.just(1 << 70),
)  # fmt: skip


@settings(max_examples=50)
@given(st.data())
def test_an_altered_model_is_read_or_refused_with_a_valueerror(data):
    state = json.loads(_table_as_json())
    places = [*((state, key) for key in state if key not in ("format", "version"))]
    for name in ("features", "rules"):
        places += [(state[name][0], key) for key in state[name][0]] + [(state[name], 0)]
    places += [
        (state["rules"][0]["true"], slice(0, 1)),
        (state["booleanizer"], "columns"),
        (state["classes"], "values"),
    ]
    where, key = data.draw(st.sampled_from(places))
    if data.draw(st.booleans()) and isinstance(key, str):
        del where[key]
    else:
        where[key] = [data.draw(_junk)] if isinstance(key, slice) else data.draw(_junk)
    try:
        loaded = from_json(json.dumps(state))
    except ValueError:
        return
    assert np.isfinite(loaded.class_sums(table().X[:5])).all()
