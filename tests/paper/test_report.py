import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.helpers.made_up_results import (
    keep,
    made_up_record,
    write_ablation,
    write_baselines,
    write_everything,
    write_program_speed,
    write_sampling,
)
from wtm.paper.record import SAMPLED
from wtm.paper.report import write_report
from wtm.paper.report.claims import HEADLINES, OTHERS, claims_table
from wtm.paper.report.errata import windows_of_table_3
from wtm.paper.report.result_folder import read_results
from wtm.paper.report.sampling import mean_draws
from wtm.paper.run_options import quick_setting
from wtm.paper.settings import COMPRESSION, PRESETS, SWEEPS, WEIGHTS, Preset, Swept, large_machines

REPOSITORY = Path(__file__).parents[2]
BEST, CLASSIC = large_machines("connect-4")


class Found(NamedTuple):
    """What a claim's rule found."""

    here: str
    difference: str
    protocol: str
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
    assert not re.search(r"\bnan\b", text)
    assert "None" not in text
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({row.count(" | ") for row in table.splitlines()}) == 1
    return text


def by_claim(folder, claims=(*HEADLINES, *OTHERS)):
    return {claim: Found(*found) for claim, _, *found in claims_table(read_results(folder), claims).rows}


def seeds_of(setting, *means, key="connect-4", n_epochs=5):
    return [made_up_record(setting, [mean] * n_epochs, seed=seed, key=key) for seed, mean in enumerate(means)]


def around(mean):
    """Means of three seeds, 0.01 apart."""
    return mean - 0.01, mean, mean + 0.01


def test_everything(tmp_path):
    write_everything(tmp_path)
    text = report_of(tmp_path)
    assert "Missing" not in text
    assert text.count("![") == 2 * 4 + 3 * 3 + 1  # large and small machines, sweeps, weights
    assert "768" in text.partition("## Errata of the paper")[2]
    found = by_claim(tmp_path)
    assert "not measured" not in [claim.verdict for claim in found.values()]
    better = [claim for claim in found if "is better than" in claim]
    assert {found[claim].verdict for claim in better} == {"yes"}
    assert found["gamma = 0 is the TM"].verdict == "yes"


def test_one_training_alone(tmp_path):
    keep(tmp_path, made_up_record(BEST, [87.0, 88.0, 87.5], planned=3, seconds=2.0))
    text = report_of(tmp_path)
    assert report_of(tmp_path) == text
    tm = "TM: 25,000 clauses per class, p_s 0.033, T 100"
    assert f"{tm} (`wtm reproduce connect-4 --preset classic`)" in " ".join(text.split())
    assert "Connect-4, WTM 25,000: 3 of 1,000 (-0.50 since epoch 2)." in " ".join(text.split())
    assert "`wtm reproduce imdb --recipe authors --preset best`" in " ".join(text.split())
    assert "Made by `wtm reproduce connect-4 --preset best`." in text
    assert "`python -m studies.sampling_speed`" in text
    assert "Missing: a WTM and a TM timed on one kind of processor." in text
    assert "| **WTM 25,000, T 100** | **1** | **3 of 1,000 (1)** |" in text
    found = by_claim(tmp_path)
    expected = ("87.50 (1 seed)", "+0.18", "3 of 1,000 epochs; other order", "undecided")
    assert found["Connect-4: mean of WTM 25,000"] == expected
    assert found["Connect-4: at 25,000 clauses the WTM is better than the TM"].verdict == "not measured"


@pytest.mark.parametrize(("mean", "verdict"), [(86.5, "no"), (87.2, "yes"), (87.5, "yes"), (89.0, "no")])
def test_a_mean_is_compared_with_the_papers(tmp_path, mean, verdict):
    keep(tmp_path, *seeds_of(BEST, *around(mean)))
    assert by_claim(tmp_path)["Connect-4: mean of WTM 25,000"].verdict == verdict


@pytest.mark.parametrize(("wtm", "tm", "equal", "compression"), [
    (88.0, 82.0, "yes", "yes"),
    (82.0, 88.0, "no", "no"),
    (82.0, 82.0, "undecided", "yes"),
])  # fmt: skip
def test_verdicts_follow_the_means(tmp_path, wtm, tm, equal, compression):
    small = COMPRESSION["connect-4"]
    weighted, classic = (BEST, small.weighted.setting), (CLASSIC, small.classic.setting)
    keep(
        tmp_path,
        *(record for setting in weighted for record in seeds_of(setting, *around(wtm))),
        *(record for setting in classic for record in seeds_of(setting, *around(tm))),
    )
    found = by_claim(tmp_path)
    assert found["Connect-4: at 25,000 clauses the WTM is better than the TM"].verdict == equal
    claim = found["Connect-4: a WTM of 200 clauses reaches a TM of 10,000 (1/50)"]
    assert claim.verdict == compression
    assert claim.difference == f"{wtm - tm:+.2f} ± 0.02"
    assert claim.protocol == "5 of 1,000 epochs; other order; TM's T and p_s assumed"


@pytest.mark.parametrize(("tm", "other_clauses", "other", "verdict"), [
    (88.0, 3_200, 88.9, "yes"),
    (88.0, 3_200, 89.5, "depends on T"),  # a smaller TM is better than the WTM
    (90.0, 3_200, 88.0, "no"),
    (90.0, 10_000, 88.0, "depends on T"),  # a TM as large is worse
])  # fmt: skip
def test_another_t_may_reverse_what_few_clauses_reach(tmp_path, tm, other_clauses, other, verdict):
    compression = COMPRESSION["imdb"]
    machines = {compression.weighted.setting: around(89.0), compression.classic.setting: around(tm)}
    plans = (*SWEEPS["imdb"][Swept.CLAUSES], *SWEEPS["imdb"][Swept.T])
    setting = next(
        plan.setting
        for plan in plans
        if (plan.setting.method, plan.setting.n_clauses) == ("TM", other_clauses) and plan.setting not in machines
    )
    machines[setting] = (other,)
    for machine, means in machines.items():
        keep(tmp_path, *seeds_of(machine, *means, key="imdb"))
    assert by_claim(tmp_path)["IMDb: a WTM of 3,200 clauses reaches a TM of 10,000 (1/3)"].verdict == verdict


def test_a_better_tm_with_another_t_is_named(tmp_path):
    many = COMPRESSION["imdb"].classic.setting
    small = next(plan.setting for plan in SWEEPS["imdb"][Swept.CLAUSES] if plan.setting.method == "TM")
    keep(tmp_path, made_up_record(many, [88.0] * 30, key="imdb"), made_up_record(small, [87.9] * 10, key="imdb"))
    assert "Another T may do better: none of those trained does better." in " ".join(report_of(tmp_path).split())
    keep(tmp_path, made_up_record(small, [88.2] * 10, key="imdb"))
    better = "on IMDb, T 3 with 200 clauses has 88.20 after 10 epochs, T 60 with 10,000 has 88.00."
    assert better in " ".join(report_of(tmp_path).split())


@pytest.mark.parametrize(("n_complete", "here", "protocol"), [
    (3, "98.20 ± 0.25 (3 seeds)", "see Errata, table 3"),
    (2, "97.95 ± 0.38 (4 seeds)", "200 of 300 epochs; see Errata, table 3"),
])  # fmt: skip
def test_three_complete_trainings_make_shorter_ones_superfluous(tmp_path, n_complete, here, protocol):
    best = large_machines("mnist")[0]
    means = [98.1, 98.2, 98.3][:n_complete] + [97.8, 97.7][: 4 - n_complete]
    lengths = [300] * n_complete + [200] * (4 - n_complete)
    for seed, (mean, n_epochs) in enumerate(zip(means, lengths, strict=True)):
        keep(tmp_path, made_up_record(best, [mean] * n_epochs, seed=seed, key="mnist"))
    found = by_claim(tmp_path)["MNIST: mean of WTM 4,000"]
    assert (found.here, found.protocol) == (here, protocol)


def test_an_unfinished_training_next_to_three_complete_ones_is_not_a_deviation(tmp_path):
    best = large_machines("imdb")[0]
    keep(tmp_path, *seeds_of(best, *around(90.0), key="imdb", n_epochs=25))
    keep(tmp_path, made_up_record(best, [80.0], seed=3, key="imdb"))
    assert "in the last of them: none." in " ".join(report_of(tmp_path).split())


def test_peaks_are_those_of_the_papers_epochs(tmp_path):
    few = COMPRESSION["imdb"].weighted.setting
    keep(tmp_path, made_up_record(few, [89.0] * 30 + [95.0] * 5, key="imdb"))
    found = by_claim(tmp_path)["IMDb: peak of WTM 3,200"]
    assert (found.here, found.protocol) == ("89.00 (1 seed)", "yes")


def test_machines_are_compared_in_the_order_of_the_file_too(tmp_path):
    write_sampling(tmp_path)
    few, many = COMPRESSION["connect-4"].weighted.setting, COMPRESSION["connect-4"].classic.setting
    for name, setting, mean in (("connect-4-file-order", few, 83.0), ("connect-4-tm-file-order", many, 81.0)):
        write_ablation(tmp_path, name, *([m] * 7 for m in around(mean)), key="connect-4", setting=setting)
    found = by_claim(tmp_path)
    claim = found["Connect-4, rows in the order of the file: a WTM of 200 clauses reaches a TM of 10,000"]
    assert (claim.difference, claim.protocol) == ("+2.00 ± 0.02", "7 of 1,000 epochs; TM's T and p_s assumed")
    large = "Connect-4, rows in the order of the file: a WTM of 25,000 clauses is better than a TM of 25,000"
    assert found[large].verdict == "not measured"


def test_each_machine_is_made_by_one_command(tmp_path):
    compression, (light, small_tm) = COMPRESSION["mnist"], PRESETS["mnist"][Preset.LIGHT]
    assert light.setting == compression.weighted.setting
    keep(tmp_path, *seeds_of(light.setting, *around(98.0), key="mnist"))
    keep(tmp_path, *seeds_of(compression.classic.setting, 98.0, key="mnist"))
    keep(tmp_path, *seeds_of(small_tm.setting, 97.0, 97.1, key="mnist"))
    made = (
        "Made by `wtm reproduce compression mnist --methods tm`, `wtm reproduce compression mnist --methods wtm "
        "--seeds 3`, `wtm reproduce mnist --preset light --methods tm --seeds 2`."
    )
    assert made in " ".join(report_of(tmp_path).split())


def test_factors_of_times_are_those_of_the_same_epochs(tmp_path):
    keep(tmp_path, made_up_record(BEST, [87.0] * 4, seconds=1.0), made_up_record(CLASSIC, [82.0] * 2, seconds=3.0))
    record = made_up_record(BEST, [87.0] * 4)
    record.history["seconds"][:] = [2.0, 2.0, 0.1, 0.1]  # later epochs are faster
    keep(tmp_path, record)
    found = by_claim(tmp_path)["Connect-4: at 25,000 clauses the WTM is slightly faster than the TM"]
    assert (found.here, found.verdict) == ("1.5 times", "–")
    processor = record.sessions[0]["machine"]["llvm_target"]
    row = f"| Connect-4, 25,000 clauses | 76 and 105 | {processor} | 2 | 3 | 2 | 1 and 1 |"
    assert row in report_of(tmp_path)
    record.sessions[0]["machine"] = {**record.sessions[0]["machine"], "llvm_target": "another"}
    keep(tmp_path, record)
    found = by_claim(tmp_path)["Connect-4: at 25,000 clauses the WTM is slightly faster than the TM"]
    assert found.verdict == "not measured"


def test_the_order_of_the_file_is_compared_over_the_same_epochs(tmp_path):
    few = COMPRESSION["connect-4"].weighted.setting
    keep(tmp_path, *seeds_of(few, *around(81.0)))
    write_ablation(tmp_path, "connect-4-file-order", [79.0] * 5, setting=few)
    assert "With it the mean differs by -2.00 for Connect-4's WTM 200 (" in " ".join(report_of(tmp_path).split())


def test_a_mean_in_the_order_of_the_file_is_compared_with_the_papers(tmp_path):
    keep(tmp_path, made_up_record(CLASSIC, [84.0] * 5))
    write_ablation(tmp_path, "connect-4-large-tm-file-order", [82.0] * 5, setting=CLASSIC)
    found = by_claim(tmp_path)["Connect-4, rows in the order of the file: mean of TM 25,000"]
    assert found == ("82.00 (1 seed)", "-0.49", "5 of 1,000 epochs", "undecided")


def test_the_best_t_of_a_whole_sweep_is_named(tmp_path):
    plans = SWEEPS["mnist"][Swept.T]
    means = {plan.setting: 96.0 + (plan.setting == COMPRESSION["mnist"].classic.setting) for plan in plans}
    sweep = [made_up_record(setting, [mean] * 3, key="mnist") for setting, mean in means.items()]
    keep(tmp_path, *sweep[1:])
    assert "is the best of" not in report_of(tmp_path)
    keep(tmp_path, sweep[0])
    assert "On MNIST, T 50 is the best of 5 values after 3 epochs." in " ".join(report_of(tmp_path).split())


def test_a_small_wtm_that_goes_on_is_followed(tmp_path):
    few, many = COMPRESSION["connect-4"].weighted.setting, COMPRESSION["connect-4"].classic.setting
    keep(tmp_path, made_up_record(few, [81.0] * 5 + [79.0] * 20), made_up_record(many, [85.0] * 5))
    text = " ".join(report_of(tmp_path).split())
    assert "Connect-4, TM 10,000: 5 of 1,000 (+0.00 since epoch 4, WTM 200 -2.00 from epoch 5 to 25)" in text


def test_peaks_of_few_and_many_clauses_are_compared(tmp_path):
    few, many = COMPRESSION["imdb"].weighted.setting, COMPRESSION["imdb"].classic.setting
    for setting, peak in ((few, 89.0), (many, 90.0)):
        keep(
            tmp_path,
            *(made_up_record(setting, [peak + d, 80.0], seed=i, key="imdb") for i, d in enumerate((0, 0.1, 0.2))),
        )
    found = by_claim(tmp_path)["IMDb: the peak of a WTM of 3,200 clauses reaches that of a TM of 10,000"]
    assert (found.difference, found.verdict) == ("-1.00 ± 0.23", "no")


def test_the_programs_own_seed_is_one_run(tmp_path):
    write_ablation(tmp_path, "program", [98.4] * 300, [98.0] * 300)
    write_sampling(tmp_path)
    found = by_claim(tmp_path)
    own = found["MNIST: mean of WTM 4,000, authors' program with its own seed"]
    assert own == ("98.40 (1 run)", "-0.10", "yes", "–")
    assert found["MNIST: the same, runs of the authors' program, its own seed included"].verdict == "undecided"


def test_peaks_and_means_are_apart(tmp_path):
    keep(tmp_path, *(made_up_record(BEST, [87.91] + [80.0] * 9, seed=seed) for seed in range(3)))
    found = by_claim(tmp_path)
    assert found["Connect-4: peak of WTM 25,000"].verdict == "yes"
    assert found["Connect-4: mean of WTM 25,000"].verdict == "no"


@pytest.mark.parametrize(("late", "here", "verdict"), [
    ([1.0] * 10, "100.0 % of these epochs; lowest 100.00 (3 seeds)", "yes"),
    ([1.0] * 9 + [0.9996], "90.0 % of these epochs; lowest 99.96 (3 seeds)", "no"),
])  # fmt: skip
def test_training_accuracy_is_that_of_sampled_rows(tmp_path, late, here, verdict):
    records = seeds_of(large_machines("mnist")[0], *around(98.0), key="mnist", n_epochs=140)
    for record in records:
        record.history[SAMPLED][:] = [0.99] * 130 + late
    keep(tmp_path, *records)
    found = by_claim(tmp_path)["MNIST: after 130 epochs the WTM's training accuracy (2,500 rows) is steadily 100 %"]
    assert (found.here, found.protocol, found.verdict) == (here, "140 of 300 epochs", verdict)


def test_weights(tmp_path):
    keep(tmp_path, *seeds_of(WEIGHTS.setting, *around(98.0), key="mnist"))
    found = by_claim(tmp_path)
    assert found["MNIST: every class has both fractional and large weights"].verdict == "yes"
    assert found["MNIST: the weights span"].here == "from 0.1 to 29, a factor of 290 (3 seeds)"
    assert found["MNIST: the weights span"].protocol == "5 of 300 epochs"
    # The bins -8, 0 and 16 begin at 0.5, 1 and 4; smoothed over 8 bins the first two touch.
    peaks = found["MNIST: the positive weights of class 9 have two peaks"]
    assert peaks.here == "around 1 and 4, smoothed over a doubling"


def test_held_weights_are_reported(tmp_path):
    record = made_up_record(BEST, [87.0])
    record.history["weights_saturated"][:] = [1_234]
    keep(tmp_path, record)
    held = "Updates held at its ends: Connect-4, gamma 0.0007, seed 0: 1,234."
    assert held in " ".join(report_of(tmp_path).split())


@pytest.mark.parametrize("name", ["wtm", "program"])
@pytest.mark.parametrize(("deviation", "verdict"), [(0.001, "yes"), (0.03, "undecided"), (1.0, "no")])
def test_runs_are_similar_if_their_deviation_is_within_the_margin(tmp_path, deviation, verdict, name):
    means = (98 - deviation, 98.0, 98 + deviation)
    keep(tmp_path, *seeds_of(large_machines("mnist")[0], *means, key="mnist"))
    write_ablation(tmp_path, "program", *([mean] * 5 for mean in means))
    claim = {
        "wtm": "multiple runs behave similarly",
        "program": "the same, runs of the authors' program, its own seed included",
    }[name]
    assert by_claim(tmp_path)[f"MNIST: {claim}"].verdict == verdict


@pytest.mark.parametrize(("many", "few", "verdict"), [(50.0, 40.0, "yes"), (40.0, 50.0, "no")])
def test_clauses_of_a_larger_p_s_are_sparser(tmp_path, many, few, verdict):
    for key in ("mnist", "imdb", "connect-4"):
        light, classic = (plan.setting for plan in PRESETS[key][Preset.LIGHT])
        for p_s in (light.p_s, classic.p_s):
            record = made_up_record(replace(classic, p_s=p_s), [80.0] * 2, key=key)
            record.history["literals_per_clause"][:] = [1.0, many if p_s == min(light.p_s, classic.p_s) else few]
            keep(tmp_path, record)
    found = by_claim(tmp_path)["A larger p_s makes clauses sparser"]
    assert f"IMDb {many:.1f}, {few:.1f} (p_s 0.012, 0.02)" in found.here
    assert found.verdict == verdict


@pytest.mark.parametrize(("last", "here", "verdict"), [(50, "50%", "yes"), (300, "50–300%", "undecided")])
def test_feedback_calms_down(tmp_path, last, here, verdict):
    records = seeds_of(BEST, *around(88.0), n_epochs=2)
    for record, total in zip(records, (50, 50, last), strict=True):
        record.history["type_i"][:], record.history["type_ii"][:] = [60, total - 10], [40, 10]
    keep(tmp_path, *records)
    found = by_claim(tmp_path)["Feedback calms down while the machine learns"]
    assert (found.here, found.verdict) == (
        f"the last epoch has {here} of the feedbacks of the first, less than half in 0 of 3 trainings",
        verdict,
    )


def test_sampling_alone_without_the_first_epoch(tmp_path):
    write_sampling(tmp_path, first_epoch=False, factor=6.0)
    assert "`python -m studies.sampling_speed --data-dir DIR`" in report_of(tmp_path)
    (found,) = [found for claim, found in by_claim(tmp_path).items() if claim.startswith("Algorithm 1 samples")]
    assert (found.here, found.verdict) == ("6 times (6–9)", "–")


def test_baselines_in_part(tmp_path):
    write_baselines(tmp_path, ["tree", "linear"])
    text = report_of(tmp_path)
    assert "| Decision tree | 90.05 | 2 of 5 | 87.8 |" in text
    assert "| Linear classifier (least squares) | 91.05 | 2 | 88.0 |" in text
    missing = " ".join(text.partition("Missing: 2-layer NN")[2].split()).partition(" (`")[0]
    assert missing.endswith("Logistic regression (1,000 iterations); Multinomial naive Bayes")
    assert "Decision tree" not in missing


def test_a_method_of_no_seed_is_compared_as_one_run(tmp_path):
    keep(tmp_path, *seeds_of(large_machines("mnist")[0], *around(98.0), key="mnist"))
    write_baselines(tmp_path, ["tree", "linear"])  # two seeds of the tree, too few
    found = by_claim(tmp_path)["MNIST: the WTM compares favourably with nine methods"]
    assert (found.here, found.verdict) == ("of 2 methods: 1 worse, 0 better, 1 undecided", "undecided")


def test_draws_of_algorithm_1():
    # One of two literals: a count and a place. Both: the second place is drawn until it is the other, twice on average.
    assert mean_draws(2, 0.5) == pytest.approx(1 + 0.5 * 1 + 0.25 * 3)


def test_table_3_is_compared_with_the_program(tmp_path):
    assert list(windows_of_table_3(read_everything(tmp_path))) == []
    accuracies = [50.0] * 160 + [98.0 + i / 50 for i in range(40)]
    write_ablation(tmp_path, "program", accuracies)
    figures, missing = windows_of_table_3(read_results(tmp_path))
    assert figures == (
        "The authors' program with its own seed has maximum, minimum, mean and s.d. 98.78, 98.00, 98.39, 0.23 and "
        "range 98.01–98.77 (2.5 to 97.5 %) or 98.03–98.75 (5 to 95 %) over epochs 161 to 200. No such window has all "
        "six figures of the table."
    )
    assert missing == "Epochs 251 to 300 are not trained."


def test_the_window_that_has_all_figures_of_table_3_is_named():
    fitting, quantiles, other = windows_of_table_3(read_results(REPOSITORY / "results"))
    assert other.startswith("It has maximum, minimum, mean and s.d. 98.60, 98.32, 98.44, 0.06 and range 98.33–98.58")
    assert other.endswith("over epochs 251 to 300.")
    assert quantiles == "The range is of median-unbiased quantiles; numpy's default ones give 98.44–98.57."
    assert fitting == (
        "All six figures of the WTM are those of the authors' program with its own seed over epochs 161 to 200, if "
        "the range is from 5 to 95 %."
    )


def read_everything(folder):
    write_sampling(folder)
    return read_results(folder)


def test_trainings_of_a_sweep_are_looked_at_over_the_same_epochs(tmp_path):
    a, b = (plan.setting for plan in SWEEPS["connect-4"][Swept.GAMMA][1:3])
    keep(tmp_path, made_up_record(a, [60.0] * 5 + [90.0] * 20), made_up_record(b, [70.0] * 5))
    text = report_of(tmp_path)
    assert "gamma swept, 200 clauses per class, 5 epochs, 1 seed per point" in text
    assert "6 of 8 points" in text


@pytest.mark.parametrize(("again", "said"), [(0.95, "the same test accuracy"), (0.94, "**another test accuracy**")])
def test_the_programs_speed(tmp_path, again, said):
    write_program_speed(tmp_path, again)
    text = report_of(tmp_path)
    assert "| 4,000 clauses, epoch 1 | 60 | 50 | 4 | 15 |" in text
    assert "| 4,000 clauses, epoch 3 | 40 | 30 | 0.5 | 80 |" in text
    assert f"Program and repetition have {said} after each of the 3 epochs." in " ".join(text.split())
    assert "meanwhile 1.2 processes shared its" in " ".join(text.split())


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
    write_report(REPOSITORY / "results", tmp_path)
    assert (tmp_path / "paper.md").read_text(encoding="utf-8") == (REPOSITORY / "docs" / "paper.md").read_text("utf-8")
    figures = {path.name for path in (REPOSITORY / "docs" / "paper").iterdir()}
    assert figures == {path.name for path in (tmp_path / "paper").iterdir()}
