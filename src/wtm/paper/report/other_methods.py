"""Well-known methods without refinements (the paper's table 5), from the files of `studies.baselines`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wtm.paper.intervals import Claimed, against_one_run, between, half_width
from wtm.paper.json_files import read_seeds
from wtm.paper.text_table import Table

METHODS = {
    "mlp-800": ("2-layer NN, 800 hidden units", 98.6),
    "neighbours": ("K-nearest neighbours (K = 3)", 97.2),
    "mlp-500-150": ("3-layer NN, 500 + 150 hidden units", 97.1),
    "pca-quadratic": ("40 PCA + quadratic classifier (shrunk by 0.001)", 96.7),
    "rbf-linear": ("1,000 RBF + linear classifier (Nyström, gamma 0.02, least squares)", 96.4),
    "logistic": ("Logistic regression (1,000 iterations)", 91.5),
    "linear": ("Linear classifier (least squares)", 88.0),
    "tree": ("Decision tree", 87.8),
    "naive-bayes": ("Multinomial naive Bayes", 83.2),
}
"""Names and accuracies in the paper's order, in per cent; on grey values, from other publications.

Settings other than scikit-learn's defaults are in brackets.
"""

FIXED_METHODS = ("neighbours", "logistic", "linear", "naive-bayes")
"""Those that do not depend on a seed."""

PLANNED_SEEDS = 5
"""Of each method that depends on one."""

_HEADER = ("Method", "here (%)", "seeds", "the paper (%)")

Runs = dict[str, list[dict[str, Any]]]
"""Results of each method, one per seed."""


def read_baselines(folder: Path) -> Runs:
    """Read the results, in the order of `METHODS`; methods without any are left out."""
    found = {name: read_seeds(folder, name, ("test_accuracy", "fit_seconds", "predict_seconds")) for name in METHODS}
    return {name: runs for name, runs in found.items() if runs}


def missing_methods(results: Runs) -> list[str]:
    """Return the methods that have no results."""
    return [title for name, (title, _) in METHODS.items() if name not in results]


def baselines_table(results: Runs) -> Table:
    """Return a row per method, the best first: accuracy with its interval, the seeds trained, and the paper's."""
    rows = []
    for name, runs in results.items():
        title, paper = METHODS[name]
        accuracies, half = _accuracies(runs), half_width(_accuracies(runs))
        here = f"{np.mean(accuracies):.2f}" + ("" if half is None else f" ± {half:.2f}")
        is_short = name not in FIXED_METHODS and len(runs) < PLANNED_SEEDS
        rows.append([title, here, f"{len(runs)}{f' of {PLANNED_SEEDS}' * is_short}", f"{paper:.1f}"])
    return Table(_HEADER, sorted(rows, key=lambda row: -float(row[1].split()[0])))


def favourable(results: Runs, ours: Sequence[float]) -> list[str]:
    """Return the verdict on "the WTM is better" for each method, given the WTM's mean for each seed.

    A method that does not depend on a seed is compared as one run is.
    """
    verdicts = []
    for name, runs in results.items():
        theirs = _accuracies(runs)
        difference = against_one_run(ours, theirs[0]) if name in FIXED_METHODS else between(ours, theirs)
        verdicts.append(difference.verdict(Claimed.BETTER, 0.0))
    return verdicts


def _accuracies(runs: list[dict[str, Any]]) -> list[float]:
    return [100 * run["test_accuracy"] for run in runs]
