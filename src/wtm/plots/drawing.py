"""What all pictures share: axes, and how votes for and against are told apart."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOR: dict[str, Any] = {"facecolor": "#0072b2", "edgecolor": "#0072b2"}
AGAINST: dict[str, Any] = {"facecolor": "white", "edgecolor": "#d55e00", "hatch": "////"}
"""Okabe and Ito's blue and vermilion, which all readers can tell apart; the hatch does so in print."""

MAX_LABEL = 60

_OFF, _NEUTRAL, _ON = "#d55e00", "#f7f7f7", "#0072b2"
_MARKED = 0.5
"""Negative pixels get a cross from this part of the largest value on."""
_VISIBLE = 0.05
"""Small squares are drawn from this part of the largest value on."""


def import_pyplot() -> Any:
    """Return `matplotlib.pyplot`; an ImportError names the extra that installs it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "wtm.plots needs matplotlib. Install it with: pip install 'weighted-tsetlin-machine[plots]'"
        ) from error
    return plt


def axes_for(ax: "Axes | None", height: float = 4.0) -> "Axes":
    """Return the caller's axes, or those of a new figure `height` inches high."""
    plt = import_pyplot()
    if ax is None:
        _, ax = plt.subplots(figsize=(7, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plain(text: str) -> str:
    """Return a name for matplotlib, which would read what stands between dollar signs as mathematics."""
    return text.replace("$", r"\$")


def grid_of_axes(plt: Any, n_axes: int, below: float = 0.0) -> np.ndarray:
    """Return axes for small images in a new figure, with `below` inches for a line under each."""
    n_across = min(n_axes, max(5, math.ceil(math.sqrt(n_axes))))
    n_down = -(-n_axes // n_across)
    _, grid = plt.subplots(
        n_down, n_across, figsize=(1.5 * n_across, (1.75 + below) * n_down), layout="constrained", squeeze=False
    )
    for axes in grid.flat[n_axes:]:
        axes.set_visible(False)
    return np.array(grid.flat[:n_axes])


def draw_pixels(axes: "Axes", values: np.ndarray, *, inset: bool = False) -> Any:
    """Draw pixels that must be on, positive, in blue, and those that must be off in orange, with crosses unless faint.

    With `inset` they are small squares, over an image that stays visible around them; very faint ones are left out.
    Returns the matplotlib image.
    """
    from matplotlib.colors import LinearSegmentedColormap

    height, width = values.shape
    most = np.abs(values).max() or 1.0
    colours = LinearSegmentedColormap.from_list("off and on", [_OFF, _NEUTRAL, _ON])
    drawn, alpha = values, None
    if inset:
        drawn = np.kron(values, np.ones((5, 5)))
        alpha = np.kron(np.abs(values) > _VISIBLE * most, np.pad(np.ones((3, 3)), 1))
    extent = (-0.5, width - 0.5, height - 0.5, -0.5)
    image = axes.imshow(drawn, cmap=colours, vmin=-most, vmax=most, alpha=alpha, extent=extent, interpolation="nearest")
    rows, columns = np.nonzero(values < -_MARKED * most)
    box = axes.get_window_extent()
    size = (0.25 if inset else 0.35) * min(box.width / width, box.height / height)
    axes.plot(columns, rows, "x", color="black", markersize=size, markeredgewidth=size / 5)
    axes.set_xticks([])
    axes.set_yticks([])
    return image
