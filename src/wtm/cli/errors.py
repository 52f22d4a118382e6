"""How a command ends on an error: one line on standard error, and an exit code."""

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from wtm.utils.interruption import Terminated, arrived_signal

_ENDS = {signal.SIGINT: ("interrupted.", 130), signal.SIGTERM: ("terminated.", 143)}  # 128 + number, as in shells


class OptionError(ValueError):
    """An option has a value that is wrong whatever the files hold; the exit code is that of Typer's own such errors."""


@contextmanager
def options_named(options: Mapping[str, str]) -> Iterator[None]:
    """Begin the message of a ValueError about a parameter with the option that gives it."""
    try:
        yield
    except ValueError as error:
        parameter, _, reason = str(error).partition(" ")
        if parameter not in options:
            raise
        raise ValueError(f"{options[parameter]} {reason}") from None


@contextmanager
def one_line_on_failure() -> Iterator[None]:
    """End the command with one line, without a traceback, on any error that a user can correct."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        _end(signal.SIGINT, str(interruption))
    except Terminated as termination:
        _end(signal.SIGTERM, termination.reason)
    except Exception as error:
        # An import that a signal interrupts may end in any error.
        number = arrived_signal()
        if number is not None:
            _end(number)
        # After a BrokenPipeError nobody reads the output: Typer ends quietly.
        if isinstance(error, BrokenPipeError) or not isinstance(error, OSError | ValueError | MemoryError):
            raise
        _drop_unwritten_output()
        _stop(" ".join(_reason(error).split()) or type(error).__name__, 2 if isinstance(error, OptionError) else 1)


def _drop_unwritten_output() -> None:
    """Drop what standard output can't take, which Python would try to write again at its end and exit with 120."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(number: int, reason: str = "") -> None:
    usual, code = _ENDS[signal.Signals(number)]
    _stop(reason or usual, code)


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"{error.filename} does not exist."
    if isinstance(error, OSError) and error.strerror:  # without the number
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error)


def _stop(reason: str, code: int) -> None:
    if sys.stderr is not None:
        print(f"wtm: {reason}", file=sys.stderr)
    raise SystemExit(code) from None
