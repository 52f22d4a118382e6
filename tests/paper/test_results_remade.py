"""The results in the repository are those of this code: training again gives the same figures, epoch by epoch."""

from functools import cache
from pathlib import Path

import pytest

from studies.authors_program import Program
from studies.designs import ABLATIONS, FOLDER, PROGRAM_SEED, read_ablations
from wtm.datasets import DatasetNotFoundError
from wtm.paper.problem import load_problem
from wtm.paper.record import read_record
from wtm.paper.settings import NAMES_BY_RECIPE
from wtm.paper.verify import different_columns, history_of

RESULTS = Path(__file__).parents[2] / "results"
RECORDS = [path for key in NAMES_BY_RECIPE for path in sorted((RESULTS / key).glob("*.json"))]
RUNS = [(key, run) for key, runs in read_ablations(RESULTS / FOLDER).items() for run in runs]
AFFORDABLE = 20.0  # seconds that the first epoch took when the record was made
MOST_EPOCHS = 3


@cache
def problem_of(key, folder, grey):
    try:
        return load_problem(key, folder, grey=grey)
    except DatasetNotFoundError:
        return None


def problem_or_skip(key, folder=None, grey=None):
    problem = problem_of(key, folder, grey)
    if problem is None:
        pytest.skip(f"needs the data set {key}")
    return problem


def assert_remade(path, folder, n_epochs):
    record = read_record(path)
    assert different_columns(record, problem_or_skip(record.data["key"], folder), n_epochs) == []


@pytest.mark.parametrize("name", ["wtm-50-p0.037-gamma0.0001-T6-seed0", "tm-50-p0.033-gamma0-T6-seed0"])
def test_small_machines_of_connect_4(name):
    assert_remade(RESULTS / "connect-4" / f"{name}.json", None, 2)


@pytest.mark.slow
@pytest.mark.parametrize("path", RECORDS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_records(path, data_dir):
    seconds = read_record(path).history["seconds"]
    affordable = sum(sum(seconds[: i + 1]) <= AFFORDABLE for i in range(MOST_EPOCHS))
    if not affordable:
        pytest.skip(f"an epoch takes {seconds[0]:.0f} s")
    assert_remade(path, data_dir, affordable)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "run"), RUNS, ids=lambda value: value if isinstance(value, str) else value["seed"])
def test_ablations(key, run, data_dir):
    ablation = ABLATIONS[key]
    if ablation.setting.n_clauses * run["data"]["features"] > 4_000_000:
        pytest.skip("an epoch takes minutes")
    problem = problem_or_skip(ablation.data, data_dir, ablation.grey)
    assert run["data"]["digest"] == problem.description["digest"]
    if ablation.by_program:
        seed, n_skipped = (PROGRAM_SEED, run["seed"] + 1) if ablation.skips else (run["seed"], 0)
        accuracies = [Program(problem, ablation.setting, seed, n_skipped).epoch()]
    else:
        accuracies = history_of(problem, 1, ablation.setting, run["seed"], **ablation.changes)["test_accuracy"]
    assert accuracies == run["test_accuracy"][:1]
