"""The benchmarks' command: what it writes of recorded runs, and how it runs programs."""

import json
import re
import sys

import numpy as np
import pytest

from benchmarks import anatomy
from benchmarks.experiments import BASELINE, EXPERIMENTS, Contender, Experiment, choose
from benchmarks.performance_page import newest, read_results, render, round_seconds
from benchmarks.runner import run_experiment

SETTING = {
    "title": "A title", "n_clauses": 10, "T": 5, "s": 4.0, "gamma": 0.0, "seed": 1, "rounds": 3, "n_train": None,
    "n_test": None, "engines_at": [], "whole_run": 0,
}  # fmt: skip


def timing(epoch, seconds, round_number, **more):
    return {"epoch": epoch, "round": round_number, "seconds": seconds, "wall_seconds": 2.0, "cpu_seconds": 2.0, **more}


def record(program, training, prediction, **changes):
    """A record with one epoch of 9 s and then one per round."""
    rounds = range(1, len(training) + 1)
    return {
        "session": "2030-01-02T03:04:05+00:00", "experiment": "mnist-500", "setting": SETTING, "revision": "abc",
        "versions": {"wtm": "1.0"}, "vectors": ["avx2"],
        "machine": {"platform": "Linux-6", "processor": "P", "llvm_target": "znver3", "cores": 2},
        "program": program, "threads": 1, "version": "1.0", "python": "3", "numpy": "2", "notes": ["a note"],
        "rows_training": 100, "automata": 1000, "visited_training": 20, "visited_prediction": 100,
        "epochs": [timing(1, 9.0, None), *(timing(1 + r, training[r - 1], r) for r in rounds)],
        "predictions": [timing(1 + r, prediction[r - 1], r, rows=50, accuracy=0.5) for r in rounds],
        "copies": [], "memory": {"data_mib": 10.0, "loaded_mib": 60.0, "peak_mib": 110.0},
    } | changes  # fmt: skip


def rows_of(report):
    """The tables' rows by the first cells of table and row."""
    rows, head = {}, None
    for line in report.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = cells[0]
        elif cells[0] != ":---":
            rows[head, cells[0]] = cells[1:]
    return rows


def test_ratios_are_formed_within_rounds_and_then_the_median_is_taken():
    # Ratios 8, 2 and 3: their median is 3, the ratio of the medians 2.
    baseline = record(BASELINE, [1.0, 2.0, 4.0], [0.5, 0.25, 1.0])
    peer = record("ptm, 1 thread", [8.0, 4.0, 12.0], [1.0, 1.0, 10.0])
    rows = rows_of(render([baseline, peer]))
    first, tenth, epochs, seconds, ratio, _, nanoseconds = rows["training", "ptm, 1 thread"]
    assert (first, tenth, epochs) == ("9.00", "", "2–4")
    assert seconds == "8.00 (4.00–12.00)"
    assert ratio == "3.00 (2.00–8.00)"
    assert float(nanoseconds) == 4e6  # 8 s, 100 examples, 20 clauses
    assert rows["training", BASELINE][4] == "1.00 (1.00–1.00)"
    prediction = rows["prediction", "ptm, 1 thread"]
    assert prediction[:2] == ["1.00 (1.00–10.00)", "4.00 (2.00–10.00)"]
    assert prediction[5] == "100"  # MiB above the data
    assert float(prediction[6]) == pytest.approx(50 * 2**20 / 1000, rel=1e-4)


def test_ratios_of_processor_time_are_of_one_thread_and_of_one_prediction():
    baseline, peer = record(BASELINE, [1.0], [1.0]), record("ptm, 1 thread", [90.0], [90.0])
    baseline["epochs"][1]["cpu_seconds"], peer["epochs"][1]["cpu_seconds"] = 2.0, 5.0
    baseline["predictions"][0] |= {"cpu_seconds": 1.0, "repeats": 10}
    peer["predictions"][0] |= {"cpu_seconds": 3.0, "repeats": 2}
    threads = record("ptm, 2 threads", [90.0], [90.0], threads=2)
    rows = rows_of(render([baseline, peer, threads]))
    assert rows["training", "ptm, 1 thread"][5] == "2.50"
    assert rows["prediction", "ptm, 1 thread"][2] == "15.0"
    assert rows["training", "ptm, 2 threads"][5] == rows["prediction", "ptm, 2 threads"][2] == ""


def test_several_epochs_of_a_round_count_by_their_mean():
    baseline = record(BASELINE, [1.0, 3.0], [1.0, 1.0])
    baseline["epochs"][2]["round"] = 1
    assert round_seconds(baseline, "epochs") == {1: 2.0}


def test_prediction_by_clause_takes_the_size_of_the_pool_into_account():
    baseline = record(BASELINE, [1.0], [1.0])
    pool = record("green, 1 thread", [1.0], [0.5], visited_prediction=20)
    cells = rows_of(render([baseline, pool]))["prediction", "green, 1 thread"]
    assert (cells[1], cells[4]) == ("0.50", "2.50")


def test_the_newest_session_of_each_experiment_is_reported():
    old = record(BASELINE, [1.0], [1.0], session="2030-01-01T00:00:00+00:00")
    new = record(BASELINE, [2.0], [1.0])
    other = record(BASELINE, [5.0], [1.0], experiment="connect-4-light", session="2029-01-01T00:00:00+00:00")
    chosen = newest([other, new, old])
    assert list(chosen) == ["mnist-500", "connect-4-light"]
    assert chosen == {"mnist-500": [new], "connect-4-light": [other]}


def test_engines_are_compared_on_copies_of_the_same_state():
    copies = [
        timing(10, seconds, number, engine=engine)
        for number, pair in enumerate([(1.0, 6.0), (2.0, 30.0), (1.0, 9.0)], start=1)
        for engine, seconds in zip(("lazy", "direct"), pair, strict=True)
    ]
    report = render([record(BASELINE, [1.0], [1.0], copies=copies, setting=SETTING | {"engines_at": [10]})])
    assert rows_of(report)["epoch", "10"][2] == "9.00 (6.00–15.00)"


def test_a_whole_run_is_summed_up():
    tests = [timing(epoch, 0.5, None, rows=50, accuracy=epoch / 10) for epoch in (1, 2)]
    run = record(BASELINE, [1.0], [1.0], setting=SETTING | {"whole_run": 2}, predictions=tests)
    report = render([run])
    assert "2 epochs in 10 s of training, 8 s including a test" in report
    assert "last 20.00%, largest 20.00% (epoch 2), mean of the last 2 epochs 15.00%" in report


def test_a_program_that_failed_is_named():
    failed = record("tmu, 1 thread", [], [], epochs=[], error="exit code 1")
    report = render([record(BASELINE, [1.0], [1.0]), failed])
    assert "`tmu, 1 thread` did not finish: exit code 1" in report
    assert ("training", "tmu, 1 thread") not in rows_of(report)


def test_results_are_read_line_by_line(tmp_path):
    path = tmp_path / "runs.jsonl"
    runs = [record(BASELINE, [1.0], [1.0]), record("ptm, 1 thread", [1.0], [1.0])]
    path.write_text("".join(json.dumps(run) + "\n" for run in runs))
    assert read_results(path) == runs
    path.write_text('{"a": 1}\n{"a":\n')
    with pytest.raises(ValueError, match="line 2"):
        read_results(path)


def test_experiments_are_chosen_by_the_beginning_of_their_names():
    assert [e.name for e in choose(["mnist-b", "imdb"], peers=[])] == ["mnist-best", "imdb-light", "imdb-best"]
    (quick,) = choose(["mnist-500"], peers=["ptm", "ptmp"], quick=True)
    assert quick.rounds == 2
    assert {c.name for c in quick.contenders if not c.program.startswith("wtm")} == {"ptm, 1 thread", "ptmp, 1 thread"}
    with pytest.raises(ValueError, match="'mnits'"):
        choose(["mnits"], peers=[])


def test_every_experiment_has_the_baseline_and_names_of_its_own():
    assert len({e.name for e in EXPERIMENTS}) == len(EXPERIMENTS)
    for experiment in EXPERIMENTS:
        names = [c.name for c in experiment.contenders]
        assert BASELINE in names
        assert len(set(names)) == len(names)


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 10), np.uint8)
    y = X[:, 0] ^ X[:, 1]
    path = tmp_path / "data.npz"
    np.savez(path, X_train=X[:200], y_train=y[:200], X_test=X[200:], y_test=y[200:])
    return path


def test_programs_take_turns_and_their_answers_are_kept(data, tmp_path):
    contenders = (Contender("wtm", first=3), Contender("broken"), Contender("wtm", threads=2, first=3))
    experiment = Experiment(
        "digits-test", "A test", 20, 10, 4.0, 0.01, contenders, rounds=2, engines_at=(2,), whole_run=6
    )
    interpreters = {"wtm": sys.executable, "broken": sys.executable}  # there is no script of that name
    one, broken, two = run_experiment(experiment, interpreters, data, tmp_path, timeout=300)

    assert "error" not in one
    assert [(e["epoch"], e["round"]) for e in one["epochs"]] == [(1, None), (2, None), (3, 1), (4, 2)]
    assert [e["epoch"] for e in two["epochs"]] == [1, 2, 3, 4, 5, 6]
    assert all(e["seconds"] > 0 for e in one["epochs"])
    assert [(c["engine"], c["epoch"]) for c in one["copies"]] == [("lazy", 2), ("direct", 2)] * 3
    assert one["automata"] == 2 * 20 * 20
    assert one["memory"]["peak_mib"] is None or one["memory"]["peak_mib"] >= one["memory"]["data_mib"]
    # Neither the copies nor the threads change the model.
    assert [p["accuracy"] for p in one["predictions"]] == [p["accuracy"] for p in two["predictions"][:4]]
    assert two["predictions"][-1]["accuracy"] > 0.9
    assert "exit code 2" in broken["error"]
    assert broken["epochs"] == []


@pytest.mark.slow
def test_the_parts_of_an_epoch_add_up_to_it(tmp_path, monkeypatch):
    report = tmp_path / "anatomy.md"
    options = ["--dataset", "digits", "--clauses", "20", "--T", "10", "--s", "5", "--epochs", "3"]
    monkeypatch.setattr(sys, "argv", ["anatomy.py", *options, "--report", str(report), "--work", str(tmp_path)])
    assert anatomy.main() == 0
    text = report.read_text()
    epoch = float(re.search(r"Epoch 3: ([0-9.]+) s", text)[1])
    counts = re.search(r"([\d,]+) Type I and ([\d,]+) Type II .*?([\d,]+) Type I", text).groups()
    hits_i, hits_ii, false = (int(count.replace(",", "")) for count in counts)
    parts = {name: cells for (head, name), cells in rows_of(text).items() if head == "part"}
    assert sum(float(cells[2]) for cells in parts.values()) == pytest.approx(epoch, abs=0.001)
    assert all(float(cells[2]) >= 0 for name, cells in parts.items() if not name.startswith("feedback to false"))
    assert int(parts["feedback to true clauses"][0].replace(",", "")) == hits_i + hits_ii
    assert min(hits_i, hits_ii, false) > 0
