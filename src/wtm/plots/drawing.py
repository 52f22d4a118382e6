"""What all pictures share: axes, and how votes for and against are told apart."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOR: dict[str, Any] = {"facecolor": "#0072b2", "edgecolor": "#0072b2"}
AGAINST: dict[str, Any] = {"facecolor": "white", "edgecolor": "#d55e00", "hatch": "////"}
"""Okabe and Ito's blue and vermilion, which all readers can tell apart; the hatch does so in print."""

MAX_LABEL = 60


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
