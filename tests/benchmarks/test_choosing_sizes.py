"""Settings at several numbers of rows, and the rules that are compared with them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

pytest.importorskip("pandas")

from benchmarks.choosing import sizes
from benchmarks.choosing.candidates import DEFAULT, EPOCHS, Setting
from benchmarks.choosing.size_page import size_section
from benchmarks.choosing.size_rules import (
    AUTO,
    FIXED,
    RULES,
    chosen_elsewhere,
    complete,
    difference,
    mean_over_problems,
    shortfall,
    values_at,
)  # fmt: skip
from benchmarks.choosing.sizes import SETTINGS, S, Size, SizeTrial, T, read_size_trials, read_sizes, run_size_trials


@pytest.fixture
def small(monkeypatch):
    X = np.random.default_rng(0).integers(0, 2, (200, 5)).astype(np.uint8)
    monkeypatch.setattr(sizes, "_rows", lambda name, data_dir: (X, X[:, 0] ^ X[:, 1], True))
    monkeypatch.setattr(sizes, "SIZES", {50: 2, 100: 1, 1_000: 1})
    monkeypatch.setattr(sizes, "SETTINGS", SETTINGS[:2])
    monkeypatch.setattr(sizes, "EPOCHS", 2)


def test_trials_at_sizes_are_kept_and_not_done_again(small, tmp_path):
    path = tmp_path / "kept.jsonl"
    run_size_trials("Digits", tmp_path, path)
    before = path.read_text()
    found = read_size_trials(path)
    assert set(found) == set(product(["Digits"], [50, 100], SETTINGS[:2]))
    assert [len(found["Digits", n, SETTINGS[0]].accuracies) for n in (50, 100)] == [2, 1]
    assert all(0 <= accuracy <= 100 for trial in found.values() for accuracy in trial.accuracies)
    assert read_sizes(path) == {("Digits", n): Size(n, 2, 5) for n in (50, 100)}
    run_size_trials("Digits", tmp_path, path)
    assert path.read_text() == before

    kept = [line for line in before.splitlines() if '"size"' not in line]
    path.write_text("\n".join(kept[:-1]) + "\n")  # as after an interruption
    run_size_trials("Digits", tmp_path, path)
    assert read_sizes(path) == {("Digits", n): Size(n, 2, 5) for n in (50, 100)}
    again = read_size_trials(path)
    assert {key: replace(t, seconds=0) for key, t in again.items()} == {
        key: replace(t, seconds=0) for key, t in found.items()
    }


def test_a_small_table_has_one_size(monkeypatch):
    assert sizes._sizes("Churn", 300) == [(200, 3)]
    assert sizes._sizes("Churn", 4_000) == [(1_000, 3)]
    assert sizes._sizes("Adult", 60_000) == list(sizes.SIZES.items())
    assert max(n for n, _ in sizes._sizes(sizes.SLOWEST, 60_000)) == sizes.MOST_ON_SLOWEST


WHERE = {
    ("MNIST", 1_000): Size(1_000, 10, 784),
    ("Adult", 1_000): Size(1_000, 2, 100),
    ("Adult", 16_000): Size(16_000, 2, 100),
}


def trials(accuracy):
    """Trials at all places; `accuracy` takes the size, T and s."""
    found = {}
    for where, size in WHERE.items():
        for t, s in product(T, S):
            setting = Setting(DEFAULT.n_clauses, t, s, DEFAULT.gamma)
            value = accuracy(size, t, s)
            found[*where, setting] = SizeTrial(*where, setting, [value - 1, value + 1], [1 - value / 100] * 2, 1.0, 1.0)
    return found


def test_a_rule_is_read_from_the_trials():
    found = trials(lambda size, t, s: 80 - abs(np.log(s / 8)) - (t == 60))
    for where, size in WHERE.items():
        assert values_at(found, where, size, FIXED[S.index(8)])[0] == pytest.approx(80)
        assert values_at(found, where, size, FIXED[len(S)])[0] == pytest.approx(79 - np.log(8 / 3))
        s = min(max(round((size.n_rows / size.n_classes) ** 0.25, 1), min(S)), max(S))
        assert values_at(found, where, size, AUTO)[0] == pytest.approx(80 - abs(np.log(s / 8)))
    below = shortfall(found, WHERE, AUTO)
    assert below.accuracy["Adult", 16_000] == pytest.approx(np.log(9.5 / 8))
    assert below.log_loss["Adult", 16_000] == pytest.approx(np.log(9.5 / 8) / 100)


def test_what_lacks_a_trial_is_left_out():
    found = trials(lambda *_: 80)
    del found["MNIST", 1_000, SETTINGS[-1]]
    assert complete(found, WHERE) == [("Adult", 1_000), ("Adult", 16_000)]
    assert size_section({}, {}) == ""


def test_data_sets_count_alike_whatever_their_sizes():
    assert mean_over_problems({("A", 1): 1.0, ("A", 2): 3.0, ("B", 1): 4.0}) == 3
    one, other = {("A", 1): 1.0, ("A", 2): 3.0, ("B", 1): 4.0}, {("A", 1): 0.0, ("A", 2): 0.0, ("B", 1): 0.0}
    assert difference(one, other, 0) == (3, pytest.approx(1), 2)
    mean, error, n_problems = difference(one, other, 2)
    assert (mean, n_problems) == (3, 1)
    assert np.isnan(error)


def test_a_rule_chosen_on_other_data_may_fail():
    best = {10: 3, 2: 20}  # by the number of classes
    found = [shortfall(trials(lambda size, t, s: 90 - 5 * (s != best[size.n_classes])), WHERE, rule) for rule in FIXED]
    assert chosen_elsewhere(found) == pytest.approx(5)
    assert min(mean_over_problems(each.accuracy) for each in found) == pytest.approx(2.5)


def test_the_section_has_what_was_found():
    section = size_section(trials(lambda size, t, s: 80 - abs(np.log(s / 8)) - (t == 60)), WHERE)
    assert f"{EPOCHS} epochs on 2 data sets" in section
    assert "| T 25, s 8 | 0.00 |" in section
    assert f"| **T {DEFAULT.T:g}, s {DEFAULT.s:g}** | 0.98 |" in section
    assert "| Adult | 16,000 | 79.02" in section
    assert len(RULES) > len(FIXED)
