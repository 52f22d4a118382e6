import statistics

import numpy as np
import pytest
from rich.console import Console
from wtm.paper.comparison_table import comparison_table

from wtm import WTMClassifier
from wtm.paper.rules_file import write_rules
from wtm.paper.settings import Preset, machines_of
from wtm.paper.summary import summarise

ACCURACIES = [0.5, 0.7, 0.9, 0.6, 0.9, 0.8, 0.7, 0.75, 0.7, 0.8, 0.84]


@pytest.fixture
def clf():
    X = np.random.default_rng(3).integers(0, 2, (200, 9)).astype(np.uint8)
    clf = WTMClassifier(n_clauses=20, T=6, s=3, gamma=0.2, n_epochs=len(ACCURACIES), random_state=0)
    clf.fit(X, np.array(["no", "yes"])[X[:, 0] ^ X[:, 1]])
    for entry, accuracy in zip(clf.history_, ACCURACIES, strict=True):
        entry["valid_accuracy"] = accuracy
        entry["seconds"] = float(entry["epoch"])
    return clf


def test_summary(clf):
    summary = summarise(clf)
    assert summary.epochs == 11
    assert summary.last == 0.84
    assert summary.averaged == 3  # a fifth, rounded up
    assert summary.mean == pytest.approx((0.7 + 0.8 + 0.84) / 3)
    assert summary.deviation == pytest.approx(statistics.pstdev([0.7, 0.8, 0.84]))
    assert (summary.low, summary.high) == (0.7, 0.84)
    assert (summary.peak, summary.peak_epoch) == (0.9, 3)
    assert (summary.seconds_low, summary.seconds_per_epoch, summary.seconds_high) == (3.5, 6, 8.5)


def test_summary_of_weights_leaves_clauses_without_literals_out(clf):
    heavy = clf.machines_[0].exponents.argmax()
    before = summarise(clf)
    clf.machines_[0].include_bits.reshape(-1)[heavy * clf.machines_[0].parameters.n_words] = 0
    after = summarise(clf)
    assert after.rules == before.rules - 1
    voting = np.concatenate([m.weights[m.include.any(axis=1)] for m in clf.machines_])
    assert (after.weights.min, after.weights.max) == (voting.min(), voting.max())
    assert after.weights.mean == pytest.approx(voting.mean())
    assert set(after.weights_by_class) == {"no", "yes"}
    assert after.weights_by_class["yes"] == before.weights_by_class["yes"]
    assert after.weights_by_class["no"].max < before.weights_by_class["no"].max


def test_summary_without_any_rule(clf):
    for machine in clf.machines_:
        machine.include_bits[:] = 0
    summary = summarise(clf)
    assert summary.rules == 0
    assert summary.weights is None
    assert summary.weights_by_class == {"no": None, "yes": None}
    text = printed([machines_of("connect-4", Preset.BEST)[0]], [summary])
    assert "nan" not in text


def printed(settings, summaries):
    console = Console(width=100, force_terminal=False)
    with console.capture() as capture:
        console.print(
            comparison_table("Tea, preset light", settings, summaries, {"label": "win", "test_share": 0.6517})
        )
    return capture.get()


def cells(text, row):
    (line,) = [line for line in text.splitlines() if line.startswith(f"│   {row} ")]
    return [cell.strip() for cell in line.split("│")[2:-1]]


def test_table_sets_the_authors_figures_beside_ours(clf):
    summary = summarise(clf)
    text = printed(machines_of("connect-4", Preset.LIGHT), [summary, summary])
    assert cells(text, "epochs") == ["200", "11", "11"]
    assert cells(text, "p_s = 1/s") == ["0.037", "0.037", "0.033"]
    assert cells(text, "after the last epoch") == ["80.13", "84.00", "84.00"]
    assert cells(text, "peak of all epochs") == ["–", "90.00 (3)", "90.00 (3)"]
    assert cells(text, "range of last epochs") == ["–", "70.00–84.00", "70.00–84.00"]
    assert cells(text, "always “win”") == ["–", "65.17", "65.17"]
    assert cells(text, "seconds an epoch") == ["–", "6.00 (3.50–8.50)", "6.00 (3.50–8.50)"]
    assert "last epochs are the last 3," in " ".join(text.split())


def test_table_tells_epochs_of_figures_that_come_from_another_training(clf):
    text = printed(machines_of("mnist", Preset.BEST), [summarise(clf)])
    assert cells(text, "epochs") == ["200", "11"]
    assert cells(text, "peak of all epochs") == ["98.63 in 300", "90.00 (3)"]
    assert cells(text, "after the last epoch") == ["98.51", "84.00"]


def test_rules_file_wraps_between_literals(clf, tmp_path):
    names = [f"the number {i} is-in the bag" for i in range(9)]
    setting = machines_of("connect-4", Preset.LIGHT)[0]
    write_rules(tmp_path / "rules.txt", "Tea", setting, clf, names)
    lines = (tmp_path / "rules.txt").read_text(encoding="utf-8").splitlines()
    assert "Class no" in lines
    assert "Class yes" in lines
    assert max(map(len, lines)) <= 100
    literal_lines = [line for line in lines if "is-in" in line]
    assert literal_lines
    assert all(line.count("the number") == line.count("is-in the bag") for line in literal_lines)
    assert "\N{NO-BREAK SPACE}" not in "".join(lines)
    assert "All weights of this machine are 1" not in "".join(lines)
