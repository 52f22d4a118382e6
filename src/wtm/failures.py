"""How a command ends when something is wrong: one line on standard error, and an exit code."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

__all__ = ["one_line_on_failure"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


@contextmanager
def one_line_on_failure() -> Iterator[None]:
    """What a user can put right ends the command with one line on standard error and no traceback."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        _stop(str(interruption) or "interrupted.", _INTERRUPTED)
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
