"""What a user sees of the epochs while they run."""

from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

__all__ = ["bar", "describe_epoch", "show_epochs"]

_Entry = TypeVar("_Entry")


def describe_epoch(entry: dict[str, Any]) -> str:
    """One line about an entry of `WTMClassifier.history_`."""
    parts = [f"train {100 * entry['train_accuracy']:.2f} %"]
    if entry["valid_accuracy"] is not None:
        parts.append(f"valid {100 * entry['valid_accuracy']:.2f} %")
    parts += [f"{entry['literals_per_clause']:.1f} literals/clause", f"{entry['seconds']:.2f} s"]
    return ", ".join(parts)


def show_epochs(
    epochs: Iterable[dict[str, Any]], n_epochs: int, verbose: int, label: str = "wtm"
) -> Generator[dict[str, Any], None, None]:
    """Pass the entries of a history on, showing them as they come.

    Parameters
    ----------
    epochs : iterable of dict
        Entries of `WTMClassifier.history_`.
    n_epochs : int
        Their number.
    verbose : int
        0 shows nothing; 1 a progress bar on standard error, on a terminal or in a notebook only; 2 prints a line an
        epoch.
    label : str
        What the bar is called.
    """
    if verbose == 1:
        yield from bar(epochs, n_epochs, label, describe_epoch)
        return
    for entry in epochs:
        if verbose > 1:
            print(f"epoch {entry['epoch']}: {describe_epoch(entry)}", flush=True)
        yield entry


def bar(
    epochs: Iterable[_Entry], n_epochs: int, label: str, describe: Callable[[_Entry], str]
) -> Generator[_Entry, None, None]:
    """Pass entries on while a progress bar on standard error counts them, on a terminal or in a notebook only.

    Parameters
    ----------
    epochs : iterable
    n_epochs : int
        The number of entries.
    label : str
        What the bar is called.
    describe : callable
        What the bar says of the last entry.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    shown = console.is_terminal or console.is_jupyter
    with Progress(*columns, console=console, disable=not shown) as progress:
        task = progress.add_task(label, total=n_epochs, note="")
        for entry in epochs:
            progress.update(task, advance=1, note=describe(entry))
            yield entry
