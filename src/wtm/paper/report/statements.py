"""What the paper states, and whether our results agree: yes, no, and the figures."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

from wtm.paper.accuracy_table import reported_for
from wtm.paper.console import NOTHING, Table, signed
from wtm.paper.report.differences import program_means
from wtm.paper.report.results import Results, combined_spread
from wtm.paper.sampling import PAPER_FACTOR, PAPER_SIZE
from wtm.paper.settings import ECONOMY, NAMES, NAMES_BY_RECIPE, PRESETS, SWEEPS, WEIGHTS, Over, Preset, Setting
from wtm.paper.summary import Summary, summarise
from wtm.paper.sweep import common_epochs

__all__ = ["MISSING", "Statement", "explain_statements", "statements", "statements_table"]

MISSING = "not measured"


@dataclass(frozen=True)
class Statement:
    """A statement of the paper, its figures, ours, and whether it holds here."""

    claim: str
    paper: str
    here: str = NOTHING
    verdict: str = MISSING


def statements_table(results: Results) -> Table:
    """A row a statement."""
    rows = [[s.claim, s.paper, s.here, s.verdict] for s in statements(results)]
    return Table(["The paper says", "there", "here", "holds"], rows, words=True)


def explain_statements() -> str:
    """What the verdicts mean."""
    return (
        "“Mean” is the mean test accuracy over the last epochs, as in the tables below, ± its spread: the standard "
        "deviation over seeds, or over those epochs where there is one seed. Where the paper says that two machines "
        "are equal, a difference within its spread is a yes; where it says that one is better, such a difference is "
        "neither yes nor no. A mean of a WTM holds if ours reaches it, that of a TM if ours is within its spread. "
        "Where a TM of fewer clauses with another T, in the sweep over clauses, is better than the WTM, the verdict "
        "depends on the TM's T. A dash is no verdict. Times here are of whole trainings, by the clock on the wall; the "
        "tables below have the median epoch. Long trainings shared their machine with other work, and would have been "
        "faster alone; and the authors' machine is another. So factors tell of the order of magnitude, of machine and "
        "program together. “What might move the means”, below, has experiments on differences."
    )


def statements(results: Results) -> Iterator[Statement]:
    """The statements, in the order of the table."""
    for key in NAMES:
        yield _economy(results, key)
    for key in NAMES_BY_RECIPE:
        yield _equal_clauses(results, key)
    for key in NAMES_BY_RECIPE:
        yield from (_mean(results, key, setting) for setting in _machines(key))
    for key in NAMES_BY_RECIPE:
        yield _peak(results, key)
    for key in NAMES:
        yield from _times(results, key)
    yield _economy_time(results)
    yield from _training_accuracy(results)
    yield from _weights(results)
    for key in NAMES:
        yield _gamma(results, key)
        yield _more_clauses(results, key)
    yield from _sampling(results)


def _machines(key: str) -> tuple[Setting, Setting]:
    """The large WTM and TM of a data set."""
    presets = PRESETS[key.removesuffix("-authors")]
    return presets[Preset.BEST][0].setting, presets[Preset.CLASSIC][0].setting


def _mean_of(summary: Summary) -> str:
    return f"{summary.statistics.mean:.2f} ± {summary.spread:.2f}"


def _compared(difference: float, spread: float, *, equal_is_enough: bool) -> str:
    if abs(difference) <= spread:
        return "yes, within the spread" if equal_is_enough else "within the spread"
    return "yes" if difference > 0 else "no"


def _economy(results: Results, key: str) -> Statement:
    economy = ECONOMY[key]
    few, many = economy.weighted.setting, economy.classic.setting
    claim = (
        f"{NAMES[key]}: a WTM of {few.n_clauses:,} clauses reaches a TM of {many.n_clauses:,} "
        f"({economy.share} of the clauses)"
    )
    theirs = [
        f"{setting.method} peak {reported.peak:.2f}"
        for setting in (few, many)
        for reported in reported_for(key, setting)
        if reported.source == "paper" and reported.peak is not None
    ]
    paper = ", ".join(theirs) or "in words"
    weighted, classic = results.summary(key, few), results.summary(key, many)
    if weighted is None or classic is None:
        return Statement(claim, paper)
    here = (
        f"WTM mean {_mean_of(weighted)} ({weighted.epochs:,} epochs, peak {weighted.peak:.2f}), TM "
        f"{_mean_of(classic)} ({classic.epochs:,} epochs, peak {classic.peak:.2f})"
    )
    return _wtm_against_tm(results, key, Statement(claim, paper, here), (few, many), equal_is_enough=True)


def _wtm_against_tm(
    results: Results, key: str, statement: Statement, machines: tuple[Setting, Setting], *, equal_is_enough: bool
) -> Statement:
    """Complete a statement that tells of a WTM and a TM; they are compared over the same number of epochs."""
    wtm, tm = machines
    n_epochs = common_epochs([results.of(key, wtm), results.of(key, tm)])
    ours, theirs = (summarise(results.of(key, setting), n_epochs) for setting in machines)
    difference = ours.statistics.mean - theirs.statistics.mean
    here = f"{statement.here}; after {n_epochs:,} epochs each {signed(difference)}"
    verdict = _compared(difference, combined_spread(ours, theirs), equal_is_enough=equal_is_enough)
    better = _smaller_and_better(results, key, tm, ours)
    if verdict.startswith("yes") and better is not None:
        setting, summary = better
        here += (
            f"; but a TM of {setting.n_clauses:,} with T {setting.T} in place of {tm.T} has {_mean_of(summary)} after "
            f"{summary.epochs:,}"
        )
        verdict = "depends on the TM's T"
    return replace(statement, here=here, verdict=verdict)


def _smaller_and_better(results: Results, key: str, many: Setting, weighted: Summary) -> tuple[Setting, Summary] | None:
    """The smallest TM of the sweep with fewer clauses than `many` that is beyond `weighted` by more than it sways."""
    smaller = [
        plan.setting
        for plan in SWEEPS[key.removesuffix("-authors")][Over.CLAUSES]  # from few clauses to many
        if plan.setting.method == "TM" and plan.setting.n_clauses < many.n_clauses
    ]
    for setting in smaller:
        records = results.of(key, setting)
        if records:
            summary = summarise(records, weighted.epochs)
            if summary.statistics.mean - summary.spread > weighted.statistics.mean:
                return setting, summary
    return None


def _equal_clauses(results: Results, key: str) -> Statement:
    best, classic = _machines(key)
    claim = f"{NAMES_BY_RECIPE[key]}: at {best.n_clauses:,} clauses each the WTM is better than the TM"
    theirs = [reported_for(key, setting)[0].statistics for setting in (best, classic)]
    means = [statistics.mean for statistics in theirs if statistics]
    paper = f"{means[0]:.2f} and {means[1]:.2f}: {means[0] - means[1]:+.2f}"
    wtm, tm = results.summary(key, best), results.summary(key, classic)
    if wtm is None or tm is None:
        return Statement(claim, paper)
    here = f"{_mean_of(wtm)} ({wtm.epochs:,} epochs) and {_mean_of(tm)} ({tm.epochs:,})"
    return _wtm_against_tm(results, key, Statement(claim, paper, here), (best, classic), equal_is_enough=False)


def _mean(results: Results, key: str, setting: Setting) -> Statement:
    reported = reported_for(key, setting)[0]
    theirs = reported.statistics
    assert theirs is not None
    claim = f"{NAMES_BY_RECIPE[key]}: mean test accuracy of the {setting.method} of {setting.n_clauses:,} clauses"
    paper = f"{theirs.mean:.2f} ± {theirs.deviation:.2f}" + (
        f" ({reported.epochs:,} epochs)" if reported.epochs else ""
    )
    ours = results.summary(key, setting)
    if ours is None:
        return Statement(claim, paper)
    difference = ours.statistics.mean - theirs.mean
    spread = max(ours.spread, theirs.deviation)
    here = f"{_mean_of(ours)} ({ours.epochs:,} epochs): {signed(difference)}"
    if setting.method == "WTM":
        here += _program_beside(results, key)
    elif difference > spread:  # a better TM does not bear the paper out
        return Statement(claim, paper, here, "no")
    return Statement(claim, paper, here, _compared(difference, spread, equal_is_enough=True))


def _program_beside(results: Results, key: str) -> str:
    """The means of the authors' program, which some have of MNIST."""
    first, others = program_means(results.variants) if key == "mnist" else (None, [])
    if first is None:
        return ""
    told = f"; the authors' program itself has {first:.2f} from its own seed"
    return told + (f", {fmean(others):.2f} from other seeds" if others else "")


def _peak(results: Results, key: str) -> Statement:
    best, _ = _machines(key)
    theirs = reported_for(key, best)[0].statistics
    assert theirs is not None
    claim = (
        f"{NAMES_BY_RECIPE[key]}: peak test accuracy of the WTM of {best.n_clauses:,} clauses, picked on the test set"
    )
    ours = results.summary(key, best)
    if ours is None:
        return Statement(claim, f"{theirs.maximum:.2f}")
    difference = ours.peak - theirs.maximum
    seeds = f", mean of {ours.n_seeds} seeds" if ours.n_seeds > 1 else ""
    here = f"{ours.peak:.2f} (best of {ours.epochs:,} epochs{seeds}): {signed(difference)}"
    return Statement(claim, f"{theirs.maximum:.2f}", here, "yes" if difference >= 0 else "no")


def _times(results: Results, key: str) -> Iterator[Statement]:
    for setting in _machines(key):
        reported = reported_for(key, setting)[0]
        epochs = reported.epochs or PRESETS[key][Preset.BEST][0].n_epochs
        assert reported.seconds is not None
        claim = f"{NAMES[key]}: time of training the {setting.method} of {setting.n_clauses:,} clauses"
        theirs = f"{_duration(reported.seconds * epochs)} for {epochs:,} epochs, {reported.seconds:g} s each"
        ours = results.summary(key, setting)
        if ours is None:
            yield Statement(claim, theirs)
            continue
        factor = reported.seconds * ours.epochs / ours.total_seconds
        here = (
            f"{_duration(ours.total_seconds)} for {ours.epochs:,} epochs, {ours.total_seconds / ours.epochs:.3g} s each"
        )
        yield Statement(claim, theirs, here, f"{_about(factor)} times as fast")


def _economy_time(results: Results) -> Statement:
    economy = ECONOMY["mnist"]
    claim = "MNIST: with fast feedback the WTM of 500 clauses trains about 10 times as fast as the TM of 2,000 without"
    few, many = (results.summary("mnist", plan.setting) for plan in (economy.weighted, economy.classic))
    if few is None or many is None:
        return Statement(claim, "about 10, over 300 epochs")
    factor = (many.total_seconds / many.epochs) / (few.total_seconds / few.epochs)
    here = f"{_about(factor)}, both with our fast engine; see the sampling section for slow feedback"
    return Statement(claim, "about 10, over 300 epochs", here, NOTHING)


def _training_accuracy(results: Results) -> Iterator[Statement]:
    best, classic = _machines("mnist")
    claim = "MNIST: after 130 epochs the WTM's training accuracy is steadily 100 %"
    records = results.of("mnist", best)
    if not records:
        yield Statement(claim, "100.00")
    else:
        firsts = [_steady_from(record.history["train_accuracy"]) for record in records]
        steady = all(first is not None and first <= 131 for first in firsts)
        told = ", ".join(f"from epoch {first:,} on" if first else "not steadily" for first in firsts)
        yield Statement(claim, "100.00", f"{told} (on 5,000 training rows)", "yes" if steady else "no")
    claim = "MNIST: the TM's training accuracy never gets to 100 %"
    tm = results.summary("mnist", classic)
    if tm is None:
        yield Statement(claim, "peak 99.86")
    else:
        here = f"peak {tm.train_peak:.2f} (on 5,000 training rows, {tm.epochs:,} epochs)"
        yield Statement(claim, "peak 99.86", here, "yes" if tm.train_peak < 100 else "no")


def _steady_from(accuracies: list[float]) -> int | None:
    """The first epoch from which on all are 1; None where the last is not."""
    steady = 0
    while steady < len(accuracies) and accuracies[-1 - steady] == 1:
        steady += 1
    return len(accuracies) - steady + 1 if steady else None


def _weights(results: Results) -> Iterator[Statement]:
    claims = (
        ("MNIST: the weights span", "0.09–21.01, a factor of 233"),
        ("MNIST: every class has both fractional and large weights", "in words"),
    )
    records = results.of("mnist", WEIGHTS.setting)
    if not records:
        yield from (Statement(*claim) for claim in claims)
        return
    spans = [entry["all"] for record in records for entry in record.weights]
    low, high = min(span["minimum"] for span in spans), max(span["maximum"] for span in spans)
    yield Statement(*claims[0], f"{low:.2f}–{high:.2f}, a factor of {high / low:.0f}", NOTHING)
    below, above = max(span["minimum"] for span in spans), min(span["maximum"] for span in spans)
    here = f"in every class the smallest is at most {below:.2f} and the largest at least {above:.2f}"
    yield Statement(*claims[1], here, "yes" if below < 1 < above else "no")


def _gamma(results: Results, key: str) -> Statement:
    weighted = PRESETS[key][Preset.LIGHT][0].setting
    classic = replace(weighted, method="TM", gamma=0.0)
    claim = (
        f"{NAMES[key]}: weights help, all else equal ({weighted.n_clauses:,} clauses, gamma {weighted.gamma:g} or 0)"
    )
    with_weights, without = results.of(key, weighted), results.of(key, classic)
    if not with_weights or not without:
        return Statement(claim, "in words")
    n_epochs = common_epochs([with_weights, without])
    ours, plain = summarise(with_weights, n_epochs), summarise(without, n_epochs)
    difference = ours.statistics.mean - plain.statistics.mean
    here = f"{_mean_of(ours)} and {_mean_of(plain)} ({n_epochs:,} epochs): {signed(difference)}"
    return Statement(
        claim, "in words", here, _compared(difference, combined_spread(ours, plain), equal_is_enough=False)
    )


def _more_clauses(results: Results, key: str) -> Statement:
    claim = f"{NAMES[key]}: each additional clause gives more expressive power"
    told, rises = [], []
    for method in ("WTM", "TM"):
        settings = [plan.setting for plan in SWEEPS[key][Over.CLAUSES] if plan.setting.method == method]
        groups = [records for setting in settings if (records := results.of(key, setting))]
        if len(groups) < 2:
            return Statement(claim, "in words")
        n_epochs = common_epochs(groups)
        means = [summarise(records, n_epochs).statistics.mean for records in groups]
        sizes = [records[0].setting.n_clauses for records in groups]
        told.append(f"{method} {means[0]:.2f} with {sizes[0]:,} clauses, {means[-1]:.2f} with {sizes[-1]:,}")
        rises.append(sum(b > a for a, b in pairwise(means)) / (len(means) - 1))
    steps = " and ".join(f"{rise:.0%}" for rise in rises)
    verdict = "yes" if min(rises) == 1 else "no" if max(rises) < 0.5 else "mostly"
    return Statement(claim, "in words", f"{'; '.join(told)}; better at {steps} of the steps", verdict)


def _sampling(results: Results) -> Iterator[Statement]:
    size = f"{PAPER_SIZE[0]:,} literals, p_s {PAPER_SIZE[1]:g}"
    claims = (
        (f"Sampling: Algorithm 1 draws feedback faster than Bernoulli draws ({size})", f"{PAPER_FACTOR} times"),
        ("MNIST: Type I feedbacks in the first epoch of a TM of 2,000 clauses", "12.6 million"),
        ("MNIST: the share of that epoch that is drawing feedback by Bernoulli draws", "about 2/3"),
    )
    if results.sampling is None:
        yield from (Statement(*claim) for claim in claims)
        return
    _, points, epochs = results.sampling
    (at_paper,) = (point.samplers for point in points if (point.n_literals, point.p) == PAPER_SIZE)
    factor = at_paper["binomial"].factor
    here = f"{factor:.3g} times; bits {at_paper['bits'].factor:.3g} times"
    yield Statement(*claims[0], here, "yes" if factor >= PAPER_FACTOR else "no")
    if not epochs:
        yield from (Statement(*claim) for claim in claims[1:])
        return
    yield Statement(*claims[1], f"{epochs['bernoulli'].type_i / 1e6:.1f} million", NOTHING)
    yield Statement(*claims[2], f"{epochs['bernoulli'].share:.0%}", NOTHING)


def _about(factor: float) -> str:
    """Two digits: times sway by more than a third one says."""
    return f"{float(f'{factor:.2g}'):g}"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"
