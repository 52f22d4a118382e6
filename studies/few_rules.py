"""How few and how short rules can be: `python -m studies.few_rules`.

It chooses a setting for readable rules by cross-validation, compares it with the defaults, and measures how accurate
models of few rules are. `python -m studies.report` writes the page from the results.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks.choosing.problems import Problem, folds, load_problem
from studies.command_line import run_command
from studies.measuring import N_EPOCHS, ROWS, parse_paths, some_rows
from wtm import WTMClassifier
from wtm.paper.environment import environment
from wtm.paper.json_files import write_json
from wtm.paper.text_table import say

RESULTS = Path("results/few-rules.json")
TABLES = ("Adult", "Mushroom", "Breast cancer", "California housing", "Connect-4", "IMDb")
MAX_CONDITIONS = 5
"""Conditions per rule, in the mean over the tables, that the readable setting may have."""
CANDIDATES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "4 literals": {"max_literals": 4},
    "8 literals": {"max_literals": 8},
    "unboosted, s 5": {"boost_true_positive": False, "s": 5},
    "unboosted, s 10": {"boost_true_positive": False, "s": 10},
    "unboosted, s 20": {"boost_true_positive": False, "s": 20},
    "unboosted, s 10, 4 literals": {"boost_true_positive": False, "s": 10, "max_literals": 4},
    "unboosted, s 10, 8 literals": {"boost_true_positive": False, "s": 10, "max_literals": 8},
    "unboosted, s 20, 4 literals": {"boost_true_positive": False, "s": 20, "max_literals": 4},
}
FEW = {
    "Mushroom": ("defaults", "2 literals", "3 literals", "4 literals"),
    "Adult": ("defaults", "4 literals"),
}
"""Settings for few rules, besides the readable one."""
_SHORTER = {"2 literals": {"max_literals": 2}, "3 literals": {"max_literals": 3}}
CURVE = (100, 50, 30, 20, 15, 10, 5)
"""Numbers of rules at which models are measured."""
_ROOM_FOR_INTERCEPT = 2
_STRENGTH = 1.0  # C of a refit of rules that are already chosen

Figures = dict[str, Any]


def load(name: str, data_dir: Path) -> Problem:
    """Load a table; of California housing the label is whether a house is worth more than the median."""
    if name != "California housing":
        return load_problem(name, data_dir)
    X = pd.read_csv(data_dir / "california-housing/cal_housing.csv.gz")
    value = X.pop("median_house_value")
    y = np.where(value > value.median(), "above", "below")
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    return Problem(name, X_train, y_train, X_test, y_test)


def new(settings: dict[str, Any]) -> WTMClassifier:
    """Return an unfitted classifier."""
    return WTMClassifier(n_epochs=N_EPOCHS, random_state=0, **settings)


def describe(clf: WTMClassifier, X: Any, y: np.ndarray) -> Figures:
    """Measure a model on rows, and count its rules."""
    lengths = clf.rules().columns["length"]
    return {
        "accuracy": clf.score(X, y),
        "log_loss": log_loss(y, clf.predict_proba(X), labels=clf.classes_),
        "rules": len(lengths),
        "mean_conditions": float(lengths.mean()),
        "max_conditions": int(lengths.max()),
    }


def cross_validate(problem: Problem, settings: dict[str, Any]) -> Figures:
    """Return the means over the folds of the training part."""
    found = [
        describe(new(settings).fit(fold.X_train, fold.y_train), fold.X_valid, fold.y_valid) for fold in folds(problem)
    ]
    return {name: float(np.mean([figures[name] for figures in found])) for name in found[0]}


def choose(choice: dict[str, dict[str, Figures]]) -> str:
    """Return the candidate with the best mean accuracy of those with few conditions per rule."""
    means = {
        name: [np.mean([figures[key] for figures in of_table.values()]) for key in ("accuracy", "mean_conditions")]
        for name, of_table in choice.items()
    }
    return max((name for name, (_, length) in means.items() if length <= MAX_CONDITIONS), key=lambda n: means[n][0])


def compare(problem: Problem, settings: dict[str, Any]) -> dict[str, Figures]:
    """Train on some rows, and measure on test rows what `refit`, `prune` and `simplify` do."""
    X, y = some_rows(problem.X_train, problem.y_train)
    test = some_rows(problem.X_test, problem.y_test)
    clf = new(settings).fit(X, y)
    refitted = clf.refit(X, y)
    return {
        "as trained": describe(clf, *test),
        "refitted": describe(refitted, *test),
        "pruned": describe(clf.prune(X, y, max_accuracy_loss=0.005).simplify(X), *test),
        "refitted and pruned": describe(refitted.prune(X, y, max_accuracy_loss=0.005).simplify(X), *test),
    }


def without_loss(clf: WTMClassifier, X: Any, y: np.ndarray) -> WTMClassifier:
    """Return the fewest, shortest rules that are as accurate on these rows."""
    return clf.refit(X, y).simplify(X).prune(X, y, max_accuracy_loss=0)


def with_at_most(clf: WTMClassifier, X: Any, y: np.ndarray) -> Iterator[tuple[int, WTMClassifier]]:
    """Yield models of at most as many rules as `CURVE` has: chosen by pruning, and then weighted again."""
    pruned = clf.refit(X, y)
    for n_rules in CURVE:
        pruned = pruned.prune(X, y, n_rules=n_rules - _ROOM_FOR_INTERCEPT)
        yield n_rules, pruned.refit(X, y, "l2", C=_STRENGTH).simplify(X)


def measure_few(problem: Problem, names: tuple[str, ...]) -> Figures:
    """Choose a setting for few rules on a fifth of the training part, and measure it on the test part."""
    X, y = problem.X_train, problem.y_train
    rows, held_out = train_test_split(np.arange(len(y)), test_size=0.2, random_state=0, stratify=y)
    make = without_loss if problem.name == "Mushroom" else lambda *given: dict(with_at_most(*given))[30]
    validated, settings = {}, CANDIDATES | _SHORTER
    for name in names:
        clf = make(new(settings[name]).fit(X.iloc[rows], y[rows]), X.iloc[rows], y[rows])
        validated[name] = describe(clf, X.iloc[held_out], y[held_out])
        say(f"{problem.name}, {name}: {validated[name]}")
    chosen = max(names, key=lambda name: (*_fits(validated[name], problem.name), validated[name]["accuracy"]))
    full, test = new(settings[chosen]).fit(X, y), (problem.X_test, problem.y_test)
    default = full if chosen == "defaults" else new({}).fit(X, y)
    curve = [{"at_most": n, **describe(clf, *test)} for n, clf in with_at_most(full, X, y)]
    found = {"validated": validated, "chosen": chosen, "defaults": describe(default, *test), "curve": curve}
    found |= {"full": describe(full, *test), "without_loss": describe(without_loss(full, X, y), *test)}
    return found


def _fits(figures: Figures, table: str) -> tuple[bool, ...]:
    """Return what is asked of few rules, besides their accuracy."""
    if table == "Mushroom":
        return figures["rules"] <= 12, figures["max_conditions"] <= 4
    return (figures["rules"] <= 30, figures["mean_conditions"] <= 5)


def main() -> None:
    """Measure and write the results."""
    data_dir, out = parse_paths("Measure how few and how short rules can be.", RESULTS)
    problems = {name: load(name, data_dir) for name in TABLES}
    choice: dict[str, dict[str, Figures]] = {}
    for candidate, settings in CANDIDATES.items():
        choice[candidate] = {}
        for name, problem in problems.items():
            choice[candidate][name] = found = cross_validate(problem, settings)
            say(f"{candidate}, {name}: {found}")
    readable = choose(choice)
    say(f"readable: {readable}")
    compared = {}
    for name, problem in problems.items():
        compared[name] = {key: compare(problem, CANDIDATES[key]) for key in ("defaults", readable)}
        say(f"{name}: {compared[name]}")
    few = {name: measure_few(problems[name], (*names, readable)) for name, names in FEW.items()}
    results = {"kind": "few-rules", "rows": ROWS, "epochs": N_EPOCHS, "choice": choice, "readable": readable}
    write_json(out, results | {"compared": compared, "few": few, **environment()})
    say(f"Written: {out}")


if __name__ == "__main__":
    run_command(main)
