"""Ctrl-C and SIGTERM in a long training: the first ends it after the epoch at work, Ctrl-C once more at once."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

from wtm.cli.errors import Terminated
from wtm.paper.text_table import say

__all__ = ["Interruption"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Ctrl-C, and how systems ask a program to end


class Interruption:
    """Context manager that turns the first signal to end into `requested`, and `error` makes the exception for it.

    Machines that are being trained are in the middle of something; after an epoch they can be kept. Signals that were
    ignored stay so. Outside the main thread, where signals can't be caught, nothing is changed.
    """

    def __init__(self) -> None:
        self.requested = False
        self._is_termination = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._request)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def error(self, reason: str) -> KeyboardInterrupt | Terminated:
        """Return the exception that ends the command as the signal wants it."""
        return Terminated(reason) if self._is_termination else KeyboardInterrupt(reason)

    def _request(self, number: int, frame: FrameType | None) -> None:
        if not self.requested:
            self.requested = True
            self._is_termination = number == signal.SIGTERM
            if self._is_termination:
                say("Asked to end by SIGTERM: stopping after this epoch. Ctrl-C stops at once.")
            else:
                say("Stopping after this epoch; Ctrl-C once more stops at once.")
        elif number == signal.SIGINT:  # `timeout` sends SIGTERM twice, and means it once
            raise KeyboardInterrupt("stopped in the middle of an epoch; whatever was kept before is there.")
