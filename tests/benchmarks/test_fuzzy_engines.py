"""The times of both engines with fuzzy clauses: measured once, and shown."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from benchmarks.choosing.problems import Problem
from benchmarks.fuzzy import engines
from benchmarks.fuzzy.page import _engines
from benchmarks.fuzzy.settings import Setting


def test_both_engines_are_measured_once_from_the_same_state(tmp_path, monkeypatch):
    X = np.random.default_rng(0).integers(0, 2, (60, 5)).astype(np.uint8)
    problem = Problem("MNIST", X, X[:, 0] + 3, X, X[:, 0] + 3)
    trained = []

    def seconds(model, engine, literals, schedules):
        trained.append((engine, model.n_epochs, [schedule.rows.tolist() for schedule in schedules]))
        return measure(model, engine, literals, schedules) + 1

    measure = engines._seconds
    for name, value in (("load_problem", lambda *_: problem), ("N_CLAUSES", 4), ("EPOCH", 3), ("_seconds", seconds)):
        monkeypatch.setattr(engines, name, value)
    path = tmp_path / "kept.jsonl"
    engines.run_engines(Setting(1, 5, 2, 3), tmp_path, path)
    times = engines.read_engines(path)
    assert list(times) == ["lazy", "direct"]
    assert all(len(found) == engines.ROUNDS and min(found) >= 1 for found in times.values())
    assert [engine for engine, *_ in trained] == ["lazy", "direct"] * (engines.ROUNDS + 1)
    assert all(epochs == 2 and rows == trained[0][2] for _, epochs, rows in trained)
    assert sum(map(len, trained[0][2])) == 2 * len(X)

    kept = path.read_text()
    engines.run_engines(Setting(1, 5, 2, 3), tmp_path, path)
    assert path.read_text() == kept


def test_the_ratio_is_of_the_same_round():
    table = _engines({"lazy": [1.0, 2.0, 4.0], "direct": [5.0, 8.0, 12.0]}).markdown()
    assert "| 2.00 (1.00–4.00) | 8.00 (5.00–12.00) | 4.00 (3.00–5.00) |" in table
    assert "4.00" not in _engines({}).markdown()
