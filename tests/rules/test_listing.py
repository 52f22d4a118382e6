"""Clauses as rules, literal by literal."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from wtm import Booleanizer, WTMClassifier
from wtm.rules import heaviest_rules, rules_of

NAMES = [f"light {i} is on" for i in range(7)]


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(5).integers(0, 2, (400, 7)).astype(np.uint8)


@pytest.fixture(scope="module")
def clf(rows):
    y = np.array(["draw", "loss", "win"])[rows[:, 0] + (rows[:, 1] & rows[:, 2])]
    return WTMClassifier(n_clauses=30, T=8, s=3, gamma=0.1, n_epochs=6, random_state=1).fit(rows, y)


def votes(rules, label, row):
    on = {name: bool(bit) for name, bit in zip(NAMES, row, strict=True)}
    on |= {f"NOT ({name})": not bit for name, bit in on.items()}
    return sum(rule.vote for rule in rules if rule.label == label and all(on[literal] for literal in rule.literals))


def test_rules_evaluated_by_their_words_give_the_class_sums(clf, rows):
    rules = rules_of(clf, NAMES)
    sums = clf.class_sums(rows[:60])
    by_words = [[votes(rules, label, row) for label in clf.classes_] for row in rows[:60]]
    np.testing.assert_allclose(by_words, sums, rtol=0, atol=1e-9)
    assert {rule.polarity for rule in rules} == {-1, 1}
    assert len({rule.weight for rule in rules}) > 3


def test_clauses_without_literals_give_no_rules(rows):
    clf = WTMClassifier(n_clauses=40, T=50, s=3, n_epochs=1, random_state=0).fit(rows[:2], [0, 1])
    with_literals = sum(int(machine.include.any(axis=1).sum()) for machine in clf.machines_)
    assert 0 < with_literals < 80
    rules = rules_of(clf)
    assert len(rules) == with_literals
    assert all(rule.literals for rule in rules)


def test_a_model_without_literals_has_no_rules(rows):
    clf = WTMClassifier(n_clauses=4, n_epochs=1, random_state=0).fit(rows, rows[:, 0])
    for machine in clf.machines_:
        machine.include_bits[:] = 0
    clf._voting = clf._model.voting_model()
    assert rules_of(clf) == heaviest_rules(clf) == []


def test_heaviest_rules_are_the_heaviest_of_each_class(clf):
    chosen = heaviest_rules(clf, per_class=4)
    every = rules_of(clf)
    for label in clf.classes_:
        weights = [rule.weight for rule in chosen if rule.label == label]
        assert weights == sorted((rule.weight for rule in every if rule.label == label), reverse=True)[:4]
    assert set(chosen) <= set(every)


def test_of_equal_weights_the_first_clauses_come_first(rows):
    classic = WTMClassifier(n_clauses=30, T=8, s=3, gamma=0, n_epochs=3, random_state=1).fit(rows, rows[:, 0])
    first = [[rule for rule in rules_of(classic) if rule.label == label][:5] for label in (0, 1)]
    assert heaviest_rules(classic, per_class=5) == first[0] + first[1]


def test_per_class_may_exceed_the_number_of_rules(clf):
    assert sorted(map(str, heaviest_rules(clf, per_class=1000))) == sorted(map(str, rules_of(clf)))


def test_names_come_from_the_argument_else_from_fit_else_from_the_position(clf, rows):
    pandas = pytest.importorskip("pandas")
    named = WTMClassifier(n_clauses=4, n_epochs=1, random_state=0)
    named.fit(pandas.DataFrame(rows, columns=NAMES), rows[:, 0])

    def words(rules):
        return {literal.removeprefix("NOT (").removesuffix(")") for rule in rules for literal in rule.literals}

    assert words(rules_of(clf)) <= {f"x{i}" for i in range(7)}
    assert words(rules_of(named)) <= set(NAMES)
    assert words(rules_of(named, list("abcdefg"))) <= set("abcdefg")


def test_labels_are_those_of_the_caller_as_plain_objects(rows):
    clf = WTMClassifier(n_clauses=4, n_epochs=1, random_state=0).fit(rows, rows[:, 0].astype(np.int64) * 10)
    assert {type(rule.label) for rule in rules_of(clf)} == {int}
    assert {rule.label for rule in rules_of(clf)} <= {0, 10}


def test_errors_say_what_is_wrong(clf):
    with pytest.raises(ValueError, match=r"feature_names must name each of the model's 7 features, got 3 names"):
        rules_of(clf, ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"per_class must be at least 1, got 0"):
        heaviest_rules(clf, per_class=0)
    with pytest.raises(NotFittedError):
        rules_of(WTMClassifier())
    for wrong in (1.5, float("nan"), "3", None, True):
        with pytest.raises(TypeError, match="per_class must be an integer, got"):
            heaviest_rules(clf, per_class=wrong)
    with pytest.raises(TypeError, match=r"Pipeline that ends with one, got a GridSearchCV\. Pass best_estimator_"):
        rules_of(GridSearchCV(clf, {}))


def columns_of(rules):
    return {condition.column for rule in rules for condition in rule.conditions}


def test_rules_of_a_pipeline_are_in_the_words_of_its_steps(clf, rows):
    table = np.column_stack([rows[:, 0], 10 * rows[:, 1] + rows[:, 2]]).astype(object)
    table[:, 0] = np.where(rows[:, 0], "red", "blue")
    last = WTMClassifier(n_clauses=4, T=2, n_epochs=3, random_state=0)
    columns = ColumnTransformer([("colour", OneHotEncoder(), [0]), ("size", Booleanizer(), [1])])
    pipeline = make_pipeline(columns, last).fit(table, rows[:, 0])
    names = set(columns.get_feature_names_out())
    assert {"colour__x0_red", "size__x1 > 6"} <= names
    assert columns_of(rules_of(pipeline)) <= names
    assert rules_of(pipeline) == rules_of(last, columns.get_feature_names_out())
    assert heaviest_rules(pipeline, 1) == heaviest_rules(last, 1, columns.get_feature_names_out())
    named = columns_of(rules_of(pipeline, ["hue", "cm"]))
    assert named == {name.replace("_x0", "_hue").replace("_x1", "_cm") for name in columns_of(rules_of(pipeline))}
    assert rules_of(make_pipeline(clf), NAMES) == rules_of(clf, NAMES)
    assert rules_of(make_pipeline("passthrough", make_pipeline(clf))) == rules_of(clf)


def test_rules_of_texts_are_in_their_words():
    texts = ["a good film", "a bad film", "so good", "so bad"] * 20
    pipeline = make_pipeline(CountVectorizer(), WTMClassifier(n_clauses=4, T=2, n_epochs=3, random_state=0))
    pipeline.fit(texts, [1, 0, 1, 0] * 20)
    words = columns_of(rules_of(pipeline))
    assert words & {"good", "bad"}
    assert words <= {"bad", "film", "good", "so"}


def test_a_pipeline_without_names_gives_the_remedy(clf, rows):
    nameless = make_pipeline(FunctionTransformer(np.flip), clone(clf)).fit(rows, rows[:, 0])
    message = r"doesn't name its features: Estimator functiontransformer .*_out\. Pass pipeline\[-1\]"
    with pytest.raises(ValueError, match=message):
        rules_of(nameless)
    with pytest.raises(NotFittedError):
        rules_of(make_pipeline("passthrough", WTMClassifier()))
    with pytest.raises(TypeError, match="got a FunctionTransformer"):
        rules_of(make_pipeline(Booleanizer(), FunctionTransformer()).fit(10 * rows))
