"""All claims of the paper as a table; `wtm.paper.intervals.RULE` makes the verdicts."""

from collections.abc import Iterable, Iterator

from wtm.paper.report import accuracy_claims, other_claims
from wtm.paper.report.claim import Claim, Finding
from wtm.paper.report.result_folder import NotMeasuredError, Results
from wtm.paper.settings import NAMES
from wtm.paper.text_table import NOTHING, Table

HEADLINES = (*accuracy_claims.HEADLINES, *other_claims.HEADLINES)
"""Those of the paper's abstract."""


OTHERS = (*other_claims.OTHERS, *accuracy_claims.OTHERS)
"""All others."""

_ALL = "All data sets"
_HEADER = ("The paper claims", "paper", "ours", "difference", "same protocol?", "holds")


def other_claims_tables(results: Results) -> Iterator[str]:
    """Yield headings and tables: the claims on all data sets, then those on each."""
    for heading in (_ALL, *NAMES.values()):
        table = claims_table(results, [claim for claim in OTHERS if _subject(claim) == heading])
        rows = [[_without(heading, text), *found] for text, *found in table.rows]
        yield f"### {heading}: claims"
        yield Table(table.header, rows, words=True).markdown()


def _without(heading: str, text: str) -> str:
    """Return the text of a claim under the heading that it begins with."""
    text = text.removeprefix(heading).removeprefix(": ").removeprefix(", ")
    return text[0].upper() + text[1:]


def _subject(claim: Claim) -> str:
    return next((name for name in NAMES.values() if claim.text.startswith(name)), _ALL)


def claims_table(results: Results, claims: Iterable[Claim]) -> Table:
    """Return a row per claim."""
    rows = []
    for claim in claims:
        try:
            found = claim.rule(results)
        except NotMeasuredError:
            found = Finding(NOTHING, protocol=NOTHING, verdict="not measured")
        rows.append([claim.text, claim.paper, found.here, found.difference, found.protocol, found.verdict])
    return Table(_HEADER, rows, words=True)
