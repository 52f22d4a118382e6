"""All claims of the paper as a table; `wtm.paper.intervals.RULE` makes the verdicts."""

from collections.abc import Iterable

from wtm.paper.report import accuracy_claims, other_claims
from wtm.paper.report.claim import Claim, Finding
from wtm.paper.report.result_folder import NotMeasuredError, Results
from wtm.paper.settings import NAMES
from wtm.paper.text_table import NOTHING, Table

HEADLINES = (*accuracy_claims.HEADLINES, *other_claims.HEADLINES)
"""Those of the paper's abstract."""


def _place(claim: Claim) -> int:
    return next((i for i, name in enumerate(NAMES.values()) if claim.text.startswith(name)), -1)


OTHERS = sorted((*other_claims.OTHERS, *accuracy_claims.OTHERS), key=_place)
"""All others, in the order of the paper: those on all data sets, then by data set."""

_HEADER = ("The paper claims", "there", "here", "difference", "same protocol?", "holds")


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
