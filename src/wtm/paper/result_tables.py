"""The tables of results: accuracies next to the authors' (tables 3, 6 and 7), sweeps, and weights (table 4)."""

from typing import Any

from wtm.paper.intervals import half_width
from wtm.paper.record import Groups, Record, common_epochs
from wtm.paper.reported import Reported, Statistics, reported_for
from wtm.paper.settings import AVERAGED, Setting, Swept, planned_epochs
from wtm.paper.summary import Summary, summarise
from wtm.paper.text_table import NOTHING, Table, span

_ACCURACY_HEADER = ("", "seeds", "epochs", "mean", "sd", "min–max", "95 % range", "last", "peak")

ACCURACY_EXPLANATION = """\
Test accuracy in per cent. Mean, standard deviation (sd), minimum, maximum and 95 % range (ours from the 2.5 % to the
97.5 % quantile) are over the last epochs, whose number is in brackets. Several seeds have the mean of each, and ± the
95 % interval of the mean over seeds. “Last” is the last epoch, the authors' from the readme of their program, “peak”
the best of all."""
"""How to read an `accuracy_table`."""

FIGURE_CLASS = "9"
"""The class whose positive weights the paper's figure shows."""

ATTRIBUTES = {Swept.GAMMA: "gamma", Swept.CLAUSES: "n_clauses", Swept.T: "T"}
"""What a sweep varies, as an attribute of `Setting`."""

_WHAT = {Swept.GAMMA: "gamma", Swept.CLAUSES: "clauses per class", Swept.T: "T"}


def accuracy_table(groups: Groups, *, as_planned: bool = False) -> Table:
    """Return rows for each machine: the authors', ours, and ours with the other features.

    With `as_planned`, longer trainings are cut to their planned epochs.
    """
    rows: list[tuple[str, ...]] = []
    authors: set[Setting] = set()
    for records in groups:
        key, setting = records[0].data["key"], records[0].setting
        reported = reported_for(key, setting)
        if reported and setting not in authors:
            rows.append(_authors(key, setting, reported))
        authors.add(setting)
        rows.append(_ours(key, setting, summarise(records, planned_epochs(key, setting) if as_planned else None)))
    return Table(_ACCURACY_HEADER, rows)


def machine_name(setting: Setting) -> str:
    """Return the name of a machine in tables: method, clauses per class, T."""
    return f"{setting.method} {setting.n_clauses:,}, T {setting.T}"


def _authors(key: str, setting: Setting, reported: tuple[Reported, ...]) -> tuple[str, ...]:
    """Return the authors' figures: the paper's, and where it has none those of their program's readme."""

    def first(name: str) -> Any:
        return next((found for r in reported if (found := getattr(r, name)) is not None), None)

    statistics, epochs = first("statistics"), first("epochs")
    averaged = f" ({AVERAGED[key]})" if statistics else ""
    return (
        f"{machine_name(setting)}, authors", "1", f"{epochs:,}{averaged}",
        *(_statistics(statistics) if statistics else [NOTHING] * 4),
        *(NOTHING if accuracy is None else f"{accuracy:.2f}" for accuracy in (first("last"), first("peak"))),
    )  # fmt: skip


def _ours(key: str, setting: Setting, summary: Summary) -> tuple[str, ...]:
    mean, *others = _statistics(summary.statistics)
    half = half_width(summary.seed_means)
    planned = planned_epochs(key, setting) or 0
    of_planned = f" of {planned:,}" if summary.epochs < planned else ""
    row = (
        machine_name(setting) + ", authors' features" * key.endswith("-authors"),
        f"{summary.n_seeds}", f"{summary.epochs:,}{of_planned} ({summary.averaged})",
        mean + ("" if half is None else f" ± {half:.2f}"), *others, f"{summary.last:.2f}",
        f"{sum(summary.seed_peaks) / summary.n_seeds:.2f}",
    )  # fmt: skip
    return tuple(f"**{cell}**" for cell in row)


def _statistics(s: Statistics) -> tuple[str, ...]:
    return (f"{s.mean:.2f}", f"{s.deviation:.2f}", span((s.minimum, s.maximum)), span((s.low, s.high)))


def sweep_title(name: str, over: Swept, groups: Groups) -> str:
    """Return the title of a sweep's table and figure."""
    clauses = "" if over == Swept.CLAUSES else f", {groups[0][0].setting.n_clauses:,} clauses per class"
    seeds = sorted({len(records) for records in groups})
    per_point = f"{seeds[0]} to {seeds[-1]} seeds" if len(seeds) > 1 else f"{seeds[0]} seed{'s' * (seeds[0] > 1)}"
    return f"{name}: {_WHAT[over]} swept{clauses}, {common_epochs(groups):,} epochs, {per_point} per point"


def sweep_table(over: Swept, groups: Groups) -> Table:
    """Return a column per value of what is swept, with means over the last of the common epochs.

    The TM is gamma = 0 of a sweep over gamma.
    """
    n_epochs = common_epochs(groups)
    rows: dict[str, dict[float, str]] = {}
    for records in groups:
        setting = records[0].setting
        value, method = getattr(setting, ATTRIBUTES[over]), "WTM" if over == Swept.GAMMA else setting.method
        rows.setdefault(method, {})[value] = f"{summarise(records, n_epochs).mean:.2f}"
    values = sorted({value for found in rows.values() for value in found})
    header = [_WHAT[over], *(f"{value:g}" if over == Swept.GAMMA else f"{value:,}" for value in values)]
    return Table(header, [[f"{method} (%)", *(of.get(v, NOTHING) for v in values)] for method, of in rows.items()])


def held_weights(records: list[Record], n_epochs: int | None = None) -> int:
    """Return the number of updates that would have taken a weight out of its range, which held it instead."""
    return sum(sum(record.history["weights_saturated"][:n_epochs]) for record in records)


def weights_table(record: Record) -> Table:
    """Return maximum, minimum, mean and ratio of the weights of all clauses, by class."""
    found = [entry["all"] for entry in record.weights]
    rows = [[name, *(f"{ends[name.lower()]:.2f}" for ends in found)] for name in ("Maximum", "Minimum", "Mean")]
    rows.append(["Ratio", *(f"{ends['maximum'] / ends['minimum']:.3g}" for ends in found)])
    return Table(["Class", *(entry["label"] for entry in record.weights)], rows)


def positive_weights(records: list[Record]) -> dict[int, int]:
    """Return the histogram that the paper's figure shows, over all seeds: from bin to count."""
    total: dict[int, int] = {}
    for record in records:
        (histogram,) = (entry["positive"] for entry in record.weights if entry["label"] == FIGURE_CLASS)
        for k, count in histogram.items():
            total[int(k)] = total.get(int(k), 0) + count
    return total
