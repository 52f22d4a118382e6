"""The report: every table and figure of the paper next to our results."""

from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from wtm.paper.json_files import prepare_folder
from wtm.paper.report.claims import claims_table
from wtm.paper.report.result_folder import read_results
from wtm.paper.report.sections import Sections
from wtm.paper.result_tables import ACCURACY_EXPLANATION
from wtm.paper.settings import NAMES_BY_RECIPE
from wtm.paper.text_table import say

__all__ = ["write_report"]

_QUICK = "**These are quick trials on small samples, to check that everything works. Their figures mean nothing.**\n\n"


def write_report(folder: Path, out: Path) -> None:
    """Write ``paper.md`` and, in a folder ``paper`` next to it, its figures.

    Raises FileNotFoundError if `folder` has no results; ValueError if a file of results is damaged.
    """
    results = read_results(folder)
    prepare_folder(out / "paper")
    sections = Sections(results, out / "paper")
    blocks = {
        "quick": [_QUICK * results.quick],
        "claims": [claims_table(results).markdown()],
        "how_to_read": [ACCURACY_EXPLANATION],
        **{key.replace("-", "_"): sections.data_set(key) for key in NAMES_BY_RECIPE},
        "sampling": sections.sampling(),
        "environments": ["\n".join(describe_environment(**entry) for entry in results.environments())],
    }
    template = Template(files(__name__).joinpath("paper_template.md").read_text(encoding="utf-8"))
    text = template.substitute({name: "\n\n".join(of_section) for name, of_section in blocks.items()})
    (out / "paper.md").write_text(text, encoding="utf-8")
    say(f"Written: {out / 'paper.md'} and {len(list((out / 'paper').glob('*.svg')))} figures")


def describe_environment(versions: dict[str, str], machine: dict[str, Any]) -> str:
    """Return a line on a machine and its versions."""
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    cores = f"{machine['cores']} core{'s' * (machine['cores'] != 1)}"
    return f"- {machine['processor']}, {cores}, {machine['platform']}; {named}"
