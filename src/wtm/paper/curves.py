"""Figures: learning curves, sweeps and histograms of weights, legible at the width of a page."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wtm.paper.console import say
from wtm.paper.files import write_atomically
from wtm.paper.record import BINS_A_DOUBLING, Record
from wtm.paper.summary import summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_learning_curves", "draw_sweep", "draw_weights"]

_COLOURS = {"WTM": "#0072b2", "TM": "#d55e00"}  # blue and vermilion: told apart by all eyes and in grey
_DASHES = ("-", "--", ":", "-.")
_FEW_EPOCHS = 30


def draw_learning_curves(path: Path, title: str, groups: Sequence[Sequence[Record]]) -> bool:
    """Draw test and training accuracy by epoch, with a band from the lowest seed to the highest.

    Parameters
    ----------
    path : Path
        The picture's file; the suffix names the format.
    title : str
    groups : sequence of sequence of Record
        The trainings of one machine each, one a seed.

    Returns
    -------
    bool
        Whether the picture was drawn: without matplotlib one line says that it was not.
    """

    def draw(axes: Axes) -> None:
        majority = groups[0][0].data["majority"]
        seen: dict[str, int] = {}
        for records in groups:
            setting = records[0].setting
            dashes = _DASHES[seen.get(setting.method, 0) % len(_DASHES)]
            seen[setting.method] = seen.get(setting.method, 0) + 1
            n_epochs = min(record.n_epochs for record in records)
            epochs = np.arange(1, n_epochs + 1)
            style: dict[str, Any] = {
                "color": _COLOURS[setting.method],
                "linestyle": dashes,
                "marker": "o" if n_epochs <= _FEW_EPOCHS else None,
                "markersize": 3,
            }
            name = f"{setting.method}, {setting.n_clauses:,} clauses"
            for key, rows, look in (
                ("test_accuracy", "test rows", {"linewidth": 1.6}),
                ("train_accuracy", "training rows", {"linewidth": 0.9, "alpha": 0.45}),
            ):
                curves = 100 * np.array([record.history[key][:n_epochs] for record in records])
                axes.plot(epochs, curves.mean(axis=0), label=f"{name}, {rows}", **{**style, **look})
                if len(records) > 1:
                    band = (curves.min(axis=0), curves.max(axis=0))
                    axes.fill_between(epochs, *band, color=_COLOURS[setting.method], alpha=0.15, linewidth=0)
        low, high = _limits(groups)
        share = 100 * majority["test_share"]
        if share >= low:
            axes.axhline(share, color="grey", linestyle=":", label=f"always “{majority['label']}”, test rows")
        axes.set_ylim(low, high)
        axes.set(title=title, xlabel="epoch", ylabel="accuracy (%)")

    return _draw(path, title, draw, whole_numbers=True)


def _limits(groups: Sequence[Sequence[Record]]) -> tuple[float, float]:
    """Where the axis begins and ends: the first, steep epochs may fall off, so that the late ones can be told apart."""
    test, train = (
        100 * np.concatenate([record.history[key] for records in groups for record in records])
        for key in ("test_accuracy", "train_accuracy")
    )
    low, high = np.quantile(test, 0.04), max(test.max(), train.max())
    margin = max(0.05 * (high - low), 0.2)
    return float(low - margin), float(high + margin)


def draw_sweep(path: Path, title: str, over: str, groups: Sequence[Sequence[Record]], n_epochs: int) -> bool:
    """Draw the mean test accuracy over the last of `n_epochs` epochs against what a sweep varies.

    Points of several seeds have bars from the lowest seed to the highest. The classic machine of a sweep over gamma,
    gamma = 0, is drawn as a line across.
    """

    def draw(axes: Axes) -> None:
        for method, colour in _COLOURS.items():
            chosen = [records for records in groups if records[0].setting.method == method]
            if not chosen:
                continue
            summaries = [summarise(records, n_epochs) for records in chosen]
            means = np.array([summary.statistics.mean for summary in summaries])
            if over == "gamma" and method == "TM":
                axes.axhline(means[0], color=colour, linestyle="--", label="gamma = 0 (TM)")
                continue
            at = [_place(records, over) for records in chosen]
            axes.plot(at, means, color=colour, marker="o", markersize=4, label=method)
            for x, mean, summary in zip(at, means, summaries, strict=True):
                if summary.n_seeds > 1:
                    bar = [[mean - min(summary.seed_means)], [max(summary.seed_means) - mean]]
                    axes.errorbar(x, mean, bar, fmt="none", color=colour, capsize=3)
        axes.set(
            title=title, xscale="log", ylabel="mean test accuracy (%)",
            xlabel="gamma" if over == "gamma" else "clauses a class",
        )  # fmt: skip
        axes.minorticks_off()
        axes.set_xticks(sorted({_place(records, over) for records in groups} - {0}))
        axes.xaxis.set_major_formatter("{x:g}" if over == "gamma" else "{x:,.0f}")

    return _draw(path, title, draw)


def _place(records: Sequence[Record], over: str) -> float:
    """Where a sweep's machine is on its axis."""
    setting = records[0].setting
    return setting.gamma if over == "gamma" else setting.n_clauses


def draw_weights(path: Path, title: str, histogram: dict[str, int]) -> bool:
    """Draw a histogram of weights, `wtm.paper.record.describe_weights`, over a logarithmic axis."""

    def draw(axes: Axes) -> None:
        bins = {int(k): count for k, count in histogram.items()}
        first, last = min(bins), max(bins)
        edges = 2.0 ** (np.arange(first, last + 2) / BINS_A_DOUBLING)
        axes.stairs([bins.get(k, 0) for k in range(first, last + 1)], edges, fill=True, color=_COLOURS["WTM"])
        axes.set(title=title, xscale="log", xlabel="weight", ylabel="clauses")
        axes.xaxis.set_major_formatter("{x:g}")

    return _draw(path, title, draw)


def _draw(path: Path, title: str, draw: Callable[[Axes], None], *, whole_numbers: bool = False) -> bool:
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ImportError:
        say(f"No {path.name}: matplotlib is not installed (python -m pip install 'weighted-tsetlin-machine[plots]').")
        return False
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.add_subplot()
    draw(axes)
    if whole_numbers:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, fontsize="small", ncols=2)
    # No date and no random identifiers: the same results give the same file.
    with rc_context({"svg.hashsalt": title}):
        content = io.BytesIO()
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(content, format=path.suffix[1:], dpi=150, metadata=metadata)
    write_atomically(path, content.getvalue())
    return True
