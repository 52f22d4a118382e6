"""Callbacks: functions that users pass, called after every epoch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Epoch:
    """The epoch that has just ended, as callbacks get it.

    Attributes
    ----------
    number : int
        Number of the epoch, from 1, counted over all calls that resume one another.
    n_epochs : int
        Number of the last epoch of this call.
    entry : dict
        The epoch's entry of `history_`. Metrics that a callback adds are kept; those that training measured can't be
        changed.
    """

    number: int
    n_epochs: int
    entry: dict[str, Any]
    _history: list[dict[str, Any]]
    _copy: Callable[[], Any]

    @property
    def history(self) -> list[dict[str, Any]]:
        """The entries of all epochs so far: copies of the earlier ones, then `entry`."""
        return [*map(dict, self._history[: self.number - 1]), self.entry]

    def estimator(self) -> Any:
        """Return a fitted copy of the classifier or regressor in its current state, to measure, inspect or save.

        Each call makes a new copy, which shares nothing with the training in progress.
        """
        return self._copy()


def check_callbacks(callbacks: Any) -> list[Callable[[Epoch], Any]]:
    """Return one, several or no callbacks as a list.

    Raises
    ------
    TypeError
        A callback is not callable.
    """
    if callbacks is None:
        return []
    found = [callbacks] if callable(callbacks) else callbacks
    if not isinstance(found, list | tuple) or not all(callable(callback) for callback in found):
        raise TypeError(f"callbacks must be a function, a list of functions or None, got {callbacks!r}.")
    return list(found)


def call_all(callbacks: list[Callable[[Epoch], Any]], epoch: Epoch) -> bool:
    """Call all callbacks; return whether one of them returned True, which stops training."""
    answers = [callback(epoch) for callback in callbacks]
    return any(isinstance(answer, bool | np.bool_) and bool(answer) for answer in answers)
