"""Timing two versions of wtm in turn, and the section of docs/performance.md."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import version_times, versions

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"

ROUNDS = [
    {"before": {"seconds": {"epoch 1": 2.0}, "digests": {"epoch 1": "a"}, "peak_mib": 100.0},
     "now": {"seconds": {"epoch 1": now}, "digests": {"epoch 1": "a"}, "peak_mib": 110.0}}
    for now in (1.0, 3.0, 1.2)
]  # fmt: skip
SESSION = {
    "session": "2030-01-02T03:04:05+00:00", "experiment": "mnist-best", "rounds": ROUNDS,
    "setting": {"n_clauses": 10, "T": 5, "s": 4.0, "gamma": 0.1, "seed": 1, "n_classes": 3, "n_train": 2500},
    "revisions": {"before": "abc", "now": "def"}, "versions": {"wtm": "1.0"},
    "machine": {"processor": "P", "llvm_target": "znver3", "cores": 2},
}  # fmt: skip


def row_of(session, name):
    (line,) = (line for line in versions.section([session]).splitlines() if line.startswith(f"| {name} "))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_ratios_are_formed_within_rounds():
    assert row_of(SESSION, "epoch 1") == ["2.0000", "1.0000", "0.60 (0.50–1.50)", "equal"]
    assert row_of(SESSION, "peak memory") == ["100 MiB", "110 MiB", "1.10 (1.10–1.10)", ""]


def test_one_differing_model_is_reported():
    session = copy.deepcopy(SESSION)
    session["rounds"][1]["now"]["digests"]["epoch 1"] = "b"
    assert row_of(session, "epoch 1")[-1] == "differ"


def test_the_newest_session_of_each_experiment_and_processor_counts(tmp_path):
    other = SESSION | {"machine": SESSION["machine"] | {"llvm_target": "x86-64-v3"}}
    newer = SESSION | {"revisions": {"before": "abc", "now": "newer"}}
    path = tmp_path / "versions.jsonl"
    path.write_text("".join(json.dumps(session) + "\n" for session in (SESSION, other, newer)))
    assert versions.read_sessions(path) == [newer, other]


def test_the_page_has_the_figures_of_the_results():
    assert versions.section(versions.read_sessions()) in PAGE.read_text("utf-8")


def test_epochs_continue_from_the_states_before_them(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (90, 5), np.uint8), np.arange(90) % 3
    np.savez(tmp_path / "data.npz", X_train=X, y_train=y, X_test=X[:30], y_test=y[:30])
    data = version_times.read(tmp_path / "data.npz", 2)
    assert [len(part) for part in data] == [60, 60, 20]
    setting = {"n_clauses": 10, "T": 5, "s": 3.0, "gamma": 0.1, "seed": 1}
    found = {}
    for epochs in ((1, 2, 4), (3, 4)):
        folder = tmp_path / str(epochs)
        folder.mkdir()
        version_times.train(data, folder, setting | {"epochs": epochs})
        times = version_times.measure(data, folder, setting | {"epochs": epochs})
        assert list(times["seconds"]) == [*(f"epoch {epoch}" for epoch in epochs), "prediction"]
        assert min(times["seconds"].values()) > 0
        found |= times["digests"] | {f"epoch 4 of {epochs}": times["digests"]["epoch 4"]}
    assert found["epoch 4 of (1, 2, 4)"] == found["epoch 4 of (3, 4)"]
    assert len(set(found.values())) == 4


@pytest.mark.slow
def test_a_revision_is_timed_next_to_this_version(tmp_path, capsys):
    out = tmp_path / "versions.jsonl"
    options = ["--revision", "HEAD", "--experiments", "digits", "--epochs", "1,3", "--rounds", "1"]
    versions.main([*options, "--classes", "3", "--out", str(out), "--work", str(tmp_path)])
    (session,) = versions.read_sessions(out)
    assert session["setting"]["epochs"] == [1, 3]
    (times,) = session["rounds"]
    assert times["before"]["digests"].keys() == {"epoch 1", "epoch 3"}
    assert "| prediction |" in capsys.readouterr().out
