"""Explanations add up to the class sums, and the nearest change is the nearest."""

import itertools
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tests.helpers.problems import small, three_classes, xor
from tests.helpers.tables import mixed_frame
from wtm import WTMClassifier
from wtm.machine.examples import pack_examples
from wtm.rules import NearestChange
from wtm.rules.cells import cells_by_column
from wtm.rules.vocabulary import Vocabulary
from wtm.tables.condition_grammar import Interval, IsMissing, spell_name
from wtm.tables.reading import read_table


@pytest.fixture(scope="module")
def new_rows():
    return mixed_frame(60, seed=3)[0]


@pytest.mark.parametrize("one_sided", [True, False])
@pytest.mark.parametrize("model", ["two", "three"])
def test_the_votes_of_an_explanation_add_up_to_the_class_sums(model, one_sided, request, new_rows):
    clf = request.getfixturevalue(model)
    sums, explanations = clf.class_sums(new_rows), clf.explain(new_rows, one_sided=one_sided)
    assert [e.label for e in explanations] == clf.predict(new_rows).tolist()
    for row, explanation in enumerate(explanations):
        votes = explanation.rules.votes.tolist()
        if model == "two" and one_sided:
            expected = {True: sums[row, 1] - sums[row, 0]}
        else:
            expected = dict(zip(clf.classes_.tolist(), sums[row], strict=True))
        assert explanation.class_sums == expected
        for label, total in expected.items():  # as integers
            of_class = [v for v, r in zip(votes, explanation.rules, strict=True) if r.label == label]
            assert sum(of_class) == round(total / explanation.rules.unit)
        assert list(map(abs, votes)) == sorted(map(abs, votes), reverse=True)


def test_the_rules_of_an_explanation_are_those_that_hold(three, new_rows):
    table = three.rules()
    holds = np.stack([rule.holds(new_rows) for rule in table], axis=1)
    for row, explanation in enumerate(three.explain(new_rows)):
        assert list(explanation.rules) == [rule for rule, held in zip(table, holds[row], strict=True) if held]


def test_an_explanation_prints_the_heaviest_rules_of_each_class(three, new_rows):
    explanation = three.explain(new_rows)[0]
    lines = str(explanation).splitlines()
    assert lines[0] == f"predicted: {explanation.label}"
    assert lines[1].startswith(f"{explanation.label}: sum {explanation.class_sums[explanation.label]:.4g} of ")
    assert [line.partition(":")[0] for line in lines if ": sum " in line] == sorted(
        explanation.class_sums, key=lambda label: -explanation.class_sums[label]
    )
    for rule in explanation.rules:
        assert f"{rule.vote:+.4g}  {' AND '.join(rule.literals)}" in str(explanation)
    assert "<script" not in explanation._repr_html_()
    assert explanation._repr_html_().count("<tr>") == len(lines)
    assert repr(explanation) == f"<Explanation of {explanation.label} by {len(explanation.rules)} rules>"
    assert len(explanation.rules) > 1


def test_many_rules_are_cut_and_the_rest_is_added_up(three, new_rows, monkeypatch):
    monkeypatch.setattr("wtm.rules.explanation._RULES_SHOWN", 2)
    explanation = three.explain(new_rows)[0]
    of_class = [rule.vote for rule in explanation.rules if rule.label == explanation.label]
    assert len(of_class) > 2
    rest = next(line for line in str(explanation).splitlines() if "lighter rule" in line).split()
    assert float(rest[0]) == pytest.approx(sum(of_class[2:]), rel=1e-3)
    assert int(rest[2]) == len(of_class) - 2
    assert "lighter rule" in explanation._repr_html_()


def test_a_line_says_if_most_votes_are_not_shown(three, new_rows, monkeypatch):
    said = []
    for n_shown in (1, 2, 4, 6):
        monkeypatch.setattr("wtm.rules.explanation._RULES_SHOWN", n_shown)
        explanation = three.explain(new_rows)[0]
        weights = [rule.weight for rule in explanation.rules if rule.label == explanation.label]
        line = next((line for line in str(explanation).splitlines() if "lighter rule" in line), "")
        said.append(line.endswith(", most of the votes"))
        assert said[-1] == (sum(weights[n_shown:]) > sum(weights) / 2)
    assert len(set(said)) == 2


def test_long_names_are_cut_where_an_explanation_is_shown():
    X, y = xor()
    clf = small().fit(X, np.where(y, "yes" * 100, "no" * 100))
    explanation = clf.explain(X[:1], feature_names=[f"{'x' * 1000}{i}" for i in range(X.shape[1])])[0]
    for shown in (str(explanation), explanation._repr_html_(), repr(explanation)):
        assert max(map(len, re.findall(r"[\w.]+", shown))) == 100
    assert "x" * 1000 in str(explanation.rules[0])


def test_explanations_do_not_depend_on_the_size_of_the_parts(three, monkeypatch):
    X = pd.concat([mixed_frame(600, seed=5)[0]] * 2)
    whole = three.explain(X)
    monkeypatch.setattr("wtm.estimator._BYTES_PER_PART", 1)
    parts = three.set_params(n_jobs=2).explain(X)
    assert [e.rules.votes.tolist() for e in parts] == [e.rules.votes.tolist() for e in whole]
    assert (three.transform(X) != three.set_params(n_jobs=1).transform(X)).nnz == 0
    assert three.explain(X[:0]) == []


def fewest_by_trying_all(clf, features, vocabulary):
    """The fewest columns that have to change, by trying all cells of all columns together."""
    voting = clf._voting_model()
    cells = cells_by_column(vocabulary, np.unique(voting.literal_list.astype(np.int64) % vocabulary.n_features))
    rows, n_changed = [], []
    for choice in itertools.product(*cells.values()):
        row = features.copy()
        differs = [bool((row[cell.features] != cell.values).any()) for cell in choice]
        for cell in choice:
            row[cell.features] = cell.values
        if all(cell.is_seen or not d for cell, d in zip(choice, differs, strict=True)):
            rows.append(row)
            n_changed.append(sum(differs))
    labels = voting.sums(pack_examples(np.array(rows))).argmax(axis=1)
    now = labels[n_changed.index(0)]
    return min(n for n, label in zip(n_changed, labels, strict=True) if label != now)


@pytest.mark.parametrize("model", ["two", "three"])
def test_the_nearest_change_is_the_nearest(model, request, new_rows):
    clf = request.getfixturevalue(model)
    vocabulary = Vocabulary.of(clf)
    features = clf.booleanizer_.transform(new_rows)
    sizes = set()
    for row, explanation in enumerate(clf.explain(new_rows)[:12]):
        fewest = fewest_by_trying_all(clf, features[row], vocabulary)
        nearest = explanation.nearest_change()
        assert nearest.is_nearest
        assert len(nearest.changes) == fewest == nearest.n_refuted + 1
        assert nearest.label != explanation.label
        changed = new_rows.iloc[[row]].copy()
        for before, after in nearest.changes:
            assert before.holds(_column(changed, before.column)).all()
            changed = changed.astype({before.column: object})
            changed[before.column] = value_in(after)
            assert after.holds(_column(changed, after.column)).all()
        assert clf.predict(changed).tolist() == [nearest.label]
        assert str(nearest) == f"{nearest.label} would be predicted with " + ", ".join(
            f"{after} instead of {str(before).replace(f'{spell_name(before.column)} is missing', 'missing')}"
            for before, after in nearest.changes
        )
        given_up = explanation.nearest_change(max_tries=1)
        assert len(given_up.changes) >= fewest > given_up.n_refuted
        assert given_up.is_nearest == (len(given_up.changes) == given_up.n_refuted + 1)
        assert ("(not proved to be the fewest columns" in str(given_up)) != given_up.is_nearest
        assert "not proved" not in str(nearest)
        sizes.add(fewest)
    assert 1 in sizes


@pytest.mark.parametrize("seen", [False, True])
@pytest.mark.parametrize("of", [np.array, pd.DataFrame, sp.csr_array])
def test_a_nearest_change_says_that_a_value_is_missing(of, seen):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (300, 2)).astype(float)
    y = X[:, 0] > 4
    X[: 20 * seen, 0] = np.nan
    y[: 20 * seen] = False
    clf = small(n_clauses=20, T=5).fit(of(X), y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missing value is new to the model
        known, missing = clf.explain(of(np.array([[1, 3], [np.nan, 3]])), feature_names=["a", "b"])
    ((before, _),) = known.nearest_change().changes
    assert isinstance(before, Interval)
    ((before, after),) = missing.nearest_change().changes
    assert before == IsMissing("a")
    assert str(missing.nearest_change()) == f"True would be predicted with {after} instead of missing"


def _column(frame, name):
    return read_table(frame[[name]]).column(0)


def value_in(condition):
    """A value for which a condition holds."""
    if hasattr(condition, "low"):
        if condition.is_binary:
            return int(condition.low == 0.5)
        low, high = condition.low, condition.high
        return high if np.isfinite(high) else low + 1
    if hasattr(condition, "values"):
        return (
            condition.values[0]
            if condition.equal
            else next(v for v in ("<b>", "red", None) if v not in condition.values)
        )
    return None if condition.is_missing else 1.0


def test_several_columns_may_have_to_change():
    X = np.array(list(itertools.product([0, 1], repeat=5)) * 20)
    y = X.sum(axis=1) >= 3
    clf = WTMClassifier(60, 20, 3, n_epochs=20, random_state=0).fit(X, y)
    assert clf.score(X, y) == 1
    for row, explanation in zip(X[:32], clf.explain(X[:32]), strict=True):
        nearest = explanation.nearest_change()
        assert nearest.is_nearest
        assert len(nearest.changes) == abs(row.sum() - 2.5) + 0.5
        assert len(explanation.nearest_change(1).changes) == len(nearest.changes)


@pytest.mark.parametrize(
    ("n_refuted", "end"),
    [(0, "up)"), (1, "up: a change of a single column is not enough)"), (3, "of 3 columns or fewer is not enough)")],
)
def test_a_search_that_was_given_up_says_what_it_has_ruled_out(n_refuted, end):
    for change in (NearestChange("a", (), False, n_refuted), NearestChange("a", ((1, 2),), False, n_refuted)):
        assert "not proved to be the fewest columns" in str(change)
        assert str(change).endswith(end)
    assert str(change).startswith("a would be predicted with 2 instead of 1 (not proved")


def test_beyond_the_bound_of_tries_a_change_of_many_columns_is_not_proved():
    X = np.random.default_rng(0).integers(0, 2, (400, 300))
    clf = WTMClassifier(40, 20, 3, n_epochs=3, random_state=0).fit(X, X[:, :9].sum(axis=1) > 4)
    changes = [explanation.nearest_change(50) for explanation in clf.explain(X[:20])]
    assert any(not change.is_nearest for change in changes)
    for row, change in zip(X[:20], changes, strict=True):
        changed = row.copy()
        for _, after in change.changes:
            changed[int(after.column[1:])] = after.low == 0.5
        assert clf.predict([changed]) == [change.label]
        assert (change.label != clf.predict([row])[0]) == bool(change.changes)
        assert change.is_nearest == (len(change.changes) == change.n_refuted + 1)


def test_a_model_that_always_gives_the_same_class_has_no_nearest_change():
    X, y = xor()
    clf = small().fit(X, y)
    for machine in clf.machines_:
        machine.include_bits[:] = 0
    clf._voting = None
    explanation = clf.explain(X[:1])[0]
    assert len(explanation.rules) == 0
    nearest = explanation.nearest_change()
    assert (nearest.changes, nearest.is_nearest) == ((), True)
    assert str(nearest) == "No change of the columns gives another class"
    assert str(explanation).startswith("predicted: 0\n1: sum 0 of 0 rules")


# --- Clause outputs as features -----------------------------------------------------------------------------------


def test_counts_of_rules_equal_a_recount_of_the_clause_outputs(three, new_rows):
    outputs = three.transform(new_rows)
    voting = three._voting_model()
    assert outputs.shape == (60, 60)
    assert set(outputs.data.tolist()) == {1.0}
    votes = (voting.clause_votes * voting.unit).reshape(3, 20)
    for i in range(3):
        assert (outputs[:, i * 20 : i * 20 + 20] @ votes[i] == three.class_sums(new_rows)[:, i]).all()
    named = dict(zip(three.get_feature_names_out(), outputs.toarray().T.tolist(), strict=True))
    assert len(named) == 60
    table = three.rules(new_rows)
    for rule, support in zip(table, table.columns["support"], strict=True):
        side = "for" if rule.polarity > 0 else "against"
        of_side = [values for name, values in named.items() if name.startswith(f"{rule.label}_{side}_")]
        assert rule.holds(new_rows).astype(float).tolist() in of_side
        assert support == rule.holds(new_rows).mean()


def test_clauses_are_features_for_another_model():
    X, y = three_classes()
    pipeline = make_pipeline(small(), LogisticRegression()).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    assert pipeline[:-1].get_feature_names_out()[:2].tolist() == ["0_for_0", "0_for_1"]
    assert small().fit_transform(X, y).shape == (120, 30)
    assert small().fit(X, y).transform(X[:0]).shape == (0, 30)


def test_errors_say_what_is_wrong(three, new_rows):
    for call in (WTMClassifier().explain, WTMClassifier().transform):
        with pytest.raises(NotFittedError):
            call(new_rows)
    with pytest.raises(NotFittedError):
        WTMClassifier().get_feature_names_out()
    explanation = three.explain(new_rows)[0]
    with pytest.raises(ValueError, match="max_tries"):
        explanation.nearest_change(0)
    with pytest.raises(TypeError, match="max_tries"):
        explanation.nearest_change("many")
