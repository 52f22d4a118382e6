"""Warnings after a fit: each is issued once, and ordinary fits have none."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from tests.helpers.machines import machine_in
from tests.helpers.problems import assert_same_model, small, table, three_classes, xor
from wtm import WTMClassifier
from wtm.datasets import load_connect_4
from wtm.fitting.fit_warnings import warnings_about_fit
from wtm.machine.examples import pack_examples
from wtm.machine.training_rows import LabelledExamples


def messages_of(call):
    """The texts of the warnings that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught]


NOTHING_TO_LEARN = (np.ones((40, 3)), np.arange(40) % 4 == 0)
OCCASIONS = {
    "no better than the most frequent class": (
        lambda **changes: small(**changes).fit(*NOTHING_TO_LEARN), "did not converge: .* is 75.0%, .* would give 75.0%",
    ),
    "T out of reach": (
        lambda **changes: small(T=1e4, **changes).fit(*three_classes()), "^T=10000 is too large: class sums",
    ),
    "weights that make an epoch of nothing": (
        lambda **changes: small(**changes).fit(*xor(), sample_weight=np.full(120, 1 / 20)),
        "sample_weight adds up to 6 for 120 rows",
    ),
    "weights of classes that make an epoch of nothing": (
        lambda **changes: small(class_weight={0: 1 / 120, 1: 1 / 120}, **changes).fit(*xor()),
        "class_weight adds up to 1 for 120 rows",
    ),
    "both kinds of weights that make an epoch of nothing": (
        lambda **changes: small(class_weight={0: 1 / 60, 1: 1 / 60}, **changes).fit(
            *xor(), sample_weight=np.full(120, 0.5)
        ),
        "sample_weight times class_weight adds up to 1 for 120 rows",
    ),
    "weights like those of a survey": (
        lambda **changes: small(n_epochs=1, **changes).fit(*xor(), sample_weight=np.full(120, 190.0)),
        "sample_weight has a mean of 190, .* as one of 22,800 rows.* divide",
    ),
    "weights like those of a survey, in a batch": (
        lambda **changes: small(**changes).partial_fit(*xor(), classes=[0, 1], sample_weight=np.full(120, 190.0)),
        "sample_weight has a mean of 190",
    ),
    "weights at the largest": (
        lambda **changes: small(gamma=1000.0, T=5000, **changes).fit(*three_classes()), "reached the largest weight",
    ),
}  # fmt: skip


@pytest.mark.parametrize("occasion", OCCASIONS)
@pytest.mark.parametrize("engine", ["lazy", "direct"])
def test_each_warning_is_issued_once_where_fit_was_called(occasion, engine):
    fit, text = OCCASIONS[occasion]
    with pytest.warns(Warning, match=text) as caught:
        fit(engine=engine)
    messages = [str(warning.message) for warning in caught]
    assert len(set(messages)) == len(messages)
    assert all(warning.filename == __file__ for warning in caught)
    concern = ConvergenceWarning if "weights" not in occasion else UserWarning | RuntimeWarning
    assert any(isinstance(warning.message, concern) for warning in caught)


@pytest.mark.parametrize(("n_empty", "warned"), [(5, False), (6, True), (10, True)])
def test_many_empty_clauses_give_a_warning(n_empty, warned):
    X, y = xor()
    model = small().fit(X, y)._model
    states = np.full((10, 14), 200)
    states[:n_empty] = 0
    model.machines = [machine_in(model.parameters, states)] * 2
    found = warnings_about_fit(model, LabelledExamples(pack_examples(X), y), {"train_accuracy": 1.0}, None)
    assert ["of the clauses are empty" in str(concern) for concern in found] == [True] * warned


def test_partial_fit_warns_of_the_largest_weights_alone():
    X, y = NOTHING_TO_LEARN
    assert messages_of(lambda: small(T=1e4).partial_fit(X, y, [False, True])) == []
    (message,) = messages_of(lambda: small(gamma=1000.0, T=1e6).partial_fit(*three_classes(), [0, 1, 2]))
    assert "reached the largest weight" in message


def test_weights_at_the_smallest_give_no_warning():
    X, y = NOTHING_TO_LEARN
    parameters = {"gamma": 1.0, "s": 1.5, "T": 5.0, "n_epochs": 20}
    texts = messages_of(lambda: small(**parameters).fit(X, y))
    assert not any("largest weight" in text for text in texts)
    model = small(**parameters).fit(X, y)
    assert min(machine.exponents.min() for machine in model.machines_) == -16  # 2**-16
    assert sum(entry["weights_saturated"] for entry in model.history_) > 0


def test_with_class_weights_accuracy_is_not_checked():
    X, y = table(600, 5), (table(600, 15)[:, 5:].sum(axis=1) > 6).astype(int)
    model = small(class_weight="balanced")
    assert messages_of(lambda: model.fit(X, y)) == []
    assert model.history_[-1]["train_accuracy"] < 1 - y.mean()


def test_a_warning_made_an_error_leaves_the_model_as_it_was():
    model = small().fit(*three_classes())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning):
            model.fit(*NOTHING_TO_LEARN)
    assert_same_model(model, small().fit(*three_classes()))


def breast_cancer():
    data = load_breast_cancer()
    thresholds = np.quantile(data.data, [0.2, 0.4, 0.6, 0.8], axis=0)
    return np.concatenate([data.data > t for t in thresholds], axis=1), data.target


def connect_4():
    data = load_connect_4()
    return data.X_train[:3000], data.y_train[:3000]


def noisy_xor():
    X, y = xor(2000, 12)
    return X, y ^ (table(2000, 16)[:, 12:14].sum(axis=1) == 2)


GOOD_FITS = {
    "Connect-4 as the authors": (connect_4, {"n_clauses": 200, "T": 12, "s": 27, "gamma": 1e-4, "n_epochs": 4}),
    "Connect-4 untuned": (connect_4, {"n_epochs": 4}),
    "noisy XOR": (noisy_xor, {"n_clauses": 20, "T": 10, "s": 4, "gamma": 0}),
    "noisy XOR untuned": (noisy_xor, {"n_epochs": 4}),
    "breast cancer": (breast_cancer, {}),
    "breast cancer, stopped early": (breast_cancer, {"early_stopping": True}),
    "breast cancer, classic": (breast_cancer, {"gamma": 0, "T": 15, "n_clauses": 40}),
    "breast cancer, one epoch": (breast_cancer, {"n_epochs": 1}),
}


@pytest.mark.parametrize("name", GOOD_FITS)
def test_ordinary_fits_warn_of_nothing(name):
    data, settings = GOOD_FITS[name]
    X, y = data()
    assert messages_of(lambda: WTMClassifier(random_state=0, **settings).fit(X, y)) == []


# --- Shards -----------------------------------------------------------------------------------------------------


def test_votes_of_other_shards_that_are_far_off():
    X, y = xor(700, 12)
    few = small(n_clauses=320, T=2, gamma=0.3, n_shards=80, n_epochs=1)
    with pytest.warns(UserWarning, match=r"off by 0\.\d+ T.*vote_block below 512, n_shards below 80"):
        few.fit(X, y)
    with pytest.warns(UserWarning, match=r"off by 0\.\d+ T"):
        clone(few).partial_fit(X, y, classes=[0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(n_clauses=320, T=40, n_shards=4, vote_block=16).fit(X, y)
        few.set_params(n_shards=1).fit(X, y)
