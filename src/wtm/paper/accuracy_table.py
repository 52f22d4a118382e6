"""The table of test accuracies (the paper's tables 3, 6 and 7): the authors' figures, ours, and the difference."""

from collections.abc import Sequence

from wtm.paper.console import NOTHING, Table, signed
from wtm.paper.record import Record
from wtm.paper.settings import AVERAGED, REPORTED, Reported, Setting, Statistics
from wtm.paper.summary import Summary, summarise

__all__ = ["EXPLANATION", "accuracy_table", "describe_setting", "reported_for"]

_HEADER = (
    "", "clauses", "epochs", "maximum", "minimum", "mean ± sd", "95 % range", "last epoch", "peak of all", "s an epoch"
)  # fmt: skip


def describe_setting(setting: Setting) -> str:
    """A setting in words."""
    weights = f", gamma {setting.gamma:g}" if setting.gamma else ""
    return f"{setting.method}: {setting.n_clauses:,} clauses a class, p_s {setting.p_s:g}, T {setting.T}{weights}"


def reported_for(data: str, setting: Setting) -> tuple[Reported, ...]:
    """What the authors report of a machine, on data of either recipe."""
    return REPORTED.get((data.removesuffix("-authors"), setting), ())


def accuracy_table(groups: Sequence[Sequence[Record]]) -> Table:
    """Rows for each machine: the paper's, the authors' program's, ours, and ours less the paper's.

    Parameters
    ----------
    groups : sequence of sequence of Record
        The trainings of one machine each, one a seed.
    """
    rows: list[tuple[str, ...]] = []
    for records in groups:
        setting, summary = records[0].setting, summarise(records)
        reported = reported_for(records[0].data["key"], setting)
        rows += [_authors(records[0].data["key"], setting, figures) for figures in reported]
        rows.append(_ours(setting, summary))
        rows += [_difference(figures, summary) for figures in reported]
    return Table(_HEADER, rows)


EXPLANATION = (
    "Test accuracy in per cent. Maximum, minimum, mean, standard deviation and 95 % range are over the last epochs, as "
    "many as stand in brackets; with several seeds each is the mean over them, and the means of the seeds stand in "
    "brackets. “Peak of all” is the best of all epochs as the test set itself picks it: it flatters, and may be "
    "compared with another peak only. Of seeds with different numbers of epochs the longer ones are cut. Nothing was "
    "tuned or stopped by the test set. Seconds are of training alone, the median of our epochs."
)
"""How to read an `accuracy_table`."""


def _authors(data: str, setting: Setting, reported: Reported) -> tuple[str, ...]:
    epochs = f"{reported.epochs:,}" if reported.epochs else NOTHING
    if reported.epochs and reported.statistics:
        epochs += f" ({AVERAGED[data]})"
    figures = _statistics(reported.statistics) if reported.statistics else (NOTHING,) * 4
    source = "the paper" if reported.source == "paper" else "authors' program"
    return (
        f"{setting.method}, {source}, {reported.where}",
        f"{setting.n_clauses:,}",
        epochs,
        *figures,
        _number(reported.last),
        _number(reported.peak),
        _number(reported.seconds, "g"),
    )


def _ours(setting: Setting, summary: Summary) -> tuple[str, ...]:
    maximum, minimum, mean, spread = _statistics(summary.statistics)
    if summary.averaged == 1:  # of one epoch there is no spread
        mean, spread = f"{summary.statistics.mean:.2f}", NOTHING
    if summary.n_seeds > 1:
        mean += f" ({min(summary.seed_means):.2f}–{max(summary.seed_means):.2f}, {summary.n_seeds} seeds)"
    epochs = f" (epoch {summary.peak_epochs[0]:,})" if summary.n_seeds == 1 else ""
    row = (
        f"{setting.method}, here",
        f"{setting.n_clauses:,}",
        f"{summary.epochs:,} ({summary.averaged})",
        maximum,
        minimum,
        mean,
        spread,
        _number(summary.last),
        _number(summary.peak) + epochs,
        f"{summary.seconds:.3g}",
    )
    return tuple(f"**{cell}**" for cell in row)


def _difference(reported: Reported, summary: Summary) -> tuple[str, ...]:
    ours = summary.statistics
    maximum, minimum, mean = _extremes_and_mean(reported.statistics)

    def less(our: float, their: float | None) -> str:
        return NOTHING if their is None else signed(our - their)

    source = "the paper" if reported.source == "paper" else "the program"
    return (
        f"here less {source}",
        "",
        "",
        less(ours.maximum, maximum),
        less(ours.minimum, minimum),
        less(ours.mean, mean),
        "",
        less(summary.last, reported.last),
        less(summary.peak, reported.peak),
        "",
    )


def _extremes_and_mean(s: Statistics | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if s is None else (s.maximum, s.minimum, s.mean)


def _statistics(s: Statistics) -> tuple[str, str, str, str]:
    return (
        f"{s.maximum:.2f}",
        f"{s.minimum:.2f}",
        f"{s.mean:.2f} ± {s.deviation:.2f}",
        f"{s.low:.2f}–{s.high:.2f}",
    )


def _number(value: float | None, form: str = ".2f") -> str:
    return NOTHING if value is None else format(value, form)
