"""Ctrl-C in a long training: the first ends it after the epoch at work, the second at once."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

from wtm.paper.console import say

__all__ = ["Interruption"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # Ctrl-C, and how systems ask a program to end


class Interruption:
    """Context manager that turns the first signal to end into `requested`.

    Machines that are being trained are in the middle of something; after an epoch they can be kept. Signals that were
    ignored stay so. Outside the main thread, where signals can't be caught, nothing is changed.
    """

    def __init__(self) -> None:
        self.requested = False
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

    def _request(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt("stopped in the middle of an epoch; what was kept before is there.")
        self.requested = True
        say("Stopping after this epoch; once more stops at once.")
