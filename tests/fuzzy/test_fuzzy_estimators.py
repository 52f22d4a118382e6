"""The estimators of fuzzy clauses: training, files and conventions."""

import numpy as np
import pytest
from safetensors.numpy import load_file
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.fuzzy.conftest import small, small_regressor
from tests.helpers.fingerprint import model_digest, votes_digest
from wtm import FuzzyWTMClassifier, FuzzyWTMRegressor, WTMClassifier, export, load_model
from wtm.rules import heaviest_rules, rules_of

MAKERS = pytest.mark.parametrize("make", [small, small_regressor])


def table(make, rows):
    X, y = rows
    return X, y if make is small else X @ np.arange(12.0)


@parametrize_with_checks([FuzzyWTMClassifier(), FuzzyWTMRegressor()])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_few_clauses_learn_a_majority(majority):
    X, y = majority
    model = small(n_clauses=2, n_epochs=20).fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > 0.97
    strict = WTMClassifier(n_clauses=2, T=1.5, s=3, n_epochs=20, random_state=0).fit(X[:500], y[:500])
    assert strict.score(X[500:], y[500:]) < 0.9


def test_a_number_is_learnt(majority):
    X, y = table(small_regressor, majority)
    model = small_regressor(n_clauses=40, T=5, n_epochs=30, literal_failures=8, max_literals=24).fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > 0.9


@MAKERS
@pytest.mark.parametrize("engine", ["lazy", "direct"])
def test_threads_and_the_order_of_rows_change_nothing(make, engine, majority):
    X, y = table(make, majority)
    model = make(engine=engine).fit(X, y)
    order = np.random.default_rng(3).permutation(len(X))
    for other in (make(engine=engine, n_jobs=2).fit(X, y), make(engine=engine).fit(X[order], y[order])):
        assert model_digest(other) == model_digest(model)
        assert (other.predict(X) == model.predict(X)).all()


def test_models_of_a_seed_are_those_of_before(people):
    """Whoever changes these on purpose names it in the changelog."""
    X, y = people
    found = {e: small(engine=e).fit(X, y) for e in ("lazy", "direct")}
    digests = {e: (model_digest(m)[:16], votes_digest(m, X)[:16]) for e, m in found.items()}
    assert digests == {
        "lazy": ("89e88be9e4e265ab", "ef454e515259c2c0"),
        "direct": ("2f964c9a802a5bc5", "fb8a81e5e0f7a80d"),
    }


@MAKERS
def test_training_resumes_bit_for_bit(make, majority, tmp_path):
    X, y = table(make, majority)
    whole = make(n_epochs=6).fit(X, y)
    part = make(n_epochs=3).fit(X, y)
    part.save(tmp_path / "model")
    read = load_model(tmp_path / "model")
    assert type(read) is type(part)
    assert read.get_params() == part.get_params()
    read.set_params(warm_start=True).fit(X, y)
    assert model_digest(read) == model_digest(whole)
    assert (read.predict(X) == whole.predict(X)).all()
    read.set_params(n_epochs=6, warm_start=False).save(tmp_path / "read")
    whole.save(tmp_path / "whole")
    arrays, expected = load_file(tmp_path / "read"), load_file(tmp_path / "whole")
    assert arrays.keys() == expected.keys()
    assert all((arrays[name] == expected[name]).all() for name in expected)


@MAKERS
def test_a_file_for_prediction_predicts_the_same(make, majority, tmp_path):
    X, y = table(make, majority)
    model = make().fit(X, y)
    model.save(tmp_path / "model", prediction_only=True)
    read = load_model(tmp_path / "model")
    assert (read.predict(X) == model.predict(X)).all()
    assert list(map(str, read.rules())) == list(map(str, model.rules()))


def test_weights_stay_until_gamma_start(majority):
    X, y = majority
    exponents = {}
    for start in (0, 2, 5):
        model = small(gamma_start=start, gamma=0.1).fit(X, y)
        exponents[start] = [np.abs(machine.exponents).max() for machine in model.machines_]
    assert max(exponents[5]) == 0
    assert min(*exponents[0], *exponents[2]) > 0


def test_an_interrupted_fit_changes_nothing(majority):
    X, y = majority
    model = small().fit(X, y)
    before = model_digest(model)

    def stop(epoch):
        if epoch.number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.set_params(callbacks=stop).fit(X, y == "yes")
    assert model_digest(model) == before
    assert set(model.classes_) == {"yes", "no"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"literal_failures": 0}, "literal_failures must be at least 1, got 0"),
        ({"literal_failures": 256}, "literal_failures must be at most 255, got 256"),
        ({"literal_failures": 2.5}, "literal_failures must be an integer, got 2.5"),
        ({"max_literals": 0}, "max_literals must be at least 1, got 0"),
        ({"gamma_start": -1}, "gamma_start must be at least 0, got -1"),
    ],
)
def test_wrong_parameters_are_named(majority, changes, message):
    with pytest.raises((ValueError, TypeError), match=message):
        small(**changes).fit(*majority)


def test_the_number_of_failures_stays_when_training_is_resumed(majority):
    model = small().fit(*majority)
    with pytest.raises(
        ValueError, match="literal_failures can't change when training is resumed: it was 3 and is now 4"
    ):
        model.set_params(literal_failures=4).partial_fit(*majority)


def test_both_engines_train_to_the_same_distribution(people):
    X, y = people
    numbers = []
    for engine in ("lazy", "direct"):
        models = [small(engine=engine, n_epochs=4, random_state=seed).fit(X, y) for seed in range(40)]
        numbers.append(np.array([summary(model) for model in models]))
    assert stats.ks_2samp(*numbers).pvalue.min() > 1e-6
    assert stats.ttest_ind(*numbers, equal_var=False).pvalue.min() > 1e-6


def summary(model):
    last = model.history_[-1]
    states = np.array([machine.states for machine in model.machines_], float)
    exponents = np.array([machine.exponents for machine in model.machines_])
    return [last["type_i"], last["type_ii"], last["literals_per_clause"], states.mean(), states.std(), exponents.std()]


def test_what_is_for_strict_rules_refuses_fuzzy_ones(fitted):
    for refuse in (export.to_verilog, rules_of, heaviest_rules):
        with pytest.raises(TypeError, match=r"a WTMClassifier.*got a FuzzyWTMClassifier"):
            refuse(fitted)


def test_numerals_are_not_numbers_to_predict(majority):
    X, y = table(small_regressor, majority)
    for text in (y.astype(str), y.astype(str).tolist(), y.astype(str).astype(object)):
        with pytest.raises(ValueError, match=r"y must hold numbers, got .*text is not a number"):
            small_regressor().fit(X, text)


@pytest.mark.parametrize(
    ("changes", "wrong", "message"),
    [
        ({}, np.nan, "y must hold finite numbers, but row 3 has nan"),
        ({}, np.inf, "y must hold finite numbers, but row 3 has inf"),
        ({"y_range": (5, 1)}, 0.0, r"y_range must be the smallest and the largest number .* got \(5, 1\)"),
        ({"average_last": 0}, 0.0, "average_last must be at least 1, got 0"),
    ],
)
def test_wrong_numbers_are_refused_and_change_nothing(majority, changes, wrong, message):
    X, y = table(small_regressor, majority)
    y[3] = wrong
    model = small_regressor()
    with pytest.raises(ValueError, match=message):
        model.set_params(**changes).fit(X, y)
    assert vars(model) == small_regressor(**changes).get_params()


@pytest.mark.parametrize(("name", "value", "usual"), [("T", 0, "0.5 and 20"), ("s", 0.5, "20 and 1000")])
@pytest.mark.parametrize("kind", [FuzzyWTMClassifier, FuzzyWTMRegressor])
def test_hints_are_those_of_fuzzy_clauses(kind, name, value, usual):
    default = getattr(kind(), name)
    low, high = map(float, usual.split(" and "))
    assert low <= default <= high
    with pytest.raises(ValueError, match=f"Values between {usual} are usual"):
        kind(**{name: value}).fit([[0], [1]], [0, 1])


@MAKERS
def test_no_smaller_s_is_recommended(make):
    rng = np.random.default_rng(0)
    X, y = np.ones((40, 3), int), rng.normal(size=40) if make is small_regressor else np.arange(40) % 4 == 0
    with pytest.warns(ConvergenceWarning, match="did not converge: .* Try more epochs or more clauses. The features"):
        make().fit(X, y)


def test_numbers_outside_the_range_are_clipped_with_one_warning(majority):
    X, y = table(small_regressor, majority)
    low, high = np.quantile(y, [0.2, 0.8])
    with pytest.warns(UserWarning, match="y holds .* outside y_range") as caught:
        model = small_regressor(y_range=(low, high)).fit(X, y)
    assert len(caught) == 1
    clipped = small_regressor(y_range=(low, high)).fit(X, np.clip(y, low, high))
    assert model_digest(model) == model_digest(clipped)
    assert low <= model.predict(X).min() <= model.predict(X).max() <= high
