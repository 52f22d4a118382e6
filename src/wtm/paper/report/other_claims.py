"""The paper's claims on weights, literals, memory, time, other methods and drawing feedback."""

from dataclasses import replace
from itertools import chain
from statistics import mean

import numpy as np

from wtm.paper.intervals import MIN_SEEDS, UNDECIDED
from wtm.paper.record import common_epochs
from wtm.paper.report.claim import ABSTRACT, OUR_EXPERIMENT, Claim, Finding, facts, protocol_of
from wtm.paper.report.other_methods import favourable
from wtm.paper.report.result_folder import NotMeasuredError, Results
from wtm.paper.report.sampling import (
    PAPER_EPOCH,
    PAPER_FACTOR,
    PAPER_SIZE,
    drawing_share,
    mean_draws,
    timings_at_paper,
)
from wtm.paper.report.times import mean_seconds, on_one_processor, times_by_processor
from wtm.paper.report.weights import histogram_peaks, memory_share, weight_ends
from wtm.paper.reported import papers_row
from wtm.paper.settings import (
    COMPRESSION,
    NAMES,
    NAMES_BY_RECIPE,
    PRESETS,
    SWEEPS,
    WEIGHTS,
    Plans,
    Preset,
    Setting,
    Swept,
    large_machines,
)
from wtm.paper.summary import summarise
from wtm.paper.text_table import NOTHING, factor_span

PAPER_PEAKS = (0.6, 5.0)
"""Where the paper's histogram of weights has its peaks."""


def _weight_span(results: Results) -> Finding:
    ends = [
        (min(entry["all"]["minimum"] for entry in record.weights), max(e["all"]["maximum"] for e in record.weights))
        for record in results.required("mnist", WEIGHTS.setting)
    ]
    smallest, largest = (factor_span(of_seeds) for of_seeds in zip(*ends, strict=True))
    factors = factor_span(high / low for low, high in ends)
    here = f"from {smallest} to {largest}, a factor of {factors} ({len(ends)} seed{'s' * (len(ends) != 1)})"
    return Finding(here, protocol=_protocol_of_weights(results))


def _protocol_of_weights(results: Results) -> str:
    n_epochs = common_epochs([results.required("mnist", WEIGHTS.setting)])
    return protocol_of("mnist", n_epochs, WEIGHTS.setting)


def _fractional_and_large(results: Results) -> Finding:
    smallest, largest = weight_ends(results)
    here = f"in every class the smallest is at most {max(smallest):.2f}, the largest at least {min(largest):.2f}"
    verdict = facts([a < 1 < b for a, b in zip(smallest, largest, strict=True)])
    return Finding(here, protocol=_protocol_of_weights(results), verdict=verdict)


def _two_peaks(results: Results) -> Finding:
    peaks = histogram_peaks(results)
    here = " and ".join(f"{peak:.2g}" for peak in peaks)
    difference = NOTHING
    if len(peaks) == len(PAPER_PEAKS):
        factors = (f"{peak / theirs:.2g}" for peak, theirs in zip(peaks, PAPER_PEAKS, strict=True))
        difference = f"{' and '.join(factors)} times theirs"
    return Finding(f"around {here}, smoothed over a doubling", difference, _protocol_of_weights(results))


def _unweighted(results: Results) -> Finding:
    trained = [r for records in results.records.values() for r in records if r.setting.method == "TM"]
    ones = [all(w["all"]["minimum"] == w["all"]["maximum"] == 1 for w in record.weights) for record in trained]
    if not ones:
        raise NotMeasuredError
    here = f"all weights are 1 in {sum(ones)} of {len(ones)} trained TMs"
    return Finding(here, protocol="by construction", verdict=facts(ones))


def _sparser(results: Results) -> Finding:
    """Compare the literals per clause of two small TMs of each data set, which differ in p_s alone."""
    said, fewer, epochs = [], [], []
    for key, name in NAMES.items():
        light, classic = (plan.setting for plan in PRESETS[key][Preset.LIGHT])
        settings = [replace(classic, p_s=p_s) for p_s in sorted((light.p_s, classic.p_s))]
        groups = [results.required(key, setting) for setting in settings]
        n_epochs = common_epochs(groups)
        many, few = (mean(r.history["literals_per_clause"][n_epochs - 1] for r in records) for records in groups)
        said.append(f"{name} {many:.1f}, {few:.1f} (p_s {settings[0].p_s:g}, {settings[1].p_s:g})")
        fewer.append(few < many)
        epochs.append(f"{n_epochs:,}")
    protocol = f"{OUR_EXPERIMENT}, TMs after {', '.join(epochs)} epochs"
    return Finding(f"literals per clause: {'; '.join(said)}", protocol=protocol, verdict=facts(fewer))


def _calms_down(results: Results) -> Finding:
    """Compare the feedbacks of the last epoch of each training with those of its first."""
    histories = [r.history for r in chain(*results.records.values()) if r.n_epochs > 1]
    if not histories:
        raise NotMeasuredError
    totals = [np.add(history["type_i"], history["type_ii"]) for history in histories]
    shares = [100 * float(of_epochs[-1] / of_epochs[0]) for of_epochs in totals]
    n_halved = sum(share < 50 for share in shares)
    here = (
        f"the last epoch has {factor_span(shares)}% of the feedbacks of the first, less than half in {n_halved} of "
        f"{len(shares)} trainings"
    )
    return Finding(here, protocol=OUR_EXPERIMENT, verdict=facts([share < 100 for share in shares]))


def _growth(results: Results) -> Finding:
    said = []
    for method in ("WTM", "TM"):
        plans: Plans = tuple(plan for plan in SWEEPS["mnist"][Swept.CLAUSES] if plan.setting.method == method)
        groups = on_one_processor(results.groups("mnist", plans))
        if len(groups) < MIN_SEEDS:
            raise NotMeasuredError
        n_epochs = common_epochs(groups)
        seconds = [np.mean(mean_seconds(records, n_epochs)) for records in groups]
        power = np.polyfit(np.log([records[0].setting.n_clauses for records in groups]), np.log(seconds), 1)[0]
        said.append(f"{method} {power:.2f} ({len(groups)} sizes)")
    protocol = f"{OUR_EXPERIMENT}, {n_epochs:,} epochs, T as the root of the clauses, our engine"
    return Finding(f"memory by construction; time as the clauses to the power of {', '.join(said)}", protocol=protocol)


def _quarter_of_memory(results: Results) -> Finding:
    return Finding(f"{memory_share():.1%} of the bytes", protocol="calculated")


def _time_of(results: Results, key: str, weighted: Setting, classic: Setting) -> Finding:
    """Return how many times as long an epoch of the TM takes as one of the WTM on the same kind of processor."""
    records = [results.required(key, setting) for setting in (weighted, classic)]
    times = list(times_by_processor(*records))
    if not times:
        raise NotMeasuredError
    factors = factor_span(chain.from_iterable(each.factors for each in times))
    protocol = protocol_of(key, times[0].n_epochs, weighted, classic, notes=["our engine"])
    return Finding(f"{factors} times", protocol=protocol)


def _faster(key: str) -> Claim:
    weighted, classic = large_machines(key)
    ours, theirs = (papers_row(key, setting)[0].seconds or 0.0 for setting in (weighted, classic))
    return Claim(
        f"{NAMES_BY_RECIPE[key]}: at {weighted.n_clauses:,} clauses the WTM is slightly faster than the TM",
        f"{theirs / ours:.2f} times",
        lambda results: _time_of(results, key, weighted, classic),
    )


def _few_are_faster() -> Claim:
    weighted, classic = COMPRESSION["mnist"].weighted.setting, COMPRESSION["mnist"].classic.setting
    return Claim(
        f"MNIST: {weighted.n_clauses:,} weighted clauses train faster than {classic.n_clauses:,} without weights",
        "4 times",
        lambda results: _time_of(results, "mnist", weighted, classic),
    )


def _compares_favourably(results: Results) -> Finding:
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
    here, differences = f"{ours / 1e6:.2f} million", f"{ours / theirs - 1:+.1%}"
    if "program-tm" in results.ablations:
        programs = results.ablation("program-tm")[0]["type_i"][0]
        here += f"; authors' program {programs / 1e6:.2f}"
        differences += f"; {programs / theirs - 1:+.1%}"
    return Finding(here, differences, "T assumed; ours shuffled")


def _few_draws(results: Results) -> Finding:
    n_literals, p = PAPER_SIZE
    expected, said = mean_draws(n_literals, p), n_literals * p + 1
    return Finding(
        f"{expected:.0f} with repeated draws, {said:.0f} without", f"{expected / said - 1:+.0%}", "calculated"
    )


HEADLINES: tuple[Claim, ...] = (
    Claim(
        f"Algorithm 1 samples {PAPER_FACTOR} times as fast ({PAPER_SIZE[0]:,} literals, p_s {PAPER_SIZE[1]:g})",
        f"{PAPER_FACTOR} times",
        _draws_faster,
    ),
)
"""Those of the paper's abstract."""

OTHERS: tuple[Claim, ...] = (
    Claim("gamma = 0 is the TM", "in words", _unweighted),
    Claim("A larger p_s makes clauses sparser", "in words", _sparser),
    Claim("Feedback calms down while the machine learns", "in words", _calms_down),
    Claim("Memory and time are linear in the clauses", "in words", _growth),
    Claim("MNIST: 500 weighted clauses take a quarter of the memory of 2,000", "a quarter", _quarter_of_memory),
    _few_are_faster(),
    *(_faster(key) for key in ABSTRACT),
    Claim("MNIST: the weights span", "0.09–21.01, a factor of 233", _weight_span),
    Claim("MNIST: every class has both fractional and large weights", "in words", _fractional_and_large),
    Claim(
        "MNIST: the positive weights of class 9 have two peaks",
        " and ".join(map(str, PAPER_PEAKS)),
        _two_peaks,
    ),
    Claim("MNIST: the WTM compares favourably with nine methods", "8 worse, 1 better", _compares_favourably),
    Claim("MNIST: Type I feedbacks in the first epoch of a TM of 2,000 clauses", "12.6 million", _type_i),
    Claim(
        "MNIST: the share of drawing feedback in that epoch, with Bernoulli draws",
        "about 2/3",
        lambda results: Finding(drawing_share(_first_epoch(results)), protocol="another machine; calculated"),
    ),
    Claim("Algorithm 1 takes about 2 p_s o + 1 draws", f"{PAPER_SIZE[0] * PAPER_SIZE[1] + 1:.0f}", _few_draws),
)
"""All others."""
