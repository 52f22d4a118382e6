import dataclasses
import re
from pathlib import Path

import pytest

from tests.helpers.synthetic import (
    keep,
    made_up_record,
    write_everything,
    write_sampling,
    write_vanilla,
    write_variants,
)
from wtm.paper.report import write_report
from wtm.paper.report.results import read_results
from wtm.paper.report.statements import statements
from wtm.paper.settings import ECONOMY, PRESETS, SWEEPS, WEIGHTS, Over, Preset
from wtm.paper.variants import VARIANTS

BEST = PRESETS["connect-4"][Preset.BEST][0].setting
CLASSIC = PRESETS["connect-4"][Preset.CLASSIC][0].setting


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
    return {statement.claim: statement for statement in statements(read_results(folder))}


def test_everything(tmp_path):
    write_everything(tmp_path)
    text = report_of(tmp_path)
    assert "Not there yet" not in text
    assert "Unfinished" not in text
    assert text.count("![") == 3 * 3 + 2 + 2 * 3 + 1  # accuracies and economy, authors' recipe, sweeps, weights
    assert "768" in text.partition("## Slips of the paper")[2]
    verdicts = {claim: statement.verdict for claim, statement in holds(tmp_path).items()}
    assert "not measured" not in verdicts.values()
    # The made-up peaks, and the means of TMs, are not the paper's.
    others = [verdict for claim, verdict in verdicts.items() if "mean test accuracy of the TM" not in claim]
    assert others.count("no") <= 3


def test_one_training_alone(tmp_path):
    keep(tmp_path, made_up_record(BEST, [87.0, 88.0, 87.5], planned=1_000, seconds=2.0))
    text = report_of(tmp_path)
    assert report_of(tmp_path) == text
    assert "Not there yet: TM: 25,000 clauses" in text
    assert "`wtm reproduce connect-4 --preset classic --methods tm`" in text
    assert "seed 0, has 3 of 1,000 epochs" in text
    assert "`wtm reproduce imdb --recipe authors --preset best --methods wtm`" in text
    assert "`wtm reproduce sampling`" in text
    found = holds(tmp_path)
    statement = found["Connect-4: mean test accuracy of the WTM of 25,000 clauses"]
    assert statement.here == "87.50 ± 0.00 (3 epochs): +0.18"
    assert statement.verdict == "yes, within the spread"
    statement = found["Connect-4: time of training the WTM of 25,000 clauses"]
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


@pytest.mark.parametrize(("wtm", "tm", "equal", "economy"), [
    (88.0, 82.0, "yes", "yes"),
    (82.0, 88.0, "no", "no"),
    (82.0, 82.0, "within the spread", "yes, within the spread"),
])  # fmt: skip
def test_verdicts_follow_the_means(tmp_path, wtm, tm, equal, economy):
    small = ECONOMY["connect-4"]
    keep(
        tmp_path,
        *(made_up_record(setting, [wtm] * 5) for setting in (BEST, small.weighted.setting)),
        *(made_up_record(setting, [tm] * 5) for setting in (CLASSIC, small.classic.setting)),
    )
    found = holds(tmp_path)
    assert found["Connect-4: at 25,000 clauses each the WTM is better than the TM"].verdict == equal
    claim = "Connect-4: a WTM of 200 clauses reaches a TM of 10,000 (1/50 of the clauses)"
    assert found[claim].verdict == economy
    assert f"{wtm - tm:+.2f}" in found[claim].here


def test_few_clauses_reach_many_only_if_no_smaller_tm_does(tmp_path):
    economy = ECONOMY["imdb"]
    small = [plan.setting for plan in SWEEPS["imdb"][Over.CLAUSES] if plan.setting.method == "TM"][:2]
    machines = {economy.weighted.setting: 89.0, economy.classic.setting: 88.0, small[0]: 88.9}
    keep(tmp_path, *(made_up_record(setting, [mean] * 5, key="imdb") for setting, mean in machines.items()))
    claim = "IMDb: a WTM of 3,200 clauses reaches a TM of 10,000 (1/3 of the clauses)"
    assert holds(tmp_path)[claim].verdict == "yes"
    keep(tmp_path, made_up_record(small[1], [89.1] * 5, key="imdb"))
    statement = holds(tmp_path)[claim]
    assert statement.verdict == "depends on the TM's T"
    assert statement.here.endswith("but a TM of 400 with T 4 in place of 60 has 89.10 ± 0.00 after 5")


def test_the_peak_is_no_part_of_a_verdict_on_means(tmp_path):
    keep(tmp_path, made_up_record(BEST, [99.0] + [80.0] * 9), made_up_record(CLASSIC, [82.0] * 10))
    found = holds(tmp_path)
    assert found["Connect-4: at 25,000 clauses each the WTM is better than the TM"].verdict == "no"
    assert found["Connect-4: peak test accuracy of the WTM of 25,000 clauses, picked on the test set"].verdict == "yes"


def test_training_accuracy_and_weights(tmp_path):
    best = PRESETS["mnist"][Preset.BEST][0].setting
    record = made_up_record(best, [98.0] * 140, key="mnist")
    record.history["train_accuracy"][:] = [0.99] * 100 + [1.0] * 40
    keep(tmp_path, record, made_up_record(WEIGHTS.setting, [98.0], key="mnist"))
    found = holds(tmp_path)
    steady = found["MNIST: after 130 epochs the WTM's training accuracy is steadily 100 %"]
    assert (steady.here, steady.verdict) == ("from epoch 101 on (on 5,000 training rows)", "yes")
    assert found["MNIST: every class has both fractional and large weights"].verdict == "yes"
    assert found["MNIST: the weights span"].here == "0.10–29.00, a factor of 290"
    record.history["train_accuracy"][-1] = 0.99
    keep(tmp_path, record)
    assert holds(tmp_path)[steady.claim].here == "not steadily (on 5,000 training rows)"


def test_sampling_alone_without_the_first_epoch(tmp_path):
    write_sampling(tmp_path, first_epoch=False, factor=6.0)
    assert "`wtm reproduce sampling --data-dir DIR`" in report_of(tmp_path)
    (verdict,) = [s.verdict for claim, s in holds(tmp_path).items() if claim.startswith("Sampling")]
    assert verdict == "no"


def test_vanilla_methods_in_part(tmp_path):
    write_vanilla(tmp_path, ["tree", "linear"])
    text = report_of(tmp_path)
    assert "| Decision tree | 90.05 | 90.00–90.10 | 87.8 |" in text
    assert "Multinomial naive Bayes" in text.partition("Not there yet: 2-layer NN")[2]


def test_variants_are_averaged_over_their_last_epochs(tmp_path):
    write_variants(tmp_path, ["example"])
    text = report_of(tmp_path)
    # Twelve epochs of 400, of which the mean is over the last 4.
    row = f"| MNIST: the machine of the program's readme | 500 | 12 | 2 | 91.50 | {1 / 2**0.5:.3f} | 98.10 |"
    assert row in text
    assert "is worth" not in text
    assert "MNIST: the lazy engine; MNIST: the direct" in text.partition("Not there yet: MNIST: a new order")[2]


def test_what_variants_say_is_said_of_those_that_were_trained(tmp_path):
    write_variants(tmp_path, ["shuffled", "program", "connect-4-shuffled", "connect-4-file-order"])
    text = report_of(tmp_path)
    first, other = ((90 + 92 + 91 + seed) / 3 for seed in range(2))  # over the last quarter
    assert f"a mean of {first:.2f} from the seed that it starts with" in text
    assert f"From other seeds it has {other:.2f} (one seed)." in text
    assert "worth +0.00 points to the WTM of 200 clauses" in text
    assert "to the TM of" not in text
    claim = "MNIST: mean test accuracy of the WTM of 4,000 clauses"
    assert holds(tmp_path)[claim].verdict == "not measured"
    best = PRESETS["mnist"][Preset.BEST][0].setting
    keep(tmp_path, made_up_record(best, [98.0], key="mnist"))
    beside = f"; the authors' program itself has {first:.2f} from its own seed, {other:.2f} from other seeds"
    assert holds(tmp_path)[claim].here.endswith(beside)
    assert "reach the many" not in text
    write_variants(tmp_path / "all", VARIANTS)
    assert "+0.00, so there the few clauses do reach the many." in report_of(tmp_path / "all")


def test_trainings_of_a_sweep_are_looked_at_over_the_same_epochs(tmp_path):
    a, b = (plan.setting for plan in SWEEPS["connect-4"][Over.GAMMA][1:3])
    keep(tmp_path, made_up_record(a, [60.0] * 5 + [90.0] * 20), made_up_record(b, [70.0] * 5))
    text = report_of(tmp_path)
    assert "gamma swept, 200 clauses a class, 5 epochs" in text
    assert "| 60.00 ± 0.00 |" in text
    assert "6 of 8 points" in text


def test_no_results_are_no_report(tmp_path):
    with pytest.raises(FileNotFoundError, match="There are no results in"):
        write_report(tmp_path, tmp_path / "docs")
    assert not (tmp_path / "docs").exists()


def test_quick_results_are_named_as_such_and_never_mixed_in(tmp_path):
    quick = dataclasses.replace(BEST, n_clauses=60)
    keep(tmp_path / "quick", made_up_record(quick, [70.0], quick=True))
    assert "Their figures mean nothing" in report_of(tmp_path / "quick")
    keep(tmp_path, made_up_record(BEST, [70.0]), made_up_record(quick, [70.0], quick=True))
    with pytest.raises(ValueError, match="quick results beside others"):
        read_results(tmp_path)


def test_the_page_in_the_repository_is_what_its_results_make(tmp_path):
    repository = Path(__file__).parents[2]
    write_report(repository / "results", tmp_path)
    assert (tmp_path / "paper.md").read_text(encoding="utf-8") == (repository / "docs" / "paper.md").read_text("utf-8")
    figures = {path.name for path in (repository / "docs" / "paper").iterdir()}
    assert figures == {path.name for path in (tmp_path / "paper").iterdir()}
