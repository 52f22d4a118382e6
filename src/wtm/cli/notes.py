"""What commands write on standard error while they work: notes of one line, and progress."""

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import typer

from wtm.utils.printable import escape


def write_note(text: str) -> None:
    """Write a line."""
    typer.echo(f"note: {escape(text)}", err=True)


@contextmanager
def warnings_as_notes(note: Callable[[str], None], noted_columns: Iterable[str] = ()) -> Iterator[None]:
    """Note each warning once, as soon as it is given: a training can take hours after it.

    A column that has a note, as those with the labels `noted_columns` have, gets no other.
    """
    noted: set[str] = set()
    noted_columns = set(noted_columns)

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        columns: set[str] = getattr(message, "columns", set())
        if columns <= noted_columns and columns:
            return
        if columns & noted_columns and hasattr(message, "without"):
            message = message.without(noted_columns)
        if str(message) in noted:
            return
        noted.add(str(message))
        noted_columns.update(columns)
        note(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for category in (DeprecationWarning, PendingDeprecationWarning):  # for programmers, as Python's own filter
            warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield


def with_progress(
    batches: Generator[Any, None, None], n_rows: int | None, label: str, *, quiet: bool
) -> Generator[Any, None, None]:
    """Pass batches on, and count their rows on a terminal, in a bar if `n_rows`, the number of all, is known."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:  # some versions of rich end a bar that is disabled with an empty line
        yield from batches
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,} rows"),
        TimeElapsedColumn(),
    )
    with closing(batches), Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(label, total=n_rows)
        for batch in batches:
            yield batch
            progress.update(task, advance=len(batch))
