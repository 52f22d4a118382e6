"""The learning curve as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wtm.paper.report import say

__all__ = ["draw_learning_curve"]

_COLOURS = ("#0072b2", "#d55e00")  # blue and vermilion: told apart by all eyes and in grey
_FEW_EPOCHS = 30


def draw_learning_curve(
    path: Path, title: str, curves: Sequence[tuple[str, list[dict[str, Any]]]], majority: dict[str, Any]
) -> bool:
    """Draw test and training accuracy by epoch; without matplotlib say so and draw nothing.

    Parameters
    ----------
    path : Path
        The picture's file; the suffix names the format.
    title : str
    curves : sequence of (name, history)
        The machines, at most two, with the entries of `WTMClassifier.history_`.
    majority : dict
        ``label`` and ``test_share`` of the most frequent class, the line to stay above.

    Returns
    -------
    bool
        Whether the picture was drawn.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ImportError:
        say(f"No {path.name}: matplotlib is not installed (python -m pip install 'weighted-tsetlin-machine[plots]').")
        return False
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.add_subplot()
    for (name, history), colour in zip(curves, _COLOURS, strict=False):
        epochs = [entry["epoch"] for entry in history]
        marker = "o" if len(history) <= _FEW_EPOCHS else None
        style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 3}
        for key, label, look in (
            ("valid_accuracy", "test rows", {"linewidth": 1.6}),
            ("train_accuracy", "training rows", {"linewidth": 0.9, "linestyle": "--", "alpha": 0.6}),
        ):
            axes.plot(epochs, [100 * entry[key] for entry in history], label=f"{name}, {label}", **style, **look)
    axes.axhline(
        100 * majority["test_share"], color="grey", linestyle=":", label=f"always “{majority['label']}”, test rows"
    )
    axes.set(title=title, xlabel="epoch", ylabel="accuracy (%)")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small", ncols=2)
    # No date and no random identifiers: the same results give the same file.
    with rc_context({"svg.hashsalt": title}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return True
