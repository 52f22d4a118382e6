"""How long rules are for different values of `s` and `max_literals`, and why: `python -m studies.rule_length`.

For each data set and each value it trains one classifier and describes its rules: how many literals they have, how
often these literals are true, and how often the rules are. `python -m studies.report` writes the page from the results.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.choosing.problems import NAMES, Problem, load_problem
from studies.command_line import run_command
from studies.measuring import N_EPOCHS, ROWS, parse_paths, some_rows
from wtm import Booleanizer, WTMClassifier
from wtm.paper.environment import environment
from wtm.paper.json_files import ENVIRONMENT, write_json
from wtm.paper.report import describe_environment
from wtm.paper.text_table import Table, say, show

S = (2, 3, 5, 10, 25)
BUDGETS = (None, 16, 8, 4, 2)
RESULTS = Path("results/rule-length.json")

Results = dict[str, Any]
"""The content of the file of results."""

_INTRODUCTION = """
# What decides the length of rules

This page is made by `python -m studies.report` from `results/rule-length.json`, which `python -m studies.rule_length`
writes.

## The parameter s

A larger `s` makes rules more specific: each rule is true for fewer rows. This can take more literals or fewer,
depending on the data.
"""

_EXPLANATION = """
### Why

Training moves a literal of a rule up when rule and literal are true, and down with probability 1/s otherwise. So a
literal stays only if both are true together in more than about 1 of s + 1 rows. (Count only the rows that the rule is
to match: those of its class or, for a rule against a class, those of all others.) Two things follow:

- Rules take up literals until they are true for about 1 of s + 1 rows, or somewhat more. A larger `s` leaves room for
  more literals. This alone would make rules longer, as on Digits, Breast cancer and Noisy XOR.
- A literal that is true for fewer rows than that can't stay at all. A small `s` therefore leaves only frequent
  literals. Where nearly all literals are true for nearly all rows, such as “the word does not occur” on IMDb, each of
  them excludes few rows, and a rule needs many to reach 1 of s + 1. With a larger `s`, a few rarer literals do the
  same. So rules get shorter first, and longer only later: on Connect-4, IMDb and Adult.

The next table shows the share of rows for which a rule is true and, in brackets, the mean frequency of its literals,
each as the median over the rules:
"""

_BUDGET = """
## The parameter max_literals

A clause with more than `max_literals` literals loses literals again, the weakest first. So a rule can exceed its budget
only until it has lost enough of them. Here `s` has its default. In brackets is the length that 1 rule in 100 exceeds.
"""


def measure(problem: Problem, **changes: Any) -> dict[str, Any]:
    """Train with these parameters; return them, the accuracy on the test rows and what describes the rules."""
    X, y = some_rows(problem.X_train, problem.y_train)
    X_test, y_test = some_rows(problem.X_test, problem.y_test)
    if not problem.is_bits:
        booleanizer = Booleanizer().fit(X)
        X, X_test = booleanizer.transform(X), booleanizer.transform(X_test)
    clf = WTMClassifier(**changes, n_epochs=N_EPOCHS, random_state=0).fit(X, y)
    bits = X.toarray() if sp.issparse(X) else np.asarray(X)
    lengths, literals, rules = (
        np.concatenate(parts) for parts in zip(*_describe(clf, bits.astype(bool), y), strict=True)
    )
    return {
        **changes,
        "accuracy": clf.score(X_test, y_test),
        "length_quartiles": np.quantile(lengths, (0.25, 0.5, 0.75)).tolist(),
        "longest_percent": float(np.quantile(lengths, 0.99)),
        "literal_frequency": float(np.median(literals)),
        "rule_frequency": float(np.median(rules)),
    }


def _describe(clf: WTMClassifier, bits: np.ndarray, y: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield for the rules of each class and side: length, mean frequency of the literals, frequency of the rule.

    Frequencies are shares of the rows that the rules are to match: those of the class, or those of all other classes.
    """
    for label, machine in zip(clf.classes_, clf.machines_, strict=True):
        for sign in (1, -1):
            chosen = bits[(y == label) == (sign > 0)]
            true = np.hstack([chosen, ~chosen])
            include = machine.include[(machine.polarity == sign) & machine.include.any(axis=1)]
            lengths = include.sum(axis=1)
            n_false = include.astype(np.float32) @ (~true).T.astype(np.float32)
            yield lengths, include @ true.mean(axis=0) / lengths, (n_false == 0).mean(axis=1)


def length_table(results: Results) -> Table:
    """Return a row per data set and a column per `s`: median and quartiles of the number of literals."""
    return _table(results, lambda found: "{1:.0f} ({0:.0f}–{2:.0f})".format(*found["length_quartiles"]))


def accuracy_table(results: Results) -> Table:
    """Return the same rows and columns with the accuracy on the test rows, in per cent."""
    return _table(results, lambda found: f"{100 * found['accuracy']:.1f}")


def frequency_table(results: Results) -> Table:
    """Return the same rows and columns with how often rules are true, and how often their literals are."""
    return _table(results, lambda found: f"{found['rule_frequency']:.0%} ({found['literal_frequency']:.0%})")


def budget_table(results: Results) -> Table:
    """Return a row per data set and a column per `max_literals`: median length, that of the longest, and accuracy."""
    rows = [
        [
            name,
            *(
                f"{f['length_quartiles'][1]:.0f} ({f['longest_percent']:.0f}): {100 * f['accuracy']:.1f} %"
                for f in found
            ),
        ]
        for name, found in results["budgets"].items()
    ]
    return Table(["", *("no budget" if budget is None else f"{budget} literals" for budget in BUDGETS)], rows)


def _table(results: Results, cell: Callable[[dict[str, Any]], str]) -> Table:
    rows = [[name, *map(cell, found)] for name, found in results["problems"].items()]
    return Table(["", *(f"s = {s}" for s in S)], rows)


def write_page(results: Results, path: Path) -> None:
    """Write the page on the length of rules."""
    blocks = [
        _INTRODUCTION.strip(),
        f"Each figure is of one classifier with the default parameters but for one, trained for {results['epochs']} "
        f"epochs on at most {results['rows']:,} rows and tested on as many.",
        "Literals per rule: median, and quartiles in brackets.",
        length_table(results).markdown(),
        "Accuracy on test rows, in per cent:",
        accuracy_table(results).markdown(),
        _EXPLANATION.strip(),
        frequency_table(results).markdown(),
        _BUDGET.strip(),
        "Literals per rule and accuracy on test rows:",
        budget_table(results).markdown(),
        "## Where it was computed",
        describe_environment(*(results[name] for name in ENVIRONMENT)),
    ]
    path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    say(f"Written: {path}")


def main() -> None:
    """Measure, print the tables and write the results."""
    data_dir, out = parse_paths("Measure the length of rules for different values of s and max_literals.", RESULTS)
    by_s, by_budget = {}, {}
    for name in NAMES:
        problem = load_problem(name, data_dir)
        say(name)
        by_s[name] = [measure(problem, s=s) for s in S]
        by_budget[name] = [measure(problem, max_literals=budget) for budget in BUDGETS]
    measured = {"rows": ROWS, "epochs": N_EPOCHS, "problems": by_s, "budgets": by_budget}
    results = {"kind": "rule-length", **measured, **environment()}
    write_json(out, results)
    show(
        length_table(results).rich("Literals per rule: median (quartiles)"),
        accuracy_table(results).rich("Accuracy on test rows (%)"),
        frequency_table(results).rich("How often rules are true (and their literals)"),
        budget_table(results).rich("Literals per rule (1 in 100 has more): accuracy"),
    )


if __name__ == "__main__":
    run_command(main)
