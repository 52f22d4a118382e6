"""The heaviest rules of a model as a text file."""

import textwrap
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from wtm.classifier import WTMClassifier
from wtm.paper.settings import Setting
from wtm.rules import Rule, heaviest_rules

_PER_CLASS = 10
_WIDTH = 100
_HIDDEN = "\N{NO-BREAK SPACE}"


def write_rules(path: Path, title: str, setting: Setting, clf: WTMClassifier, feature_names: Sequence[str]) -> None:
    """Write the ten heaviest rules of each class, wrapped between literals."""
    lines = [
        f"{title}: the {_PER_CLASS} heaviest rules of each class of the {setting.method} after epoch {clf.n_epochs_}",
        "The class of a row is the one whose rules that hold for the row have the largest sum of votes.",
    ]
    if not setting.gamma:
        lines.append("All weights of this machine are 1, so these are the first rules of each class.")
    rules = heaviest_rules(clf, per_class=_PER_CLASS, feature_names=feature_names)
    for label, of_class in groupby(rules, key=lambda rule: rule.label):
        lines += ["", f"Class {label}", ""]
        for number, rule in enumerate(of_class, start=1):
            lines += _wrapped(f"{number:3}. ", rule)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _wrapped(start: str, rule: Rule) -> list[str]:
    # Lines break after AND and before THEN only: all other spaces are hidden from the wrapping.
    text = str(rule).replace(" AND ", " AND\n").replace(" THEN ", "\nTHEN ").replace(" ", _HIDDEN)
    lines = textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_HIDDEN, " ") for line in lines]
