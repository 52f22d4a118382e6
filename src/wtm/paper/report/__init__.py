"""The report: every table and figure of the paper next to our results."""

import textwrap
from importlib.resources import files
from pathlib import Path
from string import Template

from wtm.paper.intervals import MIN_SEEDS, RULE
from wtm.paper.json_files import prepare_folder
from wtm.paper.report import deviations
from wtm.paper.report.claim import margin
from wtm.paper.report.claims import HEADLINES, claims_table, other_claims_tables
from wtm.paper.report.errata import largest_deviation, ours_over_that_window, share_of_drawing, windows_of_table_3
from wtm.paper.report.provenance import describe_environment, describe_environments, provenance
from wtm.paper.report.result_folder import read_results
from wtm.paper.report.sections import Sections
from wtm.paper.result_tables import ACCURACY_EXPLANATION
from wtm.paper.settings import AVERAGED, NAMES, large_machines, paper_epochs
from wtm.paper.text_table import say

__all__ = ["describe_environment", "describe_environments", "write_report"]

_QUICK = "**These are quick trials on small samples, to check that everything works. Their figures mean nothing.**\n\n"


def write_report(folder: Path, out: Path) -> None:
    """Write ``paper.md`` and, in a folder ``paper`` next to it, its figures.

    Raises FileNotFoundError if `folder` has no results; ValueError if a file of results is damaged.
    """
    results = read_results(folder)
    prepare_folder(out / "paper")
    sections = Sections(results, out / "paper")
    margins = ", ".join(f"{margin(key):.2f} on {name}" for key, name in NAMES.items())
    blocks = {
        "quick": [_QUICK * results.quick],
        "headlines": [claims_table(results, HEADLINES).markdown()],
        "claims": other_claims_tables(results),
        "rule": [RULE.format(margins=margins, seeds=MIN_SEEDS)],
        "unfinished": ["; ".join(deviations.unfinished(results)) or "none"],
        "order": ["; ".join(deviations.order(results)) or "an amount that is not measured"],
        "best_t": [" ".join(deviations.best_t(results))],
        "better_t": ["; ".join(deviations.better_t(results)) or "none of those trained does better"],
        "held": ["; ".join(deviations.held(results)) or "none"],
        "how_to_read": [ACCURACY_EXPLANATION],
        **{key.replace("-", "_"): sections.data_set(key) for key in NAMES},
        "times": sections.times(),
        "sampling": sections.sampling(),
        "min_seeds": [str(MIN_SEEDS)],
        "imdb_epochs": [str(paper_epochs("imdb", large_machines("imdb")[0]))],
        "imdb_window": [str(AVERAGED["imdb"])],
        "windows": [" ".join([*windows_of_table_3(results), *ours_over_that_window(results)])],
        "share_of_drawing": [share_of_drawing()],
        "impossible": [largest_deviation(0.95)],
        "barely_possible": [largest_deviation(0.9)],
        "provenance": ["\n".join(f"- {item}" for item in provenance(results))],
    }
    template = Template(files(__name__).joinpath("paper_template.md").read_text(encoding="utf-8"))
    text = template.substitute({name: "\n\n".join(of_section) for name, of_section in blocks.items()})
    (out / "paper.md").write_text(_wrapped(text), encoding="utf-8")
    say(f"Written: {out / 'paper.md'} and {len(list((out / 'paper').glob('*.svg')))} figures")


def _wrapped(text: str) -> str:
    """Wrap paragraphs and lists again, which values have made longer; tables, figures and headings stay whole."""
    lines: list[str] = []
    for line in text.splitlines():
        starts = not line or _is_whole(line) or line.startswith("- ")
        if lines and lines[-1] and not _is_whole(lines[-1]) and not starts:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return "\n".join(map(_fill, lines)) + "\n"


def _is_whole(line: str) -> bool:
    return line.startswith(("|", "![", "#"))


def _fill(line: str) -> str:
    if _is_whole(line):
        return line
    indent = "  " * line.startswith("- ")
    return textwrap.fill(line, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
