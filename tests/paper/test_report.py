import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.helpers.made_up_results import (
    keep,
    made_up_record,
    write_baselines,
    write_everything,
    write_sampling,
)
from wtm.paper.report import write_report
from wtm.paper.report.claims import claims_table
from wtm.paper.report.result_folder import read_results
from wtm.paper.run_options import quick_setting
from wtm.paper.settings import COMPRESSION, SWEEPS, WEIGHTS, Swept, large_machines

BEST, CLASSIC = large_machines("connect-4")


class Found(NamedTuple):
    """What a claim's rule found."""

    here: str
    verdict: str


@pytest.fixture(autouse=True)
def empty_figures(monkeypatch):
    """Figures are drawn, but not rendered, which takes most of the time; `test_figures` renders them."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, file, **options: file.write(b"<svg/>"))


def report_of(folder):
    write_report(folder, folder / "docs")
    text = (folder / "docs" / "paper.md").read_text(encoding="utf-8")
    for link in re.findall(r"!\[[^]]*\]\(([^)]*)\)", text):
        assert (folder / "docs" / link).stat().st_size > 0
    assert "nan" not in text
    assert "None" not in text
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({row.count(" | ") for row in table.splitlines()}) == 1
    return text


def holds(folder):
    return {claim: Found(here, verdict) for claim, _, here, verdict in claims_table(read_results(folder)).rows}


def test_everything(tmp_path):
    write_everything(tmp_path)
    text = report_of(tmp_path)
    assert "Missing" not in text
    assert "Unfinished" not in text
    assert text.count("![") == 3 * 3 + 2 + 2 * 3 + 1  # accuracies and compression, authors' recipe, sweeps, weights
    assert "768" in text.partition("## Errata of the paper")[2]
    verdicts = {claim: statement.verdict for claim, statement in holds(tmp_path).items()}
    assert "not measured" not in verdicts.values()
    # The made-up peaks, and the means of TMs, are not the paper's.
    others = [verdict for claim, verdict in verdicts.items() if "mean test accuracy of the TM" not in claim]
    assert others.count("no") <= 3


def test_one_training_alone(tmp_path):
    keep(tmp_path, made_up_record(BEST, [87.0, 88.0, 87.5], planned=1_000, seconds=2.0))
    text = report_of(tmp_path)
    assert report_of(tmp_path) == text
    assert "Missing: TM: 25,000 clauses" in text
    assert "`wtm reproduce connect-4 --preset classic --methods tm`" in text
    assert "seed 0, has 3 of 1,000 epochs" in text
    assert "`wtm reproduce imdb --recipe authors --preset best --methods wtm`" in text
    assert "`python -m studies.sampling_speed`" in text
    found = holds(tmp_path)
    statement = found["Connect-4: mean test accuracy of the WTM of 25,000 clauses"]
    assert statement.here == "87.50 ± 0.00 (3 epochs): +0.18"
    assert statement.verdict == "yes, within the spread"
    statement = found["Connect-4: training time of the WTM of 25,000 clauses"]
    assert (statement.here, statement.verdict) == ("6 s for 3 epochs, 2 s each", "38 times as fast")
    assert found["Connect-4: at 25,000 clauses each the WTM is better than the TM"].verdict == "not measured"


@pytest.mark.parametrize(("mean", "verdict"), [(83.0, "no"), (82.5, "yes, within the spread"), (82.0, "no")])
def test_a_mean_of_a_tm_is_to_be_met(tmp_path, mean, verdict):
    keep(tmp_path, made_up_record(CLASSIC, [mean] * 5))
    assert holds(tmp_path)["Connect-4: mean test accuracy of the TM of 25,000 clauses"].verdict == verdict


@pytest.mark.parametrize(("mean", "verdict"), [(89.0, "yes"), (87.3, "yes, within the spread"), (86.0, "no")])
def test_a_mean_is_compared_with_the_papers(tmp_path, mean, verdict):
    keep(tmp_path, made_up_record(BEST, [mean] * 5))
    assert holds(tmp_path)["Connect-4: mean test accuracy of the WTM of 25,000 clauses"].verdict == verdict


@pytest.mark.parametrize(("wtm", "tm", "equal", "compression"), [
    (88.0, 82.0, "yes", "yes"),
    (82.0, 88.0, "no", "no"),
    (82.0, 82.0, "within the spread", "yes, within the spread"),
])  # fmt: skip
def test_verdicts_follow_the_means(tmp_path, wtm, tm, equal, compression):
    small = COMPRESSION["connect-4"]
    keep(
        tmp_path,
        *(made_up_record(setting, [wtm] * 5) for setting in (BEST, small.weighted.setting)),
        *(made_up_record(setting, [tm] * 5) for setting in (CLASSIC, small.classic.setting)),
    )
    found = holds(tmp_path)
    assert found["Connect-4: at 25,000 clauses each the WTM is better than the TM"].verdict == equal
    claim = "Connect-4: a WTM of 200 clauses reaches a TM of 10,000 (1/50 of the clauses)"
    assert found[claim].verdict == compression
    assert f"{wtm - tm:+.2f}" in found[claim].here


def test_few_clauses_reach_many_only_if_no_smaller_tm_does(tmp_path):
    compression = COMPRESSION["imdb"]
    small = [plan.setting for plan in SWEEPS["imdb"][Swept.CLAUSES] if plan.setting.method == "TM"][:2]
    machines = {compression.weighted.setting: 89.0, compression.classic.setting: 88.0, small[0]: 88.9}
    keep(tmp_path, *(made_up_record(setting, [mean] * 5, key="imdb") for setting, mean in machines.items()))
    claim = "IMDb: a WTM of 3,200 clauses reaches a TM of 10,000 (1/3 of the clauses)"
    assert holds(tmp_path)[claim].verdict == "yes"
    keep(tmp_path, made_up_record(small[1], [89.1] * 5, key="imdb"))
    statement = holds(tmp_path)[claim]
    assert statement.verdict == "depends on the TM's T"
    assert statement.here.endswith("but a TM of 400 with T 4 instead of 60 has 89.10 ± 0.00 after 5")


def test_the_peak_is_no_part_of_a_verdict_on_means(tmp_path):
    keep(tmp_path, made_up_record(BEST, [99.0] + [80.0] * 9), made_up_record(CLASSIC, [82.0] * 10))
    found = holds(tmp_path)
    assert found["Connect-4: at 25,000 clauses each the WTM is better than the TM"].verdict == "no"
    assert (
        found["Connect-4: peak test accuracy of the WTM of 25,000 clauses, selected on the test set"].verdict == "yes"
    )


def test_training_accuracy_and_weights(tmp_path):
    best = large_machines("mnist")[0]
    record = made_up_record(best, [98.0] * 140, key="mnist")
    record.history["train_accuracy"][:] = [0.99] * 100 + [1.0] * 40
    keep(tmp_path, record, made_up_record(WEIGHTS.setting, [98.0], key="mnist"))
    found = holds(tmp_path)
    steady = "MNIST: after 130 epochs the WTM's training accuracy is steadily 100 %"
    assert (found[steady].here, found[steady].verdict) == ("from epoch 101 on (on 5,000 training rows)", "yes")
    assert found["MNIST: every class has both fractional and large weights"].verdict == "yes"
    assert found["MNIST: the weights span"].here == "0.10–29.00, a factor of 290"
    record.history["train_accuracy"][-1] = 0.99
    keep(tmp_path, record)
    assert holds(tmp_path)[steady].here == "not steadily (on 5,000 training rows)"


def test_sampling_alone_without_the_first_epoch(tmp_path):
    write_sampling(tmp_path, first_epoch=False, factor=6.0)
    assert "`python -m studies.sampling_speed --data-dir DIR`" in report_of(tmp_path)
    (verdict,) = [s.verdict for claim, s in holds(tmp_path).items() if claim.startswith("Sampling")]
    assert verdict == "no"


def test_baselines_in_part(tmp_path):
    write_baselines(tmp_path, ["tree", "linear"])
    text = report_of(tmp_path)
    assert "| Decision tree | 90.05 | 90.00–90.10 | 87.8 |" in text
    assert "Multinomial naive Bayes" in text.partition("Missing: 2-layer NN")[2]


def test_trainings_of_a_sweep_are_looked_at_over_the_same_epochs(tmp_path):
    a, b = (plan.setting for plan in SWEEPS["connect-4"][Swept.GAMMA][1:3])
    keep(tmp_path, made_up_record(a, [60.0] * 5 + [90.0] * 20), made_up_record(b, [70.0] * 5))
    text = report_of(tmp_path)
    assert "gamma swept, 200 clauses per class, 5 epochs" in text
    assert "| 60.00 ± 0.00 |" in text
    assert "6 of 8 points" in text


def test_no_results_are_no_report(tmp_path):
    with pytest.raises(FileNotFoundError, match="There are no results in"):
        write_report(tmp_path, tmp_path / "docs")
    assert not (tmp_path / "docs").exists()


def test_quick_results_are_named_as_such_and_never_mixed_in(tmp_path):
    quick = quick_setting(BEST)
    keep(tmp_path / "quick", made_up_record(quick, [70.0], quick=True))
    assert "Their figures mean nothing" in report_of(tmp_path / "quick")
    keep(tmp_path, made_up_record(BEST, [70.0]), made_up_record(quick, [70.0], quick=True))
    with pytest.raises(ValueError, match="quick results next to others"):
        read_results(tmp_path)


def test_the_page_in_the_repository_is_what_its_results_make(tmp_path):
    repository = Path(__file__).parents[2]
    write_report(repository / "results", tmp_path)
    assert (tmp_path / "paper.md").read_text(encoding="utf-8") == (repository / "docs" / "paper.md").read_text("utf-8")
    figures = {path.name for path in (repository / "docs" / "paper").iterdir()}
    assert figures == {path.name for path in (tmp_path / "paper").iterdir()}
