"""Results are trained again, and any difference is named."""

import json
from dataclasses import replace

import pytest

from tests.helpers.made_up_results import SMALL, keep, small_problem
from wtm.paper import verify
from wtm.paper.json_files import read_json
from wtm.paper.record import HISTORY, SAMPLED, Record
from wtm.paper.verify import DifferentResultsError, history_of, verify_results


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Three epochs of a small machine, trained."""
    problem = small_problem()
    monkeypatch.setattr(verify, "load_problem", lambda key, data_dir, quick: problem)
    history = {**history_of(problem, 3, SMALL, 5), "seconds": [1.0] * 3}
    assert set(history) == set(HISTORY)
    keep(tmp_path, Record(problem.description, SMALL, 5, 3, history))
    return tmp_path


@pytest.mark.parametrize("n_epochs", [1, 3, 9])
def test_what_is_trained_again_is_identical(results, n_epochs, capsys):
    verify_results(results, None, n_epochs, 1)
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("connect-4/wtm-10-")
    assert first.endswith("seed5: identical")
    assert last == f"All 1 trainings are identical over {n_epochs} epochs."


@pytest.mark.parametrize("column", [column for column in HISTORY if column != "seconds"])
def test_a_difference_is_named(results, column, capsys):
    (path,) = (results / "connect-4").iterdir()
    content = read_json(path)
    content["history"][column][1] += 1
    path.write_text(json.dumps(content))
    verify_results(results, None, 1, 1)
    with pytest.raises(DifferentResultsError, match=r"1 of 1 trainings differ: connect-4/wtm-10-"):
        verify_results(results, None, 2, 1)
    assert f"differs in {column}" in " ".join(capsys.readouterr().out.split())


def test_other_data_are_a_difference(results, monkeypatch, capsys):
    monkeypatch.setattr(verify, "load_problem", lambda key, data_dir, quick: small_problem(flipped=9))
    with pytest.raises(DifferentResultsError):
        verify_results(results, None, 1, 1)
    assert "data" in capsys.readouterr().out


def test_no_results_are_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="There are no results"):
        verify_results(tmp_path, None, 1, 1)


def test_quick_results_are_trained_again_on_the_small_sample(tmp_path, monkeypatch, capsys):
    problem = replace(small_problem(), quick=True)
    monkeypatch.setattr(verify, "load_problem", lambda key, data_dir, quick: problem if quick else small_problem())
    history = {**history_of(problem, 1, SMALL, 5), "seconds": [1.0]}
    keep(tmp_path, Record(problem.description, SMALL, 5, 1, history))
    verify_results(tmp_path, None, 1, 1)
    assert "identical" in capsys.readouterr().out


def test_accuracies_on_sampled_rows_are_compared_too(results, capsys):
    (path,) = (results / "connect-4").iterdir()
    content = read_json(path)
    content["history"][SAMPLED] = history_of(small_problem(), 3, SMALL, 5, is_sampled=True)[SAMPLED]
    path.write_text(json.dumps(content))
    verify_results(results, None, 3, 1)
    content["history"][SAMPLED][1] += 0.01
    path.write_text(json.dumps(content))
    with pytest.raises(DifferentResultsError):
        verify_results(results, None, 3, 1)
    assert f"differs in {SAMPLED}" in " ".join(capsys.readouterr().out.split())
