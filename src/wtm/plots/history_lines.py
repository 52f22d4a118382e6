"""Metrics of the epochs as lines."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from wtm.plots.drawing import axes_for
from wtm.utils.printable import short_repr

_NAMES = {"train_accuracy": "training rows", "valid_accuracy": "validation rows"}
_STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#0072b2", "linestyle": "-", "marker": "o"},
    {"color": "#d55e00", "linestyle": "--", "marker": "s"},
    {"color": "#009e73", "linestyle": ":", "marker": "^"},
    {"color": "#000000", "linestyle": "-.", "marker": "x"},
)


class HistoryDisplay:
    """Learning curves: metrics after each epoch.

    Parameters
    ----------
    epochs : ndarray of shape (n_epochs,)
    metrics : dict of str to ndarray of shape (n_epochs,)
        Values by name; NaN where there is none.
    best_epoch : int or None
        The epoch that `early_stopping` kept, which gets a vertical line.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of matplotlib Line2D
        In the order of `metrics`.
    """

    def __init__(self, *, epochs: np.ndarray, metrics: dict[str, np.ndarray], best_epoch: int | None = None) -> None:
        self.epochs, self.metrics, self.best_epoch = epochs, metrics, best_epoch

    @classmethod
    def from_estimator(cls, clf: Any, *, metrics: Sequence[str] | None = None, ax: Any = None) -> Self:
        """Draw the history of a fitted classifier.

        Parameters
        ----------
        clf : WTMClassifier
            With `history_`, which a model read from JSON lacks.
        metrics : sequence of str, optional
            Keys of the entries of `history_`. The default is the accuracies on training and, if there are any, on
            validation rows.
        ax : matplotlib Axes, optional
            The default is a new figure.
        """
        history = getattr(clf, "history_", None)
        if not history:
            raise ValueError("clf has no history_: pass a WTMClassifier after fit or partial_fit.")
        names = list(_NAMES) if metrics is None else list(metrics)
        for name in names:
            if name not in history[-1]:
                raise ValueError(f"metrics must be keys of history_ such as {', '.join(history[-1])}; got {name!r}.")
        found = {name: np.array([_number(entry.get(name), name) for entry in history]) for name in names}
        found = {name: values for name, values in found.items() if metrics is not None or not np.isnan(values).all()}
        epochs = np.array([entry["epoch"] for entry in history])
        return cls(epochs=epochs, metrics=found, best_epoch=getattr(clf, "best_epoch_", None)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, by default those of a new figure."""
        self.ax_ = axes_for(ax)
        from matplotlib.ticker import MaxNLocator

        self.figure_ = self.ax_.figure
        self.lines_ = []
        for i, (name, values) in enumerate(self.metrics.items()):
            style = _STYLES[i % len(_STYLES)] | {"markersize": 4, "markevery": max(1, len(values) // 10)}
            self.lines_ += self.ax_.plot(self.epochs, values, label=_NAMES.get(name, name), **style)
        if self.best_epoch is not None:
            self.ax_.axvline(self.best_epoch, color="gray", linewidth=1, label=f"kept: epoch {self.best_epoch}")
        are_accuracies = all(name in _NAMES for name in self.metrics)
        self.ax_.set(xlabel="epoch", ylabel="accuracy" if are_accuracies else "")
        self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        self.ax_.grid(alpha=0.25)
        self.ax_.legend(frameon=False)
        return self


def _number(value: Any, name: str) -> float:
    if value is None:
        return np.nan
    if not np.isreal(value) or isinstance(value, str):
        raise ValueError(f"metrics names {name!r}, which is not a number: {short_repr(value)}.")
    return float(value)
