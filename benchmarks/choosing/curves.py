"""Curves of accuracy over each parameter, as one figure."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

__all__ = ["Panel", "draw_curves"]

Panel = tuple[str, Sequence[float], dict[str, Sequence[float]]]
"""The parameter, its values, and for each data set the points below the best."""

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999", "#8c510a")
_LOWEST = 15.0
"""Points below the best at which curves are cut off."""


def draw_curves(path: Path, panels: Sequence[Panel]) -> None:
    """Draw a panel per parameter, with a line per data set and their mean."""
    figure = Figure(figsize=(9, 3.2 * -(-len(panels) // 2)), layout="constrained")
    grid = figure.subplots(-(-len(panels) // 2), 2, squeeze=False)
    for axes, (name, values, below) in zip(grid.flat, panels, strict=False):
        for colour, (problem, points) in zip(_COLOURS, below.items(), strict=False):
            axes.plot(_positions(values), points, color=colour, linewidth=1, marker=".", label=problem)
        mean = np.mean(list(below.values()), axis=0)
        axes.plot(_positions(values), mean, color="black", linewidth=3, alpha=0.35, label="mean")
        axes.set(xlabel=name, ylabel="points below the best", ylim=(_LOWEST, -0.5))
        ticks = range(0, len(values), -(-len(values) // 10))
        axes.set_xticks([_positions(values)[i] for i in ticks], [f"{values[i]:g}" for i in ticks])
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize="small")
    # No date and no random identifiers: the same results give the same file.
    with rc_context({"svg.hashsalt": "choosing"}):
        figure.savefig(path, metadata={"Date": None})


def _positions(values: Sequence[float]) -> list[int]:
    """Space the values evenly, since they have about equal ratios and gamma starts at 0."""
    return list(range(len(values)))
