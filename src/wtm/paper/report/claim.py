"""A claim of the paper, and what is found on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wtm.paper.intervals import MIN_SEEDS, UNDECIDED
from wtm.paper.report.result_folder import Results
from wtm.paper.reported import papers_row
from wtm.paper.settings import COMPRESSION, Setting, large_machines, paper_epochs
from wtm.paper.text_table import NOTHING


@dataclass(frozen=True)
class Finding:
    """Our figures, how they differ, where the protocol does, and the verdict."""

    here: str
    difference: str = NOTHING
    protocol: str = "yes"
    verdict: str = NOTHING


@dataclass(frozen=True)
class Claim:
    """A claim in words, the paper's figures, and the rule for ours; it raises NotMeasuredError without results."""

    text: str
    paper: str
    rule: Callable[[Results], Finding]


def margin(key: str) -> float:
    """Return the difference that does not matter on a data set."""
    return 2 * papers_row(key, large_machines(key)[0])[1].deviation


def facts(facts: Sequence[bool]) -> str:
    """Return the verdict on something that is true or false of each seed."""
    if len(facts) < MIN_SEEDS:
        return UNDECIDED
    return "yes" if all(facts) else UNDECIDED if any(facts) else "no"


ABSTRACT = ("mnist", "imdb-authors", "connect-4")
"""The data whose large machines have the rows of the summary."""

OUR_EXPERIMENT = "our experiment"
"""Notes a claim of which the paper has no figures."""


def protocol_of(
    key: str, n_epochs: int, *settings: Setting, notes: Sequence[str] = (), in_file_order: bool = False
) -> str:
    """Return where ours differs from the paper's protocol."""
    planned = max((paper_epochs(key, setting) or 0 for setting in settings), default=0)
    found = [f"{n_epochs:,} of {planned:,} epochs"] if n_epochs < planned else []
    if key.startswith("imdb") and set(settings) & set(large_machines(key)):
        found.append("epochs of the readme")
    if key == "connect-4" and not in_file_order:
        found.append("other order")  # which changes the mean
    if COMPRESSION[key.removesuffix("-authors")].classic.setting in settings:
        found.append("TM's T assumed" if key == "mnist" else "TM's T and p_s assumed")  # the paper has MNIST's p_s
    return "; ".join([*found, *notes]) or "yes"
