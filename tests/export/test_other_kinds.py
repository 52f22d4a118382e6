"""Regressors and fuzzy models in all formats that can express them."""

import gzip
import json
import subprocess
from functools import cache

import numpy as np
import pytest

from tests.export import test_c_source as c
from tests.export import test_onnx_graph as onnx
from tests.export import test_sql_query as sql
from tests.export.test_python_module import module
from tests.helpers.export_cases import N_ROWS, Case, _table_rows
from wtm import Booleanizer, FuzzyWTMClassifier, FuzzyWTMRegressor, WTMRegressor
from wtm.export import from_json, summarize, to_c, to_json, to_onnx, to_python, to_sql, to_verilog

STRICT = {"n_clauses": 20, "T": 10, "s": 4, "n_epochs": 6, "average_last": 3, "random_state": 0}
FUZZY = {"n_clauses": 10, "T": 2, "s": 20, "gamma": 0.05, "n_epochs": 5, "literal_failures": 3, "random_state": 0}
COLOURS = ["red", "blue", "light, green", 'say "grey"', ""]


def _rows():
    return _table_rows(np.random.default_rng(0), 600, COLOURS)


def _case(model, y):
    """Train on the table of `export_cases`; predict rows with new categories and newly missing values."""
    rows = _table_rows(np.random.default_rng(1), N_ROWS, [*COLOURS, "new"])
    for row in rows[::10]:
        row[4] = None
    return Case(
        model.set_params(booleanizer=Booleanizer(4)).fit(np.array(_rows(), object), y), np.array(rows, object), rows
    )


def _numbers():
    return np.array([(r[0] or 40) + 20 * (r[2] == "red") + r[4] for r in _rows()])


@cache
def numbers():
    return _case(WTMRegressor(**STRICT), _numbers())


@cache
def pairs():
    return _case(WTMRegressor(**STRICT), np.stack([_numbers(), -3 * _numbers()], axis=1))


@cache
def fuzzy_numbers():
    return _case(FuzzyWTMRegressor(**FUZZY, average_last=2), _numbers())


@cache
def fuzzy_labels():
    return _case(
        FuzzyWTMClassifier(**FUZZY), np.array(["low", "middle", "high"])[(_numbers() > 40) + 1 * (_numbers() > 60)]
    )


CASES = {"numbers": numbers, "pairs": pairs, "fuzzy numbers": fuzzy_numbers, "fuzzy labels": fuzzy_labels}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def outputs(case):
    """The predictions, and of labels their class sums too."""
    predicted = case.clf.predict(case.X)
    return (predicted.tolist(), case.sums) if hasattr(case.clf, "classes_") else (predicted.tolist(),)


MAIN = """\
#include "model.h"
#include <stdio.h>
static model_number row[MODEL_N_COLUMNS];
int main(void)
{
    while (fread(row, sizeof row, 1, stdin) == 1) {
        double numbers[MODEL_N_OUTPUTS];
        int i;
        model_predict(row, numbers);
        for (i = 0; i < MODEL_N_OUTPUTS; i++) printf("%a ", numbers[i]);
        printf("\\n");
    }
    return 0;
}
"""


def check_python(case):
    scope = module(to_python(case.clf))
    found = ([scope["predict"](row) for row in case.rows],)
    if "class_sums" in scope:
        found += ([scope["class_sums"](row) for row in case.rows],)
    assert found == outputs(case)


def check_c(folder, case):
    if hasattr(case.clf, "classes_"):
        c.check(folder, case)
        return
    c.write(folder, to_c(case.clf))
    program = c.build(folder, MAIN, "model.c")
    ran = subprocess.run([program], input=c.numbers(case).tobytes(), capture_output=True, check=True)
    found = np.array([list(map(float.fromhex, line.split())) for line in ran.stdout.decode().splitlines()])
    assert (found == case.clf.predict(case.X).reshape(len(found), -1)).all()


def check_sql(dialect, case):
    if hasattr(case.clf, "classes_"):
        sql.check(dialect, case)
        return
    query = to_sql(case.clf, dialect=dialect, keep=["row number"])
    columns = [*(f"x{j}" for j in range(len(case.rows[0]))), "row number"]
    header, found = sql.RUN[dialect](query, columns, [[*row, i] for i, row in enumerate(case.rows)])
    predicted = case.clf.predict(case.X).reshape(len(case.rows), -1)
    n = predicted.shape[1]
    assert header == ["row number", *(["prediction"] if n == 1 else [f"prediction_{i}" for i in range(n)])]
    assert [list(row[1:]) for row in sorted(found)] == predicted.tolist()


def check_onnx(case):
    columns = [f"x{j}" for j in range(len(case.rows[0]))]
    if hasattr(case.clf, "classes_"):
        onnx.check(case, missing="<missing>")
        return
    run = onnx.session(to_onnx(case.clf, missing="<missing>"))
    (found,) = run.run(None, onnx.feed(run, case, columns, "<missing>"))
    assert found.tolist() == case.clf.predict(case.X).tolist()


def check_json(case):
    loaded = from_json(to_json(case.clf))
    assert (loaded.predict(case.X) == case.clf.predict(case.X)).all()
    states = [json.loads(to_json(model)) for model in (case.clf, loaded)]
    rules = [sorted(map(str, state.pop("rules"))) for state in states]
    assert rules[0] == rules[1]
    assert states[0] == states[1]


@each_case
def test_python(case):
    check_python(case())


@each_case
@pytest.mark.skipif(c.CC is None, reason="needs a C compiler")
def test_c(case, tmp_path):
    check_c(tmp_path, case())


@each_case
@pytest.mark.parametrize("dialect", sql.DIALECTS)
def test_sql(case, dialect):
    check_sql(dialect, case())


@each_case
def test_onnx(case):
    check_onnx(case())


@each_case
def test_json(case):
    check_json(case())


@each_case
def test_what_is_read_back_is_readable_and_reducible(case):
    case = case()
    loaded = from_json(to_json(case.clf))
    X, y = case.X[:200], case.clf.predict(case.X[:200])
    assert sorted(map(str, loaded.rules())) == sorted(map(str, case.clf.rules()))
    assert [len(str(e)) for e in loaded.explain(X[:5])] == [len(str(e)) for e in case.clf.explain(X[:5])]
    assert len(loaded.prune(X, y, n_rules=3).rules()) == 3
    assert loaded.refit(X, y, C=1).predict(X).shape == y.shape
    with pytest.raises(ValueError, match="only predicts"):
        loaded.fit(X, y)


@each_case
def test_another_program_can_evaluate_the_json(case):
    case = case()
    model = json.loads(to_json(case.clf))

    def holds(feature, row):
        x, test, value = row[feature["column"]], feature["test"], feature["value"]
        if x is None or test == "missing":
            return x is None and test == "missing"
        return x > value if test == ">" else x == value

    n_sums = len(model["numbers"]["y_range"] if model["classes"] is None else model["classes"]["values"])
    sums = []
    for row in case.rows:
        true = [holds(feature, row) for feature in model["features"]]
        of_row = [0] * n_sums
        for rule in model["rules"]:
            failed = sum(not true[f] for f in rule["true"]) + sum(true[f] for f in rule["false"])
            most = min(model["literal_failures"] or 1, len(rule["true"]) + len(rule["false"]))
            of_row[rule["class" if "class" in rule else "output"]] += rule["vote"] * max(0, most - failed)
        sums.append(of_row)
    values = np.array(sums) * model["unit"]
    if model["classes"] is not None:
        assert values.tolist() == case.sums
        return
    low, high = np.array(model["numbers"]["y_range"]).T
    found = (low + high) / 2 + np.clip(values / model["numbers"]["T"], -1, 1) * (high - low) / 2
    np.testing.assert_allclose(found, case.clf.predict(case.X).reshape(N_ROWS, -1), rtol=1e-12)


@each_case
def test_rounded_votes_are_compared(case):
    case = case()
    summary = summarize(case.clf, case.X, bits=4)
    scope = module(to_python(case.clf, bits=4))
    found, exact = np.array([scope["predict"](row) for row in case.rows]), case.clf.predict(case.X)
    if hasattr(case.clf, "classes_"):
        assert summary.agreement == (found == exact).mean()
        return
    assert summary.difference == np.abs(found - exact).max() > 0
    assert f"at most {summary.difference:.3g} away from the numbers of exact votes on 1,000 rows" in str(summary)
    assert summarize(case.clf, case.X).difference == 0


@each_case
def test_verilog_is_for_strict_classifiers(case):
    with pytest.raises(TypeError, match=r"Verilog can only express a WTMClassifier, got a .*: use to_c"):
        to_verilog(case().clf)


def test_contradictions_cost_a_vote():
    """A literal and its negation in one clause: one of them always fails."""
    case = fuzzy_labels()
    state = json.loads(to_json(case.clf))
    vote = max(rule["vote"] for rule in state["rules"])
    state["rules"] += [{"class": 0, "vote": vote, "true": [0, 1], "false": [0]}] * 3
    case = Case(from_json(json.dumps(state)), case.X, case.rows)
    assert outputs(case) != outputs(fuzzy_labels())
    check_python(case)
    check_onnx(case)
    check_sql("sqlite", case)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [WTMRegressor(200, 50, n_epochs=5), FuzzyWTMRegressor(n_epochs=5)], ids=["strict", "fuzzy"]
)
def test_houses_get_the_numbers_of_predict(model, real_data, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(real_data("california-housing") / "california-housing" / "cal_housing.csv.gz")
    y = frame.pop("median_house_value").to_numpy(float)
    X = frame.to_numpy(float)
    case = Case(model.set_params(random_state=0).fit(X[2000:], y[2000:]), X[:2000], X[:2000].tolist())
    check_python(case)
    check_c(tmp_path, case)
    check_json(case)
    check_onnx(case)
    check_sql("sqlite", case)


@pytest.mark.slow
def test_adults_get_the_labels_of_fuzzy_rules(real_data, tmp_path):
    with gzip.open(real_data("adult") / "adult" / "adult.data.gz", "rt") as file:
        rows = [[cell.strip() for cell in line.split(",")] for line in file if line.strip()]
    y = [row.pop() for row in rows]
    rows = [[None if x == "?" else float(x) if x.lstrip("-").isdigit() else x for x in row] for row in rows]
    model = FuzzyWTMClassifier(20, 1.5, n_epochs=3, random_state=0).fit(np.array(rows[1000:], object), y[1000:])
    case = Case(model, np.array(rows[:1000], object), rows[:1000])
    check_python(case)
    check_c(tmp_path, case)
    check_json(case)
    check_onnx(case)
    check_sql("sqlite", case)
