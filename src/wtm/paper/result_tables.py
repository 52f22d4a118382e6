"""The tables of results: accuracies next to the authors' (tables 3, 6 and 7), sweeps, and weights (table 4)."""

from wtm.paper.record import Groups, Record, common_epochs
from wtm.paper.reported import Reported, Statistics, reported_for
from wtm.paper.settings import AVERAGED, Setting, Swept
from wtm.paper.summary import Summary, summarise
from wtm.paper.text_table import NOTHING, Table, signed, span

_ACCURACY_HEADER = (
    "", "clauses", "epochs", "maximum", "minimum", "mean ± sd", "95 % range", "last epoch", "peak of all", "s/epoch"
)  # fmt: skip
_SWEEP_HEADER = ("", "clauses", "gamma", "p_s", "T", "mean ± sd (%)", "means of seeds", "s/epoch")
_SOURCES = {"paper": "the paper", "program": "authors' program"}

ACCURACY_EXPLANATION = (
    "Test accuracy in per cent. Maximum, minimum, mean, standard deviation and 95 % range are over the last epochs; "
    "their number is in brackets. With several seeds each figure is the mean over the seeds, and the range of the "
    "seeds' means is in brackets. Where seeds have different numbers of epochs, the longer ones are cut. “Peak of "
    "all” is the best of all epochs, selected on the test set: it is optimistic, and comparable only with another "
    "peak. Nothing was tuned or stopped on the test set. Seconds are of training alone, the median of our epochs."
)
"""How to read an `accuracy_table`."""

FIGURE_CLASS = "9"
"""The class whose positive weights the paper's figure shows."""


def accuracy_table(groups: Groups) -> Table:
    """Return rows for each machine: the paper's, the authors' program's, ours, and ours minus theirs."""
    rows: list[tuple[str, ...]] = []
    for records in groups:
        key, setting, summary = records[0].data["key"], records[0].setting, summarise(records)
        reported = reported_for(key, setting)
        rows += [_authors(key, setting, figures) for figures in reported]
        rows.append(_ours(setting, summary))
        rows += [_difference(figures, summary) for figures in reported]
    return Table(_ACCURACY_HEADER, rows)


def _authors(key: str, setting: Setting, reported: Reported) -> tuple[str, ...]:
    averaged = f" ({AVERAGED[key]})" if reported.statistics else ""
    return (
        f"{setting.method}, {_SOURCES[reported.source]}, {reported.place}",
        f"{setting.n_clauses:,}",
        f"{reported.epochs:,}{averaged}" if reported.epochs else NOTHING,
        *(_statistics(reported.statistics) if reported.statistics else [NOTHING] * 4),
        *(_number(accuracy) for accuracy in (reported.last, reported.peak)),
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
        f"{setting.method}, here", f"{setting.n_clauses:,}", f"{summary.epochs:,} ({summary.averaged})",
        maximum, minimum, mean, quantiles, f"{summary.last:.2f}", f"{summary.peak:.2f}{at}", f"{summary.seconds:.3g}",
    )  # fmt: skip
    return tuple(f"**{cell}**" for cell in row)


def _difference(reported: Reported, summary: Summary) -> tuple[str, ...]:
    ours, theirs = summary.statistics, reported.statistics
    pairs = [(getattr(ours, name), getattr(theirs, name, None)) for name in ("maximum", "minimum", "mean")]
    pairs += [(summary.last, reported.last), (summary.peak, reported.peak)]
    cells = [NOTHING if their is None else signed(our - their) for our, their in pairs]
    return (f"here minus {reported.source}", "", "", *cells[:3], "", *cells[3:], "")


def _statistics(s: Statistics) -> tuple[str, ...]:
    return (f"{s.maximum:.2f}", f"{s.minimum:.2f}", f"{s.mean:.2f} ± {s.deviation:.2f}", span((s.low, s.high)))


def _number(value: float | None, form: str = ".2f") -> str:
    return NOTHING if value is None else format(value, form)


def sweep_title(name: str, over: Swept, groups: Groups) -> str:
    """Return the title of a sweep's table and figure."""
    if over == Swept.GAMMA:
        what = f"gamma swept, {groups[0][0].setting.n_clauses:,} clauses per class"
    else:
        what = "number of clauses swept, TM and WTM"
    return f"{name}, {what}, {common_epochs(groups):,} epochs"


def sweep_table(groups: Groups) -> Table:
    """Return a row per machine: setting, mean over the last of the common epochs, spread, and time."""
    rows = []
    for records in groups:
        s, summary = records[0].setting, summarise(records, common_epochs(groups))
        figures = f"{summary.mean:.2f} ± {summary.statistics.deviation:.2f}"
        rows.append([
            s.method, f"{s.n_clauses:,}", f"{s.gamma:g}", f"{s.p_s:g}", f"{s.T}", figures, span(summary.seed_range),
            f"{summary.seconds:.3g}",
        ])  # fmt: skip
    return Table(_SWEEP_HEADER, rows)


def weights_table(record: Record) -> Table:
    """Return maximum, minimum, mean and ratio of the weights of all clauses, by class."""
    found = [entry["all"] for entry in record.weights]
    rows = [[name, *(f"{ends[name.lower()]:.2f}" for ends in found)] for name in ("Maximum", "Minimum", "Mean")]
    rows.append(["Ratio", *(f"{ends['maximum'] / ends['minimum']:.3g}" for ends in found)])
    return Table(["Class", *(entry["label"] for entry in record.weights)], rows)


def positive_weights(record: Record) -> dict[str, int]:
    """Return the histogram that the paper's figure shows."""
    (histogram,) = (entry["positive"] for entry in record.weights if entry["label"] == FIGURE_CLASS)
    return dict(histogram)
