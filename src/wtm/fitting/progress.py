"""Show the progress of a fit."""

import sys
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from wtm.machine.training import EpochResult

_Entry = TypeVar("_Entry")


def describe_epoch(entry: dict[str, Any]) -> str:
    """Summarize an entry of `history_` in one line."""
    parts = []
    for part in ("train", "valid"):
        if entry.get(f"{part}_accuracy") is not None:
            parts.append(f"{part} {100 * entry[f'{part}_accuracy']:.2f} %")
        elif entry.get(f"{part}_r2") is not None:
            parts.append(f"{part} R squared {entry[f'{part}_r2']:.4f}")
    parts += [f"{entry['literals_per_clause']:.1f} literals/clause", f"{entry['seconds']:.2f} s"]
    return ", ".join(parts)


def show_epochs(
    epochs: Iterable[EpochResult], n_epochs: int, verbose: int, label: str = "wtm"
) -> Generator[EpochResult, None, None]:
    """Yield the results of epochs unchanged, and show each as it arrives.

    Parameters
    ----------
    epochs : iterable of EpochResult
    n_epochs : int
        Their number.
    verbose : int
        0 shows nothing; 1 shows the progress on standard error, as a bar on a terminal and as a line of text in a
        notebook; 2 prints a line per epoch.
    label : str
        The name of the bar.
    """
    if verbose == 1:
        yield from bar(epochs, n_epochs, label, lambda result: describe_epoch(result.entry))
        return
    for result in epochs:
        if verbose > 1:
            print(f"epoch {result.entry['epoch']}: {describe_epoch(result.entry)}", flush=True)
        yield result


def bar(
    epochs: Iterable[_Entry], n_epochs: int, label: str, describe: Callable[[_Entry], str]
) -> Generator[_Entry, None, None]:
    """Yield entries unchanged, and count them on standard error: in a bar on a terminal, in a line in a notebook.

    Parameters
    ----------
    epochs : iterable
    n_epochs : int
        The number of entries.
    label : str
        The name of the bar.
    describe : callable
        What the bar says about the last entry.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if console.is_jupyter:
        yield from _line(epochs, n_epochs, label, describe)
        return
    if not console.is_terminal:
        yield from epochs  # some versions of rich end a bar that is disabled with an empty line
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(label, total=n_epochs, note="")
        for entry in epochs:
            progress.update(task, advance=1, note=describe(entry))
            yield entry


def _line(
    epochs: Iterable[_Entry], n_epochs: int, label: str, describe: Callable[[_Entry], str]
) -> Generator[_Entry, None, None]:
    """Do the same as `bar` in a line that is overwritten: in a notebook, rich's bar needs the package ipywidgets."""
    line = f"{label} 0/{n_epochs}"
    sys.stderr.write(line)
    try:
        for number, entry in enumerate(epochs, 1):
            before, line = line, f"{label} {number}/{n_epochs}: {describe(entry)}"
            sys.stderr.write(f"\r{line:<{len(before)}}")  # spaces hide the end of a longer line
            yield entry
    finally:
        sys.stderr.write("\n")
