"""Columns by name: which ones are meant, which are missing; and what is told while they are read."""

import warnings
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from wtm.cli.files import TableFile
from wtm.utils.printable import escape, short_repr

__all__ = ["note", "parse_names", "require_columns", "warnings_as_notes", "with_progress"]

_MOST_NAMED = 10


def parse_names(values: Iterable[str], known: Sequence[str]) -> list[str]:
    """Names in option values: each value is a column's name as it stands, or several with commas between them."""
    names: list[str] = []
    for value in values:
        names += [value] if value in known else [name.strip() for name in value.split(",")]
    return list(dict.fromkeys(names))


def require_columns(names: Iterable[str], source: TableFile, path: Path, purpose: str) -> None:
    """Refuse a file that lacks some columns, with a word on what it has.

    Raises
    ------
    ValueError
        A column is missing.
    """
    present = set(source.names)
    missing = [name for name in names if name not in present]
    if not missing:
        return
    remedy = " A name is empty: is a variable not set?" if "" in missing else ""
    if len(source.names) == 1 and source.is_text:
        remedy = " With one column only, is the separator another one? Name it by --separator."
    raise ValueError(
        f"{path} has no column {_listed(missing)}, {purpose}. Its columns are {_listed(source.names)}.{remedy}"
    )


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(map(short_repr, names[:_MOST_NAMED]))
    return listed if len(names) <= _MOST_NAMED else f"{listed} and {len(names) - _MOST_NAMED:,} more"


def note(text: str, *, quiet: bool) -> None:
    """Tell something on standard error, in one line."""
    if not quiet:
        typer.echo(f"note: {escape(text)}", err=True)


@contextmanager
def warnings_as_notes(*, quiet: bool) -> Iterator[None]:
    """Tell each warning once, as a note, when the block ends."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        note(text, quiet=quiet)


def with_progress(batches: Iterable[Any], n_rows: int | None, label: str, *, quiet: bool) -> Generator[Any, None, None]:
    """Pass batches on, with a bar of the rows on a terminal; none where `n_rows`, their number, is not known."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,} rows"),
        TimeElapsedColumn(),
    )
    shown = not quiet and console.is_terminal
    with Progress(*columns, console=console, disable=not shown, transient=True) as progress:
        task = progress.add_task(label, total=n_rows)
        for batch in batches:
            yield batch
            progress.update(task, advance=len(batch))
