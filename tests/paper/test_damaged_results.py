"""A damaged file of results is named by the report, and nothing is written."""

import json

import pytest

from tests.helpers.made_up_results import keep, made_up_record, write_baselines, write_sampling
from wtm.paper.report.result_folder import read_results
from wtm.paper.settings import WEIGHTS

RECORD = "mnist/wtm-4000-p0.08-gamma0.01-T100-seed0.json"
FILES = {RECORD: "history", "baselines/tree-seed0.json": "test_accuracy", "sampling/sampling.json": "points"}


@pytest.fixture
def results(tmp_path):
    keep(tmp_path, made_up_record(WEIGHTS.setting, [97.0, 98.0, 98.5], key="mnist"))
    write_baselines(tmp_path, ["tree"])
    write_sampling(tmp_path)
    return tmp_path


def assert_named(results, path):
    with pytest.raises(ValueError, match=rf"{path.name} is damaged .*Remove it"):
        read_results(results)


def test_undamaged_results_are_read(results):
    assert read_results(results).sampling["rounds"] == 3


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", ["", "{", "[]", "7", "{}", '{"kind": "training"}'])
def test_what_holds_no_results(results, name, content):
    (results / name).write_text(content)
    assert_named(results, results / name)


@pytest.mark.parametrize(("name", "entry"), FILES.items())
def test_an_entry_is_missing(results, name, entry):
    content = json.loads((results / name).read_text())
    del content[entry]
    (results / name).write_text(json.dumps(content))
    assert_named(results, results / name)


@pytest.mark.parametrize("column", [None, [], [0.9], [0.9, 0.9, "x"], [0.9, 0.9, None, 0.9]])
def test_columns_that_do_not_fit_together(results, column):
    content = json.loads((results / RECORD).read_text())
    content["history"]["test_accuracy"] = column
    (results / RECORD).write_text(json.dumps(content))
    assert_named(results, results / RECORD)


def test_a_record_under_another_name(results):
    path = results / RECORD
    path.write_text(path.read_text().replace('"n_clauses": 4000', '"n_clauses": 4100'))
    with pytest.raises(ValueError, match=rf"{path.name} is damaged .*it holds wtm-4100-"):
        read_results(results)


def test_records_of_other_data_are_not_mixed(tmp_path):
    records = [made_up_record(WEIGHTS.setting, [97.0], key="mnist", seed=seed) for seed in range(2)]
    records[1].data["digest"] = "1"
    keep(tmp_path, *records)
    with pytest.raises(ValueError, match="mnist holds records of different data"):
        read_results(tmp_path)
