"""A damaged file of results is named by the report, and nothing is written."""

import json

import pytest

from tests.helpers.made_up_results import keep, made_up_record, write_ablation, write_baselines, write_sampling
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


def edit(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["sessions"][0]["machine"].pop("llvm_target"),
        lambda content: content["sessions"][0]["versions"].pop("wtm"),
        lambda content: content["sessions"][0].pop("epochs"),
        lambda content: content["sessions"][0].update(cpu_seconds=1.0, wall_seconds=0.0),
        lambda content: content["data"].pop("quick"),
        lambda content: content["history"].update({name: [] for name in content["history"]}),
        lambda content: content["history"]["test_accuracy"].__setitem__(1, None),
        lambda content: content["history"]["seconds"].__setitem__(1, float("nan")),
    ],
)
def test_a_damaged_part_of_a_record(results, change):
    edit(results / RECORD, change)
    assert_named(results, results / RECORD)


@pytest.mark.parametrize("name", ["baselines/tree-seed0.json", "sampling/sampling.json"])
def test_a_machine_without_its_processor(results, name):
    edit(results / name, lambda content: content["machine"].pop("llvm_target"))
    assert_named(results, results / name)


@pytest.mark.parametrize("entry", ["machine", "test_accuracy", "data", "seed"])
def test_a_damaged_ablation(results, entry):
    write_ablation(results, "lazy", [97.0, 98.0])
    path = results / "ablations" / "lazy-seed0.json"
    edit(path, lambda content: content.pop(entry))
    assert_named(results, path)


def test_sessions_are_not_needed(results):
    edit(results / RECORD, lambda content: content["sessions"].clear())
    assert read_results(results).records["mnist"][0].sessions == []


def test_a_record_in_the_folder_of_another_data_set(results):
    (results / "mnist").rename(results / "imdb")
    with pytest.raises(ValueError, match=r"seed0\.json is of mnist: move it to the folder of that name"):
        read_results(results)
