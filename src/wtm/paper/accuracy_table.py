"""The table of test accuracies (the paper's tables 3, 6 and 7): the authors' figures, ours, and the difference."""

from wtm.paper.record import Groups
from wtm.paper.reported import Reported, Statistics, reported_for
from wtm.paper.settings import AVERAGED, Setting
from wtm.paper.summary import Summary, summarise
from wtm.paper.text_table import NOTHING, Table, signed, span

_HEADER = (
    "", "clauses", "epochs", "maximum", "minimum", "mean ± sd", "95 % range", "last epoch", "peak of all", "s/epoch"
)  # fmt: skip
_SOURCES = {"paper": "the paper", "program": "authors' program"}

EXPLANATION = (
    "Test accuracy in per cent. Maximum, minimum, mean, standard deviation and 95 % range are over the last epochs; "
    "their number is in brackets. With several seeds each figure is the mean over the seeds, and the range of the "
    "seeds' means is in brackets. Where seeds have different numbers of epochs, the longer ones are cut. “Peak of "
    "all” is the best of all epochs, selected on the test set: it is optimistic, and comparable only with another "
    "peak. Nothing was tuned or stopped on the test set. Seconds are of training alone, the median of our epochs."
)
"""How to read an `accuracy_table`."""


def accuracy_table(groups: Groups) -> Table:
    """Return rows for each machine: the paper's, the authors' program's, ours, and ours minus theirs.

    Parameters
    ----------
    groups : list of list of Record
        The trainings of one machine each, one per seed.
    """
    rows: list[tuple[str, ...]] = []
    for records in groups:
        key, setting, summary = records[0].data["key"], records[0].setting, summarise(records)
        reported = reported_for(key, setting)
        rows += [_authors(key, setting, figures) for figures in reported]
        rows.append(_ours(setting, summary))
        rows += [_difference(figures, summary) for figures in reported]
    return Table(_HEADER, rows)


def _authors(key: str, setting: Setting, reported: Reported) -> tuple[str, ...]:
    epochs = f"{reported.epochs:,}" if reported.epochs else NOTHING
    if reported.epochs and reported.statistics:
        epochs += f" ({AVERAGED[key]})"
    return (
        f"{setting.method}, {_SOURCES[reported.source]}, {reported.place}",
        f"{setting.n_clauses:,}",
        epochs,
        *(_statistics(reported.statistics) if reported.statistics else [NOTHING] * 4),
        _number(reported.last),
        _number(reported.peak),
        _number(reported.seconds, "g"),
    )


def _ours(setting: Setting, summary: Summary) -> tuple[str, ...]:
    maximum, minimum, mean, quantiles = _statistics(summary.statistics)
    if summary.averaged == 1:  # one epoch has no spread
        mean, quantiles = f"{summary.mean:.2f}", NOTHING
    if summary.seed_range:
        mean += f" ({span(summary.seed_range)}, {summary.n_seeds} seeds)"
    at = "" if summary.seed_range else f" (epoch {summary.peak_epochs[0]:,})"
    row = (
        f"{setting.method}, here",
        f"{setting.n_clauses:,}",
        f"{summary.epochs:,} ({summary.averaged})",
        maximum,
        minimum,
        mean,
        quantiles,
        _number(summary.last),
        _number(summary.peak) + at,
        f"{summary.seconds:.3g}",
    )
    return tuple(f"**{cell}**" for cell in row)


def _difference(reported: Reported, summary: Summary) -> tuple[str, ...]:
    ours, theirs = summary.statistics, reported.statistics

    def minus(our: float, their: float | None) -> str:
        return NOTHING if their is None else signed(our - their)

    return (
        f"here minus {reported.source}",
        "",
        "",
        *(minus(getattr(ours, name), getattr(theirs, name, None)) for name in ("maximum", "minimum", "mean")),
        "",
        minus(summary.last, reported.last),
        minus(summary.peak, reported.peak),
        "",
    )


def _statistics(s: Statistics) -> tuple[str, ...]:
    return (f"{s.maximum:.2f}", f"{s.minimum:.2f}", f"{s.mean:.2f} ± {s.deviation:.2f}", span((s.low, s.high)))


def _number(value: float | None, form: str = ".2f") -> str:
    return NOTHING if value is None else format(value, form)
