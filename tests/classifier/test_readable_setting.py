"""The setting for readable rules."""

import inspect

import pytest
from sklearn.base import clone

from studies.few_rules import CANDIDATES, RESULTS
from wtm import WTMClassifier
from wtm.datasets import load_connect_4
from wtm.paper.json_files import read_json


def test_it_is_the_choice_of_the_study_and_the_rest_is_default():
    chosen = CANDIDATES[read_json(RESULTS)["readable"]]
    assert WTMClassifier.readable().get_params() == WTMClassifier(**chosen).get_params()
    assert (
        WTMClassifier.readable(s=4, n_clauses=10).get_params()
        == WTMClassifier(**chosen | {"s": 4, "n_clauses": 10}).get_params()
    )
    clf = WTMClassifier.readable()
    assert clone(clf).get_params() == clf.get_params()


def test_an_instance_refuses_it_since_its_parameters_would_be_lost():
    clf = WTMClassifier(n_clauses=10)
    with pytest.raises(TypeError, match=r"call it on the class, as WTMClassifier.readable\(...\)"):
        clf.readable(n_epochs=3)
    assert inspect.signature(clf.readable) == inspect.signature(WTMClassifier.readable)
    assert "short rules" in WTMClassifier.readable.__doc__


def test_its_rules_are_shorter():
    data = load_connect_4()
    options = {"n_clauses": 40, "T": 10, "n_epochs": 2, "random_state": 0}
    lengths = []
    for new in (WTMClassifier, WTMClassifier.readable):
        table = new(**options).fit(data.X_train[:2000], data.y_train[:2000]).rules()
        lengths.append(table.n_conditions / len(table))
    assert lengths[1] < lengths[0] / 2
