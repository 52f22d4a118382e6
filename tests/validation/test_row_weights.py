"""Weights of rows and classes: a row of weight 0 is absent, and a row of weight 2 is there twice."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier

from tests.helpers.machines import parameters
from tests.helpers.problems import assert_same_model, is_same_model, small, table, three_classes, xor
from wtm.machine.examples import pack_examples
from wtm.machine.machine_parameters import ENGINES
from wtm.machine.model_state import Model
from wtm.machine.schedule import draw_schedule
from wtm.validation.row_weights import class_weights, mean_one_if_shares

# A correct program fails one of the few tests below for fewer than one choice of seeds in 10**6.
P_BOUND = 1e-7


@pytest.fixture(scope="module")
def problem():
    return three_classes()


# --- The schedule ------------------------------------------------------------------------------------------------


def counts(weights, n_seen=0, seed=3, shuffle=True):
    """How many times an epoch sees each row."""
    weights = np.asarray(weights, float)
    labels = np.arange(len(weights)) % 3
    schedule = draw_schedule(labels, 3, seed=seed, n_seen=n_seen, shuffle=shuffle, weights=weights)
    as_target = np.concatenate([rows[targets > 0] for rows, targets in schedule])
    as_other = np.concatenate([rows[targets < 0] for rows, targets in schedule])
    found = np.bincount(as_target, minlength=len(weights))
    assert (found == np.bincount(as_other, minlength=len(weights))).all()
    for machine, (rows, targets) in enumerate(schedule):
        assert (labels[rows[targets > 0]] == machine).all()
        assert (labels[rows[targets < 0]] != machine).all()
    return found


def flat(schedule):
    return [(rows.tolist(), targets.tolist()) for rows, targets in schedule]


@pytest.mark.parametrize("shuffle", [True, False])
def test_weights_of_one_change_nothing(shuffle):
    labels = np.arange(100) % 4
    draws = {"seed": 1, "n_seen": 7, "shuffle": shuffle}
    assert flat(draw_schedule(labels, 4, weights=np.ones(100), **draws)) == flat(draw_schedule(labels, 4, **draws))


@pytest.mark.parametrize("shuffle", [True, False])
def test_whole_weights_are_the_schedule_of_a_table_with_repeated_rows(shuffle):
    weights = np.arange(60) % 4
    labels = np.arange(60) % 3
    rows = np.repeat(np.arange(60), weights)
    draws = {"seed": 1, "n_seen": 7, "shuffle": shuffle}
    weighted = draw_schedule(labels, 3, weights=weights.astype(float), **draws)
    repeated = draw_schedule(labels[rows], 3, **draws)
    assert flat(weighted) == [(rows[part].tolist(), targets.tolist()) for part, targets in repeated]


def test_fractions_are_probabilities_drawn_again_in_each_epoch():
    weights = np.array([0.25, 1.5, 2.9, 0.0, 3.0] * 8_000)
    first, second = counts(weights), counts(weights, n_seen=len(weights))
    for kind, weight in enumerate(weights[:5]):
        one, other = first[kind::5] - int(weight), second[kind::5] - int(weight)
        fraction = weight % 1
        assert set(one.tolist()) <= ({0, 1} if fraction else {0})
        assert stats.binomtest(int(one.sum()), 8_000, fraction).pvalue > P_BOUND
        assert stats.binomtest(int((one & other).sum()), 8_000, fraction**2).pvalue > P_BOUND


def test_fractions_do_not_depend_on_the_order_or_on_the_other_class():
    weights = np.full(40_000, 1.5)
    labels = np.zeros(len(weights), int)
    schedule = draw_schedule(labels, 3, seed=2, n_seen=0, shuffle=True, weights=weights)
    rows = schedule[0].rows
    twice = np.bincount(rows, minlength=len(weights)) == 2
    first_half, second_half = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    for part in (first_half, second_half, schedule[1].rows, schedule[2].rows):
        # Among examples, as many as two thirds belong to rows seen twice.
        assert stats.binomtest(int(twice[part].sum()), len(part), 2 / 3).pvalue > P_BOUND


def test_an_epoch_may_see_nothing():
    assert counts([1e-300] * 10).sum() == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_epochs_without_examples_leave_the_model_as_it_was(problem, engine):
    X, y = problem
    model = small(engine=engine).partial_fit(X, y, classes=[0, 1, 2])
    before = [machine.states for machine in model.machines_]
    model.partial_fit(X, y, sample_weight=np.full(len(y), 1e-300))
    assert all((a == b.states).all() for a, b in zip(before, model.machines_, strict=True))
    assert model.n_epochs_ == 2


# --- Sample weights ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_equal_weights_of_one_change_nothing(problem, engine):
    X, y = problem
    plain = small(engine=engine).fit(X, y)
    for weights in (np.ones(len(y)), [1] * len(y), 1, 1.0, np.array(1), np.float32(1), np.ones(len(y), np.float32)):
        model = small(engine=engine).fit(X, y, sample_weight=weights)
        assert_same_model(model, plain)
        assert (model.predict_proba(X) == plain.predict_proba(X)).all()


def metrics(model):
    return [{key: value for key, value in entry.items() if key != "seconds"} for entry in model.history_]


@pytest.mark.parametrize(
    "changes",
    [{}, {"shuffle": False}, {"engine": "direct"}, {"early_stopping": True, "validation_fraction": 0.3},
     {"class_weight": "balanced"}],
    ids=str,
)  # fmt: skip
def test_rows_without_weight_are_absent(problem, changes):
    X, y = problem
    weights = np.where(np.arange(len(y)) % 3 == 1, 0.0, np.arange(len(y)) % 5 / 2 + 0.5)
    present = weights > 0
    weighted = small(**changes).fit(X, y, sample_weight=weights)
    left_out = small(**changes).fit(X[present], y[present], sample_weight=weights[present])
    assert_same_model(weighted, left_out)
    assert metrics(weighted) == metrics(left_out)
    assert (weighted.predict_proba(X) == left_out.predict_proba(X)).all()


def test_a_class_without_weight_is_absent(problem):
    X, y = problem
    model = small().fit(X, y, sample_weight=(y != 1).astype(float))
    assert model.classes_.tolist() == [0, 2]
    with pytest.raises(ValueError, match="one class"):
        small().fit(X, y, sample_weight=(y == 1).astype(float))


@pytest.mark.parametrize("shuffle", [True, False])
def test_whole_weights_are_repeated_rows(problem, shuffle):
    """Bit for bit if the copies of a row are adjacent, since draws depend on an example's number."""
    X, y = problem
    weights = np.arange(len(y)) % 4
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = small(shuffle=shuffle).fit(X, y, sample_weight=weights)
    repeated = small(shuffle=shuffle).fit(X[rows], y[rows])
    assert_same_model(weighted, repeated)
    assert (weighted.predict_proba(X) == repeated.predict_proba(X)).all()
    assert [entry["train_accuracy"] for entry in weighted.history_] == [
        entry["train_accuracy"] for entry in repeated.history_
    ]


def test_a_weight_counts_as_that_many_rows_in_any_position():
    """In distribution: sums of many small models, trained on weighted rows and with the copies at the end."""
    X, y = table(12, 3), np.arange(12) % 2
    copies = np.concatenate([np.arange(12), *[np.flatnonzero(y == 1)] * 3])
    p = parameters(3, T=8.0, s=3.0, gamma=0.05, engine="lazy")

    def difference(rows, weights, seed):
        model = Model.new(p, 2, seed)
        schedule = draw_schedule(y[rows], 2, seed=seed, n_seen=0, shuffle=True, weights=weights)
        literals = pack_examples(X[rows]).literals
        for machine, part in zip(model.machines, schedule, strict=True):
            machine.train(literals, part)
        first, second = model.voting_model().sums(pack_examples(X[:1]))[0]
        return second - first

    weighted = [difference(np.arange(12), np.where(y == 1, 4.0, 1.0), 3 * seed) for seed in range(150)]
    repeated = [difference(copies, None, 3 * seed + 1) for seed in range(150)]
    unweighted = [difference(np.arange(12), None, 3 * seed + 2) for seed in range(150)]
    assert len(set(weighted)) > 20
    assert stats.ks_2samp(weighted, repeated).pvalue > P_BOUND
    assert stats.ks_2samp(weighted, unweighted).pvalue < 1e-3, "the test can fail"


def test_training_with_weights_resumes_exactly(problem):
    X, y = problem
    weights = np.linspace(0, 1.7, len(y))
    whole = small(n_epochs=5).fit(X, y, weights)
    parts = small(n_epochs=2, warm_start=True).fit(X, y, weights)
    parts.set_params(n_epochs=2).fit(X, y, weights)
    parts.partial_fit(X, y, sample_weight=weights)
    assert_same_model(parts, whole)
    assert metrics(parts) == metrics(whole)
    assert (parts.predict_proba(X) == whole.predict_proba(X)).all()
    assert not is_same_model(whole, small(n_epochs=5).fit(X, y))


def test_accuracies_count_rows_by_weight(problem):
    X, y = problem
    weights = np.linspace(0.1, 3, len(y))
    model = small().fit(X, y, weights, X_val=X, y_val=y)
    assert model.history_[-1]["train_accuracy"] == pytest.approx(model.score(X, y, sample_weight=weights), abs=1e-12)
    assert model.history_[-1]["valid_accuracy"] == model.score(X, y)


WRONG = {
    "negative": (lambda n: np.arange(n) - 1.0, "row 0 has the weight -1.0"),
    "NaN": (
        lambda n: np.where(np.arange(n) == 2, np.nan, 1),
        "sample_weight must hold finite numbers, but row 2 has nan",
    ),
    "infinite": (
        lambda n: np.where(np.arange(n) == 2, np.inf, 1),
        "sample_weight must hold finite numbers, but row 2 has inf",
    ),
    "too few": (lambda n: np.ones(n - 1), r"each of the 120 rows, got shape \(119,\)"),
    "too many": (lambda n: np.ones(n + 1), r"each of the 120 rows, got shape \(121,\)"),
    "a column": (lambda n: np.ones((n, 1)), r"got shape \(120, 1\)"),
    "all zero": (np.zeros, "weight must not be zero for all .* rows"),
    "zero": (lambda n: 0, "weight must not be zero for all .* rows"),
    "masked": (lambda n: np.ma.masked_less(np.arange(n), 3), "sample_weight must hold a weight .* masked"),
    "None": (lambda n: [None, *[1.0] * (n - 1)], "sample_weight must hold finite numbers, but row 0 has nan"),
    "words": (lambda n: ["a"] * n, r"sample_weight must hold numbers, got \['a', .* convert them to float64"),
    "a word": (lambda n: "a", "sample_weight must hold numbers, got 'a'"),
    "one NaN": (lambda n: float("nan"), "sample_weight must hold finite numbers, but row 0 has nan"),
    "negative number": (lambda n: -1, "row 0 has the weight -1.0"),
    "too large": (lambda n: [10**400] * n, "sample_weight must hold numbers, got .* too large"),
    "an epoch without end": (lambda n: np.full(n, 1e9), "adds up to 1.2e[+]11, so an epoch would see this many"),
    "more than there are numbers": (lambda n: np.full(n, 1e308), "adds up to inf"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.filterwarnings("ignore:overflow", "ignore:sample_weight has a mean")
def test_invalid_weights_are_refused(problem, case):
    X, y = problem
    make, message = WRONG[case]
    model = small().fit(X, y)
    before = clone(model).fit(X, y)
    for call in (model.fit, lambda *data: model.partial_fit(*data[:2], None, data[2])):
        with pytest.raises(ValueError, match=message):
            call(X, y, make(len(y)))
    assert_same_model(model, before)


@pytest.mark.parametrize("weights", [{"a": 1}, object(), 1j, np.array("2020", "M8[D]"), np.full(120, 1, "M8[D]")])
def test_weights_of_other_types_are_refused(problem, weights):
    X, y = problem
    with pytest.raises((TypeError, ValueError), match="sample_weight must hold numbers, got"):
        small().fit(X, y, weights)


CONTAINERS = {
    "list": np.ndarray.tolist,
    "Series": lambda weights: pytest.importorskip("pandas").Series(weights, index=range(len(weights))[::-1]),
    "nullable": lambda weights: pytest.importorskip("pandas").Series(weights, dtype="Int64"),
    "polars": lambda weights: pytest.importorskip("polars").Series(weights),
    "arrow": lambda weights: pytest.importorskip("pyarrow").array(weights),
    "objects": lambda weights: weights.astype(object),
    "big-endian": lambda weights: weights.astype(">f4"),
    "unmasked": np.ma.masked_array,
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_weights_in_any_container_go_by_position(problem, container):
    X, y = problem
    weights = np.arange(len(y)) % 3
    assert_same_model(small().fit(X, y, CONTAINERS[container](weights)), small().fit(X, y, weights))


def test_weights_are_left_as_they_are(problem):
    X, y = problem
    weights = np.arange(len(y)) / 7
    weights.flags.writeable = False
    before = weights.copy()
    small(class_weight="balanced").fit(X, y, weights)
    assert (weights == before).all()


# --- Class weights -----------------------------------------------------------------------------------------------


def test_class_weights_multiply_weights(problem):
    X, y = problem
    names = np.array(["a", "b", "c"])[y]
    weights = np.linspace(0.5, 2, len(y))
    by_class = small(class_weight={"a": 2, "c": 0.5}).fit(X, names, weights)
    assert_same_model(by_class, small().fit(X, names, weights * np.array([2, 1, 0.5])[y]))
    assert_same_model(small(class_weight={}).fit(X, y), small().fit(X, y))
    assert_same_model(small(class_weight=dict.fromkeys(range(3), 1.0)).fit(X, y), small().fit(X, y))
    assert_same_model(
        small(class_weight={1: 3.0}).partial_fit(X, y, [0, 1, 2]),
        small().partial_fit(X, y, [0, 1, 2], np.array([1, 3, 1])[y]),
    )


def test_balanced_classes_count_the_same(problem):
    X, y = problem
    expected = len(y) / (3 * np.bincount(y))
    assert_same_model(small(class_weight="balanced").fit(X, y), small().fit(X, y, expected[y]))
    weights = np.linspace(0, 2, len(y))
    counted = np.bincount(y, weights)
    expected = weights.sum() / (3 * counted)
    balanced = small(class_weight="balanced").fit(X, y, weights)
    assert_same_model(balanced, small(class_weight=dict(enumerate(expected))).fit(X, y, weights))


def test_balance_helps_a_rare_class():
    X = table(900, 8)
    rare = X[:, :4].sum(axis=1) == 4
    y = (rare | (table(900, 9)[:, 8] & (X[:, :3].sum(axis=1) == 3))).astype(int)  # half of those near the rare ones
    recalls = [
        np.mean(small(class_weight=weight, n_clauses=20, n_epochs=10).fit(X, y).predict(X[rare]) == 1)
        for weight in (None, "balanced")
    ]
    assert recalls[1] >= recalls[0]
    hard = table(600, 5)
    labels = (table(600, 15)[:, 5:].sum(axis=1) > 6).astype(int)  # rare, and nothing to do with the features
    shares = [small(class_weight=w).fit(hard, labels).predict(hard).mean() for w in (None, "balanced")]
    assert shares[1] > shares[0] + 0.1


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("even", "class_weight must be None, 'balanced' or a dict"),
        ([1, 2, 3], "class_weight must be None"),
        (1.0, "class_weight must be None"),
        ({0: 1, 7: 2}, "class_weight names the label 7"),
        ({0: -1}, "class_weight must hold finite weights"),
        ({0: np.nan}, "class_weight must hold finite weights"),
        ({0: np.inf}, "class_weight must hold finite weights"),
        ({0: None}, "class_weight must hold finite weights"),
        ({0: "2"}, "class_weight must hold finite weights"),
        ({0: [2]}, "class_weight must hold finite weights"),
        ({0: 1j}, "class_weight must hold finite weights"),
        (dict.fromkeys(range(3), 0), "class_weight must hold finite weights of 0 or more, not all zero"),
    ],
    ids=str,
)
def test_invalid_class_weights_are_refused(problem, weight, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        small(class_weight=weight).fit(*problem)


def test_partial_fit_cannot_know_the_balance(problem):
    with pytest.raises(ValueError, match="class_weight='balanced' can't be used with partial_fit"):
        small(class_weight="balanced").partial_fit(*problem, classes=[0, 1, 2])


def test_weights_in_two_classes():
    X, y = xor()
    model = small(class_weight={0: 5.0}).fit(X, y)
    assert not is_same_model(model, small().fit(X, y))


# --- Shares ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "total"), [("float32", 1), ("float64", 1), ("float64", 0.7), ("float64", 1e-300)])
def test_equal_shares_are_no_weights(problem, dtype, total):
    X, y = problem
    shares = np.full(len(y), total / len(y), dtype)
    assert_same_model(small().fit(X, y, shares), small().fit(X, y))


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=30), st.randoms())
def test_shares_are_scaled_to_a_mean_of_1_in_any_order(values, random):
    shares = np.array(values) / np.sum(values)
    scaled = mean_one_if_shares(shares)
    assert np.isclose(scaled.mean(), 1)
    assert np.allclose(scaled / scaled.max(), shares / shares.max())
    assert (scaled > 0).all()
    order = list(range(len(shares)))
    random.shuffle(order)
    assert (mean_one_if_shares(shares[order]) == scaled[order]).all()


@given(st.lists(st.floats(0.5, 1e6), min_size=3, max_size=30))
def test_weights_that_are_not_shares_are_kept(values):
    weights = np.array(values)
    assert mean_one_if_shares(weights) is weights


def test_shares_of_present_rows_alone_are_scaled(problem):
    X, y = problem
    shares = np.where(np.arange(len(y)) % 3, 1.0, 0.0)
    kept = shares > 0
    assert_same_model(small().fit(X, y, shares / shares.sum()), small().fit(X[kept], y[kept]))


def test_batches_are_not_scaled(problem):
    X, y = problem
    model = small().partial_fit(X, y, [0, 1, 2], np.full(len(y), 1e-9))
    assert model.history_[0]["type_i"] == 0


def test_adaboost_learns(problem):
    X, y = problem
    boosted = AdaBoostClassifier(small(n_epochs=5), n_estimators=3, random_state=0).fit(X, y)
    assert all(estimator.score(X, y) > 0.8 for estimator in boosted.estimators_[:1])
    assert_same_model(
        boosted.estimators_[0], small(n_epochs=5, random_state=boosted.estimators_[0].random_state).fit(X, y)
    )


@pytest.mark.parametrize("changes", [{}, {"class_weight": "balanced"}, {"early_stopping": True}])
def test_with_weights_the_model_does_not_depend_on_the_order_of_the_rows(changes):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 4))  # many rows are equal, and have different weights
    y, weights, order = X[:, 0] ^ X[:, 1], rng.random(200) * 3, rng.permutation(200)
    model = small(**changes).fit(X, y, weights)
    assert_same_model(small(**changes).fit(X[order], y[order], weights[order]), model)


def test_balanced_weights_are_the_same_in_any_order_of_the_rows():
    rng = np.random.default_rng(0)
    labels, weights, order = rng.integers(0, 2, 1000), rng.random(1000), rng.permutation(1000)
    found = class_weights("balanced", np.arange(2), labels, weights)
    assert np.array_equal(class_weights("balanced", np.arange(2), labels[order], weights[order]), found)
