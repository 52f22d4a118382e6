"""The page on few rules, from the results of `studies.few_rules`."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from studies.few_rules import CANDIDATES, MAX_CONDITIONS, TABLES
from wtm.paper.json_files import ENVIRONMENT
from wtm.paper.report import describe_environment
from wtm.paper.text_table import Table, say

_FIGURES = ("accuracy", "log-loss", "rules", "conditions per rule", "longest rule")


def write_page(results: dict[str, Any], path: Path) -> None:
    """Write the page."""
    readable, rows, few = results["readable"], results["rows"], results["few"]
    blocks = [
        "# Few and short rules",
        "This page is made by `python -m studies.report` from `results/few-rules.json`, which "
        "`python -m studies.few_rules` writes. It looks for a setting for short rules, and for how many rules a model "
        f"needs. All models are trained for {results['epochs']} epochs with one seed. Accuracies are in per cent.",
        "## A setting for short rules",
        f"{len(CANDIDATES)} settings are compared by cross-validation, with 3 folds of at most {rows:,} rows of each "
        "training part; everything else has its default. Cells have the accuracy and, in brackets, the conditions per "
        "rule, on true/false features. "
        f"The best mean accuracy with at most {MAX_CONDITIONS} conditions per rule in the mean has **{readable}**, "
        f"`{_code(CANDIDATES[readable])}`.",
        _choice_table(results["choice"]).markdown(),
        "## What `refit`, `prune` and `simplify` do",
        f"Trained on at most {rows:,} rows of each training part, and measured on at most as many rows of the test "
        "part. `refit` chose its penalty, and `prune(max_accuracy_loss=0.005)` its rules, on the rows of the training; "
        "`simplify` follows `prune`.",
        *(f"{name}:\n\n{_comparison(of_table).markdown()}" for name, of_table in results["compared"].items()),
        "The rules fit the rows that they were trained on better than others. Where they do so by much, as the long "
        "rules on IMDb with few rows, coefficients that are fitted to these rows are overconfident, and the "
        "log-loss rises. Then pass `refit` rows that `fit` has not seen.",
        "## How few rules are enough",
        "Some settings are trained on 80 % of the training part, and one is chosen on the other 20 %: the most "
        "accurate of those that fit the aim, at most 12 rules of at most 4 conditions on Mushroom, and at most 30 "
        "rules of at most 5 conditions in the mean on Adult. It is then trained on the whole training part, and "
        "measured on the test part. While this was designed, test figures of some settings had been seen, and those "
        "with 2 and 3 literals were added after it: the figures below may be a little too good.",
        *_mushroom(few["Mushroom"]),
        *_adult(few["Adult"]),
        "## Where it was computed",
        describe_environment(*(results[name] for name in ENVIRONMENT)),
    ]
    path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    say(f"Written: {path}")


def _choice_table(choice: dict[str, Any]) -> Table:
    rows = []
    for name, of_table in choice.items():
        cells = [f"{100 * of_table[t]['accuracy']:.1f} ({of_table[t]['mean_conditions']:.1f})" for t in TABLES]
        means = [np.mean([figures[key] for figures in of_table.values()]) for key in ("accuracy", "mean_conditions")]
        rows.append([name, *cells, f"{100 * means[0]:.1f} ({means[1]:.1f})"])
    return Table(["", *TABLES, "mean"], rows)


def _comparison(of_table: dict[str, Any]) -> Table:
    return _figures(
        (f"{setting}, {step}", figures) for setting, steps in of_table.items() for step, figures in steps.items()
    )


def _figures(found: Iterable[tuple[str, dict[str, Any]]]) -> Table:
    rows = [
        [
            name, f"{100 * f['accuracy']:.2f}", f"{f['log_loss']:.3f}", f"{f['rules']}", f"{f['mean_conditions']:.1f}",
            f"{f['max_conditions']}",
        ]
        for name, f in found
    ]  # fmt: skip
    return Table(["", *_FIGURES], rows)


def _mushroom(few: dict[str, Any]) -> list[str]:
    setting = few["chosen"]
    code = "clf.refit(X, y).simplify(X).prune(X, y, max_accuracy_loss=0)"
    return [
        f"**Mushroom**: `{code}` keeps the fewest rules found that are right on all rows that the model was right on. "
        f"Of {_listed(few)}, {setting} was chosen.",
        _figures(
            [("defaults", few["defaults"]), (setting, few["full"]), ("fewest rules", few["without_loss"])]
        ).markdown(),
    ]


def _adult(few: dict[str, Any]) -> list[str]:
    setting = few["chosen"]
    curve = [(f"at most {entry['at_most']} rules", entry) for entry in few["curve"]]
    return [
        '**Adult**: `clf.refit(X, y).prune(X, y, n_rules=28).refit(X, y, "l2", C=1).simplify(X)` has at most 30 '
        "rules, as the second `refit` may add two for the intercept; other numbers likewise. "
        f"Of {_listed(few)}, {setting} was chosen.",
        _figures([("defaults", few["defaults"]), (setting, few["full"]), *curve]).markdown(),
    ]


def _code(settings: dict[str, Any]) -> str:
    return f"WTMClassifier({', '.join(f'{name}={value!r}' for name, value in settings.items())})"


def _listed(few: dict[str, Any]) -> str:
    *names, last = (f"“{name}”" for name in few["validated"])
    return f"{', '.join(names)} and {last}"
