"""Rules are removed in the order that plain counting gives, and what is left is an ordinary classifier."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from tests.helpers.machines import packed_rows
from tests.helpers.problems import small, three_classes, xor
from tests.helpers.tables import mixed_frame
from wtm import WTMClassifier, load_model
from wtm.export import to_json
from wtm.machine.examples import Examples
from wtm.machine.training_rows import LabelledExamples
from wtm.rules import Rule
from wtm.rules.merging import Clauses
from wtm.rules.pruning import eliminate, of_labels


@pytest.fixture(scope="module")
def data():
    X, y = mixed_frame()
    return X, {"two": y == "yes", "three": y}


def eliminated_by_counting(outputs, classes, votes, labels, weights, n_classes, n_left):
    """The order of removal and the rows that are right, by NumPy."""
    left, order = list(range(len(votes))), []

    def n_right(rules):
        sums = np.zeros((len(labels), n_classes), np.int64)
        for rule in rules:
            sums[:, classes[rule]] += votes[rule] * outputs[:, rule]
        return int(weights[sums.argmax(axis=1) == labels].sum())

    right = [n_right(left)]
    while len(left) > n_left:
        without = [n_right([other for other in left if other != rule]) for rule in left]
        cast = [abs(votes[rule]) * weights[outputs[:, rule]].sum() for rule in left]
        place = min(range(len(left)), key=lambda i: (-without[i], cast[i]))
        order.append(left.pop(place))
        right.append(without[place])
    return order, right


@settings(max_examples=40)
@given(st.data())
def test_the_least_needed_rule_is_removed_each_time(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    n_rows, n_features = data.draw(st.sampled_from([1, 63, 200, 513])), data.draw(st.integers(1, 9))
    n_classes, n_rules = data.draw(st.integers(2, 4)), data.draw(st.integers(0, 9))
    X = rng.integers(0, 2, (n_rows, n_features), dtype=np.uint8)
    labels = rng.integers(0, n_classes, n_rows)
    literals = [np.sort(rng.choice(2 * n_features, rng.integers(1, 3), replace=False)) for _ in range(n_rules)]
    classes = rng.integers(data.draw(st.integers(0, 1)), n_classes, n_rules)
    votes = rng.choice([-2, -1, 1, 2, 5], n_rules)  # so that ties are common
    ends = np.cumsum([0, *map(len, literals)])
    rules = Clauses(classes, votes, ends, np.concatenate([*literals, []]).astype(np.int32))
    true = np.concatenate([X, 1 - X], axis=1).astype(bool)
    outputs = np.stack([np.zeros(n_rows, bool), *(true[:, of_rule].all(axis=1) for of_rule in literals)], axis=1)[:, 1:]
    weights = rng.integers(1, data.draw(st.sampled_from([2, 4])), n_rows)
    order, right = eliminated_by_counting(outputs, classes, votes, labels, weights, n_classes, 1)
    given_weights = None if (weights == 1).all() else weights.astype(float)
    rows = LabelledExamples(Examples(packed_rows(X), n_features), labels, given_weights)
    found = eliminate(rules, sp.csr_array(outputs.astype(float)), of_labels(rows), n_classes, 1)
    assert found.order.tolist() == order
    assert (found.scores == np.array(right) / weights.sum()).all()
    n_lost = data.draw(st.integers(0, n_rows))
    least = right[0] - n_lost
    assert found.fewest(n_lost / weights.sum()) == max(i for i, n in enumerate(right) if n >= least)


@pytest.mark.parametrize("model", ["two", "three"])
def test_a_model_is_pruned_to_a_number_of_rules(model, data, request, tmp_path):
    clf, X, y = request.getfixturevalue(model), data[0], data[1][model]
    before = clf.class_sums(X)
    for options in ({}, {"X": X, "y": y}):
        pruned = clf.prune(n_rules=10, **options)
        assert len(pruned.rules()) == pruned.pruning_["n_rules"] == 10
        assert set(pruned.rules()) <= set(clf.rules())
        assert pruned.pruning_["n_rules_before"] == len(clf.rules())
        pruned.save(tmp_path / "model", prediction_only=True)
        loaded = load_model(tmp_path / "model")
        assert (loaded.predict_proba(X) == pruned.predict_proba(X)).all()
        assert loaded.pruning_ == pruned.pruning_
        assert list(loaded.rules()) == list(pruned.rules())
        explanation = pruned.explain(X[:1])[0]
        assert explanation.label == pruned.predict(X[:1])[0]
        with pytest.raises(ValueError, match="it was simplified, pruned or refitted"):
            pruned.partial_fit(X, y)
    assert (pruned.pruning_["accuracy_before"], pruned.pruning_["accuracy"]) == (clf.score(X, y), pruned.score(X, y))
    assert pruned.pruning_["curve"][-1] == (10, pruned.score(X, y))
    assert pruned.pruning_["curve"][0] == (len(clf.rules()), clf.score(X, y))
    assert (clf.class_sums(X) == before).all()
    assert clf.machines_
    assert not hasattr(clf, "pruning_")
    weights = clf.rules().columns["weight"]
    assert clf.prune(n_rules=10).rules().columns["weight"].tolist() == weights[:10].tolist()
    refit = copy.copy(pruned).set_params(n_epochs=1).fit(X, y)
    assert not hasattr(refit, "pruning_")


@pytest.mark.parametrize("model", ["two", "three"])
@pytest.mark.parametrize("loss", [0, 0.02, 1])
def test_the_fewest_rules_are_kept_that_lose_no_more_accuracy(model, loss, data, request):
    clf, X, y = request.getfixturevalue(model), data[0], data[1][model]
    pruned = clf.prune(X, y, max_accuracy_loss=loss)
    curve = pruned.pruning_["curve"]
    least = clf.score(X, y) - loss
    assert pruned.score(X, y) >= least - 1e-9
    assert len(pruned.rules()) == min(n for n, accuracy in curve if accuracy >= least - 1e-9) < len(clf.rules())
    assert [n for n, _ in curve] == list(range(len(clf.rules()), 0, -1))
    for n, accuracy in curve[:: len(curve) // 3]:
        assert clf.prune(X, y, n_rules=n).score(X, y) == accuracy


@pytest.mark.parametrize("model", ["two", "three"])
def test_a_row_of_weight_n_is_the_row_n_times(model, data, request):
    clf, X, y = request.getfixturevalue(model), data[0], data[1][model]
    weights = np.arange(len(y)) % 4
    rows = np.repeat(np.arange(len(y)), weights)
    for options in ({"max_accuracy_loss": 0.02}, {"n_rules": 5}, {"min_weight": 1}):
        weighted = clf.prune(X, y, sample_weight=weights, **options)
        repeated = clf.prune(X.iloc[rows], y[rows], **options)
        assert weighted.pruning_ == repeated.pruning_
        assert to_json(weighted) == to_json(repeated)
    assert weighted.pruning_["accuracy"] == pytest.approx(weighted.score(X, y, weights))
    shares, order = weights / weights.sum() / 2, np.random.default_rng(0).permutation(len(y))
    of_shares = clf.prune(X.iloc[order], y[order], sample_weight=shares[order], n_rules=5)
    assert list(of_shares.rules()) == list(clf.prune(X, y, sample_weight=weights, n_rules=5).rules())


def test_rules_of_small_weight_are_removed(three, data):
    X, y = data[0], data[1]["three"]
    weights = three.rules().columns["weight"]
    limit = float(np.median(weights))
    pruned = three.prune(min_weight=limit)
    assert pruned.rules().columns["weight"].tolist() == [w for w in weights if w >= limit]
    assert three.prune(min_weight=0).rules().columns["weight"].tolist() == weights.tolist()
    with_rows = three.prune(X, y, min_weight=limit)
    assert list(with_rows.rules()) == list(pruned.rules())
    assert with_rows.pruning_["accuracy"] == with_rows.score(X, y)
    assert "curve" not in with_rows.pruning_


def test_probabilities_are_calibrated_on_the_rows(two, data):
    X, y = data[0], data[1]["two"]

    def loss(clf):
        return -np.log(clf.predict_proba(X)[np.arange(len(y)), y.astype(int)]).mean()

    assert loss(two.prune(X, y, n_rules=3)) < loss(two.prune(X, y, n_rules=3).prune(n_rules=3)) + 1e-12
    pruned = two.prune(X, y, n_rules=3)
    assert abs(pruned.predict_proba(X)[:, 1].mean() - y.mean()) < 0.05


def test_whole_votes_and_ties_are_counted_exactly():
    X, y = three_classes()
    clf = small(gamma=0, n_clauses=6).fit(X, y)
    pruned = clf.prune(X, y, max_accuracy_loss=0)
    for n, accuracy in pruned.pruning_["curve"]:
        assert clf.prune(X, y, n_rules=n).score(X, y) == accuracy


def test_pruned_rules_are_simplified_and_pruned_again(two, data):
    X, y = data[0], data[1]["two"]
    pruned = two.prune(X, y, n_rules=12)
    simpler = pruned.simplify(X)
    assert (simpler.class_sums(X) == pruned.class_sums(X)).all()
    again = simpler.prune(X, y, n_rules=4)
    assert len(again.rules()) == 4
    assert again.pruning_["n_rules_before"] == len(simpler.rules())
    assert isinstance(again.rules()[0], Rule)
    assert len(two.prune(n_rules=10_000).rules()) == len(two.rules())


def test_a_model_without_rules_stays_without():
    X, y = xor()
    clf = small().fit(X, y)
    for machine in clf.machines_:
        machine.include_bits[:] = 0
    clf._voting = None
    for pruned in (clf.prune(n_rules=3), clf.prune(X, y, max_accuracy_loss=0), clf.prune(min_weight=1)):
        assert len(pruned.rules()) == pruned.pruning_["n_rules"] == 0
        assert (pruned.predict(X) == 0).all()


def test_errors_say_what_is_wrong(two, data):
    X, y = data[0], data[1]["two"]
    with pytest.raises(NotFittedError):
        WTMClassifier().prune(n_rules=1)
    with pytest.raises(ValueError, match="exactly one of n_rules, min_weight, max_accuracy_loss, got none of them"):
        two.prune(X, y)
    with pytest.raises(ValueError, match="got n_rules and min_weight"):
        two.prune(n_rules=1, min_weight=0)
    with pytest.raises(ValueError, match="max_accuracy_loss needs rows"):
        two.prune(max_accuracy_loss=0)
    with pytest.raises(ValueError, match="sample_weight needs the rows"):
        two.prune(n_rules=1, sample_weight=[1.0])
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        two.prune(X, y, n_rules=1, sample_weight=-np.ones(len(y)))
    for alone in ({"X": X}, {"y": y}):
        with pytest.raises(ValueError, match="X and y must be passed together"):
            two.prune(n_rules=1, **alone)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        two.prune(X, y[1:], n_rules=1)
    for name, wrong in [("n_rules", 0), ("min_weight", -1), ("max_accuracy_loss", 1.5), ("max_accuracy_loss", np.nan)]:
        with pytest.raises(ValueError, match=f"{name} must be"):
            two.prune(X, y, **{name: wrong})
    for name, wrong in [("n_rules", 2.0), ("n_rules", True), ("min_weight", "1"), ("max_accuracy_loss", "0")]:
        with pytest.raises(TypeError, match=f"{name} must be"):
            two.prune(X, y, **{name: wrong})


def test_what_would_leave_no_rules_or_has_one_class_is_refused():
    X, y = xor()
    clf = small().fit(X, y)
    with pytest.raises(ValueError, match=r"min_weight must be at most [\d.]+, the largest weight, got 1000.0"):
        clf.prune(min_weight=1000.0)
    with pytest.raises(ValueError, match="y must have rows of two classes or more"):
        clf.prune(X[y == 1], y[y == 1], max_accuracy_loss=0)
    with pytest.raises(ValueError, match="y must have rows of two classes or more"):
        clf.prune(X, y, max_accuracy_loss=0, sample_weight=y)
