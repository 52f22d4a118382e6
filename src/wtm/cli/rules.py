"""``wtm rules``: print the rules of a model, and count them in a file."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from wtm.classifier import WTMClassifier
from wtm.cli.arrow import pa
from wtm.cli.predictions import Predictions, stored_format
from wtm.cli.rule_lines import print_rules
from wtm.cli.table_files import open_table
from wtm.cli.table_options import TableOptions
from wtm.cli.target_labels import labels_of_model
from wtm.loading import load_model
from wtm.rules import RuleTable

_COUNTED = {"support": ".1%", "precision": ".1%", "separation": ".4g", "decides": ".1%"}


def rules(model: Path, per_class: int, options: TableOptions | None) -> None:
    """Print the first rules of each class; with a table, in the order of how well they separate the classes there."""
    clf = load_model(model)
    table = clf.rules() if options is None else _counted(clf, options)
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


def _counted(clf: WTMClassifier, options: TableOptions) -> RuleTable:
    clf.n_jobs = options.n_jobs
    target = getattr(clf, "target_name_", None)
    with open_table(options.data, options.format.over(stored_format(clf))) as source:
        others = [target] if isinstance(target, str) and target in source.names else []
        with closing(Predictions(clf, source, options, proba=False).tables(others)) as batches:
            parts = list(batches)
    if not parts:
        raise ValueError(f"{source.name} has no rows to count rules on.")
    X = pa.concat_tables([table for _, table in parts])
    if not others:
        options.note(f"{source.name} has no column with labels, so precision is not counted.")
        return clf.rules(X)
    target = others[0]
    rows, y = labels_of_model([batch for batch, _ in parts], target, clf, source, options, drop_missing=True)
    return clf.rules(X.take(rows), y)
