"""Callbacks: functions of the user's that are called after every epoch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Epoch", "call_all", "check_callbacks"]


@dataclass(frozen=True)
class Epoch:
    """What a callback is told of the epoch that has just ended.

    Attributes
    ----------
    number : int
        The epoch's number, from 1, counted over all calls that went on from one another.
    n_epochs : int
        The number of the last epoch that this call is to train.
    entry : dict
        The epoch's entry of `history_`. Figures that a callback adds to it are kept there; those that training
        measured stay as they are.
    """

    number: int
    n_epochs: int
    entry: dict[str, Any]
    _history: list[dict[str, Any]]
    _copy: Callable[[], Any]

    @property
    def history(self) -> list[dict[str, Any]]:
        """The entries of all epochs so far: copies of the earlier ones, and `entry` at the end."""
        return [*map(dict, self._history[: self.number - 1]), self.entry]

    def classifier(self) -> Any:
        """Return a fitted copy of the classifier as it stands: to measure, to look at or to save.

        It is made anew at each call, and shares nothing with the training that goes on.
        """
        return self._copy()


def check_callbacks(callbacks: Any) -> list[Callable[[Epoch], Any]]:
    """Return `callbacks`, one, several or None, as a list.

    Raises
    ------
    TypeError
        One can't be called.
    """
    if callbacks is None:
        return []
    found = [callbacks] if callable(callbacks) else callbacks
    if not isinstance(found, list | tuple) or not all(callable(callback) for callback in found):
        raise TypeError(f"callbacks must be a function, a list of functions or None, got {callbacks!r}.")
    return list(found)


def call_all(callbacks: list[Callable[[Epoch], Any]], epoch: Epoch) -> bool:
    """Call all `callbacks`, and return whether one of them has returned True: that training is to stop."""
    answers = [callback(epoch) for callback in callbacks]
    return any(isinstance(answer, bool | np.bool_) and bool(answer) for answer in answers)
