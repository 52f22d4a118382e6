"""Regressors and fuzzy models with fewer, shorter or newly weighted rules."""

from inspect import signature

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Lasso, LogisticRegression, Ridge

from tests.helpers.tables import mixed_targets
from wtm import FuzzyWTMClassifier, FuzzyWTMRegressor, WTMClassifier, WTMRegressor, load_model
from wtm.machine.examples import pack_examples
from wtm.machine.training_rows import NumberedExamples
from wtm.rules.merging import Clauses
from wtm.rules.pruning import eliminate, of_numbers
from wtm.rules.vote_counts import vote_counts
from wtm.validation.targets import to_shares

STRICT = {"n_clauses": 20, "T": 10, "s": 4, "n_epochs": 6, "random_state": 0}
FUZZY = {"n_clauses": 10, "T": 2, "s": 20, "n_epochs": 5, "literal_failures": 3, "max_literals": 6, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return mixed_targets()


@pytest.fixture(scope="module")
def models(data):
    X, targets = data
    regressor = WTMRegressor(**STRICT, average_last=3)
    return {
        "strict": (regressor.fit(X, targets["number"]), targets["number"]),
        "outputs": (WTMRegressor(**STRICT, average_last=2).fit(X, targets["numbers"]), targets["numbers"]),
        "fuzzy": (FuzzyWTMRegressor(**FUZZY, average_last=2).fit(X, targets["number"]), targets["number"]),
        "two classes": (FuzzyWTMClassifier(**FUZZY).fit(X, targets["labels"] == "yes"), targets["labels"] == "yes"),
        "fuzzy labels": (FuzzyWTMClassifier(**FUZZY, gamma=0.05).fit(X, targets["labels"]), targets["labels"]),
    }


KINDS = ["strict", "outputs", "fuzzy", "fuzzy labels", "two classes"]
REGRESSORS = KINDS[:3]


def max_loss(kind):
    return "max_r2_loss" if kind in REGRESSORS else "max_accuracy_loss"


@settings(max_examples=30)
@given(st.data())
def test_the_rule_is_removed_without_which_the_squared_error_is_smallest(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    n_rows, n_rules, n_outputs = (
        data.draw(st.integers(2, 60)),
        data.draw(st.integers(1, 7)),
        data.draw(st.integers(1, 2)),
    )
    counts = rng.integers(0, 4, (n_rows, n_rules)) * (rng.random((n_rows, n_rules)) < 0.6)
    votes, outputs = rng.integers(1, 9, n_rules) * rng.choice([-1, 1], n_rules), rng.integers(0, n_outputs, n_rules)
    answers = rng.uniform(-1, 1, (n_rows, n_outputs))
    weights = data.draw(st.sampled_from([None, rng.integers(1, 4, n_rows).astype(float)]))
    rows = NumberedExamples(pack_examples(np.zeros((n_rows, 1), np.uint8)), answers, weights)

    def score(rules):
        sums = np.zeros((n_rows, n_outputs), np.int64)
        for rule in rules:
            sums[:, outputs[rule]] += counts[:, rule] * votes[rule]
        return rows.score(sums, 0.1)

    clauses = Clauses(outputs, votes, np.arange(n_rules + 1), np.zeros(n_rules, np.int32))
    found = eliminate(clauses, sp.csr_array(counts.astype(float)), of_numbers(rows, 0.1), n_outputs, 0)
    left = list(range(n_rules))
    assert found.scores[0] == pytest.approx(score(left))
    for rule, after in zip(found.order, found.scores[1:], strict=True):
        best = max(score([other for other in left if other != without]) for without in left)
        left.remove(rule)
        assert after == pytest.approx(score(left))
        assert after == pytest.approx(best)


@given(st.integers(0, 999), st.integers(1, 9))
def test_votes_of_fuzzy_rules_are_counted(seed, failures):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (30, 7), dtype=np.uint8)
    clauses = [np.sort(rng.choice(14, n, replace=False)) for n in rng.integers(0, 10, 4)]
    ends = np.cumsum([0, *map(len, clauses)])
    found = vote_counts(pack_examples(X), ends, np.concatenate(clauses).astype(np.int32), failures).toarray()
    literals = np.concatenate([X, 1 - X], axis=1)
    n_false = np.stack([(1 - literals[:, clause]).sum(axis=1) for clause in clauses], axis=1)
    most = [min(failures, len(clause)) for clause in clauses]
    assert (found == np.maximum(0, most - n_false)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_pruned(kind, models, data, tmp_path):
    (model, y), X = models[kind], data[0]
    before, n_rules = model.predict(X), len(model.rules())
    for options in ({}, {"X": X, "y": y}):
        pruned = model.prune(n_rules=5, **options)
        assert len(pruned.rules()) == pruned.pruning_["n_rules"] == 5
        assert set(map(str, pruned.rules())) <= set(map(str, model.rules()))
        pruned.save(tmp_path / "model", prediction_only=True)
        loaded = load_model(tmp_path / "model")
        assert (loaded.predict(X) == pruned.predict(X)).all()
        assert loaded.pruning_ == pruned.pruning_
        with pytest.raises(ValueError, match="it was simplified, pruned or refitted"):
            pruned.partial_fit(X, y)
    metric = max_loss(kind).split("_")[1]
    (first, whole), (last, few) = pruned.pruning_["curve"][0], pruned.pruning_["curve"][-1]
    assert (first, last) == (n_rules, 5)
    assert (pruned.pruning_[f"{metric}_before"], pruned.pruning_[metric]) == pytest.approx((whole, few))
    assert (model.score(X, y), pruned.score(X, y)) == pytest.approx((whole, few))
    assert (model.predict(X) == before).all()
    by_loss = model.prune(X, y, **{max_loss(kind): 0.01})
    assert by_loss.score(X, y) >= model.score(X, y) - 0.01 - 1e-9
    assert len(by_loss.rules()) < n_rules
    weights = np.arange(len(X)) % 3
    rows = np.repeat(np.arange(len(X)), weights)
    weighted, repeated = (
        model.prune(X, y, n_rules=3, sample_weight=weights),
        model.prune(X.iloc[rows], y[rows], n_rules=3),
    )
    assert list(map(str, weighted.rules())) == list(map(str, repeated.rules()))


@pytest.mark.parametrize("kind", ["strict", "outputs"])
def test_rules_that_add_little_are_removed(kind, models):
    model, _ = models[kind]
    sizes = np.abs(model.rules().adds)
    limit = float(np.median(sizes))
    assert list(model.prune(min_weight=limit).rules()) == list(model.rules()[sizes >= limit])
    with pytest.raises(ValueError, match="min_weight must be at most"):
        model.prune(min_weight=2 * sizes.max())


@pytest.mark.parametrize("kind", ["fuzzy", "fuzzy labels"])
def test_fuzzy_rules_that_can_add_little_are_removed(kind, models):
    model, _ = models[kind]
    weights = model.rules().columns["weight"]
    kept = model.prune(min_weight=float(weights.max()) * 3 * (1 - 1e-9)).rules()  # LF is 3
    assert {card.weight for card in kept} == {weights.max()}
    assert len(model.prune(min_weight=0).rules()) == len(weights) > len(kept)


def counted(model, X):
    """The votes of each different rule, as shares of all that it can have."""
    failures = getattr(model, "literal_failures", None)
    columns = {}
    for rule in model.rules():
        if failures is None:
            columns[rule.conditions] = rule.holds(X).astype(float)
            continue
        score = rule.n_always * np.ones(len(X))
        for of_column in rule.points:
            for condition, n in of_column:
                score += n * condition.holds(model._table(X).column(list(X).index(condition.column)))
        key = rule.points, rule.n_always, rule.n_needed
        columns[key] = np.maximum(0, score - rule.n_always - rule.n_needed + 1) / failures
    return np.stack(list(columns.values()), axis=1)


@pytest.mark.parametrize("kind", REGRESSORS)
def test_refitted_numbers_are_those_of_a_linear_regression(kind, models, data):
    (model, y), X = models[kind], data[0]
    outputs, n_rows = counted(model, X), len(X)
    shares = to_shares(y.reshape(n_rows, -1), model.y_range_)
    weights = 1.0 + np.arange(n_rows) % 2
    for penalty, regression in (("l2", Ridge(1 / 0.5)), ("l1", Lasso(1 / (0.5 * weights.sum()), max_iter=10_000))):
        expected = regression.fit(outputs, shares, weights).predict(outputs).reshape(n_rows, -1)
        refitted = model.refit(X, y, penalty, C=0.5, sample_weight=weights)
        found = to_shares(refitted.predict(X).reshape(n_rows, -1), model.y_range_)
        np.testing.assert_allclose(found, np.clip(expected, -1, 1), atol=0.03)


def test_refitted_fuzzy_labels_are_those_of_a_logistic_regression(models, data):
    (model, y), X = models["fuzzy labels"], data[0]
    outputs = counted(model, X)
    expected = LogisticRegression(C=0.5, max_iter=1000).fit(outputs, y).predict_proba(outputs)
    np.testing.assert_allclose(model.refit(X, y, "l2", C=0.5).predict_proba(X), expected, atol=5e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_refitted_model_is_an_ordinary_one(kind, models, data, tmp_path):
    (model, y), X = models[kind], data[0]
    refitted = model.refit(X, y)
    assert refitted.score(X, y) > model.score(X, y) - 0.05
    refitted.save(tmp_path / "model", prediction_only=True)
    assert (load_model(tmp_path / "model").predict(X) == refitted.predict(X)).all()
    order = np.random.default_rng(1).permutation(len(X))
    other = load_model_of(model, tmp_path).set_params(n_jobs=2).refit(X.iloc[order], y[order])
    assert (other.predict(X) == refitted.predict(X)).all()
    sizes = [len(model.refit(X, y, C=C).rules()) for C in (0.05, 5)]
    assert sizes[0] < sizes[1]
    assert len(refitted.prune(X, y, n_rules=2).rules()) == 2
    with pytest.warns(UserWarning, match="refit left no rules but the intercept"):
        constant = model.refit(X, y, C=1e-9)
    if kind in REGRESSORS:
        np.testing.assert_allclose(constant.predict(X[:1])[0], y.mean(axis=0), rtol=0.02)


def load_model_of(model, folder):
    model.save(folder / "same")
    return load_model(folder / "same")


@pytest.mark.parametrize("kind", ["strict", "outputs"])
def test_a_simplified_regressor_predicts_the_same_on_the_rows(kind, models, data):
    (model, _), X = models[kind], data[0][:60]
    simpler = model.simplify(X)
    assert (simpler.predict(X) == model.predict(X)).all()
    assert simpler.rules().n_conditions < model.rules().n_conditions


@pytest.mark.parametrize("kind", ["fuzzy", "fuzzy labels"])
def test_fuzzy_rules_are_not_simplified(kind, models, data):
    with pytest.raises(TypeError, match=r"each of their conditions counts, so none can be left out. Use prune"):
        models[kind][0].simplify(data[0])


@pytest.mark.parametrize("kind", KINDS)
def test_rules_take_the_same_arguments_for_all_kinds(kind, models, data):
    (model, y), X = models[kind], data[0]
    assert list(map(str, model.rules(X, y))) == list(map(str, model.rules(X)))
    assert [*signature(model.rules).parameters][:2] == [*signature(WTMClassifier.rules).parameters][1:3]


def test_errors_say_what_is_wrong(models, data):
    (model, y), X = models["strict"], data[0]
    with pytest.raises(NotFittedError):
        WTMRegressor().prune(n_rules=1)
    with pytest.raises(ValueError, match="exactly one of n_rules, min_weight, max_r2_loss, got none"):
        model.prune(X, y)
    with pytest.raises(ValueError, match="max_r2_loss needs rows"):
        model.prune(max_r2_loss=0.1)
    with pytest.raises(ValueError, match="max_r2_loss must be a number from 0 to 1, got 2"):
        model.prune(X, y, max_r2_loss=2)
    with pytest.raises(ValueError, match="y must hold two different numbers or more"):
        model.prune(X, np.full(len(X), 7.0), n_rules=1)
    with pytest.raises(ValueError, match="y must have 1 numbers per row as in fit, got 2"):
        model.prune(X, np.stack([y, y], axis=1), n_rules=1)
    with pytest.raises(ValueError, match="y must hold finite numbers, but row 0 has nan"):
        model.refit(X, np.r_[np.nan, y[1:]])
    with pytest.raises(ValueError, match=r"C can't be chosen by cross-validation on 5 rows. Pass more rows, or C=1"):
        model.refit(X[:5], y[:5])
    assert model.refit(X[:5], y[:5], C=1).predict(X).shape == y.shape
