"""``wtm rules``: print the rules of a model, and count them in a file."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from wtm.cli.labelled_rows import rows_with_labels
from wtm.cli.rule_lines import print_rules
from wtm.cli.table_options import TableOptions
from wtm.loading import load_classifier
from wtm.rules import RuleTable

_COUNTED = {"support": ".1%", "precision": ".1%", "separation": ".4g", "decides": ".1%"}


def rules(model: Path, per_class: int, options: TableOptions | None) -> None:
    """Print the first rules of each class; with a table, in the order of how well they separate the classes there."""
    clf = load_classifier(model)
    table = clf.rules() if options is None else clf.rules(*rows_with_labels(clf, options)[:2])
    if len(table):
        print_rules(_lines(table, per_class))
    else:
        print_rules([str(table)])


def _lines(table: RuleTable, per_class: int) -> Iterator[str]:
    """Yield the rules class by class, with what was counted."""
    columns = table.columns
    formats = {name: spec for name, spec in _COUNTED.items() if name in columns}
    for label in table.labels:
        of_class = (i for i, voted_on in enumerate(columns["class"]) if voted_on == label)
        for i in islice(of_class, per_class):
            counted = ", ".join(f"{name} {columns[name][i]:{spec}}" for name, spec in formats.items())
            yield f"{table[i]} [{counted}]" if counted else str(table[i])
