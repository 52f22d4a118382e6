"""Options that several commands share: declared once, as the parameters of a function."""

import inspect
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from wtm.cli.errors import OptionError
from wtm.cli.notes import warnings_as_notes, write_note
from wtm.utils.paths import as_path

ALL_CORES = -1


def in_range(smallest: int, largest: int | None = None) -> Callable[[Any], Any]:
    """Return a callback that refuses a number, or one of several, outside a range; typer's own message has no value."""
    allowed = f"at least {smallest}" if largest is None else f"from {smallest} to {largest}"

    def check(given: Any) -> Any:
        for number in given if isinstance(given, list) else [given]:
            if number is not None and (number < smallest or (largest is not None and number > largest)):
                raise typer.BadParameter(f"must be {allowed}, got {number}.")
        return given

    return check


def number_or_auto(given: str) -> float | str:
    """Read the value of an option that is a number or "auto"."""
    if given == "auto":
        return given
    try:
        return float(given)
    except ValueError:
        raise typer.BadParameter(f"must be a number or auto, got {given!r}.") from None


def _check_n_jobs(n_jobs: int) -> int:
    if n_jobs == 0:
        raise typer.BadParameter("must be a positive number, or -1 for all cores, got 0.")
    return n_jobs


NJobs = Annotated[
    int, typer.Option(callback=_check_n_jobs, help="Threads; -1 uses all cores. Results do not depend on it.")
]
"""The option ``--n-jobs`` of every command that computes."""


def _quieten(quiet: bool) -> bool:
    logging.getLogger("wtm").setLevel(logging.WARNING if quiet else logging.NOTSET)  # for `wtm.kernels.kernel_cache`
    return quiet


Quiet = Annotated[bool, typer.Option("--quiet", callback=_quieten, help="No progress and no notes.")]
"""The option ``--quiet`` of every command for tables and models."""


Tables = Annotated[
    list[str],
    typer.Argument(
        help="CSV (also gzipped) or Parquet file; - is standard input. With --dask, Parquet files: several, a folder "
        "or a quoted pattern such as 'rows/*.parquet'.",
        metavar="DATA...",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        help="Work on the cluster of the Dask scheduler at this address, such as tcp://host:8786.",
        metavar="ADDRESS",
        show_default=False,
    ),
]
"""The options of commands that a cluster can run."""


ModelFile = Annotated[str, typer.Argument(help="Model file.", metavar="MODEL")]
DropMissingTarget = Annotated[
    bool, typer.Option("--drop-missing-target", help="Leave out rows without a target; otherwise they are an error.")
]
NewModelFile = Annotated[str, typer.Option(help="Model file to write.", metavar="MODEL")]
Target = Annotated[
    str | None,
    typer.Option(help="Target column. Default: that of the training.", metavar="COLUMN", show_default=False),
]


def path_argument(path: str, name: str) -> Path:
    """Return the argument or option called `name` as a path."""
    try:
        return as_path(path, name)
    except ValueError as error:
        raise OptionError(str(error)) from None


def with_options(shared: Callable[..., Any], *without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a function: its own options, then those of `shared`, except some.

    The function gets the result of `shared` as its first argument, and an option of both, which it declares, besides.
    Warnings that it gives are written as notes.
    """
    others = [option for name, option in inspect.signature(shared).parameters.items() if name not in without]

    def decorate(work: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(work).parameters.values())[1:]
        names, own_by_name = {option.name for option in others}, {option.name: option for option in own}
        options = [
            *(option for option in own if option.name not in names),
            *(own_by_name.get(option.name, option) for option in others),
        ]

        def command(**given: Any) -> None:
            with warnings_as_notes(lambda text: None if given.get("quiet") else write_note(text)):
                of_shared = shared(**{option.name: given[option.name] for option in others})
                work(of_shared, **{option.name: given[option.name] for option in own})

        parameters = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__doc__ = work.__doc__
        return command

    return decorate
