"""Rules read back from their printed text give the decision function on real data."""

import numpy as np
import pandas as pd
import pytest

from wtm import WTMClassifier
from wtm.datasets import load, load_connect_4
from wtm.rules import parse_rule
from wtm.tables.reading import read_table

N_ROWS = 10_000


def decisions_by_text(rules, X, columns, classes):
    """Sums of the votes of rules, which are read from their text, on each class."""
    table, holds = read_table(X), {}
    sums = np.zeros((len(table), len(classes)))
    for rule in map(parse_rule, rules):
        holds_for = np.ones(len(table), np.bool_)
        for condition in rule.conditions:
            if condition not in holds:
                holds[condition] = condition.holds(table.column(columns.index(condition.column)))
            holds_for &= holds[condition]
        sums[:, list(classes).index(rule.label)] += rule.vote * holds_for
    return sums[:, 1] if len(classes) == 2 else sums


def check(clf, X, columns):
    rules = [f"{rule:.17g}" for rule in clf.rules(feature_names=columns)]
    assert rules
    found = decisions_by_text(rules, X, columns, clf.classes_.tolist())
    np.testing.assert_array_equal(found, clf.decision_function(X))


def test_connect_4():
    data = load_connect_4()
    clf = WTMClassifier(20, 10, 4, n_epochs=1, n_jobs=2, random_state=0).fit(data.X_train[:1000], data.y_train[:1000])
    check(clf, data.X_test[:1000], data.feature_names)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect-4", "mnist", "fashion-mnist", "imdb"])
def test_data_sets_of_bits(real_data, name):
    data = load(name, data_dir=real_data(name))
    clf = WTMClassifier(60, 25, 5, n_epochs=1, n_jobs=2, random_state=0).fit(data.X_train[:5000], data.y_train[:5000])
    check(clf, data.X_test[:N_ROWS], list(map(str, data.feature_names)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "file", "target"),
    [
        ("adult", "adult.data.gz", "x14"),
        ("mushroom", "agaricus-lepiota.data.gz", "x0"),
        ("california-housing", "cal_housing.csv.gz", "median_house_value"),
        ("wine-quality", "winequality-red.csv.gz", "quality"),
    ],
)
def test_tables_with_thresholds_and_missing_values(real_data, name, file, target):
    has_names = not target.startswith("x")
    path, header = real_data(name) / name / file, 0 if has_names else None
    frame = pd.read_csv(path, header=header, skipinitialspace=True, na_values=["?"], sep=None, engine="python")
    if not has_names:
        frame.columns = [f"x{i}" for i in frame.columns]
    y = frame.pop(target).to_numpy()
    if y.dtype.kind in "if":
        y = y > np.median(y)
    order = np.random.default_rng(0).permutation(len(frame))
    frame, y = frame.iloc[order], y[order]
    clf = WTMClassifier(60, 25, 5, n_epochs=2, n_jobs=2, random_state=0).fit(frame[-3000:], y[-3000:])
    some = frame[:N_ROWS].astype(object)
    some.iloc[::13, 0] = None  # where fit may have seen none
    check(clf, some, frame.columns.tolist())
