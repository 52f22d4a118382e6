"""Handle Ctrl-C and SIGTERM: commands clean up, trainings stop after an epoch, and nobody waits for a kernel.

Ctrl-C raises KeyboardInterrupt, as usual; SIGTERM raises `Terminated` inside `terminable`.
"""

import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

_TERMINATED = 143  # 128 + SIGTERM, as in shells

_Result = TypeVar("_Result")


def interruptible(work: Callable[[], _Result]) -> _Result:
    """Run `work` so that Ctrl-C ends the call at once, even inside compiled code.

    Python handles signals in the main thread, between two bytecode instructions. A main thread that spends a minute
    in a kernel would see Ctrl-C a minute later, so another thread runs `work` while the main thread waits.
    """
    return run_in_threads([work])[0]


def run_in_threads(works: Sequence[Callable[[], _Result]], n_threads: int = 1) -> list[_Result]:
    """Run all `works`, begun in their order, `n_threads` of them at the same time; interruptible as above.

    joblib looks for results every 10 ms, which is longer than many predictions and epochs take.

    After Ctrl-C the threads finish what they are at, and its results are lost; they are daemons, so the process can end
    before them.

    Returns
    -------
    list
        The results. If there were errors, the one of the earliest of the `works` is raised, and those that were not
        begun are left out.
    """
    if n_threads == 1 and threading.current_thread() is not threading.main_thread():
        return [work() for work in works]
    waiting = deque(enumerate(works))
    results: dict[int, _Result] = {}
    errors: dict[int, BaseException] = {}

    def run() -> None:
        while waiting:
            try:
                i, work = waiting.popleft()
            except IndexError:  # another thread took it
                return
            try:
                results[i] = work()
            except BaseException as error:
                errors[i] = error
                waiting.clear()

    n_useful = min(n_threads, len(works))
    threads = [threading.Thread(target=run, name="wtm", daemon=True) for _ in range(n_useful)]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.5)  # on Windows a wait without a timeout can't be interrupted
    if errors:
        raise errors[min(errors)]
    return [results[i] for i in range(len(works))]


class Terminated(SystemExit):
    """SIGTERM arrived: like KeyboardInterrupt, it passes through all clean-up code."""

    def __init__(self, reason: str = "terminated.") -> None:
        super().__init__(_TERMINATED)
        self.reason = reason


_arrived: set[int] = set()


def arrived_signal() -> int | None:
    """Return the signal that ended the work in `terminable`, since it can also surface as another exception."""
    return next((number for number in (signal.SIGTERM, signal.SIGINT) if number in _arrived), None)


@contextmanager
def terminable() -> Iterator[None]:
    """Raise `Terminated` on SIGTERM, and KeyboardInterrupt on Ctrl-C, in the main thread, inside the block."""
    _arrived.clear()
    usual: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    ours = {signal.SIGINT: _interrupt, signal.SIGTERM: _terminate}
    # Any other handler was set on purpose, such as by `nohup`.
    handled = [number for number, handler in usual.items() if signal.getsignal(number) == handler]
    for number in handled:
        signal.signal(number, ours[number])
    try:
        yield
    finally:
        for number in handled:
            # SIGTERM stays ignored once it arrived.
            if signal.getsignal(number) is ours[number]:
                signal.signal(number, usual[number])


def _interrupt(number: int, frame: FrameType | None) -> None:
    _arrived.add(number)
    raise KeyboardInterrupt


def _terminate(number: int, frame: FrameType | None) -> None:
    _arrived.add(number)
    # `timeout` sends the signal twice: the second must not disturb the clean-up, nor the exit code.
    signal.signal(number, signal.SIG_IGN)
    raise Terminated


class StopAfterEpoch:
    """Context manager that turns the first signal into a request; a second Ctrl-C interrupts at once.

    It lets a training reach the end of its epoch, where it can be saved. Ignored signals stay ignored. Outside the main
    thread, where Python handles no signals, it does nothing.

    Attributes
    ----------
    requested : bool
        Whether a signal arrived.
    """

    def __init__(self) -> None:
        self.requested = False
        self._is_termination = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._request)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def error(self, reason: str) -> KeyboardInterrupt | Terminated:
        """Return the exception for the signal that arrived."""
        return Terminated(reason) if self._is_termination else KeyboardInterrupt(reason)

    def _request(self, number: int, frame: FrameType | None) -> None:
        if not self.requested:
            self.requested = True
            self._is_termination = number == signal.SIGTERM
            name = "SIGTERM" if self._is_termination else "Ctrl-C"
            print(f"{name}: stopping after this epoch. Another Ctrl-C stops at once.", file=sys.stderr, flush=True)
        elif number == signal.SIGINT:  # a second SIGTERM means nothing: `timeout` sends two
            raise KeyboardInterrupt("stopped in the middle of an epoch; everything saved before is kept.")
