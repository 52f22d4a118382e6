"""Figures: learning curves, sweeps and histograms of weights, legible at the width of a page."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wtm.paper.record import BINS_PER_DOUBLING, Groups, common_epochs
from wtm.paper.result_tables import ATTRIBUTES
from wtm.paper.settings import Swept
from wtm.paper.summary import summarise
from wtm.paper.text_table import say
from wtm.utils.atomic_write import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = {"WTM": "#0072b2", "TM": "#d55e00"}  # blue and vermilion: distinct for all eyes
_DASHES = {"WTM": ("-", ":"), "TM": ("--", "-.")}  # tell the methods apart in grey too
_MARKERS = {"WTM": "o", "TM": "s"}
_FEW_EPOCHS = 40
_CURVES: dict[str, tuple[str, dict[str, Any]]] = {
    "test_accuracy": ("test rows", {"linewidth": 1.6}),
    "train_accuracy": ("training rows", {"linewidth": 0.9, "alpha": 0.45}),
}


def draw_learning_curves(path: Path, title: str, groups: Groups) -> bool:
    """Draw test and training accuracy by epoch, with a band from the lowest seed to the highest.

    The suffix of `path` selects the format. Returns whether the figure was drawn; it needs matplotlib.
    """

    def draw(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        methods: list[str] = []
        has_dots = max(common_epochs([records]) for records in groups) <= _FEW_EPOCHS
        for records in groups:
            setting, n_epochs = records[0].setting, common_epochs([records])
            epochs = np.arange(1, n_epochs + 1)
            nth = methods.count(setting.method) % 2
            style: dict[str, Any] = {
                "color": _COLOURS[setting.method],
                "linestyle": _DASHES[setting.method][nth],
                "marker": "o^"[nth] if has_dots else None,  # dots hide the dashes
                "markersize": 3,
            }
            methods.append(setting.method)
            label: str | None = f"{setting.method}, {setting.n_clauses:,} clauses"
            for key, (_, look) in _CURVES.items():
                curves = 100 * np.array([record.history[key][:n_epochs] for record in records])
                axes.plot(epochs, curves.mean(axis=0), label=label, **style, **look)
                label = None  # one entry per machine
                if len(records) > 1:
                    band = (curves.min(axis=0), curves.max(axis=0))
                    axes.fill_between(epochs, *band, color=style["color"], alpha=0.15, linewidth=0)
        for rows, look in _CURVES.values():
            axes.plot([], [], color="black", label=rows, **look)
        low, high = _limits(groups)
        majority = groups[0][0].data["majority"]
        share = 100 * majority["test_share"]
        if low - share <= 2 * (high - low):  # farther away, it would leave the curves little room
            axes.axhline(share, color="grey", linestyle=":", label=f"always “{majority['label']}”, test rows")
            margin = 0.05 * (high - low)
            low, high = min(low, share - margin), max(high, share + margin)
        axes.set(ylim=(low, high), xlabel="epoch", ylabel="accuracy (%)")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))

    return draw_figure(path, title, draw)


def _limits(groups: Groups) -> tuple[float, float]:
    """Return the ends of the axis: the first, steep epochs may fall off, so that the late ones can be told apart."""
    test, train = (
        100 * np.concatenate([record.history[key] for records in groups for record in records]) for key in _CURVES
    )
    low, high = np.quantile(test, 0.04), max(test.max(), train.max())
    margin = max(0.05 * (high - low), 0.2)
    return float(low - margin), float(high + margin)


def draw_sweep(path: Path, title: str, swept: Swept, groups: Groups) -> bool:
    """Draw the mean test accuracy over the last of the common epochs against what is swept.

    A point of one seed is hollow; one of several is filled, with a bar from the lowest of their means to the highest.
    The classic machine of a sweep over gamma (gamma = 0) stands left of the others, and a line goes through it. Path
    and result are those of `draw_learning_curves`.
    """
    n_epochs = common_epochs(groups)

    def draw(axes: Axes) -> None:
        summaries = {records[0].setting: summarise(records, n_epochs) for records in groups}
        values = {setting: getattr(setting, ATTRIBUTES[swept]) for setting in summaries}
        zero = min((value for value in values.values() if value), default=1) / 3  # there is no 0 on the axis
        for method, colour in _COLOURS.items():
            points = {values[setting] or zero: summaries[setting] for setting in values if setting.method == method}
            if not points:
                continue
            look: dict[str, Any] = {"color": colour, "marker": _MARKERS[method], "markersize": 5}
            line: dict[str, Any] = {**look, "linestyle": _DASHES[method][0]}
            axes.plot(list(points), [summary.mean for summary in points.values()], label=method, **line)
            if zero in points:
                axes.axhline(points[zero].mean, color=colour, linestyle=line["linestyle"])
            for x, summary in points.items():
                if summary.n_seeds == 1:
                    axes.plot(x, summary.mean, **look, markerfacecolor="white")
                else:
                    bar = [[summary.mean - min(summary.seed_means)], [max(summary.seed_means) - summary.mean]]
                    axes.errorbar(x, summary.mean, bar, **look, capsize=3)
        black: dict[str, Any] = {"color": "black", "linestyle": "none", "marker": "o", "markersize": 5}
        axes.plot([], [], label="one seed", markerfacecolor="white", **black)
        axes.errorbar([], [], [], label="several seeds, lowest to highest", capsize=3, **black)
        xlabel = {Swept.CLAUSES: "clauses per class"}.get(swept, swept.value)
        axes.set(xscale="log", xlabel=xlabel, ylabel="mean test accuracy (%)")
        axes.minorticks_off()
        places = sorted(set(values.values()))
        number = "g" if swept == Swept.GAMMA else ",.0f"
        axes.set_xticks([x or zero for x in places], [f"{x:{number}}" if x else "0 (TM)" for x in places])

    return draw_figure(path, title, draw)


def draw_weights(path: Path, title: str, bins: dict[int, int]) -> bool:
    """Draw a histogram of weights, in the bins of `wtm.paper.record.describe_weights`, over a logarithmic axis."""

    def draw(axes: Axes) -> None:
        places = np.arange(min(bins), max(bins) + 2)
        counts = [bins.get(k, 0) for k in places[:-1]]
        axes.stairs(counts, 2.0 ** (places / BINS_PER_DOUBLING), fill=True, color=_COLOURS["WTM"])
        axes.set(xscale="log", xlabel="weight", ylabel="clauses")
        axes.xaxis.set_major_formatter("{x:g}")

    return draw_figure(path, title, draw)


def draw_figure(path: Path, title: str, draw: Callable[[Axes], None]) -> bool:
    """Draw a figure of the one size and style of all figures; `draw` fills its axes. The legend stands below them.

    Path and result are those of `draw_learning_curves`.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        say(f"No {path.name}: matplotlib is not installed (python -m pip install 'weighted-tsetlin-machine[plots]').")
        return False
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.add_subplot(title=title)
    draw(axes)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if n_entries := len(axes.get_legend_handles_labels()[1]):
        ncols = n_entries if n_entries <= 4 else -(-n_entries // 2)
        figure.legend(loc="outside lower center", frameon=False, fontsize="small", ncols=ncols)
    # Without a date and random identifiers the same results give the same file.
    with rc_context({"svg.hashsalt": title}):
        content = io.BytesIO()
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(content, format=path.suffix[1:], dpi=150, metadata=metadata)
    with atomic_write(path) as file:
        file.write(content.getvalue())
    return True
