"""``wtm rules``: print the rules of a model, and count them in a file."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from wtm.classifier import WTMClassifier
from wtm.cli.column_options import check_target_has_data
from wtm.cli.labelled_rows import all_rows, rows_with_labels
from wtm.cli.model_kinds import AnyModel, outputs_of
from wtm.cli.notes import write_note
from wtm.cli.rule_lines import print_rules
from wtm.cli.table_options import TableOptions
from wtm.loading import load_table_model
from wtm.rules import AddendTable, RuleTable, ScoreCards
from wtm.utils.printable import counted

_COUNTED = {"support": ".1%", "precision": ".1%", "separation": ".4g", "decides": ".1%"}


def rules(model: Path, per_class: int, options: TableOptions | None, target: str | None, *, quiet: bool) -> None:
    """Print the first rules of each class or output; with a table, in the order of what they do there."""
    check_target_has_data(target, options)
    loaded: AnyModel = load_table_model(model)
    if target is not None and not isinstance(loaded, WTMClassifier):
        raise ValueError(
            f"--target is for the precision of rules, which those of a {type(loaded).__name__} ({model}) don't have: "
            "leave it out."
        )
    table = loaded.rules(*_counted_on(loaded, options, target))
    if not len(table):
        print_rules([str(table)])
        return
    print_rules(_lines(table, outputs_of(loaded), per_class))
    n_of_output = Counter(_outputs(table)).values()
    n_more = sum(max(n - per_class, 0) for n in n_of_output)
    if n_more and not quiet:
        shows = "shows it" if n_more == 1 else "shows them"
        write_note(f"{counted(n_more, 'more rule')}; --per-class {max(n_of_output)} {shows}")


def _counted_on(model: AnyModel, options: TableOptions | None, target: str | None) -> Sequence[Any]:
    """Return the rows to count rules on, with their labels if these are counted too."""
    if options is None:
        return ()
    if isinstance(model, WTMClassifier):
        return rows_with_labels(model, options, target)[:2]
    return (all_rows(model, options),)


def _outputs(table: RuleTable | ScoreCards) -> Sequence[Any]:
    """Return what each rule votes on."""
    return table.outputs.tolist() if isinstance(table, AddendTable) else table.columns["class"]


def _lines(table: RuleTable | ScoreCards, outputs: Sequence[Any], per_class: int) -> Iterator[str]:
    """Yield the rules by what they vote on, with what was counted."""
    columns = table.columns
    formats = {name: spec for name, spec in _COUNTED.items() if name in columns}
    votes_on = _outputs(table)
    for output in outputs:
        of_output = (i for i, voted_on in enumerate(votes_on) if voted_on == output)
        for i in islice(of_output, per_class):
            values = {name: columns[name][i] for name in formats}  # a rule that never holds has no precision
            found = [f"{name} {value:{formats[name]}}" for name, value in values.items() if not math.isnan(value)]
            first, *others = str(table[i]).split("\n")  # of a score card, a line per column
            yield f"{first} [{', '.join(found)}]" if found else first
            yield from others
