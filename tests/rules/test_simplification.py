"""A simplified model has shorter rules and the same votes on the given rows."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from tests.helpers.machines import packed_rows
from tests.helpers.problems import small, xor
from tests.helpers.tables import mixed_frame, mixed_model
from wtm import WTMClassifier, load_model
from wtm.machine.examples import Examples
from wtm.rules.simplification import needed_literals


@pytest.fixture(scope="module")
def clf():
    return mixed_model(n_clauses=40)


@pytest.fixture(scope="module", name="X")
def rows():
    return mixed_frame()[0]


def outputs(X, clauses):
    """Outputs by NumPy, bool (n_rows, n_clauses): True without literals."""
    literals = np.concatenate([X, 1 - X], axis=1).astype(np.bool_)
    return np.stack([literals[:, clause].all(axis=1) for clause in clauses], axis=1)


def kept_of(X, clauses, tolerance=0.0, **options):
    ends, literals = np.cumsum([0, *map(len, clauses)]), np.concatenate([*clauses, []]).astype(np.int32)
    ends, literals = needed_literals(Examples(packed_rows(X), X.shape[1]), ends, literals, tolerance, **options)
    return [literals[ends[i] : ends[i + 1]].tolist() for i in range(len(clauses))]


@settings(max_examples=60)
@given(st.data())
def test_no_more_literals_are_kept_than_are_needed(data):
    n_features, seed = data.draw(st.integers(1, 70)), data.draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (data.draw(st.sampled_from([1, 63, 64, 511, 512, 513])), n_features), dtype=np.uint8)
    literal = st.integers(0, 2 * n_features - 1)
    clauses = data.draw(st.lists(st.sets(literal, max_size=6).map(sorted), min_size=1, max_size=6))
    tolerance = data.draw(st.sampled_from([0.0, 0.1, 1.0]))
    before, kept = outputs(X, clauses), kept_of(X, clauses, tolerance)
    assert kept == kept_of(X, clauses, tolerance, n_threads=3)
    after = outputs(X, kept)
    for j, (clause, left) in enumerate(zip(clauses, kept, strict=True)):
        n_true = before[:, j].sum()
        if not n_true or not clause:
            assert left == []
            continue
        assert left
        assert left == sorted(set(left) & set(clause))
        assert (after[:, j] >= before[:, j]).all()
        limit = n_true + int(tolerance * n_true)
        assert after[:, j].sum() <= limit
        for literal in left if len(left) > 1 else []:  # each is needed
            others = outputs(X, [[other for other in left if other != literal]])
            assert others.sum() > limit


def test_class_sums_of_the_rows_stay_the_same(clf, X):
    before = clf.class_sums(X)
    simpler = clf.simplify(X)
    assert (simpler.class_sums(X) == before).all()
    assert (simpler.predict_proba(X) == clf.predict_proba(X)).all()
    table = simpler.rules()
    assert 0 < table.n_conditions < clf.rules().n_conditions
    assert (clf.class_sums(X) == before).all()
    assert clf.machines_
    assert {rule.holds(X).any() for rule in table} == {True}
    assert simpler.simplify(X).rules().n_conditions == table.n_conditions
    assert (clf.set_params(n_jobs=2).simplify(X).class_sums(X[::2]) == before[::2]).all()


def test_a_tolerance_allows_a_share_of_the_votes_more(clf, X):
    conditions = []
    for tolerance in (0, 0.05, 0.3, 1):
        simpler = clf.simplify(X, tolerance)
        votes = np.abs(clf._voting_model().clause_votes * clf._voting_model().unit)
        before, after = clf.transform(X), simpler.transform(X)
        assert (after - before).min() >= 0
        assert (after @ votes).sum() <= (before @ votes).sum() * (1 + tolerance) * (1 + 1e-12)
        conditions.append(simpler.rules().n_conditions)
    assert conditions == sorted(conditions, reverse=True)
    assert len(set(conditions)) > 2


def test_a_simplified_model_is_saved_and_loaded_but_not_trained_further(clf, X, tmp_path):
    simpler = clf.simplify(X)
    simpler.save(tmp_path / "model", prediction_only=True)
    loaded = load_model(tmp_path / "model")
    assert list(loaded.rules()) == list(simpler.rules())
    assert (loaded.class_sums(X) == simpler.class_sums(X)).all()
    assert (copy.deepcopy(simpler).class_sums(X) == simpler.class_sums(X)).all()
    assert (loaded.simplify(X).class_sums(X) == simpler.class_sums(X)).all()
    y = mixed_frame()[1]
    with pytest.raises(ValueError, match="it was simplified, pruned or refitted"):
        simpler.partial_fit(X, y)
    with pytest.raises(ValueError, match="prediction_only must be True for this model"):
        simpler.save(tmp_path / "again")
    assert (simpler.fit(X, y).class_sums(X) == clf.class_sums(X)).all()


def test_rules_that_hold_for_no_row_are_removed():
    X, y = xor()
    clf = small(n_clauses=20, T=10).fit(X, y)
    row = X[:1]
    simpler = clf.simplify(row)
    assert (simpler.class_sums(row) == clf.class_sums(row)).all()
    assert len(simpler.rules(one_sided=False)) < len(clf.rules(one_sided=False))
    assert simpler.rules(one_sided=False).columns["length"].tolist() == [1] * len(simpler.rules(one_sided=False))


def test_errors_say_what_is_wrong(clf, X):
    with pytest.raises(NotFittedError):
        WTMClassifier().simplify(X)
    for wrong in (-0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match="tolerance must be a share of the votes, from 0 to 1, got"):
            clf.simplify(X, wrong)
    with pytest.raises(TypeError, match="tolerance"):
        clf.simplify(X, "0")
    with pytest.raises(ValueError, match="0 sample"):
        clf.simplify(X[:0])
