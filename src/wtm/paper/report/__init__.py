"""The report: every table and figure of the paper next to our results."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wtm.paper.json_files import prepare_folder
from wtm.paper.report import claims
from wtm.paper.report.errata import ERRATA
from wtm.paper.report.result_folder import Results, read_results
from wtm.paper.report.sections import Sections
from wtm.paper.result_tables import ACCURACY_EXPLANATION
from wtm.paper.settings import NAMES
from wtm.paper.text_table import say

__all__ = ["write_report"]

_NAME = "paper"

_HEAD = """\
This page is made by `wtm reproduce report` from the files in `results/`, which the other `wtm reproduce` commands,
`studies.baselines` and `studies.sampling_speed` write; only the authors' figures are typed in. “The paper” is *The
Weighted Tsetlin Machine: Compressed Representations with Weighted Clauses* (Phoulady, Granmo, Gorji, Phoulady),
“authors' program” the program published with it.
"""

_QUICK = "**These are quick trials on small samples, to check that everything works. Their figures mean nothing.**"


def write_report(folder: Path, out: Path) -> None:
    """Write ``paper.md`` and, in a folder ``paper`` next to it, its figures.

    Raises FileNotFoundError if `folder` has no results; ValueError if a file of results is damaged.
    """
    results = read_results(folder)
    figures = out / _NAME
    prepare_folder(figures)
    blocks = list(_blocks(results, Sections(results, figures)))
    page = out / f"{_NAME}.md"
    page.write_text("\n\n".join(block.strip("\n") for block in blocks) + "\n", encoding="utf-8")
    say(f"Written: {page} and {len(list(figures.glob('*.svg')))} figures")


def _blocks(results: Results, sections: Sections) -> Iterator[str]:
    yield "# The paper's experiments, measured"
    yield _HEAD
    if results.quick:
        yield _QUICK
    yield "## The paper's claims, and our results"
    yield claims.claims_table(results).markdown()
    yield claims.EXPLANATION
    yield "## How to read the tables"
    yield ACCURACY_EXPLANATION
    for key, name in (
        ("mnist", "MNIST"),
        ("imdb", "IMDb"),
        ("imdb-authors", "IMDb with the authors' recipe for the features"),
        ("connect-4", "Connect-4"),
    ):
        yield f"## {name}"
        yield from sections.accuracies(key)
        if key in NAMES:
            yield from sections.compression(key)
        if key == "mnist":
            yield from sections.weights()
            yield from sections.baselines()
        if key in NAMES:
            yield from sections.sweeps(key)
    yield "## Drawing feedback"
    yield from sections.sampling()
    yield "## Errata of the paper"
    yield ERRATA
    yield "## Where it was computed"
    yield "\n".join(describe_environment(**entry) for entry in results.environments())


def describe_environment(versions: dict[str, str], machine: dict[str, Any]) -> str:
    """Return a line on a machine and its versions."""
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    cores = f"{machine['cores']} core{'s' * (machine['cores'] != 1)}"
    return f"- {machine['processor']}, {cores}, {machine['platform']}; {named}"
