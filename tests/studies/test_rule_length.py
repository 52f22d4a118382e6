"""The study on the length of rules: its page, and a part of its results remade."""

from pathlib import Path

import pytest

from benchmarks.choosing.problems import load_problem
from studies.rule_length import RESULTS, budget_table, length_table, measure
from wtm.paper.json_files import read_json

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def results():
    return read_json(REPOSITORY / RESULTS)


@pytest.mark.parametrize(("part", "change"), [("problems", {"s": 10}), ("budgets", {"max_literals": 4})], ids=str)
def test_the_results_of_a_data_set_are_those_of_this_code(results, part, change):
    problem = load_problem("Breast cancer", Path())
    (expected,) = [found for found in results[part]["Breast cancer"] if change.items() <= found.items()]
    found = measure(problem, **change)
    for name in ("accuracy", "length_quartiles"):
        assert found[name] == expected[name]
    for name in ("literal_frequency", "rule_frequency"):
        assert found[name] == pytest.approx(expected[name], rel=1e-6)


def test_a_larger_s_makes_rules_more_specific_on_every_data_set(results):
    for found in results["problems"].values():
        frequencies = [entry["rule_frequency"] for entry in found]
        assert frequencies == sorted(frequencies, reverse=True)


def test_most_rules_keep_their_budget_and_few_exceed_it_by_much(results):
    for found in results["budgets"].values():
        for entry in found[1:]:
            assert entry["length_quartiles"][1] <= entry["max_literals"]
            assert entry["longest_percent"] <= entry["max_literals"] + 8


def test_a_table_has_a_row_per_data_set_and_a_column_per_s(results):
    for table in (length_table(results), budget_table(results)):
        assert [row[0] for row in table.rows] == list(results["problems"])
        assert all(len(row) == len(table.header) == 6 for row in table.rows)
