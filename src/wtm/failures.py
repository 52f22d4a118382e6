"""How a command ends when something is wrong: one line on standard error, and an exit code."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer

__all__ = ["Terminated", "one_line_on_failure", "terminable"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it
_TERMINATED = 143  # 128 + SIGTERM


class Terminated(SystemExit):
    """SIGTERM came: to a command what KeyboardInterrupt is, so that whatever is half written gets removed."""

    def __init__(self, reason: str = "terminated.") -> None:
        super().__init__(_TERMINATED)
        self.reason = reason


@contextmanager
def terminable() -> Iterator[None]:
    """Raise `Terminated` where SIGTERM would end the process on the spot; for the main thread, around all its work."""
    if signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:  # whoever started us has other plans for it
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is _terminate:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, frame: FrameType | None) -> None:
    # `timeout` sends the signal twice: the second must not disturb the cleaning up after the first, nor the exit code.
    signal.signal(number, signal.SIG_IGN)
    raise Terminated


@contextmanager
def one_line_on_failure() -> Iterator[None]:
    """What a user can put right ends the command with one line on standard error and no traceback."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        _stop(str(interruption) or "interrupted.", _INTERRUPTED)
    except Terminated as termination:
        _stop(termination.reason, _TERMINATED)
    except BrokenPipeError:
        raise  # whoever read the output has gone: Typer ends quietly
    except (OSError, ValueError, MemoryError) as error:
        _stop(" ".join(_reason(error).split()) or type(error).__name__, 1)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"  # without the number that Python puts before
    return str(error)


def _stop(reason: str, code: int) -> None:
    typer.echo(f"wtm: {reason}", err=True)
    raise typer.Exit(code) from None
