"""The paper's claims on accuracies: of the WTM and the TM, and of one machine."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from wtm.paper.intervals import UNDECIDED, Claimed, against_one_run, between, deviation_interval, mean_text
from wtm.paper.record import SAMPLED, common_epochs
from wtm.paper.report.claim import ABSTRACT, OUR_EXPERIMENT, Claim, Finding, facts, margin, protocol_of
from wtm.paper.report.result_folder import FILE_ORDER, NotMeasuredError, Results, last_mean
from wtm.paper.reported import papers_row, reported_for
from wtm.paper.settings import (
    COMPRESSION,
    NAMES,
    NAMES_BY_RECIPE,
    PRESETS,
    SWEEPS,
    Plans,
    Preset,
    Setting,
    Swept,
    large_machines,
    paper_epochs,
)
from wtm.paper.summary import Summary, summarise
from wtm.paper.text_table import NOTHING, signed

_Values = Callable[[Summary], Sequence[float]]

_PEAKS = "imdb"
"""The data of which the paper gives the peaks of few and of many clauses."""
_STEADY_FROM = 131
_TM_TRAINING_PEAK = 99.86
_TM_PEAK = 98.27
"""In the text of the paper; its table 3 has another one."""


def _compression(key: str) -> Claim:
    share, few, many = COMPRESSION[key].share, COMPRESSION[key].weighted.setting, COMPRESSION[key].classic.setting

    def rule(results: Results) -> Finding:
        wtm, tm = _over_the_same_epochs(results, key, few, many)
        difference = between(wtm.seed_means, tm.seed_means)
        verdict = difference.verdict(Claimed.REACHES, margin(key))
        if verdict != UNDECIDED and _another_t_reverses(results, key, many, wtm, verdict):
            verdict = "depends on T"
        return Finding(f"{wtm}, {tm}", str(difference), protocol_of(key, wtm.epochs, few, many), verdict)

    text = f"a WTM of {few.n_clauses:,} clauses reaches a TM of {many.n_clauses:,} ({share})"
    peaks = ", ".join(f"{peak:.2f}" for peak in _papers_peaks(few, many)) if key == _PEAKS else ""
    return Claim(f"{NAMES[key]}: {text}", f"peaks {peaks}" if peaks else "in words", rule)


def _papers_peaks(*settings: Setting) -> list[float]:
    """Return the peaks that the paper gives for machines which are in none of its tables."""
    return [r.peak for setting in settings for r in reported_for(_PEAKS, setting) if r.source == "paper" and r.peak]


def _peaks_of_few_and_many() -> Iterator[Claim]:
    """Yield the claims on each peak, and that of `_compression` on both."""
    few, many = COMPRESSION[_PEAKS].weighted.setting, COMPRESSION[_PEAKS].classic.setting
    a, b = _papers_peaks(few, many)

    def rule(results: Results) -> Finding:
        wtm, tm = (results.summary(_PEAKS, setting, paper_epochs(_PEAKS, setting)) for setting in (few, many))
        difference = between(wtm.seed_peaks, tm.seed_peaks)
        verdict = difference.verdict(Claimed.REACHES, margin(_PEAKS))
        here = f"{mean_text(wtm.seed_peaks)}, {mean_text(tm.seed_peaks)}"
        return Finding(here, str(difference), protocol_of(_PEAKS, wtm.epochs, few, many), verdict)

    yield _peak_accuracy(_PEAKS, few, a)
    yield _peak_accuracy(_PEAKS, many, b)
    text = f"the peak of a WTM of {few.n_clauses:,} clauses reaches that of a TM of {many.n_clauses:,}"
    yield Claim(f"{NAMES[_PEAKS]}: {text}", f"{a:.2f}, {b:.2f}: {a - b:+.2f}", rule)


def _small_machines(key: str) -> Claim:
    """Return a claim on the small WTM and a TM with its clauses and T and the large TM's p_s."""
    weighted, classic = (plan.setting for plan in PRESETS[key][Preset.LIGHT])

    def rule(results: Results) -> Finding:
        wtm, tm = _over_the_same_epochs(results, key, weighted, classic)
        difference = between(wtm.seed_means, tm.seed_means)
        verdict = difference.verdict(Claimed.BETTER, margin(key))
        protocol = f"{OUR_EXPERIMENT}, {wtm.epochs:,} epochs; TM's T and p_s assumed"
        return Finding(f"{wtm}, {tm}", str(difference), protocol, verdict)

    text = f"at {weighted.n_clauses:,} clauses, too, the WTM is better than the TM"
    return Claim(f"{NAMES[key]}: {text}", NOTHING, rule)


def _another_t_reverses(results: Results, key: str, many: Setting, wtm: Summary, verdict: str) -> bool:
    """Return whether a TM with another T, of one seed or more, would give the opposite verdict on means alone."""
    for records in results.groups(key, (*SWEEPS[key][Swept.T], *SWEEPS[key][Swept.CLAUSES])):
        setting = records[0].setting
        larger = setting.n_clauses - many.n_clauses
        if setting.method == "WTM" or setting == many or (larger > 0 if verdict == "yes" else larger < 0):
            continue
        n_epochs = min(wtm.epochs, common_epochs([records]))
        ours = results.summary(key, COMPRESSION[key].weighted.setting, n_epochs)
        difference = ours.mean - summarise(records, n_epochs).mean
        if difference < -margin(key) if verdict == "yes" else difference > -margin(key):
            return True
    return False


def _equal_clauses(key: str) -> Claim:
    best, classic = large_machines(key)
    a, b = (papers_row(key, setting)[1].mean for setting in (best, classic))

    def rule(results: Results) -> Finding:
        wtm, tm = _over_the_same_epochs(results, key, best, classic)
        difference = between(wtm.seed_means, tm.seed_means)
        verdict = difference.verdict(Claimed.BETTER, margin(key))
        return Finding(f"{wtm}, {tm}", str(difference), protocol_of(key, wtm.epochs, best, classic), verdict)

    text = f"{NAMES_BY_RECIPE[key]}: at {best.n_clauses:,} clauses the WTM is better than the TM"
    return Claim(text, f"{a:.2f}, {b:.2f}: {a - b:+.2f}", rule)


def _weights_help(key: str) -> Claim:
    weighted = PRESETS[key][Preset.LIGHT][0].setting

    def rule(results: Results) -> Finding:
        wtm, plain = _over_the_same_epochs(results, key, weighted, replace(weighted, method="TM", gamma=0.0))
        difference = between(wtm.seed_means, plain.seed_means)
        verdict = difference.verdict(Claimed.BETTER, margin(key))
        return Finding(f"{wtm}, {plain}", str(difference), f"{OUR_EXPERIMENT}, {wtm.epochs:,} epochs", verdict)

    machine = f"{weighted.n_clauses:,} clauses, gamma {weighted.gamma:g} or 0"
    return Claim(f"{NAMES[key]}: weights help, all else equal ({machine})", "in words", rule)


def _over_the_same_epochs(results: Results, key: str, *settings: Setting) -> list[Summary]:
    n_epochs = common_epochs([results.required(key, setting) for setting in settings])
    return [results.summary(key, setting, n_epochs) for setting in settings]


def _clauses_help(key: str) -> Claim:
    def rule(results: Results) -> Finding:
        said, rises = [], []
        n_seeds: list[int] = []
        for method in ("WTM", "TM"):
            plans: Plans = tuple(plan for plan in SWEEPS[key][Swept.CLAUSES] if plan.setting.method == method)
            groups = results.groups(key, plans)
            if len(groups) < 2:
                raise NotMeasuredError
            n_epochs = common_epochs(groups)
            means = [summarise(records, n_epochs).mean for records in groups]
            said.append(f"{method} {means[0]:.2f} to {means[-1]:.2f}")
            rises += [b > a for a, b in pairwise(means)]
            n_seeds += map(len, groups)
        first, last = (groups[i][0].setting.n_clauses for i in (0, -1))
        here = f"{', '.join(said)}; better at {sum(rises)} of {len(rises)} steps"
        protocol = f"{OUR_EXPERIMENT}, {n_epochs:,} epochs, {min(n_seeds)}+ seeds per point"
        return Finding(f"{first:,} to {last:,} clauses: {here}", protocol=protocol, verdict=facts(rises))

    return Claim(f"{NAMES[key]}: each additional clause gives more expressive power", "in words", rule)


def _figure(
    text: str, key: str, setting: Setting, theirs: float, values: _Values, *, of_last_epochs: bool = True
) -> Claim:
    """Return the claim that a figure of a machine is `theirs`; `values` has ours, one per seed."""
    notes = []
    if key == "mnist":
        notes = ["see Errata, table 3" if of_last_epochs else "theirs of 200 epochs, see Errata"]

    def rule(results: Results) -> Finding:
        summary = results.summary(key, setting, paper_epochs(key, setting))
        ours = values(summary)
        difference = against_one_run(ours, theirs)
        verdict = difference.verdict(Claimed.EQUALS, margin(key))
        protocol = protocol_of(key, summary.epochs, setting, notes=notes)
        return Finding(mean_text(ours), str(difference), protocol, verdict)

    return Claim(f"{NAMES_BY_RECIPE[key]}: {text} of {setting.method} {setting.n_clauses:,}", f"{theirs:.2f}", rule)


def _mean_accuracy(key: str, setting: Setting) -> Claim:
    return _figure("mean", key, setting, papers_row(key, setting)[1].mean, lambda summary: summary.seed_means)


def _peak_accuracy(key: str, setting: Setting, theirs: float) -> Claim:
    return _figure("peak", key, setting, theirs, lambda summary: summary.seed_peaks, of_last_epochs=False)


def _peak_of_large_wtm(key: str) -> Claim:
    setting, _ = large_machines(key)
    return _peak_accuracy(key, setting, papers_row(key, setting)[1].maximum)


def _stable() -> Claim:
    setting, _ = large_machines("mnist")
    row = papers_row("mnist", setting)[1]
    text = "learning is stable: largest minus smallest of the last epochs"
    return _figure(text, "mnist", setting, row.maximum - row.minimum, lambda summary: summary.seed_ranges)


def _runs_of_wtm(results: Results) -> Finding:
    best = large_machines("mnist")[0]
    summary = results.summary("mnist", best)
    return _similar(summary.seed_means, summary.epochs)


def _runs_of_program(results: Results) -> Finding:
    runs = results.ablation("program")
    n_epochs = min(len(run["test_accuracy"]) for run in runs)
    return _similar([last_mean(run, n_epochs) for run in runs], n_epochs)


def _similar(means: Sequence[float], n_epochs: int) -> Finding:
    interval, protocol = deviation_interval(means), protocol_of("mnist", n_epochs, large_machines("mnist")[0])
    if interval is None:
        return Finding(mean_text(means), protocol=protocol, verdict=UNDECIDED)
    low, high = interval
    verdict = "yes" if high < margin("mnist") else "no" if low > margin("mnist") else UNDECIDED
    here = f"sd of {len(means)} means {np.std(means, ddof=1):.3f} ({low:.3f}–{high:.3f})"
    return Finding(here, protocol=protocol, verdict=verdict)


def _own_seed(results: Results) -> Finding:
    """Compare the paper's mean with that of the authors' program in its default initial state, which is one run."""
    runs = [run for run in results.ablation("program") if run["seed"] == 0]
    if not runs:
        raise NotMeasuredError
    best, _ = large_machines("mnist")
    (run,), theirs = runs, papers_row("mnist", best)[1].mean
    mean, protocol = last_mean(run), protocol_of("mnist", len(run["test_accuracy"]), best)
    return Finding(f"{mean:.2f} (1 run)", signed(mean - theirs), protocol, NOTHING)


def _in_file_order(claimed: Claimed, weighted: str, classic: str) -> Claim:
    """Return a claim on two ablations of `FILE_ORDER`."""
    (key, few), (_, many) = FILE_ORDER[weighted], FILE_ORDER[classic]

    def rule(results: Results) -> Finding:
        runs = [results.ablation(name) for name in (weighted, classic)]
        n_epochs = min(len(run["test_accuracy"]) for of_machine in runs for run in of_machine)
        wtm, tm = ([last_mean(run, n_epochs) for run in of_machine] for of_machine in runs)
        difference = between(wtm, tm)
        verdict = difference.verdict(claimed, margin(key))
        protocol = protocol_of(key, n_epochs, few, many, in_file_order=True)
        return Finding(f"{mean_text(wtm)}, {mean_text(tm)}", str(difference), protocol, verdict)

    relation = "reaches" if claimed == Claimed.REACHES else "is better than"
    text = f"a WTM of {few.n_clauses:,} clauses {relation} a TM of {many.n_clauses:,}"
    return Claim(f"{NAMES[key]}, rows in the order of the file: {text}", "in words", rule)


def _mean_in_file_order(name: str) -> Claim:
    """Return the claim on the mean of an ablation of `FILE_ORDER`."""
    key, setting = FILE_ORDER[name]
    theirs = papers_row(key, setting)[1].mean

    def rule(results: Results) -> Finding:
        runs = results.ablation(name)
        n_epochs = min(len(run["test_accuracy"]) for run in runs)
        ours = [last_mean(run, n_epochs) for run in runs]
        difference = against_one_run(ours, theirs)
        verdict = difference.verdict(Claimed.EQUALS, margin(key))
        protocol = protocol_of(key, n_epochs, setting, in_file_order=True)
        return Finding(mean_text(ours), str(difference), protocol, verdict)

    text = f"{NAMES[key]}, rows in the order of the file: mean of {setting.method} {setting.n_clauses:,}"
    return Claim(text, f"{theirs:.2f}", rule)


def _thresholds(name: str, grey: int) -> Claim:
    def rule(results: Results) -> Finding:
        runs = results.ablation(name)
        n_epochs = min(len(run["test_accuracy"]) for run in runs)
        light = PRESETS["mnist"][Preset.LIGHT][0].setting
        seeds = {record.seed for record in results.required("mnist", light)}
        others = [run for run in results.ablations.get("lazy", []) if run["seed"] not in seeds]
        base = [*results.summary("mnist", light, n_epochs).seed_means, *(last_mean(run, n_epochs) for run in others)]
        means = [last_mean(run, n_epochs) for run in runs]
        difference = between(means, base)
        verdict = difference.verdict(Claimed.EQUALS, margin("mnist"))
        protocol = f"{OUR_EXPERIMENT}, {light.n_clauses:,} clauses, {n_epochs} epochs"
        return Finding(f"{mean_text(means)}, {mean_text(base)}", str(difference), protocol, verdict)

    return Claim(f"MNIST: binarization at {grey} instead of 77 performs similarly", "in words", rule)


def _steadily_perfect(results: Results) -> Finding:
    best = large_machines("mnist")[0]
    late = [
        np.array(record.history[SAMPLED][_STEADY_FROM - 1 :])
        for record in results.required("mnist", best)
        if len(record.history.get(SAMPLED, [])) >= _STEADY_FROM
    ]
    if not late:
        raise NotMeasuredError
    perfect = [float(np.mean(accuracies == 1)) for accuracies in late]
    here = (
        f"{100 * np.mean(perfect):.1f} % of these epochs; lowest {100 * min(map(np.min, late)):.2f} ({len(late)} seeds)"
    )
    n_epochs = _STEADY_FROM - 1 + min(map(len, late))
    return Finding(here, protocol=protocol_of("mnist", n_epochs, best), verdict=facts([p == 1 for p in perfect]))


def _training_peak(results: Results) -> Finding:
    tm = large_machines("mnist")[1]
    records = results.required("mnist", tm)
    column = SAMPLED if all(SAMPLED in record.history for record in records) else "train_accuracy"
    peaks = [100 * max(record.history[column]) for record in records]
    rows = [] if column == SAMPLED else ["other training rows"]
    protocol = protocol_of("mnist", common_epochs([records]), tm, notes=rows)
    here = f"{mean_text(peaks)}; {sum(peak == 100 for peak in peaks)} of {len(peaks)} reach 100.00"
    difference = against_one_run(peaks, _TM_TRAINING_PEAK)
    return Finding(here, str(difference), protocol, difference.verdict(Claimed.EQUALS, margin("mnist")))


HEADLINES: tuple[Claim, ...] = (
    *(_compression(key) for key in NAMES),
    *(_equal_clauses(key) for key in ABSTRACT),
    *(_mean_accuracy(key, large_machines(key)[0]) for key in ABSTRACT),
)
"""Those of the paper's abstract."""

OTHERS: tuple[Claim, ...] = (
    _equal_clauses("imdb"),
    _mean_accuracy("imdb", large_machines("imdb")[0]),
    Claim(
        "MNIST: mean of WTM 4,000, authors' program with its own seed",
        f"{papers_row('mnist', large_machines('mnist')[0])[1].mean:.2f}",
        _own_seed,
    ),
    *(_mean_accuracy(key, large_machines(key)[1]) for key in NAMES_BY_RECIPE),
    *(_peak_of_large_wtm(key) for key in NAMES_BY_RECIPE),
    _peak_accuracy("mnist", large_machines("mnist")[1], _TM_PEAK),
    *_peaks_of_few_and_many(),
    _in_file_order(Claimed.REACHES, "connect-4-file-order", "connect-4-tm-file-order"),
    _in_file_order(Claimed.BETTER, "connect-4-large-file-order", "connect-4-large-tm-file-order"),
    *map(_mean_in_file_order, ("connect-4-large-file-order", "connect-4-large-tm-file-order")),
    _stable(),
    Claim("MNIST: multiple runs behave similarly", "in words", _runs_of_wtm),
    Claim("MNIST: the same, runs of the authors' program, its own seed included", "in words", _runs_of_program),
    Claim(
        "MNIST: after 130 epochs the WTM's training accuracy (2,500 rows) is steadily 100 %",
        "100.00",
        _steadily_perfect,
    ),
    Claim("MNIST: peak of the training accuracy (2,500 rows) of TM 4,000", f"{_TM_TRAINING_PEAK:.2f}", _training_peak),
    _thresholds("grey-51", 51),
    _thresholds("grey-128", 128),
    *(make(key) for key in NAMES for make in (_small_machines, _weights_help, _clauses_help)),
)
"""All others."""
