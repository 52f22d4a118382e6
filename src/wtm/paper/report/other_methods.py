"""Well-known methods without refinements (the paper's table 5), from the files of `studies.baselines`."""

from pathlib import Path
from typing import Any

import numpy as np

from wtm.paper.json_files import read_seeds
from wtm.paper.text_table import Table, span

METHODS = {
    "mlp-800": ("2-layer NN, 800 hidden units", 98.6),
    "neighbours": ("K-nearest neighbours, K = 3, Euclidean", 97.2),
    "mlp-500-150": ("3-layer NN, 500 + 150 hidden units", 97.1),
    "pca-quadratic": ("40 PCA + quadratic classifier", 96.7),
    "rbf-linear": ("1,000 RBF + linear classifier", 96.4),
    "logistic": ("Logistic regression", 91.5),
    "linear": ("Linear classifier, least squares", 88.0),
    "tree": ("Decision tree", 87.8),
    "naive-bayes": ("Multinomial naive Bayes", 83.2),
}
"""Names and accuracies in the paper's order, in per cent; on grey values, from other publications."""

_HEADER = ("Method", "here (%)", "seeds", "the paper (%)", "s to fit", "s to predict")

Runs = dict[str, list[dict[str, Any]]]
"""Results of each method, one per seed."""


def read_baselines(folder: Path) -> Runs:
    """Read the results, in the order of `METHODS`; methods without any are left out."""
    found = {name: read_seeds(folder, name, ("test_accuracy", "fit_seconds", "predict_seconds")) for name in METHODS}
    return {name: runs for name, runs in found.items() if runs}


def baselines_table(results: Runs) -> Table:
    """Return a row per method, the best first: accuracy, spread over seeds, the paper's, seconds to fit and predict."""
    rows = []
    for name, runs in results.items():
        title, paper = METHODS[name]
        accuracies = [100 * run["test_accuracy"] for run in runs]
        seeds = span((min(accuracies), max(accuracies)) if len(runs) > 1 else None)
        seconds = (f"{np.mean([run[key] for run in runs]):.1f}" for key in ("fit_seconds", "predict_seconds"))
        rows.append([title, f"{np.mean(accuracies):.2f}", seeds, f"{paper:.1f}", *seconds])
    return Table(_HEADER, sorted(rows, key=lambda row: -float(row[1])))
