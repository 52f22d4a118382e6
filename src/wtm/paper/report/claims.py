"""The paper's claims, each with what it is measured by; `wtm.paper.intervals.RULE` makes the verdicts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from wtm.paper.intervals import MIN_SEEDS, UNDECIDED, Claimed, against_one_run, between, mean_text
from wtm.paper.intervals import deviation_interval as interval_of_deviation
from wtm.paper.record import SAMPLED, common_epochs
from wtm.paper.report.other_methods import favourable
from wtm.paper.report.result_folder import NotMeasuredError, Results, last_mean
from wtm.paper.report.sampling import PAPER_EPOCH, PAPER_FACTOR, PAPER_SIZE, drawing_share, mean_draws, timings_at_paper
from wtm.paper.report.weights import histogram_peaks, memory_share, weight_ends
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
from wtm.paper.text_table import NOTHING, Table

_HEADER = ("The paper claims", "there", "here", "difference", "same protocol?", "holds")
_POOLED = {"imdb-authors": "imdb-file-order"}
"""Trainings of the large WTM that differ in the order of the rows, which does not matter there."""
_STEADY_FROM = 131
WTM_PEAKS = {"mnist": 98.63, "imdb-authors": 90.37, "connect-4": 87.91}
TM_PEAK = 98.27


@dataclass(frozen=True)
class Finding:
    """Our figures, how they differ, where the protocol does, and the verdict."""

    here: str
    difference: str = NOTHING
    protocol: str = "yes"
    verdict: str = NOTHING


@dataclass(frozen=True)
class Claim:
    """A claim in words, the paper's figures, and the rule for ours; it raises NotMeasuredError without results."""

    text: str
    paper: str
    rule: Callable[[Results], Finding]


def claims_table(results: Results, claims: Iterable[Claim]) -> Table:
    """Return a row per claim."""
    rows = []
    for claim in claims:
        try:
            found = claim.rule(results)
        except NotMeasuredError:
            found = Finding(NOTHING, protocol=NOTHING, verdict="not measured")
        rows.append([claim.text, claim.paper, found.here, found.difference, found.protocol, found.verdict])
    return Table(_HEADER, rows, words=True)


def margin(key: str) -> float:
    """Return the difference that does not matter on a data set."""
    return 2 * papers_row(key, large_machines(key)[0])[1].deviation


def _facts(facts: Sequence[bool]) -> str:
    """Return the verdict on something that is true or false of each seed."""
    if len(facts) < MIN_SEEDS:
        return UNDECIDED
    return "yes" if all(facts) else UNDECIDED if any(facts) else "no"


def _protocol(key: str, n_epochs: int, *settings: Setting, notes: Sequence[str] = ()) -> str:
    """Return where ours differs from the paper's protocol."""
    planned = max((paper_epochs(key, setting) or 0 for setting in settings), default=0)
    found = [f"{n_epochs:,} of {planned:,} epochs"] if n_epochs < planned else []
    return "; ".join([*found, *notes]) or "yes"


# --- WTM and TM ---


def _compression(key: str) -> Claim:
    share, few, many = COMPRESSION[key].share, COMPRESSION[key].weighted.setting, COMPRESSION[key].classic.setting

    def rule(results: Results) -> Finding:
        wtm, tm = _over_the_same_epochs(results, key, few, many)
        difference = between(wtm.seed_means, tm.seed_means)
        verdict = difference.verdict(Claimed.REACHES, margin(key))
        if verdict != UNDECIDED and _another_t_reverses(results, key, many, wtm, verdict):
            verdict = "depends on T"
        protocol = _protocol(key, wtm.epochs, few, many, notes=["TM's T and p_s assumed"])
        return Finding(f"{wtm}, {tm}", str(difference), protocol, verdict)

    text = f"a WTM of {few.n_clauses:,} clauses reaches a TM of {many.n_clauses:,} ({share})"
    return Claim(f"{NAMES[key]}: {text}", "in words", rule)


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
        return Finding(f"{wtm}, {tm}", str(difference), _protocol(key, wtm.epochs, best, classic), verdict)

    text = f"{NAMES_BY_RECIPE[key]}: at {best.n_clauses:,} clauses the WTM is better than the TM"
    return Claim(text, f"{a:.2f}, {b:.2f}: {a - b:+.2f}", rule)


def _weights_help(key: str) -> Claim:
    weighted = PRESETS[key][Preset.LIGHT][0].setting

    def rule(results: Results) -> Finding:
        wtm, plain = _over_the_same_epochs(results, key, weighted, replace(weighted, method="TM", gamma=0.0))
        difference = between(wtm.seed_means, plain.seed_means)
        verdict = difference.verdict(Claimed.BETTER, margin(key))
        return Finding(f"{wtm}, {plain}", str(difference), f"not in the paper; {wtm.epochs:,} epochs", verdict)

    machine = f"{weighted.n_clauses:,} clauses, gamma {weighted.gamma:g} or 0"
    return Claim(f"{NAMES[key]}: weights help, all else equal ({machine})", "in words", rule)


def _over_the_same_epochs(results: Results, key: str, *settings: Setting) -> list[Summary]:
    n_epochs = common_epochs([results.required(key, setting) for setting in settings])
    return [results.summary(key, setting, n_epochs) for setting in settings]


def _clauses_help(key: str) -> Claim:
    def rule(results: Results) -> Finding:
        said, rises = [], []
        for method in ("WTM", "TM"):
            plans: Plans = tuple(plan for plan in SWEEPS[key][Swept.CLAUSES] if plan.setting.method == method)
            groups = results.groups(key, plans)
            if len(groups) < 2:
                raise NotMeasuredError
            n_epochs = common_epochs(groups)
            means = [summarise(records, n_epochs).mean for records in groups]
            said.append(f"{method} {means[0]:.2f} to {means[-1]:.2f}")
            rises += [b > a for a, b in pairwise(means)]
        first, last = (groups[i][0].setting.n_clauses for i in (0, -1))
        here = f"{', '.join(said)}; better at {sum(rises)} of {len(rises)} steps"
        return Finding(f"{first:,} to {last:,} clauses: {here}", verdict=_facts(rises))

    return Claim(f"{NAMES[key]}: each additional clause gives more expressive power", "in words", rule)


# --- Accuracies of one machine ---


def _figure(
    text: str, key: str, setting: Setting, theirs: float, values: Callable[[Summary], Sequence[float]]
) -> Claim:
    """Return the claim that a figure of a machine is `theirs`; `values` has ours, one per seed."""

    def rule(results: Results) -> Finding:
        summary = results.summary(key, setting)
        ours = [*values(summary), *(_pooled(results, key, setting) if "mean" in text else ())]
        difference = against_one_run(ours, theirs)
        verdict = difference.verdict(Claimed.EQUALS, margin(key))
        return Finding(mean_text(ours), str(difference), _protocol(key, summary.epochs, setting), verdict)

    machine = f"{setting.method} of {setting.n_clauses:,} clauses"
    return Claim(f"{NAMES_BY_RECIPE[key]}: {text} of the {machine}", f"{theirs:.2f}", rule)


def _pooled(results: Results, key: str, setting: Setting) -> Iterator[float]:
    if setting == large_machines(key)[0] and key in _POOLED:
        yield from map(last_mean, results.ablations.get(_POOLED[key], []))


def _mean_accuracy(key: str, setting: Setting) -> Claim:
    return _figure("mean", key, setting, papers_row(key, setting)[1].mean, lambda summary: summary.seed_means)


def _peak_accuracy(key: str, setting: Setting, theirs: float) -> Claim:
    return _figure("peak", key, setting, theirs, lambda summary: summary.seed_peaks)


def _peaks_of_few_and_many() -> Iterator[Claim]:
    for plan in (COMPRESSION["imdb"].weighted, COMPRESSION["imdb"].classic):
        (theirs,) = (r.peak for r in reported_for("imdb", plan.setting) if r.source == "paper")
        assert theirs is not None
        yield _peak_accuracy("imdb", plan.setting, theirs)


def _multiple_runs(results: Results) -> Finding:
    best = large_machines("mnist")[0]
    summary = results.summary("mnist", best)
    interval = interval_of_deviation(summary.seed_means)
    if interval is None:
        return Finding(f"{summary.n_seeds} seeds", verdict=UNDECIDED)
    low, high = interval
    verdict = "yes" if high < margin("mnist") else "no" if low > margin("mnist") else UNDECIDED
    here = f"sd of {summary.n_seeds} seeds' means {np.std(summary.seed_means, ddof=1):.3f} ({low:.3f}–{high:.3f})"
    program = [last_mean(run, _program_epochs(results)) for run in results.ablations.get("program", [])]
    if len(program) >= MIN_SEEDS:
        here += f"; authors' program {np.std(program, ddof=1):.3f} ({len(program)})"
    return Finding(here, protocol=_protocol("mnist", summary.epochs, best), verdict=verdict)


def _program_epochs(results: Results) -> int:
    return min(len(run["test_accuracy"]) for run in results.ablation("program"))


def _thresholds(name: str, grey: int) -> Claim:
    def rule(results: Results) -> Finding:
        runs = results.ablation(name)
        n_epochs = min(len(run["test_accuracy"]) for run in runs)
        base = results.summary("mnist", PRESETS["mnist"][Preset.LIGHT][0].setting, n_epochs)
        means = [last_mean(run) for run in runs]
        difference = between(means, base.seed_means)
        verdict = difference.verdict(Claimed.EQUALS, margin("mnist"))
        protocol = f"not in the paper; 500 clauses, {n_epochs} epochs"
        return Finding(f"{mean_text(means)}, {base}", str(difference), protocol, verdict)

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
    return Finding(here, protocol=_protocol("mnist", n_epochs, best), verdict=_facts([p == 1 for p in perfect]))


def _never_perfect(results: Results) -> Finding:
    tm = large_machines("mnist")[1]
    records = results.required("mnist", tm)
    column = SAMPLED if all(SAMPLED in record.history for record in records) else "train_accuracy"
    peaks = [100 * max(record.history[column]) for record in records]
    rows = [] if column == SAMPLED else ["5,000 training rows"]
    protocol = _protocol("mnist", common_epochs([records]), tm, notes=rows)
    return Finding(f"peak {mean_text(peaks)}", protocol=protocol, verdict=_facts([peak < 100 for peak in peaks]))


# --- Weights, memory, time, other methods ---


def _weight_span(results: Results) -> Finding:
    smallest, largest = weight_ends(results)
    low, high = min(smallest), max(largest)
    return Finding(f"{low:.2f}–{high:.2f}, a factor of {high / low:.0f}, over all seeds")


def _fractional_and_large(results: Results) -> Finding:
    smallest, largest = weight_ends(results)
    here = f"in every class at most {max(smallest):.2f} and at least {min(largest):.2f}"
    return Finding(here, verdict=_facts([a < 1 < b for a, b in zip(smallest, largest, strict=True)]))


def _two_peaks(results: Results) -> Finding:
    here = " and ".join(f"{peak:.2g}" for peak in histogram_peaks(results))
    return Finding(f"around {here}, smoothed over an octave")


def _unweighted(results: Results) -> Finding:
    trained = [r for records in results.records.values() for r in records if r.setting.method == "TM"]
    facts = [all(w["all"]["minimum"] == w["all"]["maximum"] == 1 for w in record.weights) for record in trained]
    if not facts:
        raise NotMeasuredError
    return Finding(f"all weights are 1 in {sum(facts)} of {len(facts)} trained TMs", verdict=_facts(facts))


def _growth(results: Results) -> Finding:
    said = []
    for method in ("WTM", "TM"):
        plans: Plans = tuple(plan for plan in SWEEPS["mnist"][Swept.CLAUSES] if plan.setting.method == method)
        groups = results.groups("mnist", plans)
        if len(groups) < MIN_SEEDS:
            raise NotMeasuredError
        n_epochs = common_epochs(groups)
        seconds = [np.mean(summarise(records, n_epochs).seed_seconds) for records in groups]
        power = np.polyfit(np.log([records[0].setting.n_clauses for records in groups]), np.log(seconds), 1)[0]
        said.append(f"{method} {power:.2f}")
    return Finding(f"memory is; time as the clauses to the power of {', '.join(said)}")


def _quarter_of_memory(results: Results) -> Finding:
    return Finding(f"{memory_share():.1%} of the bytes, counted")


def _favourable(results: Results) -> Finding:
    best = results.required("mnist", large_machines("mnist")[0])
    verdicts = favourable(results.baselines, summarise(best).seed_means)
    if not verdicts:
        raise NotMeasuredError
    counts = {said: verdicts.count(said) for said in ("yes", "no", UNDECIDED)}
    here = f"{counts['yes']} worse, {counts['no']} better, {counts[UNDECIDED]} undecided"
    return Finding(
        f"of {len(verdicts)} methods: {here}",
        protocol="all on the same bits",
        verdict=next((said for said, n in counts.items() if n == len(verdicts)), UNDECIDED),
    )


# --- Drawing feedback ---


def _draws_faster(results: Results) -> Finding:
    if results.sampling is None:
        raise NotMeasuredError
    timing = timings_at_paper(results.sampling)["binomial"]
    factor, low, high = (timing[name] for name in ("factor", "factor_low", "factor_high"))
    return Finding(f"{factor:.2g} times ({low:.2g}–{high:.2g})", protocol="another machine")


def _first_epoch(results: Results) -> dict[str, float]:
    if results.sampling is None or not results.sampling["first_epoch"]:
        raise NotMeasuredError
    return dict(results.sampling["first_epoch"]["bernoulli"])


def _type_i(results: Results) -> Finding:
    ours, theirs = _first_epoch(results)["type_i"], PAPER_EPOCH["type_i"]
    here, closest = f"{ours / 1e6:.2f} million", ours
    if "program-tm" in results.ablations:
        closest = results.ablation("program-tm")[0]["type_i"][0]
        here += f"; authors' program with T 50 {closest / 1e6:.2f}"
    return Finding(here, f"{closest / theirs - 1:+.1%}", "T assumed; ours shuffled")


def _few_draws(results: Results) -> Finding:
    n_literals, p = PAPER_SIZE
    expected, said = mean_draws(n_literals, p), n_literals * p + 1
    return Finding(
        f"{expected:.0f} with repeated draws, {said:.0f} without", f"{expected / said - 1:+.0%}", "calculated"
    )


HEADLINES: tuple[Claim, ...] = (
    *(_compression(key) for key in NAMES),
    *(_equal_clauses(key) for key in ("mnist", "imdb-authors", "connect-4")),
    *(_mean_accuracy(key, large_machines(key)[0]) for key in ("mnist", "imdb-authors", "connect-4")),
    Claim(
        f"Algorithm 1 samples {PAPER_FACTOR} times as fast ({PAPER_SIZE[0]:,} literals, p_s {PAPER_SIZE[1]:g})",
        f"{PAPER_FACTOR} times",
        _draws_faster,
    ),
)
"""The claims of the paper's abstract."""

OTHERS: tuple[Claim, ...] = (
    _equal_clauses("imdb"),
    _mean_accuracy("imdb", large_machines("imdb")[0]),
    *(_mean_accuracy(key, large_machines(key)[1]) for key in NAMES_BY_RECIPE),
    *(_peak_accuracy(key, large_machines(key)[0], peak) for key, peak in WTM_PEAKS.items()),
    _peak_accuracy("mnist", large_machines("mnist")[1], TM_PEAK),
    *_peaks_of_few_and_many(),
    Claim("MNIST: multiple runs behave similarly", "in words", _multiple_runs),
    Claim("MNIST: after 130 epochs the WTM's training accuracy is steadily 100 %", "100.00", _steadily_perfect),
    Claim("MNIST: the TM's training accuracy never reaches 100 %", "peak 99.86", _never_perfect),
    _thresholds("grey-51", 51),
    _thresholds("grey-128", 128),
    *(make(key) for key in NAMES for make in (_weights_help, _clauses_help)),
    Claim("gamma = 0 is the TM", "in words", _unweighted),
    Claim("Memory and time are linear in the clauses", "in words", _growth),
    Claim("MNIST: 500 weighted clauses take a quarter of the memory of 2,000", "a quarter", _quarter_of_memory),
    Claim("MNIST: the weights span", "0.09–21.01, a factor of 233", _weight_span),
    Claim("MNIST: every class has both fractional and large weights", "in words", _fractional_and_large),
    Claim("MNIST: the positive weights of class 9 have two peaks", "0.6 and 5.0", _two_peaks),
    Claim("MNIST: the WTM compares favourably with nine methods", "8 worse, 1 better", _favourable),
    Claim("MNIST: Type I feedbacks in the first epoch of a TM of 2,000 clauses", "12.6 million", _type_i),
    Claim(
        "MNIST: the share of drawing feedback in that epoch, with Bernoulli draws",
        "about 2/3",
        lambda results: Finding(drawing_share(_first_epoch(results)), protocol="another machine"),
    ),
    Claim("Algorithm 1 takes about 2 p_s o + 1 draws", f"{PAPER_SIZE[0] * PAPER_SIZE[1] + 1:.0f}", _few_draws),
)
"""All others, in the order of the table."""
