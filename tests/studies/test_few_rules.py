"""The study on few rules: its page, what it asks for, and a part of its results remade."""

from pathlib import Path

import pytest

from studies.few_rules import CANDIDATES, RESULTS, choose, cross_validate, load
from wtm.paper.json_files import read_json

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def results():
    return read_json(REPOSITORY / RESULTS)


def test_the_results_of_a_table_are_those_of_this_code(results):
    found = cross_validate(load("Breast cancer", Path()), CANDIDATES["4 literals"])
    assert found == pytest.approx(results["choice"]["4 literals"]["Breast cancer"], rel=1e-6)


def test_the_readable_setting_is_the_most_accurate_of_those_with_short_rules(results):
    assert results["readable"] == choose(results["choice"])


def test_a_dozen_short_rules_are_enough_for_mushroom(results):
    few = results["few"]["Mushroom"]
    fewest = few["without_loss"]
    assert fewest["rules"] <= 12
    assert fewest["accuracy"] >= max(few["full"]["accuracy"], few["defaults"]["accuracy"])
    assert fewest["max_conditions"] <= 4


def test_thirty_rules_lose_less_than_a_point_on_adult(results):
    few = results["few"]["Adult"]
    (at_most_30,) = [entry for entry in few["curve"] if entry["at_most"] == 30]
    assert at_most_30["rules"] <= 30
    assert at_most_30["mean_conditions"] <= 5
    assert at_most_30["accuracy"] >= max(few["full"]["accuracy"], few["defaults"]["accuracy"]) - 0.01
    assert [entry["rules"] <= entry["at_most"] for entry in few["curve"]] == [True] * len(few["curve"])
