"""The report: every table and figure of the paper beside what came out here, from whatever results there are."""

from collections.abc import Iterator
from pathlib import Path

from wtm.paper.accuracy_table import EXPLANATION
from wtm.paper.console import say
from wtm.paper.files import prepare_folder, write_atomically
from wtm.paper.report.results import Results, read_results
from wtm.paper.report.sections import Section
from wtm.paper.report.slips import SLIPS
from wtm.paper.report.statements import explain_statements, statements_table
from wtm.paper.settings import Over

__all__ = ["write_report"]

_NAME = "paper"

_HEAD = """\
This page is made by `wtm reproduce report` from the files in `results/`, which the other `wtm reproduce` commands
write; nothing in it is typed in by hand but the authors' figures. “The paper” is *The Weighted Tsetlin Machine:
Compressed Representations with Weighted Clauses* (Phoulady, Granmo, Gorji, Phoulady), “authors' program” what they
published with it.
"""

_QUICK = "**These are quick trials on small samples, made to see that all works. Their figures mean nothing.**"


def write_report(folder: Path, out: Path) -> None:
    """Write ``paper.md`` and, in a folder ``paper`` beside it, its figures.

    Parameters
    ----------
    folder : Path
        With the results.
    out : Path
        The folder for the report; made where it is missing.

    Raises
    ------
    FileNotFoundError
        There are no results.
    OSError, ValueError
        The report can't be written, or a file of results is damaged.
    """
    results = read_results(folder)
    figures = out / _NAME
    prepare_folder(figures)
    blocks = list(_blocks(results, Section(results, figures, _NAME)))
    write_atomically(out / f"{_NAME}.md", ("\n\n".join(block.strip("\n") for block in blocks) + "\n").encode())
    say(f"Written to {out}: {_NAME}.md and {len(list(figures.glob('*.svg')))} figures")


def _blocks(results: Results, section: Section) -> Iterator[str]:
    yield "# The paper's experiments, measured"
    yield _HEAD
    if results.quick:
        yield _QUICK
    yield "## What the paper says, and what came out"
    yield statements_table(results).markdown()
    yield explain_statements()
    yield "## How to read the tables"
    yield EXPLANATION
    yield "## MNIST"
    yield from section.accuracies("mnist")
    yield from section.economy("mnist")
    yield from section.weights()
    yield from section.vanilla()
    yield from (block for over in Over for block in section.sweep("mnist", over))
    yield "## IMDb"
    yield from section.accuracies("imdb")
    yield from section.economy("imdb")
    yield from (block for over in Over for block in section.sweep("imdb", over))
    yield "## IMDb with the authors' recipe for the features"
    yield from section.accuracies("imdb-authors")
    yield "## Connect-4"
    yield from section.accuracies("connect-4")
    yield from section.economy("connect-4")
    yield from (block for over in Over for block in section.sweep("connect-4", over))
    yield "## What might move the means"
    yield from section.variants()
    yield "## Drawing feedback"
    yield from section.sampling()
    yield "## Slips of the paper"
    yield SLIPS
    yield "## Where it was computed"
    yield "\n".join(_environment(entry["versions"], entry["machine"]) for entry in results.environments())


def _environment(versions: dict[str, str], machine: dict[str, str]) -> str:
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    cores = f"{machine['cores']} core{'s' * (machine['cores'] != 1)}"
    return f"- {machine['processor']}, {cores}, {machine['platform']}; {named}"
