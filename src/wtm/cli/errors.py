"""How a command ends when something is wrong: one line on standard error, and an exit code."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import typer

__all__ = ["Terminated", "one_line_on_failure", "terminable"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it
_TERMINATED = 143  # 128 + SIGTERM
_INTERRUPTION = "interrupted."
_TERMINATION = "terminated."


class Terminated(SystemExit):
    """SIGTERM came: to a command what KeyboardInterrupt is, so that whatever is half written gets removed."""

    def __init__(self, reason: str = _TERMINATION) -> None:
        super().__init__(_TERMINATED)
        self.reason = reason


_came: set[int] = set()
"""The signals that raised an exception, which need not be the one that arrives where it is handled."""


@contextmanager
def terminable() -> Iterator[None]:
    """Raise `Terminated` where SIGTERM would end the process on the spot; for the main thread, around all its work.

    Of SIGTERM and of Ctrl-C, which raises KeyboardInterrupt as ever, is also kept in mind that they came.
    """
    _came.clear()
    usual: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    ours = {signal.SIGINT: _interrupt, signal.SIGTERM: _terminate}
    # With any other handler whoever started us has other plans.
    handled = [number for number, handler in usual.items() if signal.getsignal(number) == handler]
    for number in handled:
        signal.signal(number, ours[number])
    try:
        yield
    finally:
        for number in handled:
            # After the first SIGTERM it is ignored, and stays so.
            if signal.getsignal(number) is ours[number]:
                signal.signal(number, usual[number])


def _interrupt(number: int, frame: FrameType | None) -> None:
    _came.add(number)
    raise KeyboardInterrupt


def _terminate(number: int, frame: FrameType | None) -> None:
    _came.add(number)
    # `timeout` sends the signal twice: the second must not disturb the cleaning up after the first, nor the exit code.
    signal.signal(number, signal.SIG_IGN)
    raise Terminated


@contextmanager
def one_line_on_failure() -> Iterator[None]:
    """What a user can put right ends the command with one line on standard error and no traceback."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        _stop(str(interruption) or _INTERRUPTION, _INTERRUPTED)
    except Terminated as termination:
        _stop(termination.reason, _TERMINATED)
    except Exception as error:
        # An import that a signal interrupts may end in any other error.
        if signal.SIGTERM in _came:
            _stop(_TERMINATION, _TERMINATED)
        if signal.SIGINT in _came:
            _stop(_INTERRUPTION, _INTERRUPTED)
        # After a BrokenPipeError whoever read the output has gone: Typer ends quietly.
        if isinstance(error, BrokenPipeError) or not isinstance(error, OSError | ValueError | MemoryError):
            raise
        _stop(" ".join(_reason(error).split()) or type(error).__name__, 1)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"  # without the number that Python puts before
    return str(error)


def _stop(reason: str, code: int) -> None:
    typer.echo(f"wtm: {reason}", err=True)
    raise typer.Exit(code) from None
