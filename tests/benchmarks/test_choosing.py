"""The measurements behind the defaults: folds, trials that are kept, and the page that is written of them."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from benchmarks.choosing import rivals, trials
from benchmarks.choosing.candidates import CURVES, DEFAULT, EPOCHS, GRID, LONG_EPOCHS, Setting
from benchmarks.choosing.page import write_page
from benchmarks.choosing.problems import FOLDS, NAMES, Problem, folds, load_problem
from benchmarks.choosing.shortfalls import best_settings, shortfalls
from benchmarks.choosing.trials import Trial, read_trials, run_trials


def trial(problem, setting, accuracy, n_epochs=EPOCHS):
    return Trial(problem, setting, n_epochs, [accuracy] * n_epochs, [accuracy] * FOLDS, 1.0)


def keyed(*found):
    return {(t.problem, t.setting, t.n_epochs): t for t in found}


def test_folds_share_no_rows_and_have_conditions_of_their_own_rows():
    problem = load_problem("Digits", None)
    divided = folds(problem)
    assert len(divided) == FOLDS
    assert sum(len(fold.y_valid) for fold in divided) == len(problem.y_train)
    assert all(len(fold.y_train) + len(fold.y_valid) == len(problem.y_train) for fold in divided)
    assert all(set(np.unique(fold.X_valid)) <= {0, 1} for fold in divided)
    assert len(problem.y_train) + len(problem.y_test) == 1797


@pytest.fixture
def small(monkeypatch):
    """Two settings, three epochs, and a data set of 60 rows."""
    settings = (Setting(4, 5, 3, 0.0), Setting(4, 5, 3, 0.1))
    for module, name, value in (
        (trials, "GRID", settings), (trials, "CURVES", {}), (trials, "DEFAULT", settings[0]),
        (trials, "EPOCHS", 3), (trials, "LONG_EPOCHS", 4), (rivals, "EPOCHS", 3), (rivals, "SEEDS", (0, 1)),
        (rivals, "N_JOBS", 1),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    X = np.random.default_rng(0).integers(0, 2, (60, 5)).astype(np.uint8)
    return Problem("MNIST", X, X[:, 0], X, X[:, 0]), settings


def test_trials_are_kept_and_not_done_again(small, tmp_path):
    problem, settings = small
    path = tmp_path / "kept.jsonl"
    run_trials(problem, path)
    before = path.read_text()
    found = read_trials(path)
    assert set(found) == {("MNIST", settings[0], 3), ("MNIST", settings[1], 3), ("MNIST", settings[0], 4)}
    assert all(len(t.curve) == t.n_epochs and len(t.last) == FOLDS for t in found.values())
    assert found["MNIST", settings[0], 3].curve == found["MNIST", settings[0], 4].curve[:3]
    run_trials(problem, path)
    assert path.read_text() == before

    path.write_text("\n".join(before.splitlines()[:2]) + "\n")  # as after an interruption
    run_trials(problem, path)
    again = read_trials(path)
    assert {key: replace(t, seconds=0) for key, t in again.items()} == {
        key: replace(t, seconds=0) for key, t in found.items()
    }


def test_every_method_is_measured_once(small, tmp_path):
    problem, _ = small
    path = tmp_path / "kept.jsonl"
    run_trials(problem, path)
    best = max(read_trials(path).values(), key=lambda t: t.accuracy).setting
    rivals.run_methods(problem, best, path)
    found = rivals.read_results(path)
    assert set(found) == {
        ("MNIST", "wtm", DEFAULT), ("MNIST", "wtm, tuned", best),
        *(("MNIST", name, None) for name in (rivals.FUZZY, *rivals.METHODS)),
    }  # fmt: skip
    assert all(0 <= accuracy <= 100 for result in found.values() for accuracy in result.accuracies)
    assert len(found["MNIST", "random forest", None].accuracies) == 1
    assert len(found["MNIST", "wtm", DEFAULT].accuracies) == 2
    lines = path.read_text().splitlines()
    rivals.run_methods(problem, best, path)
    assert path.read_text().splitlines() == lines


def test_a_setting_falls_short_of_the_best_of_each_data_set():
    a, b = GRID[0], GRID[1]
    found = keyed(trial("MNIST", a, 90.0), trial("MNIST", b, 92.0), trial("Adult", a, 80.0), trial("Adult", b, 70.0))
    assert {name: t.setting for name, t in best_settings(found).items()} == {"MNIST": b, "Adult": a}
    assert shortfalls(found, [b, a]) == {a: {"MNIST": 2.0, "Adult": 0.0}, b: {"MNIST": 0.0, "Adult": 10.0}}
    assert list(shortfalls(found, [b, a])) == [a, b]
    assert shortfalls(found, [GRID[2]]) == {}


def test_of_equal_settings_the_smaller_is_the_best():
    small, large = replace(DEFAULT, n_clauses=20), replace(DEFAULT, n_clauses=2_000)
    found = keyed(trial("MNIST", large, 90.0), trial("MNIST", small, 90.0))
    assert best_settings(found)["MNIST"].setting == small


def test_the_page_has_what_was_found(tmp_path):
    settings = dict.fromkeys((*GRID, *(s for curve in CURVES.values() for s in curve)))
    found = keyed(
        *(trial(name, s, 80 + i / 100) for name in NAMES[:2] for i, s in enumerate(settings)),
        *(trial(name, DEFAULT, 81.25, LONG_EPOCHS) for name in NAMES[:2]),
    )
    best = best_settings(found)[NAMES[0]].setting
    results = {
        (NAMES[0], "wtm", DEFAULT): rivals.Result(NAMES[0], "wtm", DEFAULT, [70.0, 71.0, 75.0], 1.25),
        (NAMES[0], "wtm, tuned", best): rivals.Result(NAMES[0], "wtm, tuned", best, [79.5], 2.0),
    }
    printed = write_page(found, results, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert printed in page
    assert f"| {NAMES[0]} | 72.00 (70.00–75.00) | 79.50 | – | – | – | – |" in page
    assert f"| {NAMES[0]} | 1.2 | 2.0 | – | – | – | – |" in page
    assert (tmp_path / "choosing.svg").read_text().count("points below the best") >= 1
