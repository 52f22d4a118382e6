"""``wtm rules``: print the rules of a model, and count them in a file."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from wtm.classifier import WTMClassifier
from wtm.cli.labelled_rows import all_rows, rows_with_labels
from wtm.cli.model_kinds import AnyModel, outputs_of
from wtm.cli.rule_lines import print_rules
from wtm.cli.table_options import TableOptions
from wtm.loading import load_model
from wtm.rules import AddendTable, RuleTable, ScoreCards

_COUNTED = {"support": ".1%", "precision": ".1%", "separation": ".4g", "decides": ".1%"}


def rules(model: Path, per_class: int, options: TableOptions | None) -> None:
    """Print the first rules of each class or output; with a table, in the order of what they do there."""
    loaded: AnyModel = load_model(model)
    table = loaded.rules(*_counted_on(loaded, options))
    if len(table):
        print_rules(_lines(table, outputs_of(loaded), per_class))
    else:
        print_rules([str(table)])


def _counted_on(model: AnyModel, options: TableOptions | None) -> Sequence[Any]:
    """Return the rows to count rules on, with their labels if these are counted too."""
    if options is None:
        return ()
    if isinstance(model, WTMClassifier):
        return rows_with_labels(model, options)[:2]
    return (all_rows(model, options),)


def _lines(table: RuleTable | ScoreCards, outputs: Sequence[Any], per_class: int) -> Iterator[str]:
    """Yield the rules by what they vote on, with what was counted."""
    columns = table.columns
    formats = {name: spec for name, spec in _COUNTED.items() if name in columns}
    votes_on = table.outputs.tolist() if isinstance(table, AddendTable) else columns["class"]
    for output in outputs:
        of_output = (i for i, voted_on in enumerate(votes_on) if voted_on == output)
        for i in islice(of_output, per_class):
            counted = ", ".join(f"{name} {columns[name][i]:{spec}}" for name, spec in formats.items())
            first, *others = str(table[i]).split("\n")  # of a score card, a line per column
            yield f"{first} [{counted}]" if counted else first
            yield from others
