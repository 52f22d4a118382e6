"""The paper's claims, each with a rule that compares it with our results."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from wtm.paper.record import common_epochs
from wtm.paper.report.result_folder import NotMeasuredError, Results
from wtm.paper.report.sampling import PAPER_FACTOR, PAPER_SIZE, drawing_share, timings_at_paper
from wtm.paper.reported import papers_row, reported_for
from wtm.paper.settings import (
    COMPRESSION,
    NAMES,
    NAMES_BY_RECIPE,
    PRESETS,
    SWEEPS,
    WEIGHTS,
    Preset,
    Setting,
    Swept,
    large_machines,
)
from wtm.paper.summary import Summary, summarise
from wtm.paper.text_table import NOTHING, Table, signed

Finding = tuple[str, str]
"""Our figures, and the verdict."""

Claim = tuple[str, str, Callable[[Results], Finding]]
"""A claim in words, the paper's figures, and the rule for ours; the rule raises NotMeasuredError without results."""


def claims_table(results: Results) -> Table:
    """Return a row per claim."""
    rows = []
    for text, paper, rule in CLAIMS:
        try:
            rows.append([text, paper, *rule(results)])
        except NotMeasuredError:
            rows.append([text, paper, NOTHING, "not measured"])
    return Table(["The paper claims", "there", "here", "holds"], rows, words=True)


def _compare(difference: float, spread: float, *, equal_is_enough: bool = False) -> str:
    if abs(difference) <= spread:
        return "yes, within the spread" if equal_is_enough else "within the spread"
    return "yes" if difference > 0 else "no"


# --- WTM and TM ---


def _compression(key: str) -> Claim:
    share, few, many = COMPRESSION[key].share, COMPRESSION[key].weighted.setting, COMPRESSION[key].classic.setting
    peaks = [
        f"{setting.method} peak {reported.peak:.2f}"
        for setting in (few, many)
        for reported in reported_for(key, setting)
        if reported.source == "paper" and reported.peak is not None
    ]

    def rule(results: Results) -> Finding:
        wtm, tm = results.summary(key, few), results.summary(key, many)
        here = (
            f"WTM mean {wtm} ({wtm.epochs:,} epochs, peak {wtm.peak:.2f}), "
            f"TM {tm} ({tm.epochs:,} epochs, peak {tm.peak:.2f})"
        )
        return _wtm_against_tm(results, key, few, many, here, equal_is_enough=True)

    text = f"a WTM of {few.n_clauses:,} clauses reaches a TM of {many.n_clauses:,} ({share} of the clauses)"
    return f"{NAMES[key]}: {text}", ", ".join(peaks) or "in words", rule


def _equal_clauses(key: str) -> Claim:
    best, classic = large_machines(key)
    a, b = (papers_row(key, setting)[1].mean for setting in (best, classic))

    def rule(results: Results) -> Finding:
        wtm, tm = results.summary(key, best), results.summary(key, classic)
        here = f"{wtm} ({wtm.epochs:,} epochs) and {tm} ({tm.epochs:,})"
        return _wtm_against_tm(results, key, best, classic, here, equal_is_enough=False)

    text = f"{NAMES_BY_RECIPE[key]}: at {best.n_clauses:,} clauses each the WTM is better than the TM"
    return text, f"{a:.2f} and {b:.2f}: {a - b:+.2f}", rule


def _wtm_against_tm(
    results: Results, key: str, wtm: Setting, tm: Setting, here: str, *, equal_is_enough: bool
) -> Finding:
    """Compare the two over the same number of epochs."""
    ours, theirs = _over_the_same_epochs(results, key, wtm, tm)
    difference = ours.mean - theirs.mean
    here = f"{here}; after {ours.epochs:,} epochs each {signed(difference)}"
    verdict = _compare(difference, math.hypot(ours.spread, theirs.spread), equal_is_enough=equal_is_enough)
    if verdict.startswith("yes"):
        for setting, summary in _smaller_and_better(results, key, tm, ours):
            other = f"a TM of {setting.n_clauses:,} with T {setting.T} instead of {tm.T}"
            return f"{here}; but {other} has {summary} after {summary.epochs:,}", "depends on the TM's T"
    return here, verdict


def _over_the_same_epochs(results: Results, key: str, *settings: Setting) -> list[Summary]:
    n_epochs = common_epochs([results.required(key, setting) for setting in settings])
    return [results.summary(key, setting, n_epochs) for setting in settings]


def _smaller_and_better(
    results: Results, key: str, many: Setting, weighted: Summary
) -> Iterator[tuple[Setting, Summary]]:
    """Yield the TMs of the sweep, the smallest first, that exceed `weighted` by more than their spread."""
    for records in results.groups(key, SWEEPS[key][Swept.CLAUSES]):
        setting, summary = records[0].setting, summarise(records, weighted.epochs)
        is_smaller = setting.method == "TM" and setting.n_clauses < many.n_clauses
        if is_smaller and summary.mean - summary.spread > weighted.mean:
            yield setting, summary


# --- Accuracy and time of one machine ---


def _mean_accuracy(key: str, setting: Setting) -> Claim:
    reported, theirs = papers_row(key, setting)
    epochs = f" ({reported.epochs:,} epochs)" if reported.epochs else ""

    def rule(results: Results) -> Finding:
        ours = results.summary(key, setting)
        difference, spread = ours.mean - theirs.mean, max(ours.spread, theirs.deviation)
        here = f"{ours} ({ours.epochs:,} epochs): {signed(difference)}"
        if setting.method == "TM" and difference > spread:  # a better TM does not confirm the paper
            return here, "no"
        return here, _compare(difference, spread, equal_is_enough=True)

    text = f"{NAMES_BY_RECIPE[key]}: mean test accuracy of the {setting.method} of {setting.n_clauses:,} clauses"
    return text, f"{theirs.mean:.2f} ± {theirs.deviation:.2f}{epochs}", rule


def _peak_accuracy(key: str) -> Claim:
    setting, _ = large_machines(key)
    theirs = papers_row(key, setting)[1].maximum

    def rule(results: Results) -> Finding:
        ours = results.summary(key, setting)
        difference = ours.peak - theirs
        seeds = f", mean of {ours.n_seeds} seeds" if ours.n_seeds > 1 else ""
        here = f"{ours.peak:.2f} (best of {ours.epochs:,} epochs{seeds}): {signed(difference)}"
        return here, "yes" if difference >= 0 else "no"

    machine = f"the WTM of {setting.n_clauses:,} clauses"
    text = f"{NAMES_BY_RECIPE[key]}: peak test accuracy of {machine}, selected on the test set"
    return text, f"{theirs:.2f}", rule


def _training_time(key: str, setting: Setting) -> Claim:
    reported, _ = papers_row(key, setting)
    seconds, epochs = reported.seconds or 0.0, reported.epochs or PRESETS[key][Preset.BEST][0].n_epochs

    def rule(results: Results) -> Finding:
        ours = results.summary(key, setting)
        each = ours.total_seconds / ours.epochs
        here = f"{_duration(ours.total_seconds)} for {ours.epochs:,} epochs, {each:.3g} s each"
        return here, f"{_two_digits(seconds / each)} times as fast"

    theirs = f"{_duration(seconds * epochs)} for {epochs:,} epochs, {seconds:g} s each"
    text = f"{NAMES[key]}: training time of the {setting.method} of {setting.n_clauses:,} clauses"
    return text, theirs, rule


def _training_speed(results: Results) -> Finding:
    plans = COMPRESSION["mnist"]
    small, large = (results.summary("mnist", plan.setting) for plan in (plans.weighted, plans.classic))
    factor = (large.total_seconds / large.epochs) / (small.total_seconds / small.epochs)
    return f"{_two_digits(factor)}, both with our fast engine; see the sampling section for slow feedback", NOTHING


def _steadily_perfect(results: Results) -> Finding:
    records = results.required("mnist", large_machines("mnist")[0])
    firsts = [_steady_from(record.history["train_accuracy"]) for record in records]
    steady = all(first is not None and first <= 131 for first in firsts)
    said = ", ".join(f"from epoch {first:,} on" if first else "not steadily" for first in firsts)
    return f"{said} (on 5,000 training rows)", "yes" if steady else "no"


def _steady_from(accuracies: list[float]) -> int | None:
    """Return the first epoch from which on all are 1; None if the last is not."""
    imperfect = [epoch for epoch, accuracy in enumerate(accuracies, start=1) if accuracy != 1]
    first = imperfect[-1] + 1 if imperfect else 1
    return first if first <= len(accuracies) else None


def _never_perfect(results: Results) -> Finding:
    tm = results.summary("mnist", large_machines("mnist")[1])
    here = f"peak {tm.train_peak:.2f} (on 5,000 training rows, {tm.epochs:,} epochs)"
    return here, "yes" if tm.train_peak < 100 else "no"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"


def _two_digits(factor: float) -> str:
    return f"{float(f'{factor:.2g}'):g}"


# --- Weights and clauses ---


def _weight_ends(results: Results) -> tuple[list[float], list[float]]:
    """Return the smallest and the largest weight of each class and seed."""
    spans = [entry["all"] for record in results.required("mnist", WEIGHTS.setting) for entry in record.weights]
    return [span["minimum"] for span in spans], [span["maximum"] for span in spans]


def _weight_span(results: Results) -> Finding:
    smallest, largest = _weight_ends(results)
    low, high = min(smallest), max(largest)
    return f"{low:.2f}–{high:.2f}, a factor of {high / low:.0f}", NOTHING


def _fractional_and_large(results: Results) -> Finding:
    smallest, largest = _weight_ends(results)
    below, above = max(smallest), min(largest)
    here = f"in every class the smallest is at most {below:.2f} and the largest at least {above:.2f}"
    return here, "yes" if below < 1 < above else "no"


def _weights_help(key: str) -> Claim:
    weighted = PRESETS[key][Preset.LIGHT][0].setting

    def rule(results: Results) -> Finding:
        classic = replace(weighted, method="TM", gamma=0.0)
        ours, plain = _over_the_same_epochs(results, key, weighted, classic)
        difference = ours.mean - plain.mean
        here = f"{ours} and {plain} ({ours.epochs:,} epochs): {signed(difference)}"
        return here, _compare(difference, math.hypot(ours.spread, plain.spread))

    machine = f"{weighted.n_clauses:,} clauses, gamma {weighted.gamma:g} or 0"
    return f"{NAMES[key]}: weights help, all else equal ({machine})", "in words", rule


def _clauses_help(key: str) -> Claim:
    def rule(results: Results) -> Finding:
        said, rises = [], []
        for method in ("WTM", "TM"):
            plans = tuple(plan for plan in SWEEPS[key][Swept.CLAUSES] if plan.setting.method == method)
            groups = results.groups(key, plans)
            if len(groups) < 2:
                raise NotMeasuredError
            means = [summarise(records, common_epochs(groups)).mean for records in groups]
            first, last = (groups[i][0].setting.n_clauses for i in (0, -1))
            said.append(f"{method} {means[0]:.2f} with {first:,} clauses, {means[-1]:.2f} with {last:,}")
            rises.append(sum(b > a for a, b in pairwise(means)) / (len(means) - 1))
        steps = " and ".join(f"{rise:.0%}" for rise in rises)
        verdict = "yes" if min(rises) == 1 else "no" if max(rises) < 0.5 else "mostly"
        return f"{'; '.join(said)}; better at {steps} of the steps", verdict

    return f"{NAMES[key]}: each additional clause gives more expressive power", "in words", rule


# --- Drawing feedback ---


def _draws_faster(results: Results) -> Finding:
    if results.sampling is None:
        raise NotMeasuredError
    binomial, bits = (timings_at_paper(results.sampling)[name]["factor"] for name in ("binomial", "bits"))
    return f"{binomial:.3g} times; bits {bits:.3g} times", "yes" if binomial >= PAPER_FACTOR else "no"


def _first_epoch(results: Results) -> dict[str, Any]:
    if results.sampling is None or not results.sampling["first_epoch"]:
        raise NotMeasuredError
    return dict(results.sampling["first_epoch"]["bernoulli"])


CLAIMS: tuple[Claim, ...] = (
    *(_compression(key) for key in NAMES),
    *(_equal_clauses(key) for key in NAMES_BY_RECIPE),
    *(_mean_accuracy(key, setting) for key in NAMES_BY_RECIPE for setting in large_machines(key)),
    *(_peak_accuracy(key) for key in NAMES_BY_RECIPE),
    *(_training_time(key, setting) for key in NAMES for setting in large_machines(key)),
    (
        "MNIST: with fast feedback the WTM of 500 clauses trains about 10 times as fast as the TM of 2,000 without",
        "about 10, over 300 epochs",
        _training_speed,
    ),
    ("MNIST: after 130 epochs the WTM's training accuracy is steadily 100 %", "100.00", _steadily_perfect),
    ("MNIST: the TM's training accuracy never reaches 100 %", "peak 99.86", _never_perfect),
    ("MNIST: the weights span", "0.09–21.01, a factor of 233", _weight_span),
    ("MNIST: every class has both fractional and large weights", "in words", _fractional_and_large),
    *(make(key) for key in NAMES for make in (_weights_help, _clauses_help)),
    (
        f"Sampling: Algorithm 1 draws feedback faster than Bernoulli draws ({PAPER_SIZE[0]:,} literals, "
        f"p_s {PAPER_SIZE[1]:g})",
        f"{PAPER_FACTOR} times",
        _draws_faster,
    ),
    (
        "MNIST: Type I feedbacks in the first epoch of a TM of 2,000 clauses",
        "12.6 million",
        lambda results: (f"{_first_epoch(results)['type_i'] / 1e6:.1f} million", NOTHING),
    ),
    (
        "MNIST: the share of drawing feedback in that epoch, with Bernoulli draws",
        "about 2/3",
        lambda results: (drawing_share(_first_epoch(results)), NOTHING),
    ),
)
"""In the order of the table."""
